"""The command watch: one race as lanes or boards, or everything that is public, as it happens."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from typing import Final

import msgspec

from samedeal_client.cli.codes import race_word
from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_json,
    add_phrase,
    add_server,
    game_of,
    in_full,
    open_hall,
)
from samedeal_client.client import Hall
from samedeal_client.errors import Refused
from samedeal_client.lanes import LaneScreen, lanes_of
from samedeal_client.lobby import Lobby, row_of
from samedeal_client.screen import Screen
from samedeal_client.settings import as_run
from samedeal_client.sight import Watch
from samedeal_client.stage import boards_lines, sight_lines
from samedeal_client.telling import clock, event_text, standings_table, terms_text
from samedeal_client.terminal import Terminal
from samedeal_protocol.messages import Played, Snapshot
from samedeal_rules import Game

__all__ = ["add_options", "add_to", "follow", "watch_race"]

_FRAME: Final = 0.25
"""Seconds between two pictures of a race, at least."""
_TICK: Final = 1.0
"""Seconds after which the clock is drawn anew although nothing has happened."""
_LOOK: Final = 2.0
"""Seconds between two looks at the list of races; what happens in them is told as it happens."""
_WATCHED: Final = 24
"""How many races of the list are watched as well, so that their leaders are known."""
_KEPT: Final = 60.0
"""Seconds for which a race stays on the list after its end."""
_PATIENCE: Final = 600.0
"""Seconds of an outage after which a watcher gives up."""
_LATEST: Final = 3
"""Sentences below the boards."""


def add_to(commands: Group) -> None:
    """Adds the command."""
    parser = commands.add(
        "watch",
        _watch,
        "watch a race until it is over, or everything that is public",
        examples=[
            "samedeal watch                  all public races, as they change",
            "samedeal watch RACE             one race as lanes",
            "samedeal watch RACE --boards    the boards side by side",
            "samedeal watch RACE --json      every event as a line of JSON",
        ],
    )
    parser.add_argument(
        "race", nargs="?", type=race_word, metavar="RACE", help="the race's code (default: all)"
    )
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds how a race is watched."""
    parser.add_argument("--boards", action="store_true", help="draw the boards, as the terms allow")
    add_phrase(parser)
    add_json(parser)
    add_server(parser)


def _watch(context: Context) -> Exit:
    if context.arguments.race is not None:
        return watch_race(context)
    if context.arguments.boards or context.arguments.phrase is not None:
        raise Fault("--boards and --phrase go with a race's code", Exit.USAGE)
    return asyncio.run(_watch_all(context))


def watch_race(context: Context) -> Exit:
    """Watches the race that the arguments name, until it is over."""
    arguments, terminal = context.arguments, context.terminal
    if arguments.json:
        return asyncio.run(_tell_json(context))
    if arguments.boards and terminal.is_live:
        return asyncio.run(_show_boards(context))
    return asyncio.run(_tell_lanes(context))


# --- one race ------------------------------------------------------------------------------------


@asynccontextmanager
async def _watched(
    context: Context, say: Callable[[str], None]
) -> AsyncIterator[tuple[Watch, str]]:
    """Yields the race, and what the watcher is to it: entrant, host or spectator."""
    arguments = context.arguments
    async with (
        open_hall(context, patience=_PATIENCE, say=say) as hall,
        hall.watch(arguments.race, phrase=arguments.phrase) as watch,
    ):
        role = "host" if watch.is_host else "spectator"
        yield watch, role if watch.you_are is None else "entrant"


def _begun(watch: Watch, role: str, *, wants_boards: bool) -> list[str]:
    return [
        f"Race {watch.race}: {terms_text(watch.terms)}.",
        *sight_lines(watch.terms, phase=watch.phase, role=role, wants_boards=wants_boards),
    ]


def _ended(watch: Watch, goal: int) -> list[str]:
    if watch.phase == "cancelled":
        raise Fault(f"the race was called off{watch.reason and f': {watch.reason}'}")
    return standings_table(watch.standings, goal)


async def _tell_lanes(context: Context) -> Exit:
    terminal = context.terminal
    screen = LaneScreen(terminal)
    async with _watched(context, screen.say) as (watch, role):
        terminal.say_all(_begun(watch, role, wants_boards=context.arguments.boards))
        goal = game_of(watch.terms.game).goal
        await follow(watch, screen, goal)
        terminal.say_all(_ended(watch, goal))
    return Exit.DONE


async def follow(watch: Watch, screen: LaneScreen, goal: int) -> None:
    """Shows a race on the screen until it is over."""

    def draw() -> None:
        screen.update(lanes_of(watch.entrants, goal), watch.elapsed_ms, clockless=_clockless(watch))

    def say(sentence: str) -> None:
        screen.say(sentence)

    await _followed(watch, draw, say, goal=goal, is_live=screen.is_live)


async def _followed(
    watch: Watch,
    draw: Callable[[], None],
    say: Callable[[str], None],
    *,
    goal: int,
    is_live: bool,
) -> None:
    """Draws whenever something has changed, at a calm rate, and says what is worth a sentence."""

    async def redraw() -> None:
        async for _ in watch.changes():
            draw()
            if is_live:
                await asyncio.sleep(_FRAME)

    async def tick() -> None:
        while is_live:
            await asyncio.sleep(_TICK)
            draw()

    async with asyncio.TaskGroup() as tasks:
        happenings = watch.events()
        drawing = [
            tasks.create_task(redraw(), name="redraw"),
            tasks.create_task(tick(), name="tick"),
        ]
        async for happening in happenings:
            if isinstance(happening, Snapshot | Played):
                continue
            said = event_text(happening, watch.entrants, goal=goal)
            if said is not None:
                say(said)
        draw()
        for task in drawing:
            task.cancel()


def _clockless(watch: Watch) -> str:
    """What stands in the place of the clock where there is none."""
    starts = watch.starts_in_ms
    if starts is not None:
        return f"starts in {-(-starts // 1000)} s"
    return "lobby" if watch.phase in ("open", "countdown") else watch.phase


async def _show_boards(context: Context) -> Exit:
    terminal = context.terminal
    latest: deque[str] = deque(maxlen=_LATEST)
    async with _watched(context, latest.append) as (watch, role):
        game = game_of(watch.terms.game)
        begun = _begun(watch, role, wants_boards=True)
        with Screen(terminal) as screen:

            def draw() -> None:
                screen.draw(_picture(watch, game, begun[1:], latest, screen, terminal))

            await _followed(watch, draw, latest.append, goal=game.goal, is_live=True)
        terminal.say_all([*begun, *latest, *_ended(watch, game.goal)])
    return Exit.DONE


def _picture(
    watch: Watch,
    game: Game,
    notes: list[str],
    latest: deque[str],
    screen: Screen,
    terminal: Terminal,
) -> list[str]:
    width, height = screen.size
    elapsed = watch.elapsed_ms
    when = _clockless(watch) if elapsed is None else clock(elapsed)[:-4]
    head = [f"[{when}]  {watch.race}  {game.name}", *notes, ""]
    foot = ["", *latest]
    boards = boards_lines(
        game,
        watch.entrants,
        watch.board,
        width=width - 1,
        height=height - len(head) - _LATEST - 1,
        has_blocks=terminal.has_blocks,
        has_colour=terminal.has_colour,
    )
    return [*head, *boards, *foot]


async def _tell_json(context: Context) -> Exit:
    """Prints how the race stands, and then everything that happens, a line each."""

    def tell(**fields: object) -> None:
        context.terminal.write(json.dumps(fields) + "\n")

    async with _watched(context, lambda said: tell(type="notice", message=said)) as (watch, role):
        happenings = watch.events()
        tell(
            type="race",
            race=watch.race,
            phase=watch.phase,
            role=role,
            terms=in_full(watch.terms),
            elapsed_ms=watch.elapsed_ms,
            entrants=in_full(tuple(watch.entrants.values())),
            standings=in_full(watch.standings),
        )
        async for happening in happenings:
            context.terminal.write(msgspec.json.encode(happening).decode() + "\n")
    return Exit.REFUSED if watch.phase == "cancelled" else Exit.DONE


# --- all races -----------------------------------------------------------------------------------


async def _watch_all(context: Context) -> Exit:
    """Shows the public races until it is interrupted."""
    terminal, arguments = context.terminal, context.arguments
    is_screen = terminal.is_live and not arguments.json
    said: deque[str] = deque(maxlen=1)
    whole: AbstractContextManager[Screen | None] = Screen(terminal) if is_screen else nullcontext()

    def say(sentence: str) -> None:
        if is_screen:
            said.append(sentence)
        elif arguments.json:
            terminal.write(json.dumps({"type": "notice", "message": sentence}) + "\n")
        else:
            terminal.say(sentence)

    async with open_hall(context, patience=_PATIENCE, say=say) as hall:
        lobby = Lobby()
        with whole as screen:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(_look(hall, lobby, tasks), name="lobby")
                while True:
                    rows = lobby.rows()
                    if screen is not None:
                        width, height = screen.size
                        title, *lines = lobby.table(rows, width=width, height=height - 2)
                        screen.draw([as_run(title, sys.argv[0]), *lines, "", *said])
                    elif arguments.json:
                        for row in lobby.changed(rows):
                            terminal.write(json.dumps(row.as_json()) + "\n")
                    else:
                        terminal.say_all(row.sentence() for row in lobby.changed(rows))
                    await asyncio.sleep(_TICK)


async def _look(hall: Hall, lobby: Lobby, tasks: asyncio.TaskGroup) -> None:
    """Keeps the lobby's rows true: by the list, and by watching the races that run."""
    watching: dict[str, asyncio.Task[None]] = {}
    while True:
        lobby.listed(await hall.list(), now=hall.now_ms(), keep_ms=_KEPT * 1000)
        for race in lobby.worth_watching():
            if race not in watching and len(watching) < _WATCHED:
                watching[race] = tasks.create_task(_attend(hall, lobby, race), name=f"watch {race}")
        watching = {race: task for race, task in watching.items() if not task.done()}
        await asyncio.sleep(_LOOK)


async def _attend(hall: Hall, lobby: Lobby, race: str) -> None:
    """Watches one race until it is over, for its row; a race that cannot be watched is let be."""
    with suppress(Refused):
        async with hall.watch(race) as watch:
            lobby.watched(race, lambda: row_of(watch))
            await watch.over()
            lobby.ended(race, row_of(watch), now=hall.now_ms())
            return
    lobby.unwatchable(race)
