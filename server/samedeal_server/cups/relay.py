"""Tournaments of other nodes: followed from the log, and acts in them taken to whoever has them.

A hint over the bus says that a log has grown; it is read then, and every now and then without one.
What a player does goes to the owner, again and again, until it is answered or somebody else has the
tournament. Acts may be carried out twice: the second time they cause nothing.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

import msgspec
from msgspec import Raw

from samedeal_protocol import topics
from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.topics import BadMessage
from samedeal_server.cups.cup import Cup
from samedeal_server.cups.run import Run, changing_hands
from samedeal_server.cups.shelf import Shelf
from samedeal_server.hosting.commands import Did, Given
from samedeal_server.hosting.tournament import decide
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.home import Ties
from samedeal_server.rooms.outcomes import Answer, Carried, Elsewhere, Order, Rejected

__all__ = ["Relay"]

_log = logging.getLogger(__name__)

PATIENCE_S: Final = 6.0
"""How long a player's act waits for a tournament's owner, or for a new one."""
ASK_S: Final = 1.2
"""How long an owner may take to answer before the store is asked who it is."""
SEEK_S: Final = 0.3
"""How long to wait before an owner is asked again who cannot be told from the store."""
KIND: Final = "Did"

_encoder: Final = msgspec.msgpack.Encoder()
_acts: Final = msgspec.msgpack.Decoder(Did)


class Relay:
    """What this node says to others about tournaments, and hears."""

    def __init__(self, hall: Hall, ties: Ties, shelf: Shelf) -> None:
        self._hall = hall
        self._shelf = shelf
        self._meter = ties.meter
        self._spawn = ties.spawn
        self._seconds = asyncio.get_running_loop().time
        self._hinted: dict[str, int] = {}
        """How far the logs are said to be that are being read just now."""
        self._stop = (
            ties.bus.subscribe(topics.NEWS.pattern, self._on_news) if hall.is_shared else None
        )

    def close(self) -> None:
        """Hears nothing any more."""
        if self._stop is not None:
            self._stop()

    async def carry(self, cup: Cup, did: Did) -> int:
        """Returns the tournament's seq when somebody's act has been carried out, and is known here.

        Raises:
            Refused: as the tournament does; or store-unavailable, when nobody answers for now.
            LogUnavailable: it is unknown whether it was carried out.
        """
        until = self._seconds() + PATIENCE_S
        number = self._hall.federation.orders.links.number()
        order = Order(at=self._hall.clock.now(), seat=0, command=Raw(_encoder.encode(did)))
        while self._seconds() < until:
            run = self._shelf.runs.get(cup.id)
            if run is not None:
                return await run.ask(did)
            if cup.is_closed:
                # Nothing happens to it any more: this refuses, or says that it is so already.
                decide(cup.state, did, order.at, Given(chance=""))
                return cup.state.seq
            if cup.owner is not None:
                outcome = await self._hall.federation.orders.links.ask(
                    cup.owner[0], cup.id, KIND, order, number=number, patience=ASK_S
                )
                match outcome:
                    case Carried(seq=seq):
                        await self._reach(cup, seq)
                        return seq
                    case Rejected(sentence=sentence, reason=reason):
                        raise Refused(outcome.code, sentence, reason=reason)
                    case _:
                        pass
            self._shelf.seek(cup)
            await asyncio.sleep(SEEK_S)
        raise changing_hands()

    def serve(self, command: topics.Command, order: Order, answer: Answer) -> None:
        """Carries out what a player on another node does."""
        try:
            did = _acts.decode(order.command)
        except UNREADABLE:
            self._meter.count("bus_forged")
            return
        self._spawn(self._serve(command.race, did, answer), f"act {command.race}")

    async def look(self) -> None:
        """Reads on in the tournaments that are followed here and run elsewhere."""
        for cup in list(self._shelf.cups.values()):
            if len(cup.crowd) and cup.id not in self._shelf.runs:
                await self._shelf.catch_up(cup)

    # --- within --------------------------------------------------------------------------------

    async def _serve(self, code: str, did: Did, answer: Answer) -> None:
        try:
            await self._shelf.find(code)
            run: Run | None = self._shelf.runs.get(code)
            answer(Elsewhere() if run is None else Carried(await run.ask(did)))
        except Refused as refused:
            answer(Rejected(refused.code.name, refused.sentence, refused.reason))
        except LogUnavailable:
            answer(Rejected(ErrorCode.STORE_UNAVAILABLE.name, changing_hands().sentence))

    async def _reach(self, cup: Cup, seq: int) -> None:
        """Reads on until all up to `seq` is known: what was acknowledged is in the log."""
        while cup.state.seq < seq and cup.id not in self._shelf.runs:
            if not await self._shelf.catch_up(cup):
                raise changing_hands()

    def _on_news(self, topic: str, payload: bytes) -> None:
        try:
            news = topics.NEWS.decode(topic, payload)
        except BadMessage:
            self._meter.count("bus_forged")
            return
        cup = self._shelf.cups.get(news.tournament)
        if cup is None or cup.id in self._shelf.runs or news.seq <= cup.state.seq:
            return
        if cup.owner is None or news.epoch > cup.owner[1]:
            cup.owner = news.node, news.epoch
        if not len(cup.crowd):
            return
        is_being_read = cup.id in self._hinted
        self._hinted[cup.id] = news.seq
        if not is_being_read:
            self._spawn(self._hear(cup), f"hear {cup.id}")

    async def _hear(self, cup: Cup) -> None:
        """Reads until all is known that was hinted at meanwhile, or the log has no more."""
        try:
            while await self._shelf.catch_up(cup) and cup.state.seq < self._hinted[cup.id]:
                pass
        except LogUnavailable as fault:
            # It is read every now and then anyway.
            _log.debug("tournament not read code=%s fault=%s", cup.id, fault)
        finally:
            del self._hinted[cup.id]
