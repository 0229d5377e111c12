"""A host's plan, a TOML document or the options of a command, as the terms of a tournament.

    name = "Friday cup"
    format = "swiss"            # its options stand in [swiss]
    games = ["forty-thieves"]
    starts = 2026-12-24T18:00:00+01:00
    check_in = "30m"

    [swiss]
    rounds = 5

    [race]
    limit = "20m"

Pure. Durations are seconds, or texts such as "90s", "5m", "2h", "1d". What is not understood is
refused with the key it stands at, and the nearest that there is.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time
from typing import Final, TypeAlias

import msgspec
from msgspec import inspect

from samedeal_client.telling import span_text
from samedeal_protocol.spoken import bounds_text, faulty
from samedeal_protocol.terms import faults as race_faults
from samedeal_protocol.tournament import terms as tournament
from samedeal_protocol.tournament.formats import Format
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_rules import GAMES, UnknownGame, find, meant

__all__ = ["BadPlan", "Table", "merged", "number_of", "parsed", "seconds_of", "setting", "terms_of"]

Table: TypeAlias = Mapping[str, object]
"""A table of TOML."""

_DURATIONS: Final = frozenset(
    """check_in no_show pick between bell announced_ahead race.limit race.countdown race.closes
    race.undo_penalty race.delay race.grace""".split()
)
_UNITS: Final = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_UNLIMITED: Final = ("race.limit", "race.grace")
"""Durations that may be "none"."""
_NOT_OURS: Final = {
    "race.start": "the tournament starts its races",
    "race.start_at": "the tournament starts its races",
    "race.visibility": "races are as visible as the tournament",
    "race.game": 'name the games at the top: game = "...", or games = [...]',
}
_REQUIRED: Final = ("name", "format")


class BadPlan(ValueError):
    """The plan cannot be carried out; the sentence says what to change, and where."""


def parsed(text: str) -> Table:
    """Returns the tables of a TOML document. Raises BadPlan."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise BadPlan(f"it is no TOML: {fault}") from fault


def setting(text: str) -> Table:
    """Returns the table of one `key=value`; a value that is no TOML is a text. Raises BadPlan."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise BadPlan(f"{text[:40]!r} is no setting: write KEY=VALUE, such as swiss.rounds=5")
    try:
        return tomllib.loads(f"{key} = {value}")
    except tomllib.TOMLDecodeError:
        try:
            return tomllib.loads(f"{key} = {msgspec.json.encode(value.strip()).decode()}")
        except tomllib.TOMLDecodeError as fault:
            raise BadPlan(f"{key.strip()[:40]!r} is no key: {fault}") from fault


def merged(plans: Iterable[Table]) -> Table:
    """Returns plans as one; the later ones win, key by key."""
    whole: dict[str, object] = {}
    for plan in plans:
        for key, value in plan.items():
            known = whole.get(key)
            if isinstance(known, dict) and isinstance(value, dict):
                whole[key] = merged((known, value))
            else:
                whole[key] = value
    return whole


def terms_of(plan: Table, *, now: int) -> TournamentTerms:
    """Returns the terms. `now` is milliseconds of UTC. Raises BadPlan."""
    for key in _REQUIRED:
        if key not in plan:
            raise BadPlan(f"{key} is missing: {_WANTED[key]}")
    shaped = _checked(_shaped(plan), inspect.type_info(TournamentTerms), "", plan)
    try:
        terms = msgspec.convert(shaped, TournamentTerms)
    except msgspec.ValidationError as fault:
        raise BadPlan(_located(str(fault), str(plan["format"]))) from fault
    race = race_faults(terms.race, now=now)
    contradiction = tournament.faults(terms, now=now) or (race and f"race: {race}")
    if contradiction:
        raise BadPlan(contradiction)
    return terms


_WANTED: Final = {
    "name": 'name = "Friday cup"',
    "format": 'format = "swiss" (or single-elimination, double-elimination, round-robin, heats, '
    "ladder)",
}


# --- the shape that the wire has -----------------------------------------------------------------


def _formats() -> Mapping[str, inspect.StructType]:
    union = inspect.type_info(Format)
    if not isinstance(union, inspect.UnionType):
        raise AssertionError("a format is one of several structs")
    return {str(each.tag): each for each in union.types if isinstance(each, inspect.StructType)}


def _shaped(plan: Table) -> dict[str, object]:
    """The plan with the options of its format, its games and its race where the wire has them."""
    shaped = dict(plan)
    kind = shaped.pop("format")
    formats = _formats()
    if not isinstance(kind, str) or kind not in formats:
        raise BadPlan(f"format: {_no_such(kind, formats)}")
    for other in formats:
        if other != kind and other in shaped:
            raise BadPlan(f"[{other}] is not for format = {kind!r}: leave it out, or change format")
    options = shaped.pop(kind, {})
    if not isinstance(options, dict):
        raise BadPlan(f"{kind} is a table of options: write [{kind}]")
    shaped["format"] = {**_with_replays(options), "format": kind}
    race = shaped.pop("race", {})
    if not isinstance(race, dict):
        raise BadPlan("race is a table of terms: write [race]")
    for key, reason in _NOT_OURS.items():
        if key.removeprefix("race.") in race:
            raise BadPlan(f"{key}: leave it out, for {reason}")
    games = _games(shaped)
    shaped["race"] = {**race, "game": games[0]}
    if games[1:]:
        shaped["games"] = games[1:]
    return shaped


def _with_replays(options: dict[str, object]) -> dict[str, object]:
    """The options; matches of another length replay their draws like the others, unless it says."""
    match options:
        case {"length": {"replays": replays}, "lengths": dict(lengths)}:
            return options | {
                "lengths": {
                    label: {"replays": replays, **length} if isinstance(length, dict) else length
                    for label, length in lengths.items()
                }
            }
        case _:
            return options


def _games(shaped: dict[str, object]) -> list[str]:
    """Takes the games out of the plan, and returns their keys."""
    game, games = shaped.pop("game", None), shaped.pop("games", None)
    if (game is None) == (games is None):
        raise BadPlan('name what is played: game = "forty-thieves", or games = ["opus", "tuxedo"]')
    listed = [game] if games is None else games
    keys = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
    if not keys or keys != listed:
        raise BadPlan('games: a list of games\' keys, such as ["opus", "tuxedo"]')
    found = []
    for key in keys:
        try:
            found.append((meant(key) or find(key)).key)
        except UnknownGame as fault:
            raise BadPlan(f"games: {fault} (`samedeal games` lists all {len(GAMES)})") from fault
    return found


# --- values --------------------------------------------------------------------------------------


def _checked(value: object, kind: inspect.Type, path: str, plan: Table) -> object:
    """The value as the wire writes it. Raises BadPlan for keys and words that there are not."""
    if path in _DURATIONS:
        return _within(_seconds(value, path), kind, path, said=_span)
    if path == "starts":
        return _instant(value)
    match kind:
        case inspect.UnionType():
            return _of_union(value, kind, path, plan)
        case inspect.StructType() if isinstance(value, dict):
            return _table(value, kind, path, plan)
        case inspect.EnumType() if not isinstance(value, bool):
            words = [each.value for each in kind.cls]
            if value not in words:
                raise BadPlan(f"{_shown(path, plan)}: {_no_such(value, words)}")
            return value
        case inspect.IntType() | inspect.FloatType():
            return _within(value, kind, _shown(path, plan))
        case inspect.VarTupleType() if isinstance(value, list):
            return [_checked(each, kind.item_type, path, plan) for each in value]
        case inspect.DictType() if isinstance(value, dict):
            return {
                key: _checked(each, kind.value_type, f"{path}.{key}", plan)
                for key, each in value.items()
            }
        case _:
            return _plain(value)


def _of_union(value: object, kind: inspect.UnionType, path: str, plan: Table) -> object:
    """The value of an optional key, of a bracket's place, or of the format."""
    others = [each for each in kind.types if not isinstance(each, inspect.NoneType)]
    if len(others) == 1:
        is_bye = value == "" and path.endswith(".bracket")
        return None if is_bye else _checked(value, others[0], path, plan)
    if isinstance(value, dict):
        struct = _formats()[str(value["format"])]
        options = {key: each for key, each in value.items() if key != "format"}
        table = _checked(options, struct, path, plan)
        return {**table, "format": value["format"]} if isinstance(table, dict) else table
    return value


def _table(value: dict[str, object], kind: inspect.StructType, path: str, plan: Table) -> object:
    fields = {field.encode_name: field.type for field in kind.fields}
    shaped: dict[str, object] = {}
    for key, each in value.items():
        below = f"{path}.{key}" if path else key
        if key not in fields:
            known = [*fields, *(() if path else ("game", str(plan["format"])))]
            raise BadPlan(f"{_shown(below, plan)}: {_no_such(key, known, what='setting')}")
        shaped[key] = _checked(each, fields[key], below, plan)
    return shaped


def _within(
    value: object, kind: inspect.Type, path: str, *, said: Callable[[int | float], str] = str
) -> object:
    """The value, if it is no number beyond the bounds of its kind. Raises BadPlan."""
    for each in kind.types if isinstance(kind, inspect.UnionType) else (kind,):
        if isinstance(each, inspect.IntType | inspect.FloatType) and isinstance(value, int | float):
            low, high = each.ge, each.le
            if (low is not None and value < low) or (high is not None and value > high):
                raise BadPlan(f"{path}: {bounds_text(each, said)}, not {said(value)}")
    return value


def _span(seconds: int | float) -> str:
    return span_text(int(seconds))


def _plain(value: object) -> object:
    """Days and times of day as texts, which is what schedules take."""
    match value:
        case time():
            return value.strftime("%H:%M")
        case datetime():
            return value
        case date():
            return value.isoformat()
        case _:
            return value


def _seconds(value: object, path: str) -> object:
    if value == "none" and path in _UNLIMITED:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        return seconds_of(str(value))
    except BadPlan as fault:
        raise BadPlan(f"{path}: {fault}") from fault


def seconds_of(text: str) -> int:
    """Returns the seconds of `90`, `90s`, `5m`, `2h` or `1d`. Raises BadPlan."""
    written = re.fullmatch(r"([0-9]{1,9})(s|m|min|h|d|)", text)
    if written is None:
        raise BadPlan(f"{text[:40]!r} is no duration: write 90s, 5m, 2h or 1d")
    return int(written[1]) * _UNITS[written[2]]


def number_of(text: str) -> int:
    """Returns a whole number as it is typed. Raises BadPlan."""
    if re.fullmatch(r"-?[0-9]{1,9}", text) is None:
        raise BadPlan(f"{text[:40]!r} is no whole number")
    return int(text)


def _instant(value: object) -> object:
    if not isinstance(value, datetime):
        raise BadPlan(f"starts: {_said(value)} is no instant: write 2026-12-24T18:00:00+01:00")
    if value.tzinfo is None:
        raise BadPlan("starts: say by which clock, with an offset: 2026-12-24T18:00:00+01:00, or Z")
    return round(value.timestamp() * 1000)


# --- what is said --------------------------------------------------------------------------------


def _no_such(value: object, known: Iterable[str], *, what: str = "") -> str:
    words = list(known)
    near = difflib.get_close_matches(str(value), words, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(words)}"
    return f"no such {what}: {hint}" if what else f"{_said(value)} is not understood: {hint}"


def _said(value: object) -> str:
    return repr(value if isinstance(value, int | float | str) else str(value))[:60]


def _shown(path: str, plan: Table) -> str:
    """The path as the plan writes it: the format's options stand in a table of its name."""
    head, dot, rest = path.partition(".")
    return f"{plan['format']}{dot}{rest}" if head == "format" and dot else path


def _located(fault: str, format: str) -> str:
    """What msgspec says, as people say it, behind the key at which it is."""
    path, said = faulty(fault)
    if path == "format" or path.startswith("format."):
        path = format + path.removeprefix("format")
    return f"{path}: {said}" if path else said
