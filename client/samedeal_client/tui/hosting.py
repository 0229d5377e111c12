"""What a host does with a race, and an entrant before it: on whichever screen they have it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from samedeal_client.sight import Sight
from samedeal_client.tui.aside import aside
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.frame import Frame
from samedeal_client.tui.lines import clean
from samedeal_client.tui.pages import Confirm, Pick, Question
from samedeal_protocol.terms import Mode, Start

__all__ = ["BOTS", "Hosting"]

BOTS: Final = (
    ("random", "random: any move by chance"),
    ("greedy", "greedy: what helps at once"),
    ("patient", "patient: looks ahead"),
)


class Hosting:
    """The race, and the screen that asks about it. `bots` is how many the server may send."""

    def __init__(self, frame: Frame, sight: Sight, *, bots: int, phrase: str | None) -> None:
        self._frame = frame
        self._sight = sight
        self._bots = bots
        self._phrase = phrase

    def deeds(self) -> list[Deed]:
        """What can be done now."""
        sight, terms = self._sight, self._sight.terms
        deeds: list[Deed] = []
        is_there = sight.is_host or sight.you_are is not None
        if sight.phase == "open" and is_there:
            if sight.is_host and sight.you_are is None and terms.start is Start.HOST:
                # Of an entrant, who may be the host, the screen itself asks what is owed.
                deeds.append(self._deed(("space",), "start", sight.start, "start the race"))
            if self._bots and terms.bots and terms.mode is Mode.LIVE and not sight.tournament:
                deeds.append(self._deed(("b",), "add a bot", self._invite, "one of the server's"))
        if sight.is_host and sight.phase in ("open", "countdown"):
            deeds.append(
                self._deed(("x",), "call off", self._cancel, "call the race off", "cancel")
            )
        if sight.is_host and sight.phase == "running" and self._others():
            meaning = "take an entrant out of the race"
            deeds.append(self._deed(("k",), "disqualify", self._disqualify, meaning))
        return deeds

    def _deed(
        self,
        keys: tuple[str, ...],
        label: str,
        ask: Callable[[], Awaitable[None]],
        meaning: str,
        word: str = "",
    ) -> Deed:
        job = partial(self._frame.refusable, ask)
        return Deed(keys, label, lambda: aside(self._frame, job, "asked"), meaning, word)

    async def _invite(self) -> None:
        which = await self._frame.asked(Pick("Which bot?", BOTS))
        if which is not None:
            await self._sight.invite_bot(which, phrase=self._phrase)
            self._frame.say("A bot is on its way.")

    async def _cancel(self) -> None:
        if await self._frame.asked(Confirm("Call the race off, for everybody?")) is not None:
            await self._sight.cancel()

    async def _disqualify(self) -> None:
        whom = await self._frame.asked(Pick("Disqualify whom?", self._others()))
        if whom is None:
            return
        why = await self._frame.asked(
            Question("Why? Everybody can read it.", hint="it cannot be taken back; Esc leaves it")
        )
        if why is not None:
            await self._sight.disqualify(int(whom), reason=why)

    def _others(self) -> list[tuple[str, str]]:
        """Who plays and is not oneself, who would give up."""
        sight = self._sight
        return [
            (str(number), f"{clean(entrant.name)}{' (bot)' if entrant.bot else ''}")
            for number, entrant in sorted(sight.entrants.items())
            if entrant.state in ("racing", "hidden") and number != sight.you_are
        ]
