"""A tournament's race: for those paired, and begun with those who are there."""

from __future__ import annotations

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Cancelled, CountdownBegan, Started, Withdrew, parse_line
from samedeal_protocol.terms import Mode, Terms
from samedeal_server.racing.audience import card, snapshot
from samedeal_server.racing.commands import (
    Begin,
    Cancel,
    Drop,
    Enter,
    OpenRematch,
    Ready,
    Start,
)
from support.races import HOST, Track

CUP = "cup-1"
DAY_MS = 86_400_000


def paired(*players: str, mode: Mode = Mode.LIVE) -> Track:
    terms = Terms(game="forty-thieves", mode=mode, entrants_min=2, entrants_max=len(players))
    return Track(terms, tournament=CUP, invited=players)


def test_who_is_not_paired_may_not_enter() -> None:
    track = paired("ann", "bob")
    assert track.refusal(Enter("eve", "Eve", False)) is ErrorCode.NOT_INVITED
    track.enter("ann", "bob")
    assert [entrant.player for entrant in track.race.entered()] == ["ann", "bob"]


def test_it_waits_for_everybody_who_is_paired() -> None:
    track = paired("ann", "bob", "cy")
    track.enter("ann", "bob")
    track.ready("ann", "bob")
    assert track.race.phase.value == "open"
    track.enter("cy")
    events = track.do(Ready("cy"))
    assert isinstance(events[-1], CountdownBegan)


def test_it_waits_as_long_as_the_tournament_does() -> None:
    track = paired("ann", "bob")
    track.enter("ann")
    track.do(Drop("ann"))
    assert track.wait(8 * DAY_MS) == []


def test_the_tournament_starts_it_with_those_who_are_ready() -> None:
    track = paired("ann", "bob", "cy", "dot")
    track.enter("ann", "bob", "cy")
    track.ready("ann", "bob")
    events = track.do(Start(CUP))
    left, began = events
    assert isinstance(left, Withdrew)
    assert isinstance(began, CountdownBegan)
    assert track.refusal(Enter("cy", "Cy", False)) is ErrorCode.NOT_OPEN
    assert track.do(Start(CUP)) == []
    assert any(isinstance(event, Started) for event in track.wait(10_000))
    assert [entrant.player for entrant in track.race.entered()] == ["ann", "bob"]


def test_it_does_not_start_with_one() -> None:
    track = paired("ann", "bob")
    track.enter("ann", "bob")
    track.ready("ann")
    assert track.refusal(Start(CUP)) is ErrorCode.TOO_FEW


def test_nobody_but_the_tournament_starts_it_or_calls_it_off() -> None:
    track = paired("ann", "bob")
    track.enter("ann", "bob")
    assert track.refusal(Start("ann")) is ErrorCode.NOT_HOST
    assert track.refusal(Cancel(HOST)) is ErrorCode.NOT_HOST


def test_the_tournament_breaks_off_a_race_that_runs() -> None:
    live = paired("ann", "bob")
    live.start("ann", "bob")
    own = paired("ann", "bob", mode=Mode.ASYNC)
    own.enter("ann")
    own.do(Begin("ann"))
    for track in (live, own):
        assert track.race.phase.value == "running"
        assert [type(event) for event in track.do(Cancel(CUP))] == [Cancelled]


def test_nobody_breaks_off_an_ordinary_race_that_runs() -> None:
    track = Track(Terms(game="forty-thieves"))
    track.start("ann", "bob")
    assert track.refusal(Cancel(HOST)) is ErrorCode.NOT_OPEN


def test_there_is_no_rematch() -> None:
    track = paired("ann", "bob")
    track.start("ann", "bob")
    track.do(Cancel(CUP))
    assert track.refusal(OpenRematch("ann", "next")) is ErrorCode.NOT_INVITED


def test_card_and_snapshot_name_the_tournament() -> None:
    track = paired("ann", "bob")
    assert card(track.race).tournament == CUP
    assert snapshot(track.race, "eve", track.now).tournament == CUP


def test_an_old_line_is_of_no_tournament() -> None:
    line = (
        b'{"event":"opened","at":1,"race":"r","terms":{"game":"opus"},"rules":"1","deal":"1",'
        b'"seed":"s","salt":"s","commitment":"c","host":"h","host_name":"H"}'
    )
    opened = parse_line(line)
    assert getattr(opened, "tournament", "missing") is None
    assert getattr(opened, "invited", "missing") == ()
