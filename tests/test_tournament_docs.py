"""docs/tournaments.md keeps what it promises: its plans are tournaments, its lists are complete."""

from __future__ import annotations

import re

import pytest

from samedeal_client.cups.plan import parsed, terms_of
from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.formats import BY_RACES, EXPLAINED, Format
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_server.hosting.clockwork import FORSAKEN_MS
from samedeal_server.hosting.commands import Given, Person, Tick
from samedeal_server.hosting.reports import RETURN_MS, WEARY
from samedeal_server.hosting.rights import RIGHTS, Right
from samedeal_server.hosting.tournament import announce, begin, decide
from support.serving import ROOT

PAGE = (ROOT / "docs" / "tournaments.md").read_text("utf-8")
PLANS = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
NOW = 1_800_000_000_000


def terms(plan: str) -> TournamentTerms:
    return terms_of(parsed(plan), now=NOW)


@pytest.mark.parametrize("plan", PLANS, ids=[plan.split('"')[1] for plan in PLANS])
def test_every_plan_can_be_announced(plan: str) -> None:
    announced = announce(
        tournament="cup-docs",
        terms=terms(plan),
        seed="5e" * 16,
        salt="5a" * 16,
        host=Person("host", "Hostess"),
        phrase_hash="",
        now=NOW,
    )
    assert decide(begin(announced), Tick(), NOW, Given(chance="00" * 16)) == ()


def test_there_is_a_plan_of_every_format() -> None:
    shown = {type(terms(plan).format) for plan in PLANS}
    assert shown == set(Format.__args__)


def test_the_table_of_tie_breaks_is_the_documented_list() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", PAGE, re.MULTILINE)
    assert rows == [(each.value, text) for each, text in EXPLAINED.items()]
    assert {each.value for each in BY_RACES} == {name for name, _ in rows[-3:]}


WORDS: dict[type[requests.Act], str] = {
    requests.Halt: "pause",
    requests.Continue: "continue",
    requests.Extend: "more time",
    requests.VoidRace: "void",
    requests.Override: "override",
    requests.Disqualify: "disqualify",
    requests.Invite: "invite",
    requests.OpenCheckIn: "check-in",
    requests.StartTournament: "start",
    requests.StartRound: "start a round",
    requests.LetIn: "let in",
    requests.Reinstate: "reinstate",
    requests.RingBell: "bell",
    requests.Appoint: "appoint",
    requests.CallOff: "call off",
    requests.AddHook: "URL",
    requests.RemoveHook: "URL",
}


def test_the_table_of_rights_is_the_one_that_holds() -> None:
    table = re.findall(r"^\| ([^|]+) \| yes \| (yes)? ?\| (yes)? ?\|$", PAGE, re.MULTILINE)
    assert len(table) == 4
    for act, right in RIGHTS.items():
        if right is Right.NONE:
            continue
        named = [
            Right.REFEREE if referee else Right.CO_HOST if co_host else Right.HOST
            for what, co_host, referee in table
            if WORDS[act] in what
        ]
        assert named == [right], act.__name__


def test_the_numbers_that_are_said_are_those_that_hold() -> None:
    text = " ".join(PAGE.split())
    assert FORSAKEN_MS == 60 * 86_400_000
    assert "nothing has happened for 60 days" in text
    assert RETURN_MS == 30_000
    assert "half a minute more to come back" in text
    assert WEARY == 3
    assert "after three such in a row" in text
    default = TournamentTerms(name="x", format=terms(PLANS[0]).format, race=terms(PLANS[0]).race)
    assert default.no_show == 300
    assert "5 minutes unless the terms differ" in text
