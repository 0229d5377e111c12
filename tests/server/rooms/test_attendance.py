"""Seats of the house are for races where somebody is: bots leave when the last person has gone."""

from __future__ import annotations

from samedeal_protocol import messages
from samedeal_protocol.terms import Mode, Start
from support.halls import Lobby, lobby
from support.house import FakeHouse, hosted, invited

MINUTE = 60_000


async def minutes_later(room: Lobby, minutes: int) -> None:
    await room.pass_time(minutes * MINUTE)
    room.hall.look_after_house()


async def test_a_bot_leaves_a_lobby_two_minutes_after_the_last_person() -> None:
    async with hosted() as at:
        await at.ann.join(at.race)
        await invited(at.ann, at.race)
        booking, _ = await at.comes()
        await minutes_later(at.room, 3)
        assert not booking.is_over
        at.ann.leave()
        await minutes_later(at.room, 1)
        assert not booking.is_over
        await minutes_later(at.room, 1)
        assert booking.is_over


async def test_a_host_who_watches_and_somebodys_bot_are_somebody_and_the_house_is_nobody() -> None:
    house = FakeHouse()
    async with lobby(house=house) as room:
        ann, robot = await room.person("Ann"), await room.person("Robot", bot=True)
        ben = await room.person("Ben")
        hosts = (ann, robot, ben)
        races = [await room.race(host, start=Start.HOST) for host in hosts]
        await ann.watch(races[0])
        await robot.join(races[1])
        for host, race in zip(hosts, races, strict=True):
            await invited(host, race)
        for booking in house.bookings:
            await house.enter(room, booking)
        await minutes_later(room, 3)
        assert [each.is_over for each in house.bookings] == [False, False, True]


async def test_a_bot_plays_on_for_five_minutes_after_the_last_person() -> None:
    async with hosted(entrants_min=1, mode=Mode.ASYNC) as at:
        await at.ann.join(at.race)
        await invited(at.ann, at.race)
        booking, bot = await at.comes()
        await bot.ask(messages.Begin(id=bot.next_id(), race=at.race))
        at.ann.leave()
        await minutes_later(at.room, 4)
        assert not booking.is_over
        await minutes_later(at.room, 1)
        assert booking.is_over


async def test_a_bot_leaves_people_who_do_nothing_for_ten_minutes() -> None:
    async with hosted() as at:
        await at.ann.join(at.race)
        await invited(at.ann, at.race)
        booking, _ = await at.comes()
        await minutes_later(at.room, 9)
        await at.ann.ready(at.race)
        await minutes_later(at.room, 9)
        assert not booking.is_over
        await minutes_later(at.room, 1)
        assert not booking.is_over
        await minutes_later(at.room, 10)
        assert booking.is_over


async def test_a_bot_waits_with_people_for_the_instant_at_which_their_race_starts() -> None:
    house = FakeHouse()
    async with lobby(house=house) as room:
        ann = await room.person("Ann")
        at = room.world.clock.now() + 25 * MINUTE
        race = await room.race(ann, start=Start.AT, start_at=at)
        await ann.join(race)
        await invited(ann, race)
        await minutes_later(room, 20)
        assert not house.bookings[0].is_over
