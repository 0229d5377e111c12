"""Bots of the house: who may have them come, where, and how many."""

from __future__ import annotations

import pytest

from samedeal_protocol import messages
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import Error, HouseBot
from samedeal_protocol.terms import Mode, Visibility
from support.cluster import cluster
from support.halls import lobby
from support.house import FakeHouse, an_invitation, code_of, hosted, invited

TEN_SECONDS = 10_000


async def test_the_host_has_a_bot_of_the_house_come_as_asked() -> None:
    async with hosted() as at:
        await invited(at.ann, at.race, bot=HouseBot.PATIENT, pace_ms=400)
        [booking] = at.house.bookings
        assert (booking.race, booking.bot, booking.pace_ms) == (at.race, "patient", 400)


async def test_an_entrant_may_invite_and_a_stranger_may_not() -> None:
    house = FakeHouse()
    async with lobby(house=house) as room:
        ann, ben, eve = [await room.person(name) for name in ("Ann", "Ben", "Eve")]
        race = await room.race(ann)
        await ben.join(race)
        await invited(ben, race)
        assert await code_of(eve, race) == ErrorCode.NOT_ENTERED.code
        assert len(house.bookings) == 1


@pytest.mark.parametrize("mode", Mode)
async def test_a_race_for_people_only_has_no_bot_of_the_house(mode: Mode) -> None:
    async with hosted(bots=False, mode=mode) as at:
        assert await code_of(at.ann, at.race) == ErrorCode.NO_BOTS.code


async def test_a_race_that_has_started_takes_no_bot_of_the_house() -> None:
    async with lobby(house=FakeHouse()) as room:
        ann, ben = await room.person("Ann"), await room.person("Ben")
        race = await room.started(ann, ben)
        assert await code_of(ann, race) == ErrorCode.NOT_OPEN.code


async def test_bots_on_their_way_count_as_entrants_and_once_only() -> None:
    async with hosted(entrants_max=3) as at:
        await at.ann.join(at.race)
        await invited(at.ann, at.race)
        await at.comes()
        await invited(at.ann, at.race)
        assert await code_of(at.ann, at.race) == ErrorCode.RACE_FULL.code
        at.house.bookings[1].is_over = True  # it was refused
        await invited(at.ann, at.race)


async def test_a_bot_says_the_pass_phrase_that_its_host_says() -> None:
    async with hosted(visibility=Visibility.PHRASE, phrase="open sesame") as at:
        assert await code_of(at.ann, at.race) == ErrorCode.WRONG_PHRASE.code
        assert await code_of(at.ann, at.race, phrase="open barley") == ErrorCode.WRONG_PHRASE.code
        await invited(at.ann, at.race, phrase="open sesame")
        await at.comes()
        assert "open sesame" not in repr(at.house.bookings)


async def test_a_server_without_a_house_says_so_to_everybody() -> None:
    async with lobby() as room:
        ann = await room.person("Ann")
        assert ann.welcome is not None
        assert ann.welcome.limits.house_bots == 0
        assert await code_of(ann, await room.race(ann)) == ErrorCode.NO_HOUSE_BOTS.code


async def test_a_race_has_as_many_bots_of_the_house_as_the_welcome_says() -> None:
    house = FakeHouse()
    async with lobby(house=house) as room:
        ann = await room.person("Ann")
        assert ann.welcome is not None
        race = await room.race(ann)
        most = ann.welcome.limits.house_bots
        for _ in range(most):
            await invited(ann, race)
        reply = await ann.reply_to(an_invitation(ann, race))
        assert isinstance(reply, Error)
        assert (reply.code, reply.retry, reply.after_ms) == ("house-full", "after", TEN_SECONDS)
        assert len(house.bookings) == most == 3


async def test_one_player_has_four_bots_play_at_once_and_more_when_their_races_are_over() -> None:
    house = FakeHouse()
    async with lobby(house=house) as room:
        ann, ben = await room.person("Ann"), await room.person("Ben")
        races = [await room.race(ann) for _ in range(5)]
        for race in races[:4]:
            await invited(ann, race)
        assert await code_of(ann, races[4]) == ErrorCode.HOUSE_FULL.code
        await invited(ben, await room.race(ben))
        house.bookings[0].waits = True  # for a rematch
        await invited(ann, races[4])


async def test_a_server_has_as_many_bots_as_its_operator_says() -> None:
    house = FakeHouse()
    async with lobby(house=house, house_bots=2) as room:
        ann, ben, eve = [await room.person(name, address=name) for name in ("Ann", "Ben", "Eve")]
        assert ann.welcome is not None
        assert ann.welcome.limits.house_bots == 2
        for person in (ann, ben):
            await invited(person, await room.race(person))
        assert await code_of(eve, await room.race(eve)) == ErrorCode.HOUSE_FULL.code


async def test_a_bot_that_went_on_into_a_rematch_leaves_room_in_the_race_before() -> None:
    house = FakeHouse()
    async with lobby(house=house) as room:
        ann = await room.person("Ann")
        race, next_race = await room.race(ann), await room.race(ann)
        for _ in range(3):
            await invited(ann, race)
        house.bookings[0].race = next_race
        await invited(ann, race)


async def test_the_bots_of_a_race_count_in_its_rematch_before_they_are_there() -> None:
    async with hosted(entrants_min=1) as at:
        await at.ann.join(at.race)
        for _ in range(3):
            await invited(at.ann, at.race)
        await at.ann.ready(at.race)
        await at.room.pass_time(10_000)
        await at.ann.give_up(at.race)
        for booking in at.house.bookings:
            booking.waits = True
        again = messages.Rematch(id=at.ann.next_id(), race=at.race)
        rematch = (await at.ann.get(messages.Created, again)).race
        assert await code_of(at.ann, rematch) == ErrorCode.HOUSE_FULL.code


async def test_whoever_asks_for_bots_again_and_again_waits_ten_seconds_for_the_next() -> None:
    async with lobby() as room:
        ann = await room.person("Ann")
        race = await room.race(ann)
        for _ in range(6):
            assert await code_of(ann, race) == ErrorCode.NO_HOUSE_BOTS.code
        assert await code_of(ann, race) == ErrorCode.RATE_LIMITED.code


async def test_a_server_about_to_restart_seats_no_bot() -> None:
    async with hosted() as at:
        at.room.hall.is_draining = True
        assert await code_of(at.ann, at.race) == ErrorCode.DRAINING.code
        assert not at.house.bookings


async def test_a_crowd_of_guests_at_one_address_has_half_the_bots() -> None:
    house = FakeHouse()
    async with lobby(house=house, house_bots=12) as room:
        for _ in range(6):
            guest = await room.person(address="192.0.2.1")
            await invited(guest, await room.race(guest))
        guest = await room.person(address="192.0.2.1")
        assert await code_of(guest, await room.race(guest)) == ErrorCode.HOUSE_FULL.code
        other = await room.person(address="192.0.2.2")
        await invited(other, await room.race(other))
        assert len(house.bookings) == 7


@pytest.mark.parametrize("seats", [2, 3, 4, 16])
async def test_one_address_never_has_more_than_half_the_bots_waiting_ones_too(seats: int) -> None:
    house = FakeHouse()
    async with lobby(house=house, house_bots=seats) as room:
        for _ in range(seats // 2):
            guest = await room.person(address="192.0.2.1")
            await invited(guest, await room.race(guest))
        for booking in house.bookings:
            booking.waits = True  # their races were short; all stay for a rematch
        guest = await room.person(address="192.0.2.1")
        race = await room.race(guest)
        assert await code_of(guest, race) == ErrorCode.HOUSE_FULL.code
        other = await room.person(address="192.0.2.2")
        await invited(other, await room.race(other))
        house.bookings[0].is_over = True
        await invited(guest, race)


async def test_an_only_bot_is_anybodys() -> None:
    async with lobby(house=FakeHouse(), house_bots=1) as room:
        ann = await room.person("Ann")
        await invited(ann, await room.race(ann))


async def test_a_bot_that_came_back_without_the_pass_phrase_goes_into_the_rematch() -> None:
    house = FakeHouse()
    async with lobby(house=house) as room:
        ann = await room.person("Ann")
        terms = {"visibility": Visibility.PHRASE, "phrase": "open sesame", "entrants_min": 1}
        race = await room.race(ann, **terms)
        await ann.join(race)
        await invited(ann, race, phrase="open sesame")
        [booking] = house.bookings
        bot = await house.enter(room, booking)
        await ann.ready(race)
        await bot.ready(race)
        await room.pass_time(0)
        for each in (ann, bot):
            await each.give_up(race)
        again = messages.Rematch(id=ann.next_id(), race=race)
        rematch = (await ann.get(messages.Created, again)).race
        booking.race, booking.phrase = race, None  # so it was written down before the server died
        await bot.join(rematch)
        stranger = await room.person(bot=True)
        join = messages.Join(id=stranger.next_id(), race=rematch)
        assert await stranger.refusal(join) == ErrorCode.WRONG_PHRASE.code


async def test_a_node_seats_its_own_bots_in_a_race_that_lives_on_another() -> None:
    house = FakeHouse()
    async with cluster("a", "b", house=house) as whole:
        here, there = whole.nodes["a"], whole.nodes["b"]
        ann, ben = await here.person("Ann"), await there.person("Ben")
        race = await here.race(ann, entrants_max=2)
        await ben.join(race)
        await invited(ben, race)
        bot = await house.enter(there, house.bookings[0])
        await bot.ready(race)
        await ben.ready(race)
        await whole.settle()
        assert await code_of(ann, race) == ErrorCode.NOT_OPEN.code
        assert await code_of(ben, race) == ErrorCode.NOT_OPEN.code
