"""What is counted of a race comes from its own log, and only if the log holds."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from samedeal_protocol.events import EntrantState, to_line
from samedeal_protocol.terms import Mode, Terms, Visibility
from samedeal_server.boards.finished import finished, read_summary, write_summary
from samedeal_server.racing.commands import (
    Begin,
    Cancel,
    Finish,
    GiveUp,
    Play,
    Stop,
    Withdraw,
)
from samedeal_server.ratings.races import Ending, FinishedRace, Ranked, Unrated, why_unrated
from support.races import HOST, OPENED, WIN, WIN_GAME, WIN_SEED, Track


def lines(track: Track) -> list[bytes]:
    return [to_line(event) for event in track.log]


def outcome(track: Track) -> FinishedRace:
    race = finished("race-1", lines(track))
    assert race is not None
    return race


def winning(**terms: object) -> Track:
    """A race on a deal that `win` wins."""
    usual = Terms(game=WIN_GAME, countdown=0, rated=True)
    return Track(replace(usual, **terms), seed=WIN_SEED)


def win(track: Track, player: str, *, each_ms: int = 1000) -> None:
    for number, move in enumerate(WIN, 1):
        track.do(Play(player, number, move), after=each_ms)
    track.do(Finish(player, len(WIN) + 1), after=each_ms)


@pytest.fixture
def track() -> Track:
    """A race that ann has won in nine seconds, and bob has given up ten seconds later."""
    track = winning()
    track.start("ann", "bob", "cat")
    win(track, "ann")
    track.do(GiveUp("bob"), after=10_000)
    track.do(GiveUp("cat"))
    return track


def test_a_race_is_told_by_place_with_times_and_instants(track: Track) -> None:
    began = track.now - 19_000
    assert outcome(track) == FinishedRace(
        race="race-1",
        at=track.now,
        game=WIN_GAME,
        deal=WIN_SEED,
        rated=True,
        entrants=(
            Ranked(
                player="ann",
                place=1,
                state=EntrantState.FINISHED,
                elapsed_ms=9000,
                done_at=began + 9000,
            ),
            Ranked(player="bob", place=2, state=EntrantState.GAVE_UP, done_at=began + 19_000),
            Ranked(player="cat", place=2, state=EntrantState.GAVE_UP, done_at=began + 19_000),
        ),
    )
    assert why_unrated(outcome(track)) is None


def test_an_outage_moves_nobodys_end_of_the_race() -> None:
    track = winning()
    track.start("ann", "bob")
    before = track.now
    track.do(Stop(before), after=60_000)
    win(track, "ann")
    track.do(GiveUp("bob"))
    ann = outcome(track).entrants[0]
    assert (ann.elapsed_ms, ann.done_at) == (9000, before + 69_000)


def test_whoever_withdrew_before_the_start_left_no_trace() -> None:
    track = winning(entrants_min=1)
    track.enter("eve")
    track.do(Withdraw("eve"))
    track.start("ann", "bob")
    for player in ("ann", "bob"):
        track.do(GiveUp(player))
    assert [each.player for each in outcome(track).entrants] == ["ann", "bob"]


def test_whoever_never_opened_an_async_deal_left_no_trace() -> None:
    track = winning(mode=Mode.ASYNC, closes=60, entrants_max=3)
    for player in ("ann", "bob", "eve"):
        track.enter(player)
    for player in ("ann", "bob"):
        track.do(Begin(player))
        track.do(GiveUp(player))
    track.wait(60_000)
    race = outcome(track)
    assert [each.player for each in race.entrants] == ["ann", "bob"]
    assert race.at == OPENED + 60_000


def test_a_race_on_a_seed_that_its_host_named_is_not_rated() -> None:
    track = Track(Terms(game=WIN_GAME, countdown=0), seed=WIN_SEED, seeded=True)
    track.start("ann", "bob")
    for player in ("ann", "bob"):
        track.do(GiveUp(player))
    # As one may have been logged before such terms were refused.
    old = [lines(track)[0].replace(b'"terms":{', b'"terms":{"rated":true,'), *lines(track)[1:]]
    race = finished("race-1", old)
    assert race is not None
    assert (race.verified, why_unrated(race)) == (True, Unrated.CASUAL)


def test_a_cancelled_race_counts_nowhere() -> None:
    track = winning()
    track.enter("ann")
    track.do(Cancel(HOST))
    race = outcome(track)
    assert (race.ending, race.entrants) == (Ending.CANCELLED, ())
    assert why_unrated(race) is Unrated.CANCELLED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"place":2', b'"place":3'),
        (b'"elapsed_ms":9000', b'"elapsed_ms":1'),
        (b'"move":"T24-W"', b'"move":"T25-W"'),
        (b'"seed":"7"', b'"seed":"8"'),
        (b'"played"', b'"plaid"'),
    ],
)
def test_a_race_whose_log_was_touched_is_not_verified(track: Track, old: bytes, new: bytes) -> None:
    touched = lines(track)
    found = next(at for at, line in enumerate(touched) if old in line)
    touched[found] = touched[found].replace(old, new)
    race = finished("race-1", touched)
    assert race is not None
    assert (race.verified, race.entrants) == (False, ())
    assert why_unrated(race) is Unrated.UNVERIFIED


def test_a_race_that_has_not_ended_is_not_verified() -> None:
    track = winning()
    track.start("ann", "bob")
    assert not outcome(track).verified


@pytest.mark.parametrize("text", [b"over", b'{"event":"something-else"}', b""])
def test_lines_of_no_race_are_none(text: bytes) -> None:
    assert finished("race-1", [text]) is None
    assert finished("race-1", []) is None


@pytest.mark.parametrize("visibility", Visibility)
def test_the_code_of_a_race_that_is_not_public_is_nobodys_to_tell(visibility: Visibility) -> None:
    track = winning(visibility=visibility)
    track.start("ann", "bob")
    assert outcome(track).listed == (visibility is Visibility.PUBLIC)


def test_the_short_form_says_all_there_is(track: Track) -> None:
    race = outcome(track)
    summary = read_summary(write_summary(race))
    assert summary is not None
    assert summary.race == race
    nothing = read_summary(write_summary(None))
    assert nothing is not None
    assert nothing.race is None


def test_what_another_version_made_is_made_anew(track: Track) -> None:
    written = write_summary(outcome(track))
    assert b'"version":2' in written
    for other in (b'"version":1', b'"version":3'):
        assert read_summary(written.replace(b'"version":2', other)) is None
    assert read_summary(b"{") is None
    assert read_summary(None) is None
