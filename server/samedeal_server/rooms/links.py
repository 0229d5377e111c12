"""What nodes say to each other over the bus: an order for a race, and what came of it.

The bus may lose, repeat and delay. So whoever asks repeats the order, under the same id, until it
is answered or it is too late; and whoever is asked remembers what it answered, and carries out no
order twice. What is no order, is not from whom it says, or comes too late, is counted and dropped.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import msgspec

from samedeal_protocol import topics
from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.topics import BadMessage, Command, Reply
from samedeal_server.rooms.home import Ties
from samedeal_server.rooms.outcomes import Answer, Order, Outcome, is_settled

__all__ = ["Links"]

REPEAT_S: Final = 0.5
"""After how long an order is sent again that was not answered."""
REMEMBERED: Final = 8192
"""Answers that are kept for orders that come again."""


_encoder: Final = msgspec.msgpack.Encoder()
_outcomes: Final[msgspec.msgpack.Decoder[Outcome]] = msgspec.msgpack.Decoder(Outcome)


class Links:
    """This node's ways to all others."""

    def __init__(self, ties: Ties, *, serve: Callable[[Command, Answer], None]) -> None:
        """`serve` carries out an order of another node and has it answered, now or later."""
        self._bus = bus = ties.bus
        self._clock = ties.clock
        self._meter = ties.meter
        self._node = node = ties.leases.node
        self._incarnation = ties.leases.incarnation
        self._serve = serve
        self._ids = itertools.count(1)
        self._waiting: dict[int, tuple[str, asyncio.Future[Outcome]]] = {}
        self._answers: OrderedDict[tuple[str, str, int], bytes | None] = OrderedDict()
        self._stops = (
            bus.subscribe(topics.COMMAND.at(to=node, node="+"), self._on_command),
            bus.subscribe(topics.REPLY.at(to=node, node="+"), self._on_reply),
        )

    def close(self) -> None:
        """Hears nothing any more."""
        for stop in self._stops:
            stop()

    def number(self) -> int:
        """Returns an id for an order; whoever sends it again sends the same."""
        return next(self._ids)

    async def ask(
        self,
        to: str,
        race: str,
        kind: str,
        order: Order,
        *,
        number: int,
        patience: float,
        unless: asyncio.Future[None] | None = None,
    ) -> Outcome | None:
        """Returns what came of an order.

        None when there was no answer for `patience` seconds, or `unless` came to pass before.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + patience
        topic = topics.COMMAND.at(to=to, node=self._node)
        command = Command(
            id=number,
            race=race,
            node=self._node,
            incarnation=self._incarnation,
            expires_at=self._clock.now() + int(patience * 1000),
            kind=kind,
            body=_encoder.encode(order),
        )
        payload = topics.COMMAND.encode(command)
        answered: asyncio.Future[Outcome] = loop.create_future()
        self._waiting[number] = to, answered
        try:
            while (left := until - loop.time()) > 0:
                self._bus.publish(topic, payload)
                await asyncio.wait(
                    (answered,) if unless is None else (answered, unless),
                    timeout=min(REPEAT_S, left),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if answered.done():
                    return answered.result()
                if unless is not None and unless.done():
                    return None
            return None
        finally:
            del self._waiting[number]

    # --- what comes ----------------------------------------------------------------------------

    def _on_command(self, topic: str, payload: bytes) -> None:
        try:
            command = topics.COMMAND.decode(topic, payload)
        except BadMessage:
            self._meter.count("bus_forged")
            return
        if command.expires_at < self._clock.now():
            self._meter.count("bus_stale")
            return
        key = (command.node, command.incarnation, command.id)
        if key in self._answers:
            answer = self._answers[key]
            if answer is not None:
                self._bus.publish(topics.REPLY.at(to=command.node, node=self._node), answer)
            return
        self._answers[key] = None
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)

        def answer_with(outcome: Outcome) -> None:
            reply = Reply(
                id=command.id,
                race=command.race,
                node=self._node,
                incarnation=command.incarnation,
                body=_encoder.encode(outcome),
            )
            encoded = topics.REPLY.encode(reply)
            if is_settled(outcome) and key in self._answers:
                self._answers[key] = encoded
            else:
                # Nothing was decided: should it come again, then perhaps it can be.
                self._answers.pop(key, None)
            self._bus.publish(topics.REPLY.at(to=command.node, node=self._node), encoded)

        self._serve(command, answer_with)

    def _on_reply(self, topic: str, payload: bytes) -> None:
        try:
            reply = topics.REPLY.decode(topic, payload)
            if reply.incarnation != self._incarnation:
                return
            outcome = _outcomes.decode(reply.body)
        except (BadMessage, *UNREADABLE):
            self._meter.count("bus_forged")
            return
        if reply.id not in self._waiting:
            return
        asked, answered = self._waiting[reply.id]
        if reply.node != asked:
            self._meter.count("bus_forged")
        elif not answered.done():
            answered.set_result(outcome)
