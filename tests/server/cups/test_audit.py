"""What `samedeal-server check` says of tournaments: nothing of those that are whole."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from samedeal_protocol.events import chained
from samedeal_protocol.tournament import events, requests
from samedeal_protocol.tournament.events import TournamentEvent, parse_line, to_line
from samedeal_protocol.tournament.formats import Format, RoundRobin, SingleElimination, Swiss
from samedeal_server.audit import audit
from samedeal_server.ports import RaceRow
from samedeal_server.stored import StoredRace
from support.halls import lobby
from support.nodes import fakes
from support.stage import Stage, act, announce, settled, terms_of


async def played(format: Format, *, override: bool = False) -> StoredRace:
    """A whole tournament as it is stored."""
    world = fakes()
    async with lobby(world) as hall:
        people = [await hall.person(name) for name in ("Ann", "Bob", "Cyd", "Dee")]
        code = await announce(people[0], terms_of(format))
        stage = Stage(hall, people, code)
        await stage.register()
        await act(people[0], code, requests.StartTournament())
        if override:
            first = next(iter(stage.state.matches.values()))
            while stage.state.matches[first.id].result is None:
                await stage.step()
            loser = next(each for each in first.players if each != first.players[0])
            said = requests.Override(match=first.id, winner=loser, reason="seen by the referee")
            await act(people[0], code, said)
        await stage.play()
        await settled(hall)
        row = await world.log.race(code)
        assert row is not None
        return stored(code, [parse_line(line) for line in await world.log.read(code)])


def stored(code: str, log: list[TournamentEvent], *, is_over: bool = True) -> StoredRace:
    lines = [to_line(event) for event in log]
    head = chained(lines)
    return StoredRace(
        row=RaceRow(code, 1, is_over, None),
        is_listed=True,
        seqs=list(range(1, len(lines) + 1)),
        lines=lines,
        head=head,
        head_seq=len(lines),
        is_placed=True,
    )


def changed(race: StoredRace, kind: type[TournamentEvent], **fields: object) -> StoredRace:
    """The tournament as if its first event of a kind had been another."""
    log = [parse_line(line) for line in race.lines]
    at = next(index for index, event in enumerate(log) if isinstance(event, kind))
    log[at] = msgspec.structs.replace(log[at], **fields)
    return stored(race.row.race, log)


@pytest.mark.parametrize("format", [SingleElimination(), RoundRobin(), Swiss(rounds=2)])
async def test_a_tournament_that_was_played_is_in_order(format: Format) -> None:
    assert audit(await played(format)) == []


async def test_a_tournament_in_which_a_result_was_overridden_is_in_order() -> None:
    assert audit(await played(SingleElimination(), override=True)) == []


async def test_a_pairing_that_does_not_follow_is_found() -> None:
    race = await played(SingleElimination())
    log = [parse_line(line) for line in race.lines]
    paired = next(event for event in log if isinstance(event, events.Paired))
    one, other = paired.matches[:2]
    swapped = (
        msgspec.structs.replace(one, players=(one.players[0], other.players[0])),
        msgspec.structs.replace(other, players=(one.players[1], other.players[1])),
    )
    found = audit(changed(race, events.Paired, matches=swapped))
    assert any("do not follow" in finding for finding in found)


async def test_another_seed_is_found() -> None:
    race = changed(await played(SingleElimination()), events.Announced, seed="another")
    assert "its seed and salt are not those that were committed to" in audit(race)


async def test_an_unfinished_one_that_is_marked_as_over_is_found() -> None:
    race = await played(SingleElimination())
    log = [parse_line(line) for line in race.lines]
    assert "it is marked as over, wrongly" in audit(stored(race.row.race, log[:-1]))
    assert audit(stored(race.row.race, log[:-1], is_over=False)) == []


async def test_the_events_of_another_are_found() -> None:
    race = await played(SingleElimination())
    other = replace(race, row=replace(race.row, race="cup-other"))
    assert audit(other) == [f"its events are those of the tournament {race.row.race}"]


async def test_a_race_in_its_place_is_found() -> None:
    race = await played(SingleElimination())
    found = audit(replace(race, lines=[b'{"event":"readied","at":1,"entrant":1}', *race.lines[1:]]))
    assert any("cannot be read" in finding for finding in found)
