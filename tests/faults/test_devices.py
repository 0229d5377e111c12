"""One player on several connections, one of which may only look open."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from faults.proxy import proxy
from faults.stage import started, token_of
from samedeal_client import Replaced, connect
from samedeal_client.transport import RealTiming
from samedeal_protocol import messages
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.events import Dropped, Returned, parse_line
from samedeal_protocol.terms import Terms, Undo
from support.halls import GAME, SEED, until, walk
from support.nodes import Fakes, fakes, running
from support.voices import greeted, voice

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOVES = walk(6)
MINUTE = 60_000


class Eager(RealTiming):
    """Comes back at once, if it comes back."""

    def chance(self) -> float:
        return 0.0


async def log_of(world: Fakes, race: str) -> list[type]:
    return [type(parse_line(line)) for line in await world.log.read(race)]


@pytest.mark.parametrize("carrier", ["fast", "plain"])
async def test_the_teardown_of_a_replaced_link_a_minute_late_touches_nobody(carrier: str) -> None:
    """The proxy swallows the close of the old link, and lets go of its socket a minute later."""
    world = fakes()
    async with (
        running(world, transport=carrier, close_timeout=600, idle_timeout=600) as node,
        greeted(node.address, "Ben") as ben,
        proxy(node.address) as between,
        greeted(between.address, "Ann") as old,
    ):
        race = await started(old, ben)
        played = await old.play(race, 1, MOVES[0])
        between.freeze()
        async with voice(node.address) as new:
            await new.hello(token=token_of(old))
            resume = messages.Resume(id=new.next_id(), race=race, after=played.seq)
            await new.get(messages.Resumed, resume)
            for number in (2, 3):
                await new.play(race, number, MOVES[number - 1])
            assert not old.closed.is_set(), "to its own side the old link still looks open"
            world.clock.advance(MINUTE)
            node.gateway.sweep()
            between.sever()
            await until(lambda: node.gateway.connections == 2)
            await new.play(race, 4, MOVES[3])
            assert {Dropped, Returned}.isdisjoint(await log_of(world, race))
            assert not any(isinstance(each, messages.Away) for each in ben.heard)
            assert not any(isinstance(each, messages.Moved) for each in new.heard), "told once"


async def test_a_link_that_died_without_a_word_is_away_and_not_for_ever_there() -> None:
    world = fakes()
    async with (
        running(world, idle_timeout=60, close_timeout=600) as node,
        greeted(node.address, "Ben") as ben,
        proxy(node.address) as between,
        greeted(between.address, "Ann") as ann,
    ):
        race = await started(ann, ben)
        between.freeze()
        world.clock.advance(MINUTE - 1)
        await ben.ask(messages.Ping(id=ben.next_id()))
        node.gateway.sweep()
        world.clock.advance(1)
        node.gateway.sweep()
        away = await ben.hear(messages.Away)
        assert away.entrant == 1
        async with voice(node.address) as new:
            await new.hello(token=token_of(ann))
            assert (await new.join(race)).entrants[0].away is False
            assert (await new.play(race, 1, MOVES[0])).number == 1
            assert not any(isinstance(each, messages.Away) for each in ben.heard)


async def test_devices_of_one_player_follow_each_other_and_never_fight() -> None:
    """With the client library, which comes back by itself wherever a close code lets it."""
    world = fakes()
    opened = world.meter.totals
    terms = Terms(game=GAME, countdown=0, entrants_min=1, undo=Undo.FREE)
    async with running(world) as node, AsyncExitStack() as stack:
        url = f"ws://{node.address}"
        hall = await stack.enter_async_context(connect(url, name="Ann", timing=Eager()))
        race = await hall.create(terms, seed=SEED)
        newest = await stack.enter_async_context(hall.join(race))
        await newest.ready()
        await anext(aiter(newest))
        for device in range(1, 4):
            other = await stack.enter_async_context(connect(url, token=hall.token, timing=Eager()))
            newer = await stack.enter_async_context(other.join(race))
            with pytest.raises(Replaced) as ended:
                await newest.over()
            assert ended.value.code == CloseCode.REPLACED.number
            newest = newer
            for number in (2 * device - 1, 2 * device):
                assert (await newer.play(MOVES[number - 1])).number == number
        # Whoever was to come back would have done so while all those moves were made.
        assert opened["connections_opened"] == 4
        assert node.gateway.connections == 1
