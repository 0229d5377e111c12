"""The protocol's page and schema: complete, and made from nothing but the structs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from samedeal_protocol import describe, events, messages
from samedeal_protocol.errors import CloseCode, ErrorCode

ROOT = Path(__file__).parent.parent.parent
SOURCES = {
    name: (ROOT / "protocol/samedeal_protocol" / f"{name}.py").read_text("utf-8")
    for name in describe.SOURCES
}
PAGE = describe.page(SOURCES)
SCHEMA = json.loads(describe.schema())


def tags() -> list[str]:
    unions = (messages.ClientMessage, messages.Reply, messages.RaceEvent, events.Event)
    return [kind.__struct_config__.tag for union in unions for kind in get_args(union)]


@pytest.mark.parametrize("tag", sorted(set(tags())))
def test_every_message_has_its_heading(tag: str) -> None:
    assert f"\n### {tag}\n" in PAGE


@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_code_is_explained(code: ErrorCode) -> None:
    assert f"| `{code.code}` | {code.retry.value} | {code.meaning} |" in PAGE


@pytest.mark.parametrize("code", CloseCode)
def test_every_close_code_is_explained(code: CloseCode) -> None:
    assert f"| {code.number} | `{code.reason}` | {code.retry.value} | {code.meaning} |" in PAGE


def test_a_field_tells_its_bounds_its_default_and_its_meaning() -> None:
    assert "| `countdown` | whole number 0–60, else `5` |  |" in PAGE
    line = "| `closes` | whole number 60–2592000, else `86400` | How long an async race stays open"
    assert line in PAGE


def test_the_kept_page_and_schema_are_current() -> None:
    assert (ROOT / "docs/protocol.md").read_text("utf-8") == PAGE
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
        for name in ("type", "event"):
            known |= set(definition.get("properties", {}).get(name, {}).get("enum", []))
    assert set(tags()) <= known


def test_codes_are_used_once() -> None:
    codes = [code.code for code in ErrorCode]
    numbers = [code.number for code in CloseCode]
    assert len(set(codes)) == len(codes)
    assert len(set(numbers)) == len(numbers)
