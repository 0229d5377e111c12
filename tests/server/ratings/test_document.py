"""What `docs/ratings.md` tells players is what the code does: the example and the constants."""

from __future__ import annotations

import re
import shlex
from math import fsum, sqrt
from pathlib import Path

import pytest

from samedeal_client.cli.command import parser
from samedeal_server import cli as server
from samedeal_server.ratings.book import Book, Rated, explain, rate
from samedeal_server.ratings.model import V1, Rating, Seat, compare
from samedeal_server.ratings.races import Unrated
from server.ratings.forms import BEGAN, OPUS, race
from support.serving import ROOT

TEXT = (ROOT / "docs" / "ratings.md").read_text("utf-8")
BEFORE = {
    "Bob": Rating(1500, 250),
    "Ann": Rating(1620, 90, 31, BEGAN),
    "Cat": Rating(1550, 120, 14, BEGAN),
}


def example() -> tuple[Book, Rated]:
    """The race of the document, and the book after it."""
    book = Book(pools={OPUS: dict(BEFORE)})
    return book, rate(book, race("Bob 90 > Ann 95 > Cat gave-up"))


def drawn() -> str:
    """The document's table, from the ratings before the race to those after it."""
    book, rated = example()
    lines = ["before           μ           σ   place"]
    seats = {
        name: Seat(rating.mu, rating.sigma, place)
        for place, (name, rating) in enumerate(BEFORE.items(), 1)
    }
    for name, seat in seats.items():
        lines.append(f"{name}     {seat.mu:.6f}  {seat.sigma:10.6f}   {seat.place}")
    lines += ["", "             c            s   p          gain         learnt"]
    for name, seat in seats.items():
        found = {rival: compare(V1, seat, each) for rival, each in seats.items() if rival != name}
        for rival, each in found.items():
            c = sqrt(seat.sigma**2 + seats[rival].sigma ** 2 + 2 * V1.beta**2)
            lines.append(
                f"{name}–{rival}      {c:.6f}   {each.actual:.0f}   {each.expected:.6f}"
                f"  {each.points:11.6f}   {each.learnt:.6f}"
            )
        damping = sqrt(len(seats) - 1)
        gain = fsum(each.points for each in found.values()) / damping
        learnt = fsum(each.learnt for each in found.values()) / damping
        lines.append(f"{name}, both over √2 {gain:33.6f}   {learnt:.6f}")
    lines += ["", "after            μ           σ        gain"]
    for change in rated.changes:
        if change.pool == OPUS:
            made = book.rating(OPUS, change.player)
            lines.append(
                f"{change.player}     {made.mu:.6f}  {made.sigma:10.6f}  {change.gain:+11.6f}"
            )
    return "\n".join(lines)


def test_the_example_of_the_document_is_what_the_code_computes() -> None:
    assert f"```text\n{drawn()}\n```" in TEXT


def test_the_example_is_explained_rival_by_rival() -> None:
    _, rated = example()
    for each in rated.changes:
        lines = explain(V1, rated.changes, each.pool, each.player)
        assert fsum(line.points for line in lines) == pytest.approx(each.gain, abs=1e-6)


@pytest.mark.parametrize(
    "said",
    [
        f"called `{V1.version}`",
        f"Everybody begins at {V1.mu:.0f}.",
        f"new ones {V1.mu:.0f} and {V1.sigma:.0f}",
        f"β = {V1.beta:.0f}",
        f"σ never falls below {V1.least_sigma:.0f}",
        f"provisional while σ is above {V1.settled_sigma:.0f}",
        f"(250² − {V1.least_sigma:.0f}²)",
        f"Nothing happens for {V1.rest_ms // 86_400_000} days",
        f"(idle time − 30 days) / {V1.widening_ms // 86_400_000} days",
    ],
)
def test_the_constants_of_the_document_are_those_in_use(said: str) -> None:
    assert said in TEXT


def test_the_document_lists_every_reason_for_not_rating_a_race() -> None:
    section = TEXT.partition("These are not rated:")[2].partition("Withdrawing")[0]
    assert section.count("\n| ") - 1 == len(Unrated)


def test_a_hundred_points_between_the_sure_are_seven_to_four() -> None:
    chance = compare(V1, Seat(1600, 0, 1), Seat(1500, 0, 2)).expected
    assert chance / (1 - chance) == pytest.approx(7 / 4, abs=0.02)


COMMANDS = re.findall(r"^ {4}(samedeal(?:-server)?) (.*?)(?: {2,}.*)?$", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("program", "words"), COMMANDS)
def test_its_commands_exist(
    program: str, words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = shlex.split(words)
    if program == "samedeal":
        assert parser().parse_args(arguments).handler
    else:
        assert server.main([*arguments, "--data", str(tmp_path)]) == 2
        assert f"there is no {tmp_path / 'samedeal.db'}" in capsys.readouterr().err


def test_it_has_commands() -> None:
    assert {program for program, _ in COMMANDS} == {"samedeal", "samedeal-server"}
