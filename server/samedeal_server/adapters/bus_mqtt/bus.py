"""The bus over an MQTT broker, which may be away, slow or forgetful without anybody noticing here.

- `publish` puts into a bounded queue and returns; the queue is emptied in small portions when the
  event loop comes round to it. `subscribe` notes who wants what. Neither raises for the broker.
- One task connects, again and again, and keeps the broker's subscriptions in step with ours. On
  each connection all subscriptions are made anew and all retained topics are said again.
- What is published after `subscribe` returned is heard by that subscriber, as far as anything is
  sure on a bus: publishing waits until the subscription is under way, and a connection is in order.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from samedeal_protocol.topics import PAYLOAD_BYTES
from samedeal_server.adapters.bus_local import LocalBus, Receive, check_pattern, check_topic
from samedeal_server.adapters.bus_mqtt import tls
from samedeal_server.adapters.bus_mqtt.filters import Interests
from samedeal_server.adapters.bus_mqtt.link import Link, LinkLost, WrongVersion
from samedeal_server.adapters.bus_mqtt.outgoing import Outgoing
from samedeal_server.ports import Meter
from samedeal_server.refusals import fault_text
from samedeal_server.settings import Broker

__all__ = ["MqttBus", "opened"]

_log = logging.getLogger(__name__)

WAITING: Final = 2_000
"""Passing messages that may wait for the broker; older ones are of no use to anybody."""
WAITING_BYTES: Final = 4 * 2**20
EMPTIED: Final = 1_000
"""Cleared topics that are remembered, in case the broker does not remember."""
PORTION: Final = 32
"""Messages that are handed over in one turn of the event loop: about 2 ms."""
UNWRITTEN: Final = 64
UNACKNOWLEDGED: Final = 16
"""How many retained messages may be under way; brokers allow 20."""
OVERDUE_S: Final = 2.0
"""From one to two times as long a retained message may go without acknowledgement."""
FILTERS: Final = 5_000
"""Subscriptions asked for in one packet."""
KEEPALIVE_S: Final = 2
"""How long the broker may be silent before it is asked whether it lives."""
PAUSES_S: Final = (0.05, 1.0)
"""The first pause before another attempt to connect, and the longest; jittered."""
FAREWELL_S: Final = 1.0
"""How long the end waits for the last messages to be on their way."""

# Some brokers end the connection over a space; wildcards are looked for elsewhere.
_PLAIN: Final = re.compile("[!-~]{1,256}")


class _Subscription:
    """One subscriber. It hears nothing until the broker has been asked in its name."""

    __slots__ = ("_bus", "_receive", "is_active", "pattern", "wave")

    def __init__(self, bus: MqttBus, pattern: str, receive: Receive) -> None:
        self._bus = bus
        self._receive = receive
        self.pattern = pattern
        self.is_active = True
        self.wave: int | None = None
        """How often its filter had been asked for, its own time included; None before that."""

    def tell(self, topic: str, payload: bytes) -> None:
        if self._bus.is_for(self):
            self._receive(topic, payload)


class MqttBus:
    """A `Bus` for as long as `run` runs; belongs to one event loop. Use `opened`."""

    def __init__(
        self,
        broker: Broker,
        *,
        identifier: str,
        meter: Meter,
        will: tuple[str, bytes] | None = None,
        keepalive: int = KEEPALIVE_S,
    ) -> None:
        """`identifier` is unlike that of any other client; `will` is what the broker retains when
        we are gone without goodbye. Raises `BadSettings` when a certificate cannot be read."""
        self._broker = broker
        self._identifier = identifier
        self._meter = meter
        self._will = will
        self._keepalive = keepalive
        self._tls = tls.context(broker)
        self._version = "5" if broker.version == "auto" else broker.version
        self._loop = asyncio.get_running_loop()
        self._link: Link | None = None
        self._said = ""
        self._is_refusal_told = False
        self._has_been_connected = False
        self._is_ended = False
        # What goes out.
        self._outgoing = Outgoing(
            messages=WAITING, size=WAITING_BYTES, emptied=EMPTIED, dropped=self._dropped
        )
        self._is_flush_due = False
        self._idle = asyncio.Event()
        # What comes in.
        self._local = LocalBus()
        self._interests = Interests()
        self._subscriptions: dict[_Subscription, None] = {}
        self._new: list[_Subscription] = []
        self._stopped: set[str] = set()
        self._asked: set[str] = set()
        self._wide: frozenset[str] = frozenset()
        self._waves: Counter[str] = Counter()
        self._is_retained = False
        self._woken = asyncio.Event()
        self._hooks: dict[object, Callable[[], None]] = {}

    # --- the port ------------------------------------------------------------------------------

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Hands over and returns at once; an empty retained payload clears the topic."""
        check_topic(topic)
        if not _PLAIN.fullmatch(topic):
            raise ValueError(f"{topic!r} is no topic: it is too long or not of plain characters")
        if len(payload) > PAYLOAD_BYTES:
            _log.warning("too much for the bus topic=%s bytes=%d", topic, len(payload))
            self._dropped(1)
        elif retain:
            self._outgoing.retain(topic, payload)
        else:
            self._outgoing.put(topic, payload)
        self._flush_soon()

    def subscribe(self, pattern: str, receive: Receive) -> Callable[[], None]:
        """Calls `receive(topic, payload)`, retained messages first; returns the way to stop."""
        check_pattern(pattern)
        subscription = _Subscription(self, pattern, receive)
        leave = self._local.subscribe(pattern, subscription.tell)
        self._interests.add(pattern)
        self._subscriptions[subscription] = None
        self._new.append(subscription)
        self._woken.set()

        def stop() -> None:
            if not subscription.is_active:
                return
            subscription.is_active = False
            leave()
            del self._subscriptions[subscription]
            self._interests.remove(pattern)
            self._stopped.add(pattern)
            self._woken.set()

        return stop

    def hears(self, topic: str) -> bool:
        """Always: the broker does not say who subscribes."""
        return True

    @property
    def is_connected(self) -> bool:
        """Whether the broker is reached, as far as one can know."""
        return self._link is not None

    def on_connected(self, announce: Callable[[], None]) -> Callable[[], None]:
        """Calls `announce` on every connection, when all are subscribed; returns the way to stop.

        It is called now as well if there is a connection.
        """
        mark = object()
        self._hooks[mark] = announce
        if self.is_connected:
            self._call(announce)

        def stop() -> None:
            self._hooks.pop(mark, None)

        return stop

    def forget(self, topic: str) -> None:
        """Does not say a retained topic again: it is somebody else's from now on."""
        self._outgoing.forget(topic)

    # --- besides the port ----------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """How many messages wait to be handed over."""
        return len(self._outgoing)

    async def run(self) -> None:
        """Keeps connected until `end` or until it is cancelled."""
        pause, longest = PAUSES_S
        while not self._is_ended:
            began = self._loop.time()
            try:
                await self._connect_and_stay()
            except WrongVersion as fault:
                if self._version == "5" and self._broker.version == "auto":
                    self._version = "3.1.1"
                    continue
                self._say(f"the broker does not speak MQTT {self._version}: {fault}")
            except LinkLost as fault:
                self._say(str(fault))
            except Exception as fault:
                _log.error("the bus failed, and goes on fault=%s", fault_text(fault))
            if self._loop.time() - began > longest:
                pause = PAUSES_S[0]
            await asyncio.sleep(random.uniform(pause / 2, pause))
            pause = min(2 * pause, longest)

    async def settle(self, seconds: float = FAREWELL_S) -> None:
        """Returns when the broker has got what was published, or is away, or time is up."""
        try:
            async with asyncio.timeout(seconds):
                while self._link is not None and not self._is_idle(self._link):
                    self._idle.clear()
                    await self._idle.wait()
        except TimeoutError:
            pass

    def end(self, running: asyncio.Task[None]) -> None:
        """Ends `run`. A cancellation alone may be lost, as aiomqtt waits by `wait_for`."""
        self._is_ended = True
        self._woken.set()
        running.cancel()

    # --- connecting ----------------------------------------------------------------------------

    async def _connect_and_stay(self) -> None:
        link = Link(
            self._broker,
            version=self._version,
            identifier=self._identifier,
            will=self._will,
            keepalive=self._keepalive,
            tls=self._tls,
            receive=self._receive,
            progress=self._progress,
            refused=self._refused,
            lost=self._woken.set,
        )
        await link.open()
        try:
            self._begin_anew()
            await self._agree(link)
            self._arrived(link)
            while not (link.is_lost or self._is_ended):
                self._woken.clear()
                await self._agree(link)
                await self._woken.wait()
            if not self._is_ended:
                raise LinkLost(link.fault)
        finally:
            self._left(link)
            await link.close()

    def _begin_anew(self) -> None:
        """Makes all subscriptions new ones: the broker knows nothing of us."""
        self._is_refusal_told = False
        self._asked = set()
        self._waves.clear()
        self._stopped = set()
        self._new = list(self._subscriptions)

    def _arrived(self, link: Link) -> None:
        _log.info("bus connected broker=%s mqtt=%s", self._broker, self._version)
        self._said = ""
        self._link = link
        self._meter.count("bus_connected")
        if self._has_been_connected:
            self._meter.count("bus_reconnects")
        self._has_been_connected = True
        self._outgoing.repeat()
        for announce in tuple(self._hooks.values()):
            self._call(announce)
        self._flush_soon()
        self._loop.call_later(OVERDUE_S, self._say_again, link)

    def _left(self, link: Link) -> None:
        self._idle.set()
        if self._link is None:
            return
        self._link = None
        self._meter.count("bus_connected", -1)
        if link.unwritten:
            self._dropped(link.unwritten)

    def _call(self, announce: Callable[[], None]) -> None:
        try:
            announce()
        except Exception as fault:
            _log.error("an announcement failed fault=%s", fault_text(fault))

    def _say(self, reason: str) -> None:
        """Warns of what keeps us from the broker, once for each reason."""
        if reason != self._said:
            self._said = reason
            _log.warning("bus away broker=%s reason: %s", self._broker, reason)

    # --- coming in -----------------------------------------------------------------------------

    async def _agree(self, link: Link) -> None:
        """Brings the broker's subscriptions in step with what is wanted."""
        new = [each for each in self._new if each.is_active]
        asking = {self._interests.filter_of(each.pattern) for each in new}
        leaving = {each for each in self._stopped if each not in self._interests} & self._asked
        if not self._asked or self._interests.wide != self._wide:
            wanted = self._interests.filters()
            asking |= wanted - self._asked
            leaving = self._asked - wanted
        self._wide = self._interests.wide
        self._stopped = set()
        self._asked = (self._asked | asking) - leaving
        for pattern in asking:
            self._waves[pattern] += 1
        for pattern in leaving:
            self._waves.pop(pattern, None)
        for each in new:
            each.wave = self._waves[self._interests.filter_of(each.pattern)]
        self._new = []
        self._flush_soon()
        filters = sorted(asking)
        for start in range(0, len(filters), FILTERS):
            await link.ask_for(filters[start : start + FILTERS])
        if leaving:
            await link.ask_no_more(sorted(leaving))

    def is_for(self, subscription: _Subscription) -> bool:
        """Says whether a subscriber is to hear the message that is being told.

        Whoever has not been asked for yet hears nothing. What is retained comes again whenever a
        newcomer makes us ask for the same filter; it is for those who are new, and for the last who
        were, as theirs may still be under way.
        """
        if subscription.wave is None:
            return False
        if not self._is_retained:
            return True
        return subscription.wave >= self._waves[self._interests.filter_of(subscription.pattern)] - 1

    def _receive(self, topic: str, payload: bytes, is_retained: bool) -> None:
        self._is_retained = is_retained
        try:
            self._local.publish(topic, payload)
        except ValueError:
            pass  # A broker that names a topic so is none of ours.
        finally:
            self._is_retained = False

    # --- going out -----------------------------------------------------------------------------

    def _flush_soon(self) -> None:
        if self._link is not None and not self._is_flush_due:
            self._is_flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        """Hands a portion over, unless somebody's subscription is to come first."""
        self._is_flush_due = False
        if self._new:
            self._woken.set()
            return
        link = self._link
        if link is None:
            return
        sent = 0
        while sent < PORTION and self._send_one(link):
            sent += 1
        link.write()
        if sent == PORTION:
            self._flush_soon()

    def _say_again(self, link: Link) -> None:
        """Says again what the broker has not acknowledged for long."""
        if link is not self._link:
            return
        for topic in link.overdue():
            self._outgoing.say_again(topic)
        self._flush_soon()
        self._loop.call_later(OVERDUE_S, self._say_again, link)

    def _send_one(self, link: Link) -> bool:
        """Says whether there was something that could be handed over."""
        if self._outgoing.has_retained and len(link.unacknowledged) < UNACKNOWLEDGED:
            return link.send_retained(*self._outgoing.take_retained())
        if self._outgoing.has_passing and link.unwritten < UNWRITTEN:
            if link.send(*self._outgoing.take()):
                return True
            self._dropped(1)
        return False

    def _progress(self) -> None:
        if self._outgoing:
            self._flush_soon()
        elif self._link is not None and self._is_idle(self._link):
            self._idle.set()

    def _is_idle(self, link: Link) -> bool:
        return not (self._outgoing or link.unwritten or link.unacknowledged)

    def _dropped(self, messages: int) -> None:
        self._meter.count("bus_dropped", messages)

    def _refused(self, topic: str) -> None:
        self._meter.count("bus_refused")
        if not self._is_refusal_told:
            self._is_refusal_told = True
            _log.warning("the broker refuses, as its rules say topic=%s", topic)


@asynccontextmanager
async def opened(
    broker: Broker,
    *,
    node: str,
    incarnation: str,
    meter: Meter,
    will: tuple[str, bytes] | None = None,
    keepalive: int = KEEPALIVE_S,
) -> AsyncIterator[MqttBus]:
    """Yields a bus that connects, and stays connected, until the block ends.

    It does not wait for the broker. A node of another incarnation is another client, so that two
    never throw each other out for ever. At the end, what was published last is given a second.
    """
    bus = MqttBus(
        broker, identifier=f"{node}-{incarnation}", meter=meter, will=will, keepalive=keepalive
    )
    # Not a task group: what the block raises is to leave it as it is.
    running = asyncio.create_task(bus.run(), name="bus")
    try:
        yield bus
    finally:
        try:
            await bus.settle()
        finally:
            bus.end(running)
            await asyncio.wait((running,))
