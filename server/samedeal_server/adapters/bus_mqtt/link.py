"""One connection to a broker: aiomqtt's client, with its sharp edges taken off.

A link is opened once and then thrown away; the next attempt is a new one. It reads and writes in
the event loop's own callbacks, so that no message is lost by cancelling somebody who waits for one,
and hands over what arrives at once, by a plain call. What it changes of aiomqtt 2.5, and why:

- A socket may be closed before the loop begins to watch it; by then its number may be somebody
  else's. So it is looked at again when the watching begins.
- A connection that ends before the broker has answered ends the attempt at once, not when the
  patience is over. An attempt that fails or is cancelled leaves no socket, timer or task.
- Whoever waits for the answer to a subscription is told when the connection ends, not when the
  patience does.
- A refused publish is told, and what is written or acknowledged is counted, so that the caller
  knows how much is under way. Nobody ever waits for an acknowledgement.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from typing import Final

import aiomqtt
import paho.mqtt.client as paho
from aiomqtt.types import PahoSocket
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from samedeal_server.settings import Broker

__all__ = ["Link", "LinkLost", "WrongVersion"]

# What goes wrong is told by the bus, in its own words.
_quiet = logging.getLogger(f"{__name__}.paho")
_quiet.setLevel(logging.CRITICAL)

PATIENCE_S: Final = 3.0
"""For a connection, and for each answer of the broker."""
_REFUSED: Final = 128
"""From here on a reason code is a refusal."""
_UNSUPPORTED: Final = frozenset((1, 132))
"""The broker does not speak this version: in its words of MQTT 3.1.1, and of MQTT 5."""


class LinkLost(Exception):
    """There is no connection to the broker, or it cannot be used."""


class WrongVersion(LinkLost):
    """The broker does not speak this version of MQTT."""


class Link(aiomqtt.Client):
    """A connection that `open` makes and `close` ends.

    `receive(topic, payload, retained)` is called for every message, `progress()` whenever some of
    what was handed over has been written or acknowledged, `refused(topic)` when the broker will not
    have a message or subscription, `lost()` once when the open connection has ended. None of them
    may raise. A broker that is silent is given up between one and two times `keepalive` seconds.
    """

    def __init__(
        self,
        broker: Broker,
        *,
        version: str,
        identifier: str,
        will: tuple[str, bytes] | None,
        keepalive: int,
        tls: ssl.SSLContext | None,
        receive: Callable[[str, bytes, bool], None],
        progress: Callable[[], None],
        refused: Callable[[str], None],
        lost: Callable[[], None],
    ) -> None:
        is_v5 = version == "5"
        super().__init__(
            broker.at.host,
            broker.at.port,
            username=broker.user,
            password=broker.password,
            logger=_quiet,
            identifier=identifier,
            protocol=aiomqtt.ProtocolVersion.V5 if is_v5 else aiomqtt.ProtocolVersion.V311,
            will=aiomqtt.Will(*will, qos=1, retain=True) if will else None,
            clean_session=None if is_v5 else True,
            clean_start=True if is_v5 else paho.MQTT_CLEAN_START_FIRST_ONLY,
            timeout=PATIENCE_S,
            max_inflight_messages=0,  # no limit: who calls us has one
            keepalive=keepalive,
            tls_context=tls,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
        )
        self._client.connect_timeout = PATIENCE_S
        # Nobody waits for these futures as long as all goes well.
        self._disconnected.add_done_callback(_retrieved)
        self._connected.add_done_callback(_retrieved)
        self._receive = receive
        self._progress = progress
        self._refused = refused
        self._lost = lost
        self._thread = threading.get_ident()
        self._is_thrown_away = False
        self._is_handing_over = False
        self.unwritten = 0
        """Passing messages that are handed over and not written."""
        self.unacknowledged: dict[int, str] = {}
        """Retained messages that are under way, by number: their topics."""
        self._asked_about: frozenset[int] = frozenset()
        self._given_up: set[int] = set()

    # --- coming and going ----------------------------------------------------------------------

    async def open(self) -> None:
        """Connects; raises `LinkLost` or `WrongVersion`."""
        try:
            await self.__aenter__()
        except aiomqtt.MqttCodeError as fault:
            self.throw_away()
            number = fault.rc.value if isinstance(fault.rc, ReasonCode) else fault.rc
            if number in _UNSUPPORTED:
                raise WrongVersion(str(fault)) from None
            raise LinkLost(str(fault)) from None
        except (aiomqtt.MqttError, OSError, ValueError) as fault:
            # ValueError: a name that is none, such as one with an empty label.
            self.throw_away()
            raise LinkLost(str(fault)) from None
        except BaseException:
            self.throw_away()
            raise
        if not self._client.is_connected():
            self.throw_away()
            raise LinkLost("the broker closed the connection at once")
        self._disconnected.add_done_callback(self._tell_lost)

    async def close(self) -> None:
        """Says goodbye, so that the will is not told, and ends the connection."""
        self._disconnected.remove_done_callback(self._tell_lost)
        try:
            await self.__aexit__(None, None, None)
        except aiomqtt.MqttError:
            pass  # It did not hear us; the connection ends nevertheless.
        finally:
            self.throw_away()

    def throw_away(self) -> None:
        """Ends the connection at once, whatever state it is in."""
        self._is_thrown_away = True
        self._client._sock_close()

    @property
    def is_lost(self) -> bool:
        return self._disconnected.done()

    @property
    def fault(self) -> str:
        """Why the connection has ended."""
        fault = self._disconnected.exception() if self._disconnected.done() else None
        return str(fault) if fault is not None else "the connection has ended"

    # --- talking -------------------------------------------------------------------------------

    def write(self) -> None:
        """Writes what has been handed over, without waiting for the loop to come round again."""
        self._write()
        if self._client.want_write() and (sock := self._client.socket()) is not None:
            self._watch_writes(sock)

    def send(self, topic: str, payload: bytes) -> bool:
        """Hands over a passing message, which is told once at most; False if there is no link.

        What is handed over goes out at the next `write`.
        """
        if self._hand_over(topic, payload, qos=0) is None:
            return False
        self.unwritten += 1
        return True

    def send_retained(self, topic: str, payload: bytes) -> bool:
        """Hands over a retained message, which the broker acknowledges; False without a link."""
        mid = self._hand_over(topic, payload, qos=1)
        if mid is None:
            return False
        self.unacknowledged[mid] = topic
        return True

    def _hand_over(self, topic: str, payload: bytes, *, qos: int) -> int | None:
        """Returns the message's number; None when it cannot be sent."""
        if self._disconnected.done():
            return None
        self._is_handing_over = True
        try:
            sent = self._client.publish(topic, payload, qos, retain=qos > 0)
        finally:
            self._is_handing_over = False
        return None if sent.rc else sent.mid

    def overdue(self) -> list[str]:
        """Returns the topics that waited for the broker already when this was last asked.

        Nothing waits for them any longer. A broker that has just lost its store, or its fellows,
        may never acknowledge what came in that moment.
        """
        waited = self._asked_about & self.unacknowledged.keys()
        self._given_up |= waited
        topics = [self.unacknowledged.pop(mid) for mid in sorted(waited)]
        self._asked_about = frozenset(self.unacknowledged)
        return topics

    async def ask_for(self, patterns: Sequence[str]) -> None:
        """Subscribes, and returns when the broker has answered; raises `LinkLost`.

        Retained messages follow, also on patterns that were asked for before.
        """
        try:
            codes: Sequence[int | ReasonCode] = await self.subscribe(
                [(pattern, 0) for pattern in patterns]
            )
        except (aiomqtt.MqttError, ValueError) as fault:
            raise LinkLost(str(fault)) from None
        for pattern, code in zip(patterns, codes, strict=False):
            if code.is_failure if isinstance(code, ReasonCode) else code >= _REFUSED:
                self._refused(pattern)

    async def ask_no_more(self, patterns: Sequence[str]) -> None:
        """Unsubscribes; raises `LinkLost`."""
        try:
            await self.unsubscribe(list(patterns))
        except (aiomqtt.MqttError, ValueError) as fault:
            raise LinkLost(str(fault)) from None

    # --- what aiomqtt calls --------------------------------------------------------------------

    def _tell_lost(self, _: asyncio.Future[None]) -> None:
        # Nobody else would tell those who wait for an answer.
        for answer in self._pending_subscribes.values():
            if not answer.done():
                answer.set_exception(aiomqtt.MqttError(self.fault))
        for answered in self._pending_unsubscribes.values():
            answered.set()
        self._lost()

    def _client_connect(self) -> None:
        # Here we are in a thread of the executor, which nobody can cancel.
        super()._client_connect()
        if self._is_thrown_away:
            self._client._sock_close()

    def _on_disconnect(
        self,
        client: paho.Client,
        userdata: object,
        flags: paho.DisconnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        if not self._connected.done():
            fault = aiomqtt.MqttError("the broker closed the connection before it answered")
            self._connected.set_exception(fault)
        super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _on_message(self, client: paho.Client, userdata: object, message: paho.MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            return
        self._receive(topic, bytes(message.payload), bool(message.retain))

    def _on_publish(
        self,
        client: paho.Client,
        userdata: object,
        mid: int,
        reason_code: ReasonCode,
        properties: Properties,
    ) -> None:
        topic = self.unacknowledged.pop(mid, None)
        if topic is not None:
            if reason_code.is_failure:
                self._refused(topic)
        elif mid in self._given_up:
            self._given_up.discard(mid)
        else:
            self.unwritten -= 1
        self._progress()

    def _on_socket_open(self, client: paho.Client, userdata: object, sock: PahoSocket) -> None:
        # Called in the executor's thread.
        self._loop.call_soon_threadsafe(self._watch_reads, sock)

    def _watch_reads(self, sock: PahoSocket) -> None:
        if self._is_current(sock):
            self._loop.add_reader(sock.fileno(), self._read)
            self._misc_task = self._loop.create_task(self._misc_loop(), name="bus keepalive")

    def _on_socket_register_write(
        self, client: paho.Client, userdata: object, sock: PahoSocket
    ) -> None:
        if threading.get_ident() != self._thread:
            self._loop.call_soon_threadsafe(self._watch_writes, sock)
        elif not self._is_handing_over:
            self._watch_writes(sock)

    def _watch_writes(self, sock: PahoSocket) -> None:
        if self._is_current(sock):
            self._loop.add_writer(sock.fileno(), self._write)

    def _is_current(self, sock: PahoSocket) -> bool:
        return not self._is_thrown_away and sock is not None and self._client.socket() is sock

    def _read(self) -> None:
        try:
            self._client.loop_read()
            # Decrypted bytes that are left make no socket readable.
            while isinstance(sock := self._client.socket(), ssl.SSLSocket) and sock.pending():
                self._client.loop_read()
        except Exception as fault:
            self._break(fault)

    def _write(self) -> None:
        try:
            self._client.loop_write()
        except Exception as fault:
            self._break(fault)

    def _break(self, fault: Exception) -> None:
        for future in (self._connected, self._disconnected):
            if not future.done():
                future.set_exception(aiomqtt.MqttError(str(fault)))
        self.throw_away()


def _retrieved(future: asyncio.Future[None]) -> None:
    """Looks at the outcome, which nobody may be waiting for any more."""
    if not future.cancelled():
        future.exception()
