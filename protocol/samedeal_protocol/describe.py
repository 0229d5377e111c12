"""The protocol told from its own structs: docs/protocol.md and docs/schema.json.

Nothing is said twice by hand: types, bounds, defaults, codes and meanings come from the structs and
enums, and the fields' explanations from the texts below them in the modules' sources, which the
caller reads (here is no I/O). What cannot be generated, how a conversation goes, is `prose`.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import UnionType
from typing import Final, get_args

import msgspec
from msgspec import Struct, inspect

from samedeal_protocol import boards, daily, events, messages, terms
from samedeal_protocol.codec import FRAME_BYTES
from samedeal_protocol.errors import CloseCode, ErrorCode, Retry
from samedeal_protocol.prose import AFTER, BEFORE, SECTIONS
from samedeal_protocol.session import ONCE
from samedeal_protocol.tournament.events import TournamentEvent

__all__ = ["SOURCES", "Texts", "enums", "explanations", "members", "page", "schema", "structs"]

SOURCES: Final = ("requests", "replies", "announcements", "terms", "events", "boards", "daily")
"""The modules whose source texts `page` needs."""

_PARTS: Final[tuple[type[Struct], ...]] = (
    messages.EntrantView,
    messages.ChatLine,
    messages.Standing,
    messages.RaceCard,
    messages.Limits,
    messages.Turned,
    *boards.PARTS,
    *daily.PARTS,
)
_COMMON: Final[Mapping[type[Struct], tuple[str, ...]]] = {
    messages.Request: ("id",),
    messages.RaceRequest: ("id", "race"),
    messages.Event: ("race", "seq", "at"),
    events.Happened: ("at",),
}
"""Fields that the sections explain once for all messages of a kind."""

Texts = Mapping[tuple[str, str], str]
"""(class, field) -> its explanation."""


def schema() -> str:
    """Returns the JSON Schema of every message and of the log's events, as JSON text."""
    roots, definitions = msgspec.json.schema_components(
        (messages.ClientMessage, messages.ServerMessage, events.Event, TournamentEvent),
        ref_template="#/$defs/{name}",
    )
    client, server, log, tournament_log = roots
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The samedeal protocol, number {messages.PROTOCOL}",
        "description": "A frame from a client is a ClientMessage, one from the server a "
        "ServerMessage; a line of a race's log is a LogEvent, one of a tournament's a "
        "TournamentLogEvent.",
        "$defs": {
            "ClientMessage": client,
            "ServerMessage": server,
            "LogEvent": log,
            "TournamentLogEvent": tournament_log,
            **definitions,
        },
    }
    text = json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
    # Where two modules have a class of one name, msgspec writes the module before it.
    for module, prefix in (("requests", "Act"), ("events", "TournamentLog"), ("views", "View")):
        text = text.replace(f"samedeal_protocol.tournament.{module}.", f"{prefix}.")
    for module in SOURCES:
        prefix = {"terms": "Terms.", "events": "Log."}.get(module, "")
        text = text.replace(f"samedeal_protocol.{module}.", prefix)
    return text


def page(sources: Mapping[str, str]) -> str:
    """Returns the page about the protocol. `sources` are the texts of the modules in `SOURCES`."""
    texts: dict[tuple[str, str], str] = {}
    for name in SOURCES:
        texts |= explanations(sources[name])
    said = {
        "frame_bytes": str(FRAME_BYTES),
        "protocol": str(messages.PROTOCOL),
        "msgpack": messages.SUBPROTOCOL_MSGPACK,
        "json": messages.SUBPROTOCOL_JSON,
        "once": _listed(f"`{_tag(kind)}`" for kind in ONCE),
    }
    parts = [BEFORE.format(**said)]
    parts.append(SECTIONS["requests"])
    parts += structs(_of_races(messages.ClientMessage), texts)
    parts.append(SECTIONS["server"])
    parts += structs((messages.Ok, messages.Error, messages.Notice), texts)
    parts.append(SECTIONS["replies"])
    parts += structs(_of_races(messages.Reply), texts)
    parts.append(SECTIONS["events"])
    parts += structs(members(messages.RaceEvent), texts)
    parts.append(SECTIONS["parts"])
    parts += structs(_PARTS, texts)
    parts += enums((boards.Board, daily.Attempt), texts)
    parts.append(SECTIONS["terms"])
    parts += structs([terms.Terms], texts)
    parts += enums((terms.Mode, terms.Start, terms.Undo, terms.Visibility, terms.Sight), texts)
    parts.append(SECTIONS["errors"])
    parts += _errors()
    parts.append(SECTIONS["closes"])
    parts += _closes()
    parts.append(SECTIONS["log"])
    parts += structs([*members(events.Event), events.Place], texts)
    parts += enums((events.EntrantState,), texts)
    parts.append(AFTER)
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def members(union: UnionType) -> list[type[Struct]]:
    """Returns the structs of a union, in its order."""
    return [kind for kind in get_args(union) if issubclass(kind, Struct)]


def _of_races(union: UnionType) -> list[type[Struct]]:
    """Those of a union that are not of tournaments, which have a page of their own."""
    return [kind for kind in members(union) if ".tournament." not in kind.__module__]


def explanations(source: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yields the texts that stand below fields and enum members."""
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, below in zip(node.body, node.body[1:], strict=False):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name))
                    | ast.Assign(targets=[ast.Name(id=name)]),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    yield (node.name, name), " ".join(text.split())
                case _:
                    pass


def _tag(kind: type[Struct]) -> str:
    tag = kind.__struct_config__.tag
    return str(tag) if tag is not None else kind.__name__


def structs(kinds: Iterable[type[Struct]], texts: Texts) -> Iterator[str]:
    """Yields the sections about structs: heading, meaning, and a table of the fields."""
    for kind in kinds:
        tagged = kind.__struct_config__.tag is not None
        yield f"### {_tag(kind)}" if tagged else f"### {kind.__name__}"
        yield _flowed(kind.__doc__ or "")
        info = inspect.type_info(kind)
        if not isinstance(info, inspect.StructType):
            raise AssertionError("a struct's type info is a struct's")
        common = {name for base in kind.__mro__ for name in _COMMON.get(base, ())}
        rows: list[str] = []
        for field in info.fields:
            if field.name in common:
                continue
            text = next(
                (
                    texts[base.__name__, field.name]
                    for base in kind.__mro__
                    if (base.__name__, field.name) in texts
                ),
                "",
            )
            default = _default(field)
            rows.append(f"| `{field.encode_name}` | {_type(field.type)}{default} | {text} |")
        if kind.__struct_config__.array_like:
            fields = ", ".join(f"`{field.name}`" for field in info.fields)
            yield f"It travels as an array: {fields}."
        elif rows:
            yield "\n".join(["| field | value | |", "|---|---|---|", *rows])


def _default(field: inspect.Field) -> str:
    if field.required:
        return ""
    match field.default:
        case Enum(value=value):
            return f", else `{value}`"
        case None | () | b"":
            return ", may be left out"
        case tuple() as several:
            return f", else `{msgspec.json.encode(several).decode()}`"
        case Struct():
            return ", else as if all of it were left out"
        case msgspec.NODEFAULT:
            return ", may be left out"
        case value:
            return f", else `{json.dumps(value)}`"


def _type(kind: inspect.Type) -> str:
    match kind:
        case inspect.StrType(min_length=least, max_length=most):
            return "text" if most is None else f"text, {least or 0}–{most} characters"
        case inspect.IntType(ge=least, le=most):
            bounds = "" if least is None and most is None else f" {_bounds(least, most)}"
            return f"whole number{bounds}"
        case inspect.FloatType():
            return "number"
        case inspect.BytesType():
            return "bytes"
        case inspect.BoolType():
            return "true or false"
        case inspect.EnumType(cls=enum):
            return " · ".join(f"`{member.value}`" for member in enum)
        case inspect.StructType(cls=struct):
            return f"[{struct.__name__}](#{_tag(struct).lower()})"
        case inspect.VarTupleType(item_type=item):
            return f"list of: {_type(item)}"
        case inspect.TupleType(item_types=items):
            return f"list of {len(items)}: {', '.join(_type(each) for each in items)}"
        case inspect.DictType(key_type=key, value_type=value):
            return f"map from {_type(key)} to {_type(value)}"
        case inspect.UnionType(types=types):
            several = [each for each in types if not isinstance(each, inspect.NoneType)]
            if len(several) > 3:
                return "one of those below"
            null = " or null" if len(several) < len(types) else ""
            return " or ".join(_type(each) for each in several) + null
        case _:
            raise AssertionError(f"no message has a {type(kind).__name__}")


def _bounds(least: int | None, most: int | None) -> str:
    if most is None:
        return f"from {least}"
    shown = "2⁵³ − 1" if most == 2**53 - 1 else f"{most}"
    return f"up to {shown}" if least is None else f"{least}–{shown}"


def enums(kinds: Iterable[type[Enum]], texts: Texts) -> Iterator[str]:
    """Yields the sections about enums: heading, meaning, and a table of the values."""
    for enum in kinds:
        yield f"### {enum.__name__}"
        if enum.__doc__:
            yield _flowed(enum.__doc__)
        rows = [
            f"| `{each.value}` | {texts.get((enum.__name__, each.name), '')} |" for each in enum
        ]
        yield "\n".join(["| value | meaning |", "|---|---|", *rows])


def _errors() -> Iterator[str]:
    rows = [f"| `{each.code}` | {_retry(each.retry)} | {each.meaning} |" for each in ErrorCode]
    yield "\n".join(["| code | retry | meaning |", "|---|---|---|", *rows])


def _closes() -> Iterator[str]:
    rows = [
        f"| {each.number} | `{each.reason}` | {_retry(each.retry)} | {each.meaning} |"
        for each in CloseCode
    ]
    yield "\n".join(["| close code | reason | retry | meaning |", "|---|---|---|---|", *rows])


def _retry(retry: Retry) -> str:
    return retry.value


def _flowed(text: str) -> str:
    """A docstring as Markdown: paragraphs stay, line breaks inside them go."""
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
