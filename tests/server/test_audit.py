"""What `samedeal-server check` finds in a store that somebody or something has touched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samedeal_protocol.events import chained, to_line
from samedeal_protocol.terms import Terms
from samedeal_server.audit import audit
from samedeal_server.ports import RaceRow
from samedeal_server.racing.commands import Finish, GiveUp, Play
from samedeal_server.stored import StoredRace
from support.races import WIN, WIN_GAME, WIN_SEED, Track


@pytest.fixture
def track() -> Track:
    """A race that has run from lobby to result."""
    track = Track(Terms(game="forty-thieves"))
    track.start("ann", "bob")
    track.do(Play("ann", 1, "draw"), after=500)
    track.do(GiveUp("ann"), after=1000)
    track.do(GiveUp("bob"), after=1000)
    return track


def stored(track: Track, *, is_over: bool = True) -> StoredRace:
    lines = [to_line(event) for event in track.log]
    head = chained(lines)
    return StoredRace(
        row=RaceRow("race-1", track.opened.at, is_over, None),
        is_listed=True,
        seqs=list(range(1, len(lines) + 1)),
        lines=lines,
        head=head,
        head_seq=len(lines),
        is_placed=True,
    )


def with_line(race: StoredRace, number: int, old: bytes, new: bytes) -> StoredRace:
    """Returns the race with one text changed in event `number` (from the end, if negative)."""
    lines = list(race.lines)
    assert old in lines[number]
    lines[number] = lines[number].replace(old, new)
    return replace(race, lines=lines)


def test_a_race_as_it_was_stored_is_in_order(track: Track) -> None:
    assert audit(stored(track)) == []


def test_an_unfinished_race_is_in_order_without_a_hash() -> None:
    track = Track(Terms(game="opus"))
    track.enter("ann")
    race = stored(track, is_over=False)
    assert audit(replace(race, head=None, head_seq=None)) == []


def test_events_after_the_end_are_in_order(track: Track) -> None:
    race = stored(track)
    said = b'{"event":"said","at":%d,"player":"p","name":"Ann","text":"gg"}' % track.now
    seqs = [*race.seqs, len(race.seqs) + 1]
    assert audit(replace(race, lines=[*race.lines, said], seqs=seqs)) == []


@pytest.mark.parametrize(
    "late",
    [
        b'{"event":"cancelled","at":%d,"reason":"rain"}',
        b'{"event":"over","at":%d,"standings":[]}',
        b'{"event":"dropped","at":%d,"entrant":1}',
        b'{"event":"done","at":%d,"entrant":1,"state":"gave-up","home":0}',
    ],
)
def test_what_cannot_follow_the_end_of_a_stored_race_is_found(track: Track, late: bytes) -> None:
    race = stored(track)
    number = len(race.lines) + 1
    forged = replace(race, lines=[*race.lines, late % track.now], seqs=[*race.seqs, number])
    assert f"event {number} cannot happen after the end" in audit(forged)


def test_an_event_that_was_changed_breaks_the_chain(track: Track) -> None:
    race = with_line(stored(track), 1, b'"Ann"', b'"Eve"')
    assert audit(race) == ["its events are not those that were stored: the hash chain differs"]


def test_an_event_that_is_gone_leaves_a_gap(track: Track) -> None:
    race = stored(track)
    gone = replace(race, lines=race.lines[:2] + race.lines[3:], seqs=race.seqs[:2] + race.seqs[3:])
    assert f"its events are not numbered 1 to {len(race.seqs) - 1}" in audit(gone)


def test_the_last_event_that_is_gone_is_missed(track: Track) -> None:
    race = stored(track)
    gone = replace(race, lines=race.lines[:-1], seqs=race.seqs[:-1])
    assert "not all events that it had are there" in audit(gone)


def test_an_illegal_move_is_found(track: Track) -> None:
    race = with_line(stored(track), -4, b'"draw"', b'"W-F1"')
    number = len(race.lines) - 3
    assert audit(race)[-1].startswith(f"event {number} does not follow from those before: W is emp")


def test_a_ranking_that_does_not_follow_is_found(track: Track) -> None:
    race = with_line(stored(track), -1, b'"place":1', b'"place":7')
    assert "its ranking does not follow from its events" in audit(race)


@pytest.fixture
def won() -> StoredRace:
    """A race that its only entrant has finished, in nine seconds."""
    track = Track(Terms(game=WIN_GAME, entrants_min=1), seed=WIN_SEED)
    track.start("ann")
    for number, move in enumerate(WIN, 1):
        track.do(Play("ann", number, move), after=1000)
    track.do(Finish("ann", len(WIN) + 1), after=1000)
    return stored(track)


def test_a_time_that_does_not_follow_from_the_moves_is_found(won: StoredRace) -> None:
    assert audit(won) == []
    for number in (-1, -2):
        won = with_line(won, number, b'"elapsed_ms":9000', b'"elapsed_ms":8999')
    assert "entrant 1 has not finished as it says" in audit(won)


def test_a_finish_without_a_won_board_is_found(won: StoredRace) -> None:
    # The last play of all is taken out, and the end said in its place.
    lines = won.lines[:-3] + won.lines[-2:]
    for number in (-1, -2):
        lines[number] = lines[number].replace(b'"elapsed_ms":9000', b'"elapsed_ms":8000')
    short = replace(won, lines=lines, seqs=list(range(1, len(lines) + 1)))
    assert "entrant 1 has not finished as it says" in audit(short)


def test_another_seed_breaks_the_commitment(track: Track) -> None:
    race = with_line(stored(track), 0, b'"friday-night"', b'"sunday-night"')
    assert "its seed and salt are not those that were committed to" in audit(race)


def test_an_event_that_goes_back_in_time_is_found(track: Track) -> None:
    race = with_line(stored(track), 1, b'"at":18', b'"at":17')
    assert "event 2 is earlier than the one before it" in audit(race)


def test_a_line_that_is_no_event_is_found(track: Track) -> None:
    race = stored(track)
    (finding,) = audit(replace(race, lines=[*race.lines[:3], b"\xff", *race.lines[4:]]))
    assert finding.startswith("event 4 cannot be read: ")


def test_a_race_marked_wrongly_is_found(track: Track) -> None:
    assert audit(stored(track, is_over=False)) == ["it is marked as unfinished, wrongly"]


def test_the_events_of_another_race_are_found(track: Track) -> None:
    race = stored(track)
    other = replace(race, row=replace(race.row, race="race-2"))
    assert audit(other) == ["its events are those of the race race-1"]


def test_a_wrong_note_of_places_is_found(track: Track) -> None:
    race = replace(stored(track), is_placed=False)
    assert audit(race) == ["the store's note of where its events are is wrong"]


def test_a_race_without_events_is_found(track: Track) -> None:
    race = replace(stored(track, is_over=False), lines=[], seqs=[], head=None, head_seq=None)
    assert audit(race) == ["it does not begin with its opening"]
