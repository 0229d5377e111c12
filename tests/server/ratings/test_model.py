"""The arithmetic of one race: by hand, against an independent implementation, and its laws."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import fsum, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import BradleyTerryFull

from samedeal_server.ratings.model import V1, Rating, Seat, compare, millionths, weigh
from server.ratings.forms import BEGAN, DAY, seats

UNDAMPED = replace(V1, least_sigma=0.0, least_left=1e-4, damped=False)


def by_openskill(field: list[Seat]) -> list[tuple[float, float]]:
    """What openskill makes of a race, with our constants and without its own widening."""
    model = BradleyTerryFull(mu=V1.mu, sigma=V1.sigma, beta=V1.beta, kappa=1e-4, tau=0.0)
    teams = [[model.rating(mu=seat.mu, sigma=seat.sigma)] for seat in field]
    rated = model.rate(teams, ranks=[float(seat.place) for seat in field])
    return [(team[0].mu, team[0].sigma) for team in rated]


# By hand -----------------------------------------------------------------------------------------


def test_two_newcomers_win_and_lose_what_the_formula_says() -> None:
    # c = sqrt(250² + 250² + 2 · 125²) = sqrt(156250); p = ½; step = 250² / c · ½
    c = sqrt(156_250)
    first, second = weigh(V1, [Seat(1500, 250, 1), Seat(1500, 250, 2)])
    assert (first.actual, first.expected, second.actual, second.expected) == (1, 0.5, 0, 0.5)
    assert first.mu == pytest.approx(1500 + 31_250 / c, rel=1e-14)
    assert second.mu == pytest.approx(1500 - 31_250 / c, rel=1e-14)
    # share learnt = (250 / c) · 250² / c² · ¼ = 250³ / (4 c³)
    left = 1 - 250**3 / (4 * c**3)
    assert first.sigma == second.sigma == pytest.approx(250 * sqrt(left), rel=1e-14)


def test_four_newcomers_share_out_symmetrically() -> None:
    field = [Seat(1500, 250, place) for place in (1, 2, 3, 4)]
    gains = [each.mu - 1500 for each in weigh(V1, field)]
    # three comparisons of ±½, damped by the square root of three
    most = 1.5 * 62_500 / sqrt(156_250) / sqrt(3)
    assert gains == pytest.approx([most, most / 3, -most / 3, -most], rel=1e-12)


def test_four_hundred_points_between_the_sure_are_nearly_ten_to_one() -> None:
    chance = compare(V1, Seat(1900, 0, 1), Seat(1500, 0, 2)).expected
    assert chance / (1 - chance) == pytest.approx(9.6, abs=0.05)


def test_a_tie_of_equals_changes_no_points() -> None:
    assert [each.mu for each in weigh(V1, [Seat(1500, 90, 1)] * 3)] == [1500.0] * 3


def test_a_tie_takes_points_from_the_stronger_and_gives_them_to_the_weaker() -> None:
    strong, weak = weigh(V1, [Seat(1700, 90, 1), Seat(1500, 90, 1)])
    assert strong.mu < 1700
    assert weak.mu > 1500


def test_one_race_leaves_half_of_the_variance_however_large_it_is() -> None:
    field = [Seat(1500, 250, 1), *(Seat(1500, 60, 2) for _ in range(63))]
    assert weigh(V1, field)[0].sigma == pytest.approx(250 * sqrt(0.5))


def test_nobody_is_surer_than_the_least_sigma() -> None:
    assert [each.sigma for each in weigh(V1, [Seat(1500, 60, 1), Seat(1500, 60, 2)])] == [60, 60]


# Against openskill -------------------------------------------------------------------------------


@given(seats(2, 2), st.booleans())
def test_two_entrants_agree_with_openskill(field: list[Seat], damped: bool) -> None:
    ours = weigh(replace(UNDAMPED, damped=damped), field)
    for (mu, sigma), each in zip(by_openskill(field), ours, strict=True):
        assert each.mu == pytest.approx(mu, rel=1e-13)
        assert each.sigma == pytest.approx(sigma, rel=1e-13)


@given(seats(3, 8))
def test_more_entrants_agree_with_openskill_without_damping(field: list[Seat]) -> None:
    ours = weigh(UNDAMPED, field)
    for (mu, sigma), each in zip(by_openskill(field), ours, strict=True):
        assert each.mu == pytest.approx(mu, rel=1e-12)
        assert each.sigma == pytest.approx(sigma, rel=1e-12)


# Laws --------------------------------------------------------------------------------------------


@given(st.data())
def test_order_of_seats_changes_nothing_to_the_last_bit(data: st.DataObject) -> None:
    field = data.draw(seats())
    order = data.draw(st.permutations(range(len(field))))
    mixed = weigh(V1, [field[index] for index in order])
    straight = weigh(V1, field)
    assert list(mixed) == [straight[index] for index in order]


def test_no_order_of_six_differs_even_where_last_bits_would_show() -> None:
    # near 0 points nothing hides the last bits of a gain
    field = [Seat(0.1 * index**3, 60 + 31.7 * index, 1 + index % 3) for index in range(6)]
    straight = dict(zip(field, weigh(V1, field), strict=True))
    for mixed in permutations(field):
        assert dict(zip(mixed, weigh(V1, mixed), strict=True)) == straight


@given(seats(), st.booleans())
def test_gains_weighed_by_how_sure_each_is_add_up_to_nothing(
    field: list[Seat], damped: bool
) -> None:
    made = weigh(replace(V1, damped=damped), field)
    shares = [(after.mu - seat.mu) / seat.sigma**2 for seat, after in zip(field, made, strict=True)]
    assert fsum(shares) == pytest.approx(0, abs=1e-12)


@given(seats(2, 2))
def test_in_a_duel_the_less_sure_moves_more_and_the_other_way(field: list[Seat]) -> None:
    one, two = weigh(V1, field)
    gain, loss = one.mu - field[0].mu, two.mu - field[1].mu
    assert gain * field[1].sigma ** 2 == pytest.approx(-loss * field[0].sigma ** 2, abs=1e-6)


@given(seats())
def test_actual_and_expected_add_up_to_the_number_of_pairs(field: list[Seat]) -> None:
    made, pairs = weigh(V1, field), len(field) * (len(field) - 1) / 2
    assert fsum(each.actual for each in made) == pairs
    assert fsum(each.expected for each in made) == pytest.approx(pairs)


@given(seats(), st.floats(500, 2500))
def test_winner_of_an_equal_field_never_loses(field: list[Seat], mu: float) -> None:
    field = [replace(seat, mu=mu) for seat in field]
    best = min(seat.place for seat in field)
    for seat, made in zip(field, weigh(V1, field), strict=True):
        assert seat.place != best or made.mu >= mu


@given(seats())
def test_sole_winner_gains_and_sole_last_loses_against_any_field(field: list[Seat]) -> None:
    field[0] = replace(field[0], place=0)
    field[-1] = replace(field[-1], place=99)
    made = weigh(V1, field)
    assert made[0].mu > field[0].mu
    assert made[-1].mu < field[-1].mu


@given(seats(3, 8), st.integers(1, 8))
def test_equals_on_one_place_change_alike_to_the_last_bit(field: list[Seat], place: int) -> None:
    field[0] = field[2] = Seat(1500, 200, place)
    made = weigh(V1, field)
    assert made[0] == made[2]


@given(seats(3, 8), st.integers(1, 8), st.integers(1, 8))
def test_of_two_equals_the_one_behind_never_gains_more(
    field: list[Seat], ahead: int, behind: int
) -> None:
    ahead, behind = sorted((ahead, behind))
    field[0], field[1] = Seat(1500, 200, ahead), Seat(1500, 200, behind)
    made = weigh(V1, field)
    assert made[0].mu >= made[1].mu


@given(seats())
def test_no_race_makes_anybody_less_sure(field: list[Seat]) -> None:
    for seat, made in zip(field, weigh(V1, field), strict=True):
        assert V1.least_sigma <= made.sigma <= seat.sigma


# Time, and what is settled -----------------------------------------------------------------------


def test_thirty_days_without_a_race_change_nothing() -> None:
    assert V1.sigma_at(Rating(1500, 60, 9, BEGAN), BEGAN + 30 * DAY) == 60


def test_half_of_the_widening_time_brings_half_of_the_variance_back() -> None:
    sigma = V1.sigma_at(Rating(1500, 60, 9, BEGAN), BEGAN + 30 * DAY + 365 * DAY // 2)
    assert sigma == millionths(sqrt((60**2 + 250**2) / 2))


def test_surest_rating_is_as_unsure_as_a_new_one_after_the_widening_time_and_never_more() -> None:
    rating = Rating(1500, 60, 9, BEGAN)
    assert V1.sigma_at(rating, BEGAN + 394 * DAY) < 250
    assert V1.sigma_at(rating, BEGAN + 395 * DAY) == 250
    assert V1.sigma_at(rating, BEGAN + 4000 * DAY) == 250


def test_an_instant_before_the_last_race_widens_nothing() -> None:
    assert V1.sigma_at(Rating(1500, 60, 9, BEGAN), BEGAN - DAY) == 60


@given(st.floats(60, 250), st.integers(0, 800), st.integers(0, 800))
def test_time_without_a_race_never_makes_anybody_surer(sigma: float, one: int, two: int) -> None:
    rating = Rating(1500, millionths(sigma), 9, BEGAN)
    early, late = (V1.sigma_at(rating, BEGAN + days * DAY) for days in sorted((one, two)))
    assert rating.sigma <= early <= late <= 250


def test_a_newcomer_is_provisional_and_time_does_not_widen_that() -> None:
    assert V1.sigma_at(V1.newcomer(), BEGAN) == 250
    assert V1.is_provisional(V1.newcomer(), BEGAN)


def test_a_rating_is_settled_from_150_on_and_provisional_again_after_long_absence() -> None:
    assert V1.is_provisional(Rating(1500, 150.000001, 9, BEGAN), BEGAN)
    assert not V1.is_provisional(Rating(1500, 150, 9, BEGAN), BEGAN)
    assert not V1.is_provisional(Rating(1500, 60, 99, BEGAN), BEGAN + 146 * DAY)
    assert V1.is_provisional(Rating(1500, 60, 99, BEGAN), BEGAN + 148 * DAY)


@pytest.mark.parametrize(("rivals", "races"), [(1, 12), (2, 8), (4, 6), (7, 4)])
def test_a_newcomer_settles_after_a_few_races_against_the_settled(rivals: int, races: int) -> None:
    sigma, raced = V1.sigma, 0
    while sigma > V1.settled_sigma:
        field = [Seat(1500, sigma, 1), *(Seat(1500, 80, place + 2) for place in range(rivals))]
        sigma, raced = weigh(V1, field)[0].sigma, raced + 1
    assert raced == races


@pytest.mark.parametrize(
    ("mu", "points"), [(1499.5, 1500), (1500.499999, 1500), (1500.5, 1501), (-0.5, 0)]
)
def test_points_are_shown_whole_with_a_half_upwards(mu: float, points: int) -> None:
    assert Rating(mu, 60).points == points
