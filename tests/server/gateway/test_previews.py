"""What a shared link says of a race or a tournament, and of which it says nothing."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from samedeal_protocol.messages import ResultsSheet, Standing
from samedeal_protocol.terms import Mode, Terms, Visibility
from samedeal_protocol.tournament.formats import Swiss
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_protocol.tournament.views import PlayerView, TournamentHead, TournamentSheet
from samedeal_server.gateway.previews import Preview, head, of_race, of_tournament

TERMS = Terms(game="forty-thieves")
ADA = Standing(
    place=1, entrant=2, name="Ada", state="finished", elapsed_ms=252_900, home=104, moves=300
)
GRACE = Standing(place=2, entrant=1, name="Grace", state="gave-up", home=31, moves=200)
OVER = ResultsSheet(
    race="race-1", phase="over", terms=TERMS, standings=(ADA, GRACE), commitment="ab", seed="s"
)
RUNNING = replace(OVER, phase="running", seed=None)


@pytest.mark.parametrize(
    ("sheet", "title"),
    [
        (replace(RUNNING, phase="open", standings=()), "A race of Forty Thieves, open to enter"),
        (
            replace(RUNNING, phase="countdown", standings=()),
            "A race of Forty Thieves that is about to start",
        ),
        (RUNNING, "2 entrants are racing Forty Thieves"),
        (replace(RUNNING, standings=(ADA,)), "1 entrant is racing Forty Thieves"),
        (replace(RUNNING, standings=()), "A race of Forty Thieves is on"),
        (OVER, "Ada won in 4:12"),
        (
            replace(OVER, standings=(ADA, replace(ADA, entrant=1, name="Grace"))),
            "Ada and Grace won in 4:12",
        ),
        (replace(OVER, standings=(replace(ADA, elapsed_ms=3_723_000),)), "Ada won in 1:02:03"),
        (
            replace(OVER, standings=(replace(GRACE, place=1),)),
            "A race of Forty Thieves that nobody finished",
        ),
        (
            replace(OVER, phase="cancelled", standings=()),
            "A race of Forty Thieves that was called off",
        ),
    ],
)
def test_the_title_says_how_the_race_stands(sheet: ResultsSheet, title: str) -> None:
    assert of_race(sheet).title == title


def test_the_words_say_how_the_first_did() -> None:
    assert of_race(OVER).words == "Forty Thieves: 1. Ada 4:12, 2. Grace 31 home."
    many = tuple(replace(GRACE, place=2, name=f"P{number}") for number in range(6))
    assert of_race(replace(OVER, standings=(ADA, *many))).words.endswith("P3 31 home, and 2 more.")


@pytest.mark.parametrize(
    "terms",
    [
        replace(TERMS, visibility=Visibility.UNLISTED),
        replace(TERMS, visibility=Visibility.PHRASE),
        replace(TERMS, blind=True),
    ],
)
@pytest.mark.parametrize("phase", ["open", "running", "over", "cancelled"])
def test_of_a_race_that_is_not_everybodys_no_name_and_no_result_is_said(
    terms: Terms, phase: str
) -> None:
    said = of_race(replace(OVER, terms=terms, phase=phase))
    assert said.title == "A race of Forty Thieves"
    assert not re.search(r"Ada|Grace|\d", said.title + said.words)
    assert said.is_listed == (terms.visibility is not Visibility.UNLISTED)


def test_an_async_race_says_that_one_starts_when_one_likes() -> None:
    terms = replace(TERMS, mode=Mode.ASYNC)
    said = of_race(replace(RUNNING, terms=terms))
    assert said.words == "Everyone gets the same deal, and starts when they like."


def test_a_game_that_is_gone_is_called_by_its_key() -> None:
    sheet = replace(RUNNING, terms=Terms(game="whist"), standings=())
    assert of_race(sheet).title == "A race of whist is on"


CUP = TournamentSheet(
    tournament="cup-1",
    seq=1,
    at=1,
    terms=TournamentTerms(
        name="Friday <night>", format=Swiss(rounds=3), race=TERMS, games=("opus",)
    ),
    commitment="ab",
    head=TournamentHead(phase="running", round=2, rounds=3),
    staff=(),
    players=(
        PlayerView(player=1, name="Ada", state="playing"),
        PlayerView(player=2, name="Grace", state="playing"),
    ),
)


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (CUP.head, "Round 2 of 3. A tournament of Forty Thieves, Opus: 2 players."),
        (
            TournamentHead(phase="check-in"),
            "Checking in. A tournament of Forty Thieves, Opus: 2 players.",
        ),
        (
            TournamentHead(phase="over", champion=2),
            "Grace won. A tournament of Forty Thieves, Opus: 2 players.",
        ),
    ],
)
def test_a_tournament_says_how_far_it_is(stage: TournamentHead, words: str) -> None:
    said = of_tournament(replace(CUP, head=stage))
    assert (said.title, said.words) == ("Friday <night>", words)


def test_an_unlisted_tournament_says_nothing_of_itself() -> None:
    terms = replace(CUP.terms, visibility=Visibility.UNLISTED)
    said = of_tournament(replace(CUP, terms=terms))
    assert not re.search("Friday|Ada|Grace|Forty", said.title + said.words)
    assert not said.is_listed


def test_what_people_are_called_is_no_markup() -> None:
    said = head(Preview('"><script>x</script>', "a & 'b'"), "https://h.example/r/race-1")
    assert "<script" not in said
    assert 'content="&quot;&gt;&lt;script&gt;x&lt;/script&gt;"' in said
    assert 'content="a &amp; &#x27;b&#x27;"' in said


def test_an_address_is_said_where_it_is_known() -> None:
    known = head(Preview("t", "w"), "https://h.example/r/race-1")
    assert '<meta property="og:url" content="https://h.example/r/race-1">' in known
    assert '<link rel="canonical" href="https://h.example/r/race-1">' in known
    unknown = head(Preview("t", "w", is_listed=False), "")
    assert "og:url" not in unknown
    assert "canonical" not in unknown
    assert '<meta name="robots" content="noindex">' in unknown
