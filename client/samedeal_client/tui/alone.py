"""Practice: any game and any deal, alone and offline."""

from __future__ import annotations

import secrets

from samedeal_client.seats import PracticeSeat
from samedeal_client.telling import counted
from samedeal_client.tui.aside import aside
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.pages import Question
from samedeal_client.tui.play import PlayScreen
from samedeal_client.tui.program import Program
from samedeal_rules import BadSeed, Game
from samedeal_rules.prose import title
from samedeal_rules.shuffle import check_seed

__all__ = ["PracticeScreen"]


class PracticeScreen(PlayScreen[PracticeSeat]):
    """A deal to try things on: undo and hints are free, and no clock runs."""

    needs_server = False

    def __init__(self, program: Program, game: Game, seed: str | None = None) -> None:
        """Raises `samedeal_rules` BadSeed."""
        super().__init__(program, _dealt(game, seed))

    def on_mount(self) -> None:
        self._rail.display = False
        self._lanes.display = False
        self.say("Practice: undo and hints are free. ? says how to play.")

    def head(self) -> tuple[str, str]:
        plays = counted(self.seat.view.number, "move")
        return (
            f"{title(self.game)}   practice, seed {self.seat.seed}",
            "   ".join([*self.standing(), plays]),
        )

    def deeds(self) -> list[Deed]:
        return [
            *super().deeds(),
            Deed(("N", "f7"), "new deal", lambda: self._deal(None), "another deal"),
            Deed(("e",), "seed", self._ask_seed, "name the deal's seed", is_minor=True),
            Deed(("b",), "begin again", lambda: self._deal(self.seat.seed), "this deal anew"),
            Deed(
                ("q", "f10", "escape"),
                "leave",
                self.leave,
                "back to the lobby",
                "quit",
                is_vital=True,
            ),
        ]

    def _deal(self, seed: str | None) -> None:
        try:
            self.seat = _dealt(self.game, seed)
        except BadSeed as refusal:
            self.say(f"No: {refusal}", "warn")
            return
        self.aim.drop()
        self.say(f"Dealt: seed {self.seat.seed}")
        self.update()

    def _ask_seed(self) -> None:
        aside(self, self._take_seed, "seed")

    async def _take_seed(self) -> None:
        seed = await self.asked(Question("The deal's seed:", hint="friday-night"))
        if seed is not None:
            self._deal(seed)

    def won(self) -> None:
        self.say("Every card is home: you have won. N deals anew.", "own")


def _dealt(game: Game, seed: str | None) -> PracticeSeat:
    """A seat at that deal, or at any. Raises BadSeed."""
    return PracticeSeat(game, check_seed(secrets.token_hex(4) if seed is None else seed))
