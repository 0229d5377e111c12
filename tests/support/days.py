"""A hall in which days pass, with a deal that is won in nine steps on the first of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from samedeal_protocol import messages
from samedeal_protocol.events import Opened, parse_line
from samedeal_server.adapters.bus_local import LocalBus
from samedeal_server.daily.days import Day
from samedeal_server.daily.rooms import Room
from support.fakes import FakeClock, RecordingMeter
from support.halls import Lobby, Person, lobby
from support.memory import MemoryLog
from support.nodes import Fakes
from support.races import WIN, WinningSeeds

__all__ = [
    "FIRST",
    "HOUR",
    "ROOM",
    "at_day",
    "begin",
    "both_at_once",
    "daily",
    "days",
    "enter",
    "give_up",
    "next_day",
    "opened",
    "second_room",
    "win",
]

FIRST: Final = Day.read("20270124")
"""A Sunday that plays Abandon Hope, by the written rule."""
ROOM: Final = "daily-20270124"
"""The room of the people on it."""
HOUR: Final = 3_600_000


def at_day(day: Day = FIRST) -> Fakes:
    """The world on a day, at eight o'clock."""
    clock = FakeClock(day.opens_at + 8 * HOUR)
    return Fakes(MemoryLog(), clock, WinningSeeds(), RecordingMeter(), LocalBus())


@asynccontextmanager
async def days(world: Fakes | None = None, **changes: object) -> AsyncIterator[Lobby]:
    """Runs a hall from the morning of the first day on."""
    async with lobby(world or at_day(), house=None, **changes) as hall:
        yield hall


async def daily(
    person: Person, day: Day | None = None, *, join: bool = False, bots: bool = False
) -> messages.DailySheet:
    """What somebody is told of a day."""
    asked = messages.Daily(
        id=person.next_id(), day=None if day is None else str(day), join=join, bots=bots
    )
    return await person.get(messages.DailySheet, asked)


async def enter(person: Person) -> str:
    """Enters today's deal; returns the room."""
    race = (await daily(person, join=True)).race
    assert race is not None
    await person.join(race)
    return race


async def begin(person: Person) -> str:
    """Enters today's deal and opens it; returns the room."""
    race = await enter(person)
    await person.get(messages.Snapshot, messages.Begin(id=person.next_id(), race=race))
    return race


async def win(person: Person, *, after_ms: int = 0) -> str:
    """Plays the first day's deal to its end, in so many milliseconds; returns the room."""
    race = await begin(person)
    for number, move in enumerate(WIN, 1):
        await person.play(race, number, move)
    if after_ms:
        await person.lobby.pass_time(after_ms)
    finish = messages.Finish(id=person.next_id(), race=race, number=len(WIN) + 1)
    assert (await person.get(messages.Played, finish)).status == "won"
    return race


async def next_day(hall: Lobby) -> None:
    """Lets the time come to eight o'clock of the day after."""
    now = hall.world.clock.now()
    await hall.pass_time(Day.at(now).closes_at - now)
    await hall.pass_time(8 * HOUR)


async def opened(hall: Lobby, code: str = ROOM) -> Opened:
    """Returns the beginning of a room, as the log has it."""
    event = parse_line((await hall.world.log.read(code))[0])
    assert isinstance(event, Opened)
    return event


async def give_up(person: Person) -> str:
    """Opens today's deal and gives up; returns the room."""
    race = await begin(person)
    await person.give_up(race)
    return race


async def second_room(hall: Lobby, day: Day = FIRST) -> str:
    """Opens another room of a day beside the first, as if that were full."""
    room = Room(day, 2)
    await hall.hall.dailies.open(room)
    return room.code


async def both_at_once(one: Person, other: Person, rooms: tuple[str, str]) -> None:
    """Two connections of a player enter two rooms, neither knowing of the other."""
    errands = [
        person.say_now(messages.Join(id=person.next_id(), race=race))
        for person, race in zip((one, other), rooms, strict=True)
    ]
    await asyncio.gather(*(errand for errand in errands if errand is not None))
    await one.lobby.settle()
