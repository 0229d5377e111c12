"""The daily deal on two nodes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from samedeal_protocol import messages
from samedeal_protocol.daily import Attempt
from samedeal_protocol.events import Opened, parse_line
from support.cluster import Cluster, cluster
from support.days import (
    FIRST,
    HOUR,
    ROOM,
    begin,
    both_at_once,
    daily,
    give_up,
    second_room,
)
from support.halls import Lobby, Person


@asynccontextmanager
async def two_nodes() -> AsyncIterator[tuple[Cluster, Lobby, Lobby]]:
    """Two nodes on the morning of the first day."""
    async with cluster("a", "b") as whole:
        whole.clock.advance(FIRST.opens_at + 8 * HOUR - whole.clock.now())
        yield whole, whole.nodes["a"], whole.nodes["b"]


async def test_two_nodes_that_open_a_day_at_once_have_one_deal() -> None:
    async with two_nodes() as (whole, here, there):
        ada, ben = await here.person("Ada"), await there.person("Ben")
        sheets = await asyncio.gather(daily(ada, join=True), daily(ben, join=True))
        assert sheets[0].race == sheets[1].race == ROOM
        assert sheets[0].commitment == sheets[1].commitment
        first = parse_line((await whole.log.read(ROOM))[0])
        assert isinstance(first, Opened)
        assert first.commitment == sheets[0].commitment


async def test_the_board_is_one_on_all_nodes() -> None:
    async with two_nodes() as (whole, here, there):
        ada, ben = await here.person("Ada"), await there.person("Ben")
        await give_up(ada)
        hidden = await daily(ben)
        assert (hidden.played, hidden.lines) == (1, ())
        await give_up(ben)
        await whole.settle()
        one, other = await daily(ada), await daily(ben)
        assert one.lines == other.lines
        assert {line.name for line in one.lines} == {"Ada", "Ben"}


async def test_the_board_does_not_rest_on_the_bus() -> None:
    async with two_nodes() as (whole, here, there):
        ada, ben = await here.person("Ada"), await there.person("Ben")
        await daily(ada, join=True)
        await give_up(ben)
        whole.worlds["b"].bus.is_cut = True
        await give_up(ada)
        assert {line.name for line in (await daily(ben)).lines} == {"Ada", "Ben"}


async def test_whoever_has_played_on_one_node_does_not_play_on_another() -> None:
    async with two_nodes() as (_, here, there):
        ada = await here.person("Ada")
        await give_up(ada)
        elsewhere = await Person(there).hello(token=ada.welcome.token if ada.welcome else None)
        sheet = await daily(elsewhere, join=True)
        assert (sheet.attempt, sheet.race) == (Attempt.PLAYED, ROOM)
        other = await second_room(there)
        join = messages.Join(id=elsewhere.next_id(), race=other)
        assert await elsewhere.refusal(join) == "already-entered"


async def test_whoever_gets_into_two_rooms_over_two_nodes_opens_the_deal_once() -> None:
    async with two_nodes() as (whole, here, there):
        ada = await here.person("Ada")
        elsewhere = await Person(there).hello(token=ada.welcome.token if ada.welcome else None)
        await daily(ada, join=True)
        other = await second_room(there)
        await both_at_once(ada, elsewhere, (ROOM, other))
        await whole.settle()
        begin_there = messages.Begin(id=elsewhere.next_id(), race=other)
        assert await elsewhere.refusal(begin_there) == "already-entered"
        assert await begin(ada) == ROOM


async def test_a_day_goes_on_when_the_node_that_opened_it_is_gone() -> None:
    async with two_nodes() as (whole, here, there):
        ada, ben = await here.person("Ada"), await there.person("Ben")
        await give_up(ada)
        before = (await daily(ben)).commitment
        whole.worlds["a"].leases.dies()
        del whole.nodes["a"]
        await there.hall.federation.tenure.renew()
        await whole.settle()
        assert await give_up(ben) == ROOM
        sheet = await daily(ben)
        assert (sheet.commitment, sheet.played) == (before, 2)
