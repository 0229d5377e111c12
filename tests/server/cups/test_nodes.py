"""Tournaments of several nodes: any serves any, one runs each, and another goes on when it dies."""

from __future__ import annotations

import asyncio

import pytest

from samedeal_protocol import topics
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.events import Paired, parse_line
from samedeal_protocol.tournament.formats import SingleElimination, Swiss
from samedeal_protocol.tournament.views import HookAdded, TournamentChanged
from samedeal_server.hosting.codes import is_cup
from samedeal_server.hosting.commands import Person as Someone
from samedeal_server.hosting.tournament import replay
from samedeal_server.racing.race import Refused
from support.cluster import Cluster, cluster
from support.halls import Lobby, Person
from support.stage import Stage, act, announce, cups_of, follow, refused, table, terms_of


async def settled(whole: Cluster) -> None:
    for _ in range(4):
        await whole.settle()


async def of_two_nodes(whole: Cluster) -> tuple[Stage, Person]:
    """A tournament of node a, and somebody at node b."""
    a, b = whole.nodes["a"], whole.nodes["b"]
    ann, bob = await a.person("Ann"), await b.person("Bob")
    code = await announce(ann, terms_of(SingleElimination()))
    stage = Stage(a, [ann, bob], code)
    await stage.register()
    await settled(whole)
    return stage, bob


def is_run_by(node: Lobby, code: str) -> bool:
    return code in cups_of(node).held()


async def test_somebody_at_another_node_registers_and_plays() -> None:
    async with cluster("a", "b") as whole:
        stage, bob = await of_two_nodes(whole)
        assert [entry.name for entry in stage.state.players.values()] == ["Ann", "Bob"]
        sheet = await follow(bob, stage.code)
        assert sheet.you == 2
        await act(stage.people[stage.strength[0]], stage.code, requests.StartTournament())
        await stage.play()
        await settled(whole)
        # What is read from the log is told at the next flush.
        await settled(whole)
        assert bob.of(TournamentChanged)[-1].head.phase == "over"
        assert (await table(bob, stage.code)).final


async def test_an_act_is_refused_at_another_node_as_it_would_be_here() -> None:
    async with cluster("a", "b") as whole:
        stage, bob = await of_two_nodes(whole)
        assert await refused(bob, stage.code, requests.Halt(reason="me")) == "not-staff"


async def test_a_host_at_another_node_is_told_the_secret_of_a_hook() -> None:
    async with cluster("a", "b") as whole:
        a, b = whole.nodes["a"], whole.nodes["b"]
        ann = await a.person("Ann")
        code = await announce(ann, terms_of(SingleElimination()))
        elsewhere = await Person(b).hello(token=ann.welcome.token if ann.welcome else None)
        added = await act(elsewhere, code, requests.AddHook(url="https://example.org/x"))
        assert isinstance(added, HookAdded)


async def test_hints_that_are_lost_are_made_good_by_looking() -> None:
    async with cluster("a", "b") as whole:
        stage, bob = await of_two_nodes(whole)
        await follow(bob, stage.code)
        bus = whole.worlds["b"].bus
        bus.loses = lambda topic: "/news/" in topic
        await act(stage.people[stage.strength[0]], stage.code, requests.Halt(reason="tea"))
        await settled(whole)
        assert bob.of(TournamentChanged) == []
        await whole.beat()
        assert bob.of(TournamentChanged)[-1].head.halted == "tea"


async def test_nothing_secret_travels_between_nodes() -> None:
    async with cluster("a", "b") as whole:
        said: list[bytes] = []
        whole.bus.subscribe("#", lambda topic, payload: said.append(payload))
        stage, bob = await of_two_nodes(whole)
        await follow(bob, stage.code)
        host = stage.people[stage.strength[0]]
        await act(host, stage.code, requests.AddHook(url="https://example.org/x"))
        await act(host, stage.code, requests.StartTournament())
        race = stage.rooms()[0].race
        await settled(whole)
        announced = stage.state.announced
        (secret,) = stage.state.hooks.values()
        whole_said = b"".join(said)
        for hidden in (announced.seed, announced.salt, secret):
            assert hidden.encode() not in whole_said
        # What nodes follow a race by has its seed, and always had: brokers keep that to nodes.
        assert race.opened.tournament == stage.code


async def play_on(whole: Cluster, node: Lobby, people: list[Person], code: str) -> Stage:
    """Plays from one node to the end."""
    stage = Stage(node, people, code)
    await follow(people[0], code, once=True)
    for _ in range(300):
        if stage.state.is_final:
            await settled(whole)
            return stage
        await stage.step()
        await settled(whole)
    raise AssertionError("it comes to no end")


@pytest.mark.parametrize("steps", range(0, 14, 2))
async def test_another_node_goes_on_when_the_owner_dies(steps: int) -> None:
    async with cluster("a", "b") as whole:
        a, b = whole.nodes["a"], whole.nodes["b"]
        people = [await a.person(name) for name in ("Ann", "Bob", "Cyd")]
        code = await announce(people[0], terms_of(Swiss(rounds=2)))
        stage = Stage(a, people, code)
        await stage.register()
        await act(people[0], code, requests.StartTournament())
        for _ in range(steps):
            await stage.step()
        tokens = [each.welcome.token for each in people if each.welcome]
        whole.worlds["a"].leases.dies()
        whole.worlds["a"].bus.is_cut = True
        whole.worlds["a"].leases.is_cut = True
        del whole.nodes["a"]
        for _ in range(50):
            await whole.beat()
            await asyncio.sleep(0.01)
            if is_run_by(b, code):
                break
        assert is_run_by(b, code)
        here = [await Person(b).hello(token=token) for token in tokens]
        done = await play_on(whole, b, here, code)
        assert (await done.standings()).startswith("1 Ann")
        events = [parse_line(line) for line in await whole.log.read(code)]
        assert replay(events).is_final
        paired = [
            match.match for each in events if isinstance(each, Paired) for match in each.matches
        ]
        assert len(set(paired)) == len(paired)
        for stored in await whole.log.unfinished():
            assert is_cup(stored.race), f"{stored.race} is left open"


async def test_a_node_that_was_taken_for_dead_does_nothing_more() -> None:
    async with cluster("a", "b") as whole:
        a, b = whole.nodes["a"], whole.nodes["b"]
        stage, _ = await of_two_nodes(whole)
        whole.worlds["a"].leases.dies()
        await b.hall.federation.tenure.renew()
        for _ in range(20):
            await settled(whole)
            if is_run_by(b, stage.code):
                break
        assert is_run_by(b, stage.code)
        a.world.log.living["a"] = whole.worlds["a"].leases
        await a.hall.federation.look()
        for _ in range(20):
            await asyncio.sleep(0.01)
            await settled(whole)
        assert not is_run_by(a, stage.code)
        host = stage.people[stage.strength[0]]
        await act(host, stage.code, requests.Halt(reason="from afar"))
        await settled(whole)
        found = cups_of(b).shelf.cups.get(stage.code)
        assert found is not None
        assert found.state.halted == "from afar"


async def test_what_somebody_hosts_counts_over_all_nodes() -> None:
    async with cluster("a", "b") as whole:
        terms = terms_of(SingleElimination())
        ann = await whole.nodes["a"].person("Ann")
        host = Someone(ann.player, "Ann")
        for node in ("a", "b") * 10:
            await cups_of(whole.nodes[node]).announcer.announce(host, terms, phrase=None)
        for node in ("a", "b"):
            with pytest.raises(Refused) as refused:
                await cups_of(whole.nodes[node]).announcer.announce(host, terms, phrase=None)
            assert refused.value.code is ErrorCode.TOO_MANY_TOURNAMENTS


async def test_forged_news_is_counted_and_dropped() -> None:
    async with cluster("a", "b") as whole:
        stage, bob = await of_two_nodes(whole)
        await follow(bob, stage.code)
        topic = topics.NEWS.at(tournament=stage.code, node="mallory")
        whole.bus.publish(topic, b"\xff")
        await settled(whole)
        assert whole.nodes["b"].world.meter.totals["bus_forged"] == 1
