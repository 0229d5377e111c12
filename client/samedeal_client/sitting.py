"""A player's place in a race at a terminal: typed lines go in, and what happens is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from samedeal_client.client import Hall
from samedeal_client.plain import RaceDesk
from samedeal_client.settings import Settings
from samedeal_client.sight import Happening
from samedeal_client.terminal import Lines, Terminal
from samedeal_protocol.terms import Mode

__all__ = ["play_called", "play_race"]


async def play_race(
    terminal: Terminal,
    hall: Hall,
    race: str,
    lines: Lines,
    *,
    is_quiet: bool,
    phrase: str | None = None,
    is_ready: bool = False,
    rival: str | None = None,
    settings: Settings | None = None,
) -> str | None:
    """Plays one race with whoever types the lines, until they quit or the lines end.

    Returns the code of the rematch that they asked for, if they did. The place in the race is
    kept. `rival` is the bot that leaves with them: it is let play to its end if they are done.
    Raises `ClientError`.
    """
    async with hall.join(race, phrase=phrase) as run:
        desk = RaceDesk(terminal, hall, run, is_quiet=is_quiet, settings=settings, rival=rival)
        async with _seated(desk, run.events(), is_ready=is_ready) as happenings:
            await _attend(desk, happenings, lines, stays=True)
            await desk.see_out()
    return desk.next_race


async def play_called(
    terminal: Terminal,
    hall: Hall,
    race: str,
    lines: Lines,
    *,
    is_quiet: bool,
    is_ready: bool,
    settings: Settings,
    way_back: tuple[str, ...],
) -> bool:
    """Plays one race of several; returns whether it came to its end, and did not lose its player.

    `way_back` is the command by which a player comes back who leaves before. Raises `ClientError`.
    """
    async with hall.join(race) as run:
        desk = RaceDesk(
            terminal, hall, run, is_quiet=is_quiet, settings=settings, way_back=way_back
        )
        async with _seated(desk, run.events(), is_ready=is_ready) as happenings:
            await _attend(desk, happenings, lines, stays=False)
        return run.is_over


@asynccontextmanager
async def _seated(
    desk: RaceDesk, happenings: AsyncIterator[Happening], *, is_ready: bool
) -> AsyncIterator[AsyncIterator[Happening]]:
    """Says where the player has come to, and at last how to come back."""
    run = desk.run
    is_ready = is_ready and run.state == "entered" and run.terms.mode is Mode.LIVE
    desk.enter(invites=not is_ready)
    if is_ready:
        await run.ready()
    try:
        yield happenings
    except asyncio.CancelledError:
        if not desk.is_quiet:
            desk.terminal.say()  # below the ^C
        desk.part()
        raise
    desk.part()


async def _attend(
    desk: RaceDesk, happenings: AsyncIterator[Happening], lines: Lines, *, stays: bool
) -> None:
    """Takes typed lines and tells what happens, side by side; when the race is over, `stays`."""
    something = asyncio.Event()

    async def hear() -> None:
        async for happening in happenings:
            desk.happened(happening)
            something.set()
        something.set()
        if stays:
            await desk.tell_rematch()

    async def take() -> None:
        while not desk.is_leaving:
            line = await lines.next()
            while not desk.may_take(line):
                await something.wait()
                something.clear()
            if line is None:
                return
            if desk.run.is_over and not stays:
                lines.put_back(line)  # it is for what comes after the race
                return
            await desk.take(line)

    async with asyncio.TaskGroup() as tasks:
        hearing = tasks.create_task(hear(), name="what happens")
        counting = tasks.create_task(desk.count_down(), name="countdown")
        taking = tasks.create_task(take(), name="typed lines")
        enough = (taking,) if stays else (taking, hearing)
        await asyncio.wait(enough, return_when=asyncio.FIRST_COMPLETED)
        for task in (hearing, counting, taking):
            task.cancel()
