"""Before the start: coming in, being ready, the countdown, and races that nobody waits for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import CountdownBegan, CountdownStopped, Event, Started
from samedeal_protocol.terms import Start, Terms
from samedeal_rules import RULES_VERSION
from samedeal_server.racing.clockwork import ABSENT_MS, EMPTY_MS, LOBBY_MS
from samedeal_server.racing.commands import (
    Cancel,
    Chat,
    Drop,
    Enter,
    OpenRematch,
    Ready,
    Return,
    Stop,
    Tick,
    Unready,
    Withdraw,
)
from samedeal_server.racing.commands import Start as StartNow
from samedeal_server.racing.decisions import ENTRIES, ENTRIES_EACH
from samedeal_server.racing.race import Refused, open_race
from support.races import HOST, OPENED, SEED, Track

GAME = "forty-thieves"


def named(events: Sequence[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def lobby(
    *players: str,
    start: Start = Start.ALL_READY,
    at: int | None = None,
    least: int = 2,
    most: int = 8,
    bots: bool = True,
    countdown: int = 5,
) -> Track:
    track = Track(
        Terms(
            game=GAME,
            start=start,
            start_at=at,
            entrants_min=least,
            entrants_max=most,
            bots=bots,
            countdown=countdown,
        )
    )
    track.enter(*players)
    return track


# --- opening -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "seed", "code"),
    [
        (Terms(game="patience"), SEED, ErrorCode.NO_SUCH_GAME),
        (Terms(game=GAME, entrants_min=3, entrants_max=2), SEED, ErrorCode.BAD_TERMS),
        (Terms(game=GAME, start=Start.AT), SEED, ErrorCode.BAD_TERMS),
        (Terms(game=GAME), "", ErrorCode.BAD_SEED),
        (Terms(game=GAME), "x" * 65, ErrorCode.BAD_SEED),
    ],
)
def test_a_race_that_cannot_be_run_is_not_opened(terms: Terms, seed: str, code: ErrorCode) -> None:
    with pytest.raises(Refused) as refused:
        open_race(
            race="r",
            terms=terms,
            seed=seed,
            salt="00",
            host=HOST,
            host_name="H",
            seeded=False,
            rules=RULES_VERSION,
            now=OPENED,
        )
    assert refused.value.code is code


# --- coming in ---------------------------------------------------------------------------------


def test_a_rated_race_has_a_seed_that_nobody_chose() -> None:
    terms = Terms(game=GAME, rated=True)
    assert Track(terms, seeded=False).opened.terms.rated
    with pytest.raises(Refused, match="nobody chose") as refused:
        Track(terms, seeded=True)
    assert refused.value.code is ErrorCode.BAD_TERMS


def test_a_player_enters_once() -> None:
    assert lobby("ann").refusal(Enter("ann", "Ann", bot=False)) is ErrorCode.ALREADY_ENTERED


def test_a_full_race_is_refused() -> None:
    track = lobby("ann", "bob", most=2)
    assert track.refusal(Enter("cat", "Cat", bot=False)) is ErrorCode.RACE_FULL


def test_a_withdrawn_entrant_makes_room_and_the_number_is_not_used_again() -> None:
    track = lobby("ann", "bob", most=2)
    track.do(Withdraw("ann"))
    track.enter("cat")
    track.do(Withdraw("bob"))
    track.enter("ann")
    assert [(entrant.number, entrant.player) for entrant in track.race.entered()] == [
        (3, "cat"),
        (4, "ann"),
    ]


def test_a_bot_is_refused_where_the_terms_exclude_bots() -> None:
    assert lobby(bots=False).refusal(Enter("bot", "Bot", bot=True)) is ErrorCode.NO_BOTS


def test_the_host_who_named_the_seed_may_enter_and_everybody_is_shown() -> None:
    track = Track(Terms(game=GAME), seeded=True)
    track.enter(HOST)
    assert track.race.seeded


@pytest.mark.parametrize("command", [Withdraw("zoe"), Ready("zoe"), Unready("zoe")])
def test_only_entrants_are_ready_or_withdraw(command: Ready | Unready | Withdraw) -> None:
    assert lobby("ann").refusal(command) is ErrorCode.NOT_ENTERED


def test_being_ready_twice_is_one_event() -> None:
    track = lobby("ann")
    track.ready("ann")
    assert track.do(Ready("ann")) == []


# --- all ready ---------------------------------------------------------------------------------


def test_the_countdown_begins_when_all_are_ready() -> None:
    track = lobby("ann", "bob")
    track.ready("ann")
    events = track.do(Ready("bob"))
    assert events[1:] == [CountdownBegan(at=track.now, starts=track.now + 5000)]


def test_one_ready_entrant_of_two_wanted_does_not_start() -> None:
    track = lobby("ann")
    track.ready("ann")
    assert track.phase() == "open"


def test_a_race_of_one_starts_if_the_terms_say_so() -> None:
    track = lobby("ann", least=1)
    track.ready("ann")
    assert track.phase() == "countdown"


def test_the_third_player_gets_in_during_the_countdown_and_stops_it() -> None:
    track = lobby("ann", "bob")
    track.ready("ann", "bob")
    assert named(track.do(Enter("cat", "Cat", bot=False), after=4999)) == [
        "Entered",
        "CountdownStopped",
    ]
    track.ready("cat")
    track.wait(5000)
    assert track.states() == ["racing", "racing", "racing"]


def test_taking_ready_back_stops_the_countdown() -> None:
    track = lobby("ann", "bob")
    track.ready("ann", "bob")
    assert named(track.do(Unready("ann"))) == ["Unreadied", "CountdownStopped"]


def test_who_drops_in_the_countdown_stops_it_and_is_not_ready() -> None:
    track = lobby("ann", "bob")
    track.ready("ann", "bob")
    assert named(track.do(Drop("bob"), after=4999)) == [
        "Dropped",
        "Unreadied",
        "CountdownStopped",
    ]
    track.do(Return("bob"))
    assert track.phase() == "open"


def test_who_is_away_does_not_count_as_ready() -> None:
    track = lobby("ann", "bob", "cat")
    track.drop("cat")
    track.ready("ann", "bob", "cat")
    assert track.phase() == "open"
    track.do(Return("cat"))
    assert track.phase() == "countdown"


def test_when_the_last_but_one_withdraws_the_countdown_stops() -> None:
    track = lobby("ann", "bob")
    track.ready("ann", "bob")
    assert named(track.do(Withdraw("ann"))) == ["Withdrew", "CountdownStopped"]


def test_when_one_of_three_withdraws_the_others_get_a_new_countdown() -> None:
    track = lobby("ann", "bob", "cat")
    track.ready("ann", "bob", "cat")
    events = track.do(Withdraw("ann"), after=3000)
    assert named(events) == ["Withdrew", "CountdownStopped", "CountdownBegan"]
    assert track.race.starts_at == track.now + 5000


def test_a_ghost_in_the_lobby_is_withdrawn_and_no_longer_holds_the_others() -> None:
    track = lobby("ann", "bob", "cat")
    track.drop("cat")
    track.ready("ann", "bob")
    events = track.wait(ABSENT_MS)
    assert named(events) == ["Withdrew", "CountdownBegan"]


def test_who_comes_back_in_time_is_not_withdrawn() -> None:
    track = lobby("ann", "bob")
    track.drop("bob")
    track.wait(ABSENT_MS - 1)
    track.do(Return("bob"))
    track.wait(ABSENT_MS)
    assert track.states() == ["entered", "entered"]


def test_no_countdown_at_all_starts_at_once() -> None:
    track = lobby("ann", "bob", countdown=0)
    track.ready("ann")
    assert named(track.do(Ready("bob"))) == ["Readied", "CountdownBegan", "Started"]


# --- by the host -------------------------------------------------------------------------------


def test_the_host_starts_the_race() -> None:
    track = lobby("ann", "bob", start=Start.HOST)
    assert track.do(StartNow(HOST)) == [CountdownBegan(at=track.now, starts=track.now + 5000)]


def test_starting_twice_is_one_countdown() -> None:
    track = lobby("ann", "bob", start=Start.HOST)
    track.do(StartNow(HOST))
    assert track.do(StartNow(HOST), after=1000) == []


def test_readiness_does_not_start_a_race_of_the_host() -> None:
    track = lobby("ann", "bob", start=Start.HOST)
    track.ready("ann", "bob")
    assert track.phase() == "open"


def test_only_the_host_starts() -> None:
    assert lobby("ann", "bob", start=Start.HOST).refusal(StartNow("ann")) is ErrorCode.NOT_HOST


@pytest.mark.parametrize(("start", "at"), [(Start.ALL_READY, None), (Start.AT, OPENED + 60_000)])
def test_the_host_does_not_start_what_starts_by_itself(start: Start, at: int | None) -> None:
    track = lobby("ann", "bob", start=start, at=at)
    assert track.refusal(StartNow(HOST)) is ErrorCode.NOT_HOST


def test_the_host_cannot_start_with_too_few() -> None:
    assert lobby("ann", start=Start.HOST).refusal(StartNow(HOST)) is ErrorCode.TOO_FEW


def test_an_entrant_who_is_away_is_not_enough_to_start_with() -> None:
    track = lobby("ann", "bob", start=Start.HOST)
    track.drop("bob")
    assert track.refusal(StartNow(HOST)) is ErrorCode.TOO_FEW


def test_the_third_player_gets_into_the_hosts_countdown() -> None:
    track = lobby("ann", "bob", start=Start.HOST)
    track.do(StartNow(HOST))
    track.enter("cat")
    track.wait(5000)
    assert track.states() == ["racing", "racing", "racing"]


def test_the_hosts_countdown_stops_when_too_few_are_left() -> None:
    track = lobby("ann", "bob", start=Start.HOST)
    track.do(StartNow(HOST))
    assert named(track.do(Drop("ann"), after=4999)) == ["Dropped", "CountdownStopped"]


def test_the_hosts_countdown_goes_on_with_those_who_are_there() -> None:
    track = lobby("ann", "bob", "cat", start=Start.HOST)
    track.do(StartNow(HOST))
    track.drop("ann")
    track.wait(5000)
    assert track.states() == ["racing", "racing", "racing"]
    assert track["ann"].away


def test_a_race_lives_on_without_its_host() -> None:
    track = lobby("ann", "bob")
    track.do(Drop(HOST))
    track.ready("ann", "bob")
    track.wait(5000)
    assert track.phase() == "running"


# --- at an instant -----------------------------------------------------------------------------

AT = OPENED + 60_000


def test_the_countdown_to_an_instant_ends_there() -> None:
    track = lobby("ann", "bob", start=Start.AT, at=AT)
    assert track.wait(60_000) == [CountdownBegan(at=AT - 5000, starts=AT), Started(at=AT)]


def test_nothing_but_the_host_stops_the_countdown_to_an_instant() -> None:
    track = lobby("ann", "bob", start=Start.AT, at=AT)
    track.wait(56_000)
    track.drop("ann", "bob")
    track.enter("cat")
    track.do(Withdraw("cat"))
    track.wait(4000)
    assert track.states() == ["racing", "racing", "withdrawn"]
    assert track["ann"].away


def test_the_host_calls_off_the_countdown_to_an_instant() -> None:
    track = lobby("ann", "bob", start=Start.AT, at=AT)
    track.wait(56_000)
    track.do(Cancel(HOST))
    assert track.phase() == "cancelled"


def test_too_few_at_the_instant_cancels() -> None:
    track = lobby("ann", "bob", start=Start.AT, at=AT)
    track.do(Withdraw("ann"))
    assert named(track.wait(60_000)) == ["CountdownBegan", "Cancelled"]


def test_a_latecomer_gets_in_before_the_instant() -> None:
    track = lobby("ann", start=Start.AT, at=AT)
    track.wait(59_999)
    track.enter("bob")
    track.wait(1)
    assert track.states() == ["racing", "racing"]


def test_who_registered_and_left_is_racing_at_the_instant_and_has_the_whole_grace() -> None:
    track = lobby("ann", "bob", start=Start.AT, at=OPENED + 3 * EMPTY_MS)
    track.drop("ann", "bob")
    track.wait(3 * EMPTY_MS)
    assert track.states() == ["racing", "racing"]
    track.wait(299_999)
    assert track.states() == ["racing", "racing"]
    track.wait(1)
    assert track.states() == ["gave-up", "gave-up"]


# --- races that nobody waits for ---------------------------------------------------------------


def test_an_empty_lobby_is_cancelled_after_an_hour() -> None:
    track = lobby()
    events = track.wait(EMPTY_MS)
    assert named(events) == ["Cancelled"]
    assert events[0].at == OPENED + EMPTY_MS


def test_the_hour_counts_from_when_the_last_one_left() -> None:
    track = lobby("ann", start=Start.HOST)
    track.wait(EMPTY_MS)
    track.drop("ann")
    track.wait(EMPTY_MS - 1)
    assert track.phase() == "open"
    track.wait(1)
    assert track.phase() == "cancelled"


def test_a_lobby_that_never_starts_is_cancelled_after_a_day() -> None:
    track = lobby("ann", "bob")
    track.wait(LOBBY_MS)
    assert track.phase() == "cancelled"


def test_a_restart_empties_the_lobby_until_they_return() -> None:
    track = lobby("ann", "bob")
    track.ready("ann", "bob")
    events = track.do(Stop(track.now + 1000), after=61_000)
    assert named(events)[:2] == ["Stopped", "CountdownStopped"]
    assert [entrant.away for entrant in track.race.entrants] == [True, True]
    assert track.states() == ["entered", "entered"]
    track.do(Return("ann"))
    track.do(Return("bob"))
    track.ready("ann", "bob")
    assert track.phase() == "countdown"


def test_after_a_restart_a_start_at_an_instant_waits_until_players_can_be_back() -> None:
    track = lobby("ann", "bob", start=Start.AT, at=AT)
    track.wait(58_000)
    events = track.do(Stop(track.now), after=60_000)
    assert "CountdownStopped" in named(events)
    track.wait(9_999)
    assert track.phase() == "countdown"
    track.wait(1)
    assert track.phase() == "running"


def test_a_short_restart_long_before_the_instant_leaves_the_instant_alone() -> None:
    track = lobby("ann", "bob", start=Start.AT, at=AT)
    track.do(Stop(track.now), after=20_000)
    track.wait(40_000)
    assert track.race.started_at == AT


# --- talking, and the race after ---------------------------------------------------------------


def test_chat_is_trimmed_and_must_say_something() -> None:
    track = lobby("ann")
    assert track.refusal(Chat("ann", "Ann", bot=False, text=" \t ")) is ErrorCode.MALFORMED
    assert track.refusal(Chat("ann", "Ann", bot=False, text="x" * 301)) is ErrorCode.TOO_LONG
    (said,) = track.do(Chat("ann", "Ann", bot=False, text="  hi  "))
    assert getattr(said, "text", None) == "hi"


def test_chat_goes_on_for_an_hour_after_the_end() -> None:
    track = lobby("ann")
    track.do(Cancel(HOST))
    track.do(Chat("ann", "Ann", bot=False, text="pity"), after=3_599_999)
    late = Chat("ann", "Ann", bot=False, text="?")
    assert track.refusal(late, after=1) is ErrorCode.NOT_OPEN


def test_chat_after_the_end_is_limited() -> None:
    track = lobby("ann")
    track.do(Cancel(HOST))
    for _ in range(200):
        track.do(Chat("ann", "Ann", bot=False, text="again"))
    assert track.refusal(Chat("ann", "Ann", bot=False, text="more")) is ErrorCode.NOT_OPEN


def test_whoever_asks_second_for_a_rematch_finds_the_first() -> None:
    track = lobby("ann", "bob")
    track.do(Cancel(HOST))
    track.do(OpenRematch("ann", "race-2"))
    assert track.do(OpenRematch("bob", "race-3")) == []
    assert track.race.rematch == "race-2"


def test_a_stranger_opens_no_rematch() -> None:
    track = lobby("ann")
    track.do(Cancel(HOST))
    assert track.refusal(OpenRematch("zoe", "race-2")) is ErrorCode.NOT_ENTERED


def test_the_stopped_countdown_leaves_no_deadline_behind() -> None:
    track = lobby("ann", "bob")
    track.ready("ann", "bob")
    track.do(Unready("bob"))
    assert not [event for event in track.wait(60_000) if isinstance(event, Started)]
    assert isinstance(track.log[-1], CountdownStopped)
    assert track.do(Tick()) == []


def test_one_player_cannot_fill_a_race_with_places_they_left() -> None:
    track = lobby("ada")
    for _ in range(ENTRIES_EACH):
        track.do(Enter("eve", "Eve", False))
        track.do(Withdraw("eve"))
    with pytest.raises(Refused) as refused:
        track.do(Enter("eve", "Eve", False))
    assert refused.value.code is ErrorCode.RACE_FULL
    track.enter("grace")


def test_a_race_holds_only_so_many_who_have_left() -> None:
    track = lobby("ada")
    for number in range(1, ENTRIES):
        track.do(Enter(f"guest-{number}", "Guest", False))
        track.do(Withdraw(f"guest-{number}"))
    with pytest.raises(Refused) as refused:
        track.enter("grace")
    assert refused.value.code is ErrorCode.RACE_FULL
