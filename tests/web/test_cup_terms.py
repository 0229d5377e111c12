"""What the form of the browser says of tournaments, against what the protocol knows."""

from __future__ import annotations

import json
from typing import Any, Final, get_args

import msgspec
import pytest

from samedeal_client.cups.deeds import DEEDS
from samedeal_client.cups.templates import FORMATS
from samedeal_protocol import terms as racing
from samedeal_protocol.tournament import terms as tournament
from samedeal_protocol.tournament.formats import EXPLAINED, Format
from samedeal_protocol.tournament.schedule import Schedule
from samedeal_protocol.tournament.terms import TournamentTerms
from support.serving import ROOT
from web.test_modules import ran

CUPS: Final = ROOT / "client" / "samedeal_client" / "web" / "cups"
NOW: Final = 1_800_000_000_000
OURS: Final = {
    "race.start": "the tournament starts its races",
    "race.start_at": "the tournament starts its races",
    "race.visibility": "races are as visible as the tournament",
    "race.entrants_min": "the players of a match",
    "race.entrants_max": "the players of a match",
    "race.punctual": "of daily deals",
    "choice": "said with what is played",
    "repeat.last_day": "said with the day of the month",
}
"""Terms that no field has for its own, and why."""


def said(module: str, expression: str) -> Any:
    """Returns what an expression over a module's exports comes to."""
    address = json.dumps((CUPS / f"{module}.js").as_uri())
    script = f"import * as it from {address}; console.log(JSON.stringify({expression}));"
    return json.loads(ran("--input-type=module", "--eval", script))


def paths() -> set[str]:
    """Every term that there is, as the form names its place."""
    found = {each.encode_name for each in msgspec.structs.fields(TournamentTerms)}
    found -= {"format", "race", "repeat"}
    for within, struct in (("race", racing.Terms), ("repeat", Schedule)):
        found |= {f"{within}.{each.encode_name}" for each in msgspec.structs.fields(struct)}
    for kind in get_args(Format):
        found |= {f"format.{each.encode_name}" for each in msgspec.structs.fields(kind)}
    return found


def test_every_term_has_a_field() -> None:
    places = said("fields", "it.FIELDS.map(field => field.at ?? '')")
    asked = {".".join(place.split(".")[:2]) for place in places if place}
    assert paths() - asked == set(OURS)
    assert asked - paths() == set(), "a field for what is no term"


PRESETS: Final = (
    "it.PRESETS.map(preset => it.termsOf(it.begun("
    "{name: 'Zoë', zone: 'Europe/Berlin', game: 'opus'}, preset)).terms)"
)


def test_every_preset_may_be_announced_as_it_stands() -> None:
    formats = set()
    for told in said("plan", PRESETS):
        terms = msgspec.convert(told, TournamentTerms)
        assert tournament.faults(terms, now=NOW) is None
        assert racing.faults(terms.race, now=NOW) is None
        formats.add(type(terms.format))
    assert formats == set(get_args(Format)), "there is one for each format"


def default(place: str) -> object:
    """Returns what holds where a term is left out, as JSON has it."""
    repeat = {"zone": "UTC", "every": "day", "at": "12:00"}
    at: Any = [known(kind, repeat=repeat) for kind in FORMATS]
    for step in place.split("."):
        at = [each[step] for each in at if each is not None and step in each]
    return at[0]


def known(kind: str, **more: object) -> Any:
    """Returns all terms of a tournament of which only what has to be is said."""
    rounds = {"rounds": 5} if kind in ("swiss", "heats") else {}
    least = {"name": "x", "race": {"game": "opus"}, "format": {"format": kind, **rounds}}
    return whole(msgspec.convert({**least, **more}, TournamentTerms))


def whole(value: object) -> Any:
    """Returns a struct with all its fields, whether they are as usual or not."""
    if isinstance(value, msgspec.Struct):
        return {
            each.encode_name: whole(getattr(value, each.name))
            for each in msgspec.structs.fields(value)
        }
    return json.loads(msgspec.json.encode(value))


def test_usual_values_are_those_of_the_protocol() -> None:
    usual = said("words", "it.USUAL")
    assert {name: known("ladder")[name] for name in usual} == usual
    fields = said("fields", "it.FIELDS.filter(field => field.at && field.usual !== undefined)")
    told = {each["at"]: each["usual"] for each in fields if each["usual"] not in ("", [])}
    told["format.times"] = int(told["format.times"])
    told["format.points"] = [int(points) for points in told["format.points"].split()]
    holds = {place: default(place) for place in told}
    holds["format.points"] = known("heats")["format"]["points"]
    assert holds == told


def test_tie_breaks_are_explained_as_the_rules_do() -> None:
    told = said("words", "it.TIE_BREAKS")
    assert {key: each["explained"] for key, each in told.items()} == {
        tie_break.value: words for tie_break, words in EXPLAINED.items()
    }


@pytest.mark.parametrize("whose", ["hosts", "staff", "the host"])
def test_the_console_has_every_deed_of_the_terminal(whose: str) -> None:
    renamed = {"dq": "disqualify"}
    theirs = {renamed.get(word, word) for word, deed in DEEDS.items() if deed.whose == whose}
    told = said("deeds", "it.DEEDS.map(deed => [deed.word, deed.whose])")
    ours = {word for word, who in told if who == whose}
    # A player's withdrawal by the staff, and a match's more time, are deeds of their own there.
    assert ours - {"withdraw", "more-time"} == theirs
