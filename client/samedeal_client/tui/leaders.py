"""Leaderboards: who is rated highest, who was fastest, who comes every day; and single players."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from samedeal_client.boards import Page, board_lines, leaderboard, ratings, sheet_lines
from samedeal_client.client import Hall
from samedeal_client.tui.aside import aside
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.pages import Pick, Question
from samedeal_client.tui.program import Program
from samedeal_client.tui.reading import Reading
from samedeal_protocol.boards import Board
from samedeal_rules import GAMES

__all__ = ["LeadersScreen"]

_PAGE: Final = 50
"""Lines that are asked for at a time."""
_ALL: Final = "all"
_TITLES: Final = {
    Board.RATING: "ratings",
    Board.FASTEST: "fastest",
    Board.STREAKS: "streaks",
}


class LeadersScreen(Reading):
    """One board at a time."""

    key_lines = 2

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._board = Board.RATING
        self._game: str | None = None
        self._has_bots = False
        self._offset = 0
        self._page: Page | None = None

    def on_mount(self) -> None:
        self.read(self._told)

    async def _told(self, hall: Hall) -> Sequence[str]:
        self._page = None
        page = await leaderboard(
            hall,
            self._board,
            game=None if self._board is Board.STREAKS else self._game,
            bots=self._has_bots,
            offset=self._offset,
            limit=_PAGE,
        )
        self._page = page
        return board_lines(page)

    def head(self) -> tuple[str, str]:
        game = "all games" if self._game is None else self._game
        return "Leaderboards", "" if self._board is Board.STREAKS else game

    def deeds(self) -> list[Deed]:
        deeds = [
            Deed((str(at),), title, partial(self._show, board), f"the board of {title}")
            for at, (board, title) in enumerate(_TITLES.items(), 1)
        ]
        if self._board is not Board.STREAKS:
            deeds.append(Deed(("g", "f5"), "game", self._pick, "the board of one game"))
        if self._page is not None and self._offset:
            deeds.append(Deed(("left",), "before", lambda: self._go(-_PAGE), "the lines before"))
        if self._page is not None and self._offset + _PAGE < self._page.total:
            deeds.append(Deed(("right",), "more", lambda: self._go(_PAGE), "the lines after"))
        who = "people" if self._has_bots else "bots"
        return [
            *deeds,
            Deed(("b", "f7"), who, self._turn, f"the board of {who}"),
            Deed(("y", "f2"), "yours", lambda: self._read_player(None), "your own ratings"),
            Deed(("i", "f3"), "player", self._ask_player, "somebody's ratings, by their name"),
            Deed(("q", "f10", "escape"), "leave", self.leave, "back to the lobby", is_vital=True),
        ]

    def help_page(self) -> tuple[str, list[str]]:
        return "Leaderboards", [
            "Ratings come from rated races; who is marked ? is not well enough known for a place.",
            "The fastest are told game by game. Streaks are days in a row with a finish.",
        ]

    def _show(self, board: Board) -> None:
        self._board, self._offset = board, 0
        if board is Board.FASTEST and self._game is None:
            self._pick()
        else:
            self.read(self._told)

    def _go(self, lines: int) -> None:
        self._offset = max(0, self._offset + lines)
        self.read(self._told)

    def _turn(self) -> None:
        self._has_bots, self._offset = not self._has_bots, 0
        self.read(self._told)

    def _pick(self) -> None:
        aside(self, self._pick_game, "game")

    async def _pick_game(self) -> None:
        games = [(game.key, game.name) for game in GAMES]
        if self._board is not Board.FASTEST:
            games = [(_ALL, "all games together"), *games]
        key = await self.asked(Pick("Of which game?", games))
        if key is not None:
            self._game, self._offset = None if key == _ALL else key, 0
        elif self._board is Board.FASTEST and self._game is None:
            self._board = Board.RATING  # the fastest are told of one game only
        self.read(self._told)

    def _ask_player(self) -> None:
        aside(self, self._take_player, "player")

    async def _take_player(self) -> None:
        name = await self.asked(Question("Whose ratings?", hint="a player's name"))
        if name is not None:
            self._read_player(name)

    def _read_player(self, name: str | None) -> None:
        async def told(hall: Hall) -> Sequence[str]:
            return sheet_lines(await ratings(hall, name))

        self.read(told)
