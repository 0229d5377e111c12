"""What every kind of leases promises: one owner a race, and epochs that tell who is out of date.

What takes several nodes to show is shown over PostgreSQL alone, with adapters that share a database
as processes would; one that is not renewed stands for a process that died or was stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from samedeal_server.adapters.leases_local import LocalLeases
from samedeal_server.adapters.log_postgres import PostgresLeases, PostgresLog
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.ports import Claim, Entry, Leases, Log, LogConflict
from support.fakes import EPOCH
from support.postgres import database

LONG_MS = 60_000
SHORT_MS = 150
"""A lease that a test waits to see end."""


@dataclass(frozen=True, slots=True)
class Member:
    """One life of a node: the log that it appends to, and its leases."""

    log: Log
    leases: Leases

    async def open(self, race: str, *, at: int = EPOCH) -> None:
        await self.log.open_race(
            Entry(race, 1, b"opened"), opened_at=at, is_listed=True, phrase_hash=None
        )

    async def append(self, race: str, seq: int, *, epoch: int, is_over: bool = False) -> None:
        entry = Entry(race, seq, b"%d" % seq, epoch)
        await self.log.append([entry], over=[race] if is_over else [])


class Cluster:
    """Makes lives of nodes over one database."""

    def __init__(self, url: str, stack: AsyncExitStack) -> None:
        self._url = url
        self._stack = stack

    async def member(self, node: str, *, ttl_ms: int = LONG_MS, has_joined: bool = True) -> Member:
        log = await PostgresLog.open(self._url, node=node)
        self._stack.push_async_callback(log.close)
        member = Member(log, PostgresLeases(log, ttl_ms=ttl_ms))
        if has_joined:
            await member.leases.join()
        return member


Life = Callable[[], AbstractAsyncContextManager[Member]]
"""Makes the next life of the one node, over what the lives before it have stored."""


@asynccontextmanager
async def sqlite(folder: Path) -> AsyncIterator[Life]:
    @asynccontextmanager
    async def live() -> AsyncIterator[Member]:
        log = await SqliteLog.open(folder)
        try:
            yield Member(log, LocalLeases(log, "a"))
        finally:
            await log.close()

    yield live


@asynccontextmanager
async def postgres(folder: Path) -> AsyncIterator[Life]:
    async with database() as url:

        @asynccontextmanager
        async def live() -> AsyncIterator[Member]:
            async with AsyncExitStack() as stack:
                yield await Cluster(url, stack).member("a", has_joined=False)

        yield live


KINDS: dict[str, Callable[[Path], AbstractAsyncContextManager[Life]]] = {
    "sqlite": sqlite,
    "postgres": postgres,
}


@pytest.fixture(params=KINDS)
async def live(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Life]:
    async with KINDS[request.param](tmp_path) as live:
        yield live


@pytest.fixture
async def only(live: Life) -> AsyncIterator[Member]:
    """One node that has joined."""
    async with live() as member:
        await member.leases.join()
        yield member


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with database() as url, AsyncExitStack() as stack:
        yield Cluster(url, stack)


def codes(claims: list[Claim]) -> list[str]:
    return [claim.race for claim in claims]


async def until_over(member: Member, node: str) -> None:
    """Asks until a node's lease runs no more: the database's clock alone can tell."""
    while any(row.is_alive for row in await member.leases.nodes() if row.node == node):
        continue


# --- one node ----------------------------------------------------------------------------------


async def test_a_race_is_owned_by_who_opened_it_with_epoch_1(only: Member) -> None:
    await only.open("r")
    assert await only.leases.owner("r") == ("a", 1)
    assert await only.leases.owner("unknown") is None
    await only.append("r", 2, epoch=1)


async def test_a_node_is_listed_between_joining_and_leaving(live: Life) -> None:
    async with live() as member:
        assert await member.leases.nodes() == []
        await member.leases.join()
        assert await member.leases.renew(has_bus=True)
        (row,) = await member.leases.nodes()
        assert (row.node, row.is_alive, row.has_bus) == ("a", True, True)
        assert await member.leases.renew(has_bus=False)
        (row,) = await member.leases.nodes()
        assert not row.has_bus
        await member.leases.leave()
        assert await member.leases.nodes() == []
        assert not await member.leases.renew(has_bus=True)


async def test_what_an_earlier_life_left_unfinished_is_claimed_oldest_first(live: Life) -> None:
    async with live() as first:
        await first.leases.join()
        await first.open("late", at=EPOCH + 1)
        await first.open("early")
        await first.open("over")
        await first.append("over", 2, epoch=1, is_over=True)
    async with live() as second:
        await second.leases.join()
        assert await second.leases.owner("early") is None
        assert codes(await second.leases.claim_orphans(limit=1)) == ["early"]
        assert codes(await second.leases.claim_orphans(limit=9)) == ["late"]
        assert await second.leases.claim_orphans(limit=9) == []
        owned = await second.leases.owner("early")
        assert owned is not None
        await second.append("early", 2, epoch=owned[1])


async def test_a_race_that_is_over_is_claimed_by_name_alone(live: Life) -> None:
    async with live() as first:
        await first.leases.join()
        await first.open("r")
        await first.append("r", 2, epoch=1, is_over=True)
    async with live() as second:
        await second.leases.join()
        assert await second.leases.claim_orphans(limit=9) == []
        claim = await second.leases.claim("r")
        assert claim is not None
        assert await second.leases.owner("r") == ("a", claim.epoch)
        await second.append("r", 3, epoch=claim.epoch)


@pytest.mark.parametrize("code", ["unknown", "\0"])
async def test_nobody_owns_or_claims_an_unknown_race(only: Member, code: str) -> None:
    assert await only.leases.owner(code) is None
    assert await only.leases.claim(code) is None


async def test_a_node_knows_what_it_owns_and_with_which_epochs(live: Life) -> None:
    async with live() as first:
        await first.leases.join()
        for race in ("a", "b"):
            await first.open(race)
        assert await first.leases.claim("b") is not None
        assert await first.leases.owned(["a", "b"]) == {"a": 1, "b": 2}
        await first.leases.release(["a"])
        assert await first.leases.owned(["a", "b"]) == {"b": 2}
    async with live() as second:
        await second.leases.join()
        assert await second.leases.owned(["a", "b"]) == {}
        claims = await second.leases.claim_orphans(limit=9)
        assert await second.leases.owned([claim.race for claim in claims]) == {
            claim.race: claim.epoch for claim in claims
        }


async def test_leases_say_whose_they_are(live: Life) -> None:
    incarnations = set()
    for _ in range(2):
        async with live() as member:
            await member.leases.join()
            (row,) = await member.leases.nodes()
            leases = member.leases
            assert (leases.node, leases.incarnation) == (row.node, row.incarnation)
            assert leases.is_shared == isinstance(leases, PostgresLeases)
            incarnations.add(leases.incarnation)
    assert len(incarnations) == 2


async def test_a_race_of_ones_own_is_claimed_again_with_a_new_epoch(only: Member) -> None:
    await only.open("r")
    for epoch in (2, 3):
        claim = await only.leases.claim("r")
        assert claim is not None
        assert (claim.race, claim.epoch) == ("r", epoch)
        assert await only.leases.owner("r") == ("a", epoch)
        await only.append("r", epoch, epoch=epoch)
    assert await only.leases.claim_orphans(limit=9) == []


async def test_what_is_released_is_nobodys_until_it_is_claimed(only: Member) -> None:
    await only.open("kept")
    await only.open("released")
    await only.leases.release(["released", "unknown"])
    assert await only.leases.owner("released") is None
    assert await only.leases.owner("kept") == ("a", 1)
    (claim,) = await only.leases.claim_orphans(limit=9)
    assert (claim.race, claim.epoch) == ("released", 2)


async def test_who_leaves_gives_everything_up(live: Life) -> None:
    async with live() as member:
        await member.leases.join()
        await member.open("r")
        await member.leases.leave()
        assert await member.leases.owner("r") is None
    async with live() as member:
        await member.leases.join()
        assert codes(await member.leases.claim_orphans(limit=9)) == ["r"]


async def test_one_server_knows_since_when_its_races_stood_still(tmp_path: Path) -> None:
    async with sqlite(tmp_path) as live:
        async with live() as first:
            await first.leases.join()
            await first.open("r")
            await first.log.alive(EPOCH + 5)
        async with live() as second:
            await second.leases.join()
            await second.log.alive(EPOCH + 99)
            (claim,) = await second.leases.claim_orphans(limit=9)
            assert claim == Claim("r", 1, EPOCH + 5)


# --- several nodes -----------------------------------------------------------------------------


async def test_what_a_living_node_owns_cannot_be_claimed(cluster: Cluster) -> None:
    ann, bob = await cluster.member("ann"), await cluster.member("bob")
    await ann.open("r")
    assert await bob.leases.claim("r") is None
    assert await bob.leases.claim_orphans(limit=9) == []
    assert await bob.leases.owner("r") == ("ann", 1)


async def test_every_node_sees_every_node(cluster: Cluster) -> None:
    await cluster.member("ann")
    bob = await cluster.member("bob", ttl_ms=SHORT_MS)
    await until_over(bob, "bob")
    rows = await bob.leases.nodes()
    assert [(row.node, row.is_alive) for row in rows] == [("ann", True), ("bob", False)]
    assert len({row.incarnation for row in rows}) == 2


async def test_a_node_that_stopped_loses_its_races_when_its_lease_is_over(cluster: Cluster) -> None:
    ann, bob = await cluster.member("ann", ttl_ms=SHORT_MS), await cluster.member("bob")
    await ann.open("r")
    await until_over(bob, "ann")
    (row, _) = await bob.leases.nodes()
    assert await bob.leases.owner("r") is None
    (claim,) = await bob.leases.claim_orphans(limit=9)
    assert claim == Claim("r", 2, row.alive_at)
    assert await bob.leases.owner("r") == ("bob", 2)


async def test_the_database_refuses_what_a_stopped_node_appends_when_it_wakes(
    cluster: Cluster,
) -> None:
    ann, bob = await cluster.member("ann", ttl_ms=SHORT_MS), await cluster.member("bob")
    await ann.open("lost")
    await ann.append("lost", 2, epoch=1)
    await until_over(bob, "ann")
    assert await bob.leases.claim("lost") is not None
    await ann.open("kept")
    assert await ann.leases.renew(has_bus=True)
    with pytest.raises(LogConflict) as caught:
        await ann.log.append([Entry("kept", 2, b"x"), Entry("lost", 3, b"x")])
    assert caught.value.races == {"lost"}
    assert await bob.log.read("kept") == [b"opened"]
    await ann.append("kept", 2, epoch=1)
    await bob.append("lost", 3, epoch=2)
    assert await ann.log.read("lost") == [b"opened", b"2", b"3"]


async def test_an_append_names_exactly_the_races_that_refuse(cluster: Cluster) -> None:
    ann, bob = await cluster.member("ann"), await cluster.member("bob")
    for race in ("good", "early", "stale", "repeated"):
        await ann.open(race)
    await bob.open("others")
    await ann.leases.claim("stale")
    with pytest.raises(LogConflict) as caught:
        await ann.log.append(
            [
                Entry("good", 2, b"x"),
                Entry("early", 3, b"x"),
                Entry("stale", 2, b"x", 1),
                Entry("others", 2, b"x"),
                Entry("repeated", 2, b"x"),
                Entry("repeated", 2, b"x"),
                Entry("unknown", 1, b"x"),
            ],
            over=["good", "stale"],
        )
    assert caught.value.races == {"early", "stale", "others", "repeated", "unknown"}
    for race in ("good", "early", "stale", "repeated", "others"):
        assert await ann.log.read(race) == [b"opened"]
    row = await ann.log.race("good")
    assert row is not None
    assert not row.is_over


async def test_nobody_ends_a_race_of_anothers(cluster: Cluster) -> None:
    ann, bob = await cluster.member("ann"), await cluster.member("bob")
    await ann.open("r")
    with pytest.raises(LogConflict) as caught:
        await bob.log.append([], over=["r"])
    assert caught.value.races == {"r"}
    await ann.log.append([], over=["r"])
    assert await bob.log.unfinished() == []


async def test_a_race_is_claimed_by_one_of_many_at_once(cluster: Cluster) -> None:
    dead = await cluster.member("dead", ttl_ms=SHORT_MS)
    races = [f"r{number}" for number in range(40)]
    for number, race in enumerate(races):
        await dead.open(race, at=EPOCH + number)
    others = [await cluster.member(f"n{number}") for number in range(4)]
    await until_over(dead, "dead")

    async def take(member: Member) -> list[str]:
        taken: list[str] = []
        one = await member.leases.claim("r7")
        taken += [one.race] if one else []
        while claims := await member.leases.claim_orphans(limit=3):
            taken += codes(claims)
        return taken

    taken = await asyncio.gather(*map(take, others))
    # What somebody was at just then has been passed over: so it is asked for again.
    rest = codes(await others[0].leases.claim_orphans(limit=99))
    assert sorted(sum(taken, rest)) == sorted(races)
    for member, own in zip(others, taken, strict=True):
        await member.log.append([Entry(race, 2, b"x", 2) for race in own])
    assert {await dead.leases.owner(race) for race in rest} <= {("n0", 2)}


async def test_appends_and_claims_of_one_race_at_once_leave_no_gap(cluster: Cluster) -> None:
    ann, bob = await cluster.member("ann", ttl_ms=1), await cluster.member("bob", ttl_ms=1)
    await ann.open("r")

    async def contend(member: Member) -> int:
        stored = 0
        for _ in range(30):
            claim = await member.leases.claim("r")
            if claim is None:
                continue
            seq = len(await member.log.read("r")) + 1
            try:
                await member.append("r", seq, epoch=claim.epoch)
            except LogConflict:
                continue
            stored += 1
        return stored

    stored = sum(await asyncio.gather(contend(ann), contend(bob)))
    assert await ann.log.read("r") == [b"opened", *(b"%d" % seq for seq in range(2, stored + 2))]


async def test_a_new_life_of_a_node_takes_its_name_over(cluster: Cluster) -> None:
    first = await cluster.member("ann")
    await first.open("r")
    (row,) = await first.leases.nodes()
    second = await cluster.member("ann")
    assert await second.leases.owner("r") is None
    assert not await first.leases.renew(has_bus=True)
    with pytest.raises(LogConflict):
        await first.append("r", 2, epoch=1)
    with pytest.raises(LogConflict):
        await first.open("another")
    (claim,) = await second.leases.claim_orphans(limit=9)
    assert claim == Claim("r", 2, row.alive_at)
    await second.append("r", 2, epoch=2)
    await first.leases.leave()
    await first.leases.release(["r"])
    assert await second.leases.owner("r") == ("ann", 2)
    assert await second.leases.renew(has_bus=True)


async def test_what_one_node_leaves_another_claims_as_of_then(cluster: Cluster) -> None:
    ann, bob = await cluster.member("ann"), await cluster.member("bob")
    assert isinstance(bob.log, PostgresLog)
    await ann.open("r")
    before = await bob.log.store_now()
    await ann.leases.leave()
    after = await bob.log.store_now()
    assert [row.node for row in await bob.leases.nodes()] == ["bob"]
    claim = await bob.leases.claim("r")
    assert claim is not None
    assert claim.since is not None
    assert before <= claim.since <= after
    with pytest.raises(LogConflict):
        await ann.append("r", 2, epoch=1)


async def test_a_race_of_a_node_that_never_joined_is_an_orphan(cluster: Cluster) -> None:
    ann, bob = await cluster.member("ann", has_joined=False), await cluster.member("bob")
    await ann.open("r")
    assert await bob.leases.claim_orphans(limit=9) == [Claim("r", 2, None)]
