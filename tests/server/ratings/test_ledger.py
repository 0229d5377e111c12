"""The ledger: whatever order races become known in, the numbers are those of their own order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_server.ratings.book import Book, Rated, rate, recompute, take_back
from samedeal_server.ratings.ledger import KEPT, Ledger
from samedeal_server.ratings.races import FinishedRace
from samedeal_server.ratings.records import streaks_of
from server.ratings.at_once import fastest, personal_bests, streaks
from server.ratings.forms import BEGAN, DAY, OPUS, PEOPLE, logs, race


def in_order(races: list[FinishedRace]) -> list[FinishedRace]:
    return sorted(races, key=lambda each: (each.at, each.race))


@st.composite
def shuffled(draw: st.DrawFn) -> tuple[list[FinishedRace], list[FinishedRace]]:
    """A log in its own order, and as it became known."""
    log = in_order(draw(logs()))
    return log, draw(st.permutations(log))


@given(shuffled())
def test_the_order_of_becoming_known_changes_nothing(
    given_: tuple[list[FinishedRace], list[FinishedRace]],
) -> None:
    log, known = given_
    ledger = Ledger()
    for each in known:
        assert ledger.is_timely(each)
        ledger.add(each)
    assert list(ledger.races) == log
    assert ledger.book == recompute(log)[0]


@given(shuffled())
def test_what_is_remembered_of_a_player_is_what_last_changed_their_ratings(
    given_: tuple[list[FinishedRace], list[FinishedRace]],
) -> None:
    log, known = given_
    ledger = Ledger()
    for each in known:
        ledger.add(each)
    _, history = recompute(log)
    for player in "abcdefxyz":
        changed = [
            rated for rated in history if any(each.player == player for each in rated.changes)
        ]
        assert list(ledger.changes(player)) == changed[-KEPT:]


@given(shuffled(), st.sets(st.integers(0, 7)))
def test_a_players_races_are_those_that_count_and_are_listed_in_their_order(
    given_: tuple[list[FinishedRace], list[FinishedRace]], which: set[int]
) -> None:
    log, known = given_
    annulled = {f"r{number}" for number in which}
    ledger = Ledger()
    ledger.left_out = frozenset(annulled)
    for each in known:
        if each.race not in annulled:
            ledger.add(each)
    for player in "abcdefxyz":
        counted = [
            each
            for each in log
            if each.race not in annulled
            and each.listed
            and any(entrant.player == player for entrant in each.entrants)
        ]
        assert list(ledger.listed(player)) == counted
        assert list(Ledger.of(known, annulled).listed(player)) == counted


@given(shuffled(), st.integers(0, 3))
def test_records_are_what_is_made_of_all_races_at_once(
    given_: tuple[list[FinishedRace], list[FinishedRace]], days: int
) -> None:
    log, known = given_
    records = Ledger.of(known).records
    now = (log[-1].at if log else BEGAN) + days * DAY
    for bots in (False, True):
        assert streaks_of(records.days(bots=bots), now) == streaks(log, now, bots=bots)
        for game in ("opus", "amazons"):
            for deal in (None, "monday", "tuesday"):
                board = fastest(log, game=game, deal=deal, bots=bots)
                assert records.count(game, deal, bots=bots) == len(board)
                assert records.fastest(game, deal, bots=bots) == board
                assert records.fastest(game, deal, bots=bots, offset=1, limit=2) == board[1:3]
    for player in "abcdef":
        assert records.personal_bests(player) == personal_bests(log, player)
    for player in "xyz":
        assert records.personal_bests(player, bots=True) == personal_bests(log, player)


@given(logs(), st.sets(st.integers(0, 7)))
def test_an_annulled_race_has_never_happened(log: list[FinishedRace], which: set[int]) -> None:
    annulled = {f"r{number}" for number in which}
    ledger = Ledger.of(log, annulled)
    never = Ledger.of([each for each in log if each.race not in annulled])
    assert ledger.book == never.book
    assert list(ledger.races) == list(never.races)
    assert set(ledger.all_races()) == set(log)


@given(logs())
def test_taking_back_undoes_to_the_last_bit(log: list[FinishedRace]) -> None:
    book = Book()
    before: list[Book] = []
    done: list[Rated] = []
    for each in log:
        before.append(recompute(log[: len(done)])[0])
        done.append(rate(book, each))
    while done:
        take_back(book, done.pop())
        assert book == before.pop()


def test_races_that_end_at_one_instant_count_by_their_codes() -> None:
    one, other = race("a 60 > b 70", "r1"), race("b 60 > a 70", "r2")
    first, second = Ledger(), Ledger()
    for each in (one, other):
        first.add(each)
    for each in (other, one):
        second.add(each)
    assert first.book == second.book == recompute([one, other])[0]
    assert first.book != recompute([other, one])[0]


def test_a_race_is_counted_once() -> None:
    ledger = Ledger.of([race("a 60 > b 70", "r1")], {"r1"})
    with pytest.raises(ValueError, match="there twice"):
        ledger.add(race("a 60 > b 70", "r1"))


def test_a_race_before_too_many_others_asks_for_a_ledger_made_anew() -> None:
    ledger = Ledger()
    crowd = [race("a 60 > b 70", f"r{number}", at=BEGAN + number) for number in range(250)]
    for each in crowd:
        ledger.add(each)
    early = race("b 60 > a 70", "early", at=BEGAN - 1)
    late = race("b 60 > a 70", "late", at=BEGAN + 215)
    assert (ledger.is_timely(early), ledger.is_timely(late)) == (False, True)
    with pytest.raises(ValueError, match="too late"):
        ledger.add(early)
    ledger.add(late)
    assert ledger.book == recompute(in_order([*crowd, late]))[0]
    # What was taken back came back: the last changes are those of the last races.
    assert [each.race for each in ledger.changes("a")] == [
        f"r{number}" for number in range(240, 250)
    ]


def test_the_version_grows_with_every_race() -> None:
    ledger = Ledger()
    versions = [ledger.version]
    for number in range(3):
        ledger.add(race("a 60 > b 70", f"r{number}"))
        versions.append(ledger.version)
    versions.append(Ledger.of(ledger.all_races(), version=ledger.version).version)
    assert versions == sorted(set(versions))


def test_who_was_never_rated_has_a_newcomers_rating() -> None:
    book = Ledger.of([race("a 60 > b 70", rated=False)]).book
    assert book.pools == {}
    assert book.rating(PEOPLE, "a") == book.rating(OPUS, "a") == book.model.newcomer()
