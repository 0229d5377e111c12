"""The command tournament play: a person is brought into each of their races, one by one."""

from __future__ import annotations

import asyncio

from samedeal_client.cli.parts import (
    Context,
    Exit,
    Group,
    add_phrase,
    add_server,
    add_tournament,
    open_hall,
)
from samedeal_client.client import Hall
from samedeal_client.cups.console import Console
from samedeal_client.cups.cup import Call, Cup
from samedeal_client.cups.tables import standings_lines
from samedeal_client.cups.telling import call_lines, head_lines
from samedeal_client.cups.touring import attend, enter, played
from samedeal_client.sitting import play_called
from samedeal_client.terminal import Lines

__all__ = ["add_to"]

_WAIT = "wait"


def add_to(group: Group) -> None:
    """Adds `tournament play`."""
    parser = group.add(
        "play",
        _play,
        "play a tournament: wait, and be brought into each of your races",
        examples=[
            "samedeal tournament play CODE",
            "samedeal tournament play CODE --phrase 'open sesame'",
            "",
            "It registers you, if you are not, and checks you in when that is open.",
            "Between races type help. Through a pipe, lines that are meant for a race",
            "wait for the next one, and `wait` waits: in a race for its end, between",
            "races for the next.",
            r"  printf 'ready\ngiveup\nwait\nwait\n' | samedeal tournament play CODE",
        ],
    )
    add_tournament(parser)
    add_phrase(parser)
    parser.add_argument("--ready", action="store_true", help="be ready at once for every race")
    add_server(parser)


def _play(context: Context) -> Exit:
    return asyncio.run(_tour(context))


async def _tour(context: Context) -> Exit:
    arguments = context.arguments
    async with open_hall(context) as hall, hall.tournament(arguments.tournament) as cup:
        room = _Room(context, hall, cup)
        if not cup.is_over:
            await enter(cup, phrase=arguments.phrase)
            await _sit(room, cup)
        if cup.is_over:
            table = await cup.standings()
            lines = standings_lines(table, cup.sheet, width=context.terminal.width)
            context.terminal.say_all([*head_lines(cup.sheet, cup.now_ms), *lines])
        elif not room.is_out:
            back = context.settings.command(*room.way_back)
            context.terminal.say_command("Your place is kept. Come back with:", back)
    return Exit.DONE


async def _sit(room: _Room, cup: Cup) -> None:
    async with asyncio.TaskGroup() as tasks:
        beside = [
            tasks.create_task(attend(cup), name="attends"),
            tasks.create_task(room.hear(), name="what happens"),
        ]
        await room.stay()
        for task in beside:
            task.cancel()


class _Room:
    """Where a player is between races."""

    def __init__(self, context: Context, hall: Hall, cup: Cup) -> None:
        self._context = context
        self._terminal = context.terminal
        self._hall = hall
        self._cup = cup
        self._lines = Lines()
        self._console = Console(context.terminal, cup, whose=("players",))
        self._is_leaving = False
        self.is_out = False
        """There will be no more race for the player."""
        self.way_back = ("tournament", "play", cup.code)

    async def hear(self) -> None:
        """Says what happens, beside everything else."""
        async for news in self._cup.events():
            self._console.hear(news, is_player=True)

    async def stay(self) -> None:
        """Takes lines and plays races, until there are no more, or the player leaves."""
        self._console.enter()
        if not self._context.is_quiet and not self._cup.is_over:
            self._terminal.say("You are brought into each of your races. Meanwhile, type help.")
        while not self._is_leaving:
            coming = asyncio.ensure_future(self._cup.next_race())
            try:
                await self._wait(coming)
            finally:
                coming.cancel()
            if self._is_leaving:
                return
            call = await coming
            if call is None:
                self.is_out = True
                return
            await self._play(call)

    async def _wait(self, coming: asyncio.Future[Call | None]) -> None:
        """Takes lines until a race is called, there will be none, or the player leaves."""
        while not coming.done():
            reading = asyncio.ensure_future(self._lines.next())
            await asyncio.wait((reading, coming), return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                reading.cancel()
                return
            await self._take(reading.result(), coming)
            if self._is_leaving:
                return

    async def _take(self, line: str | None, coming: asyncio.Future[Call | None]) -> None:
        is_quiet = self._context.is_quiet
        if line is None:
            self._is_leaving = True
        elif is_quiet and line.strip().lower() == _WAIT:
            await asyncio.wait((coming,))
        elif is_quiet and line.strip() and not self._console.knows(line):
            self._lines.put_back(line)
            await asyncio.wait((coming,))
        else:
            await self._console.take(line)
            self._is_leaving = self._console.is_leaving

    async def _play(self, call: Call) -> None:
        if self._terminal.is_live:
            self._terminal.write("\a")
        self._terminal.say_all(call_lines(call.match, call.race, self._cup.sheet, self._cup.now_ms))

        async def play(call: Call) -> None:
            has_ended = await play_called(
                self._terminal,
                self._hall,
                call.race.race,
                self._lines,
                is_quiet=self._context.is_quiet,
                is_ready=self._context.arguments.ready,
                settings=self._context.settings,
                way_back=self.way_back,
            )
            self._is_leaving = not has_ended

        await played(self._cup, call, play)
