"""The fold of races: what counts, where, in which order, and what an annulment undoes."""

from __future__ import annotations

import json
from dataclasses import replace
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_server.ratings.book import (
    Book,
    Change,
    Pool,
    differences,
    explain,
    pools,
    rate,
    recompute,
)
from samedeal_server.ratings.model import V1, Rating
from samedeal_server.ratings.races import Ending, FinishedRace, Unrated, why_unrated
from server.ratings.forms import BEGAN, BOTS, DAY, OPUS, PEOPLE, logs, race


def stored(book: Book) -> Book:
    """The book as it comes back from a store that keeps text."""
    rows = [
        (pool.bots, pool.game, player, rating.mu, rating.sigma, rating.races, rating.last_at)
        for pool, ratings in book.pools.items()
        for player, rating in ratings.items()
    ]
    read = Book(book.model)
    for bots, game, player, mu, sigma, races, last_at in json.loads(json.dumps(rows)):
        rating = Rating(mu, sigma, races, last_at)
        read.pools.setdefault(Pool(bots, game), {})[player] = rating
    return read


def changes(races: list[FinishedRace]) -> list[Change]:
    return [change for rated in recompute(races)[1] for change in rated.changes]


# What is rated -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("finished", "reason"),
    [
        (race("ann 90 > bob 95"), None),
        (race("ann 90 > bob stuck"), None),
        (race("ann gave-up = bob gave-up"), None),
        (race("hal* 9 > eve* 10"), None),
        (race("ann 90 > bob 95", rated=False), Unrated.CASUAL),
        (race("ann 90 > bob 95", ending=Ending.CANCELLED), Unrated.CANCELLED),
        (race("ann 90 > bob 95", ending=Ending.WALKOVER), Unrated.WALKOVER),
        (race("ann 90 > bob 95", verified=False), Unrated.UNVERIFIED),
        (race("ann 90"), Unrated.ALONE),
        (race(""), Unrated.ALONE),
        (race("ann 90 > hal* 95"), Unrated.MIXED),
        (race("ann 90 > bob 91 > hal* 95 > eve* 96"), Unrated.MIXED),
    ],
)
def test_a_race_is_rated_or_says_why_not(finished: FinishedRace, reason: Unrated | None) -> None:
    assert why_unrated(finished) is reason
    book = Book()
    rated = rate(book, finished)
    assert rated.unrated is reason
    assert (book == Book()) == (rated.changes == ()) == (reason is not None)


@pytest.mark.parametrize(
    "text",
    [
        "ann 90 > ann 95",
        "ann stuck > bob 90",
        "ann 90 = bob stuck",
        "ann 90 > bob racing",
        "ann withdrawn > bob stuck",
    ],
)
def test_a_race_that_contradicts_itself_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="race r1"):
        race(text)


def test_a_time_without_a_finish_is_refused() -> None:
    entrant = replace(race("ann stuck").entrants[0], elapsed_ms=3_599_990)
    with pytest.raises(ValueError, match="finishers have a time"):
        replace(race("bob 90 > cat stuck"), entrants=(entrant,))


def test_those_who_did_not_finish_come_after_all_finishers() -> None:
    made = {each.player: each.gain for each in changes([race("ann 90 > bob 3000 > cat stuck")])}
    assert made["ann"] > made["bob"] == 0 > made["cat"]


def test_those_who_tie_without_finishing_lose_alike() -> None:
    book, _ = recompute([race("ann 90 > bob gave-up = cat stuck = dan out-of-time")])
    assert len({book.rating(PEOPLE, name) for name in ("bob", "cat", "dan")}) == 1


# Where it counts ---------------------------------------------------------------------------------


def test_a_race_counts_in_its_game_and_in_all_games_together() -> None:
    finished = race("ann 90 > bob 95", game="opus:no-wrap")
    assert pools(finished) == (PEOPLE, Pool(bots=False, game="opus:no-wrap"))
    book, _ = recompute([finished])
    assert book.pools[PEOPLE] == book.pools[Pool(bots=False, game="opus:no-wrap")]
    assert OPUS not in book.pools


def test_bots_are_rated_among_bots() -> None:
    book, _ = recompute([race("hal* 9 > eve* 10")])
    assert list(book.pools) == [BOTS, Pool(bots=True, game="opus")]


@given(logs())
def test_what_bots_do_changes_nothing_among_people(log: list[FinishedRace]) -> None:
    people = [each for each in log if not any(entrant.bot for entrant in each.entrants)]
    ours = {pool: each for pool, each in recompute(log)[0].pools.items() if not pool.bots}
    assert ours == recompute(people)[0].pools


@given(logs())
def test_other_games_change_nothing_in_a_game(log: list[FinishedRace]) -> None:
    book, _ = recompute([each for each in log if each.game == "opus"])
    assert recompute(log)[0].pools.get(OPUS) == book.pools.get(OPUS)


def test_the_rating_of_who_has_none_is_a_newcomers() -> None:
    assert Book().rating(OPUS, "ann") == Rating(1500, 250, 0, None)


# The history -------------------------------------------------------------------------------------


def test_the_version_in_use_never_changes_its_numbers() -> None:
    # worked out apart from this code, with 40 decimal digits
    log = [
        race("ann 90 > bob 95", "r1"),
        race("bob 80 > ann 85 = cat 85 > dan stuck", "r2", at=BEGAN + DAY),
        race("cat 70 > ann 71", "r3", at=BEGAN + 101 * DAY),
    ]
    book, _ = recompute(log)
    assert book.model.version == "samedeal-1"
    assert book.pools[OPUS] == {
        "ann": Rating(1475.668404, 242.014331, 3, BEGAN + 101 * DAY),
        "bob": Rating(1569.066722, 229.238665, 2, BEGAN + DAY),
        "cat": Rating(1584.600673, 242.014331, 2, BEGAN + 101 * DAY),
        "dan": Rating(1361.892279, 235.633087, 1, BEGAN + DAY),
    }


def test_a_race_long_after_is_judged_from_a_wider_rating() -> None:
    log = [race("ann 90 > bob 95", "r1"), race("ann 90 > bob 95", "r2", at=BEGAN + 100 * DAY)]
    first, second = (each for each in changes(log) if (each.player, each.pool) == ("ann", OPUS))
    assert second.before == first.after
    assert second.sigma == V1.sigma_at(first.after, BEGAN + 100 * DAY) > first.after.sigma


def test_a_race_dated_before_the_last_one_moves_no_instant_back() -> None:
    log = [race("ann 90 > bob 95", "r1"), race("ann 90 > bob 95", "r2", at=BEGAN - DAY)]
    assert recompute(log)[0].rating(OPUS, "ann").last_at == BEGAN


@given(logs())
def test_uncertainty_grows_by_time_without_a_race_only(log: list[FinishedRace]) -> None:
    for each in changes(log):
        last = each.before.last_at
        assert V1.least_sigma <= each.after.sigma <= each.sigma <= V1.sigma
        assert each.sigma >= each.before.sigma
        if last is None or each.at - last <= V1.rest_ms:
            assert each.sigma == each.before.sigma


@given(logs())
def test_each_change_begins_where_the_one_before_ended(log: list[FinishedRace]) -> None:
    standing: dict[tuple[Pool, str], Rating] = {}
    for each in changes(log):
        key = each.pool, each.player
        assert each.before == standing.get(key, V1.newcomer())
        standing[key] = each.after
    book, _ = recompute(log)
    flat = {(pool, name): each for pool, all_ in book.pools.items() for name, each in all_.items()}
    assert standing == flat


@given(logs())
def test_every_change_is_explained_rival_by_rival(log: list[FinishedRace]) -> None:
    for rated in recompute(log)[1]:
        for each in rated.changes:
            lines = explain(V1, rated.changes, each.pool, each.player)
            assert fsum(line.points for line in lines) == pytest.approx(each.gain, abs=1e-6)
            assert fsum(line.actual for line in lines) == each.actual
            assert fsum(line.expected for line in lines) == each.expected
            assert len(lines) == len(rated.changes) // 2 - 1


def test_a_change_that_is_not_there_is_not_explained() -> None:
    with pytest.raises(KeyError):
        explain(V1, recompute([race("ann 90 > bob 95")])[1][0].changes, OPUS, "cat")


# Order -------------------------------------------------------------------------------------------


@given(st.data())
def test_order_of_entrants_changes_nothing(data: st.DataObject) -> None:
    log = data.draw(logs())
    mixed = [
        replace(each, entrants=tuple(data.draw(st.permutations(each.entrants)))) for each in log
    ]
    assert recompute(mixed) == recompute(log)


@given(logs(), st.integers(0, 8))
def test_race_by_race_over_a_restart_equals_all_races_anew(
    log: list[FinishedRace], restart: int
) -> None:
    book, history = Book(), []
    for number, each in enumerate(log):
        if number == restart:
            book = stored(book)
        history.append(rate(book, each))
    assert (book, tuple(history)) == recompute(log)


def test_a_race_twice_in_the_log_is_refused() -> None:
    with pytest.raises(ValueError, match="r1 is there twice"):
        recompute([race("ann 90 > bob 95"), race("bob 90 > ann 95")])


# Annulment ---------------------------------------------------------------------------------------


@given(st.data())
def test_a_race_left_out_is_a_race_that_never_happened(data: st.DataObject) -> None:
    log = data.draw(logs())
    codes = [each.race for each in log]
    left_out = set(data.draw(st.lists(st.sampled_from(codes)) if codes else st.just([])))
    book, _ = recompute(log)
    before = stored(book)
    annulled = recompute(log, left_out=left_out)
    assert annulled == recompute([each for each in log if each.race not in left_out])
    assert book == before


@given(st.data())
def test_the_differences_lead_from_the_old_ratings_to_the_new(data: st.DataObject) -> None:
    log = data.draw(logs().filter(bool))
    book, _ = recompute(log)
    annulled, _ = recompute(log, left_out={data.draw(st.sampled_from(log)).race})
    changes = differences(book, annulled)
    assert len({(each.pool, each.player) for each in changes}) == len(changes)
    for each in changes:
        assert each.before != each.after
        assert book.pools.get(each.pool, {}).get(each.player) == each.before
        if each.after is None:
            del book.pools[each.pool][each.player]
        else:
            book.pools[each.pool][each.player] = each.after
    assert {pool: each for pool, each in book.pools.items() if each} == annulled.pools


def test_an_annulment_reaches_those_who_met_its_players_later() -> None:
    log = [race("ann 90 > bob 95", "r1"), race("bob 80 > cat 85", "r2")]
    book, _ = recompute(log)
    changes = differences(book, recompute(log, left_out={"r1"})[0])
    told = {each.player: (each.before, each.after) for each in changes if each.pool == OPUS}
    assert list(told) == ["ann", "bob", "cat"]
    assert told["ann"] == (book.rating(OPUS, "ann"), None)
    assert told["cat"][0] != told["cat"][1]


def test_leaving_out_what_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="no such race to leave out: r2"):
        recompute([race("ann 90 > bob 95")], left_out={"r2"})


def test_annulling_race_250_of_500_equals_never_having_raced_it() -> None:
    names = "abcdefgh"
    log = [
        race(
            " > ".join(f"{names[(number * 5 + seat * 3) % 8]} {90 + seat}" for seat in range(4)),
            f"r{number}",
            at=BEGAN + number * DAY,
        )
        for number in range(500)
    ]
    book, _ = recompute(log)
    annulled, _ = recompute(log, left_out={"r250"})
    assert annulled == recompute(log[:250] + log[251:])[0]
    assert differences(book, annulled) != ()
