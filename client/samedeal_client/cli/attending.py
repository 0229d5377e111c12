"""The command tournament watch: bracket or table as it changes, with the races that run."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import deque
from contextlib import suppress
from typing import Final

import msgspec

from samedeal_client.cli.parts import (
    Context,
    Exit,
    Group,
    add_json,
    add_server,
    add_tournament,
    in_full,
    open_hall,
)
from samedeal_client.client import Hall
from samedeal_client.cups.cup import Cup
from samedeal_client.cups.looking import needs_table, picture_lines
from samedeal_client.cups.stage import Window, lanes_below, screen_lines, watched_races
from samedeal_client.cups.tables import player_lines, round_lines, standings_lines
from samedeal_client.cups.telling import head_lines
from samedeal_client.errors import Refused
from samedeal_client.lanes import lanes_of
from samedeal_client.screen import Screen, has_keys, pressed
from samedeal_client.sight import Watch
from samedeal_protocol.tournament.views import TournamentChanged, TournamentTable
from samedeal_rules import find

__all__ = ["add_to"]

_FRAME: Final = 0.25
"""Seconds between two pictures, at least."""
_VIEWS: Final = frozenset("bmsp")
_WATCHED: Final = 6
"""How many races that run are watched as well."""
_PATIENCE: Final = 600.0
"""Seconds of an outage after which a watcher gives up."""


def add_to(group: Group) -> None:
    """Adds `tournament watch`."""
    parser = group.add(
        "watch",
        _watch,
        "watch a tournament until it is over",
        examples=[
            "samedeal tournament watch CODE             the bracket or table, and races",
            "samedeal tournament watch CODE | tee log   a line for everything",
            "samedeal tournament watch CODE --json      the same as lines of JSON",
        ],
    )
    add_tournament(parser)
    add_json(parser)
    add_server(parser)


def _watch(context: Context) -> Exit:
    if context.arguments.json:
        return asyncio.run(_tell_json(context))
    if context.terminal.is_live:
        return asyncio.run(_show(context))
    return asyncio.run(_tell(context))


async def _tell(context: Context) -> Exit:
    """A line for everything that happens, and the standings at last."""
    terminal = context.terminal
    async with (
        open_hall(context, patience=_PATIENCE) as hall,
        hall.tournament(context.arguments.tournament) as cup,
    ):
        events = cup.events()
        terminal.say_all(head_lines(cup.sheet, cup.now_ms))
        async for news in events:
            if isinstance(news, TournamentChanged):
                terminal.say_all(news.text)
        terminal.say_all(await _last_lines(cup, terminal.width))
    return Exit.DONE


async def _last_lines(cup: Cup, width: int) -> list[str]:
    table = await cup.standings()
    lines = standings_lines(table, cup.sheet, width=width)
    return [*head_lines(cup.sheet, cup.now_ms), *(lines if table.lines else [])]


async def _tell_json(context: Context) -> Exit:
    """The whole sheet, then everything that changes, a line each; a sheet again after a gap."""
    terminal = context.terminal

    def notice(said: str) -> None:
        terminal.write(json.dumps({"type": "notice", "message": said}) + "\n")

    async with (
        open_hall(context, patience=_PATIENCE, say=notice) as hall,
        hall.tournament(context.arguments.tournament) as cup,
    ):
        events = cup.events()
        terminal.write(json.dumps(in_full(cup.sheet)) + "\n")
        async for news in events:
            terminal.write(msgspec.json.encode(news).decode() + "\n")
    return Exit.DONE


# --- on a screen ---------------------------------------------------------------------------------


async def _show(context: Context) -> Exit:
    latest: deque[str] = deque(maxlen=8)
    async with (
        open_hall(context, patience=_PATIENCE, say=latest.append) as hall,
        hall.tournament(context.arguments.tournament) as cup,
    ):
        stage = _Stage(context, hall, cup, latest)
        with Screen(context.terminal) as screen:
            await stage.play(screen)
        context.terminal.say_all(await _last_lines(cup, context.terminal.width))
    return Exit.DONE


class _Stage:
    """The screen of a tournament, and the races that are watched for it."""

    def __init__(self, context: Context, hall: Hall, cup: Cup, latest: deque[str]) -> None:
        self._terminal = context.terminal
        self._hall = hall
        self._cup = cup
        self._latest = latest
        self._watches: dict[str, Watch] = {}
        self._table: TournamentTable | None = None
        self._view = "b"
        self._window = Window()

    async def play(self, screen: Screen) -> None:
        """Shows it until it is over, or the watcher leaves."""
        async with asyncio.TaskGroup() as tasks:
            leaving = tasks.create_task(self._press(screen), name="keys")
            beside = [
                tasks.create_task(self._hear(), name="what happens"),
                tasks.create_task(self._attend(tasks), name="races"),
                tasks.create_task(self._redraw(screen), name="picture"),
                tasks.create_task(self._end(), name="the end"),
            ]
            await asyncio.wait((leaving, beside[-1]), return_when=asyncio.FIRST_COMPLETED)
            for task in (leaving, *beside):
                task.cancel()

    async def _hear(self) -> None:
        async for news in self._cup.events():
            if isinstance(news, TournamentChanged):
                self._latest.extend(news.text)

    async def _end(self) -> None:
        await self._cup.over()

    async def _attend(self, tasks: asyncio.TaskGroup) -> None:
        """Watches the races that run; one that cannot be watched is let be."""
        tried: dict[str, asyncio.Task[None]] = {}
        try:
            async for _ in self._cup.changes():
                for race, _title in watched_races(self._cup.sheet, most=_WATCHED):
                    if race not in tried:
                        work = self._watch(race)
                        tried[race] = tasks.create_task(work, name=f"watch {race}")
        finally:
            for task in tried.values():
                task.cancel()

    async def _watch(self, race: str) -> None:
        with suppress(Refused):
            async with self._hall.watch(race) as watch:
                self._watches[race] = watch
                try:
                    await watch.over()
                finally:
                    del self._watches[race]

    async def _press(self, screen: Screen) -> None:
        """Takes keys until one of them leaves; where there are none, waits for ever."""
        if not (has_keys() and sys.stdin is not None and sys.stdin.isatty()):
            await asyncio.Event().wait()
        with pressed() as keys:
            while (key := await keys.get()) not in ("q", "\x1b"):
                if key in _VIEWS:
                    self._view, self._window = key, Window()
                else:
                    self._window.move(key)
                await self._draw(screen)

    async def _redraw(self, screen: Screen) -> None:
        while True:
            await self._draw(screen)
            await asyncio.sleep(_FRAME)

    async def _draw(self, screen: Screen) -> None:
        width, height = screen.size
        sheet, has_blocks = self._cup.sheet, self._terminal.has_blocks
        picture = await self._lines(width - 1)
        races = watched_races(sheet, most=_WATCHED)
        lanes = {
            race: lanes_of(watch.entrants, find(watch.terms.game).goal)
            for race, watch in self._watches.items()
        }
        below = lanes_below(races, lanes, width=width - 1, room=height // 3, has_blocks=has_blocks)
        head = head_lines(sheet, self._cup.now_ms)
        screen.draw(
            screen_lines(
                head, picture, below, self._latest, self._window, width=width, height=height
            )
        )

    async def _lines(self, width: int) -> list[str]:
        """The picture that is chosen. Standings are asked for when something has changed."""
        sheet = self._cup.sheet
        match self._view:
            case "m":
                return round_lines(sheet, now=self._cup.now_ms)
            case "s":
                return standings_lines(await self._standings(), sheet, width=width)
            case "p":
                return player_lines(sheet, width=width)
            case _:
                return picture_lines(
                    sheet,
                    await self._standings() if needs_table(sheet) else None,
                    now=self._cup.now_ms,
                    width=width,
                    has_blocks=self._terminal.has_blocks,
                )

    async def _standings(self) -> TournamentTable:
        if self._table is None or self._table.seq < self._cup.sheet.seq:
            self._table = await self._cup.standings()
        return self._table
