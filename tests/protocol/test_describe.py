"""The protocol's page and schema: complete, and made from nothing but the structs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, get_args

import msgspec
import pytest

from samedeal_protocol import describe, describe_tournaments, events, messages
from samedeal_protocol.bases import whole
from samedeal_protocol.errors import CloseCode, ErrorCode
from samedeal_protocol.tournament import formats, requests
from samedeal_protocol.tournament.events import TournamentEvent
from support.cases import case

ROOT = Path(__file__).parent.parent.parent
SOURCES = {
    name: (ROOT / "protocol/samedeal_protocol" / f"{name}.py").read_text("utf-8")
    for name in describe.SOURCES
}
PAGE = describe.page(SOURCES)
TOURNAMENTS = describe_tournaments.page(
    {
        name: (ROOT / "protocol/samedeal_protocol/tournament" / f"{name}.py").read_text("utf-8")
        for name in describe_tournaments.SOURCES
    }
)
SCHEMA = json.loads(describe.schema())


def tags() -> list[str]:
    unions = (
        messages.ClientMessage,
        messages.Reply,
        messages.RaceEvent,
        events.Event,
        requests.AnyAct,
        formats.Format,
        TournamentEvent,
    )
    return [kind.__struct_config__.tag for union in unions for kind in get_args(union)]


def test_every_message_has_its_heading() -> None:
    for tag in sorted(set(tags())):
        with case(tag):
            assert f"\n### {tag}\n" in PAGE + TOURNAMENTS


def test_what_is_of_tournaments_stands_on_their_page_alone() -> None:
    assert "\n### act-in-tournament\n" not in PAGE
    assert "\n### announce-tournament\n" in TOURNAMENTS
    assert "\n### join\n" not in TOURNAMENTS


def test_every_tie_break_is_explained() -> None:
    for each, text in formats.EXPLAINED.items():
        assert f"| `{each.value}` | {text} |" in TOURNAMENTS


def test_every_link_inside_the_page_of_tournaments_leads_to_a_heading() -> None:
    headings = {
        line.lstrip("#").strip().lower().replace(" ", "-")
        for line in TOURNAMENTS.splitlines()
        if line.startswith("#")
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", TOURNAMENTS)) <= headings


def test_every_error_code_is_explained() -> None:
    for code in ErrorCode:
        with case(code):
            assert f"| `{code.code}` | {code.retry.value} | {code.meaning} |" in PAGE


def test_every_close_code_is_explained() -> None:
    for code in CloseCode:
        with case(code):
            line = f"| {code.number} | `{code.reason}` | {code.retry.value} | {code.meaning} |"
            assert line in PAGE


def test_a_field_tells_its_bounds_its_default_and_its_meaning() -> None:
    assert "| `countdown` | whole number 0–60, else `5` |  |" in PAGE
    line = "| `closes` | whole number 60–2592000, else `86400` | How long an async race stays open"
    assert line in PAGE


def test_the_kept_page_and_schema_are_current() -> None:
    assert (ROOT / "docs/protocol.md").read_text("utf-8") == PAGE
    assert (ROOT / "docs/tournament-protocol.md").read_text("utf-8") == TOURNAMENTS
    assert json.loads((ROOT / "docs/schema.json").read_text("utf-8")) == SCHEMA


def references(node: object) -> set[str]:
    if isinstance(node, dict):
        own = {node["$ref"]} if "$ref" in node else set[str]()
        return own.union(*map(references, node.values()))
    if isinstance(node, list):
        return set[str]().union(*map(references, node))
    return set()


def test_every_reference_of_the_schema_leads_somewhere() -> None:
    known = {f"#/$defs/{name}" for name in SCHEMA["$defs"]}
    assert references(SCHEMA) <= known


def test_the_schema_names_no_module_of_ours() -> None:
    assert "samedeal_protocol" not in describe.schema()


def test_the_schema_knows_every_tag() -> None:
    known = set()
    for definition in SCHEMA["$defs"].values():
        for name in ("type", "event", "act", "format"):
            known |= set(definition.get("properties", {}).get(name, {}).get("enum", []))
    assert set(tags()) <= known


def test_codes_are_used_once() -> None:
    codes = [code.code for code in ErrorCode]
    numbers = [code.number for code in CloseCode]
    assert len(set(codes)) == len(codes)
    assert len(set(numbers)) == len(numbers)


def test_no_pattern_lets_a_line_end_in_or_means_something_else_in_the_schemas_dialect() -> None:
    """`$` matches before a last line end in Python; the dialect of JSON Schema has no `\\Z`."""
    patterns = re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', describe.schema())
    assert patterns
    for pattern in map(json.loads, patterns):
        assert pattern.startswith("^(?:")
        assert pattern.endswith(r")(?![\s\S])")


@pytest.mark.parametrize("text", ["19:30\n", "x19:30", "19:30x", "19:3", ""])
def test_what_is_bounded_whole_matches_from_end_to_end(text: str) -> None:
    kind = Annotated[str, whole("([01][0-9]|2[0-3]):[0-5][0-9]")]
    assert msgspec.convert("19:30", kind) == "19:30"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(text, kind)
