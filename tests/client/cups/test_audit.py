"""A tournament's log is told from a replay, and checked by a process of the server's program."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from samedeal_client.cups.audit import audit, is_tournament
from samedeal_protocol.events import chained
from samedeal_protocol.tournament.formats import SingleElimination
from samedeal_protocol.tournament.requests import StartTournament
from samedeal_server.hosting import pages
from support.hosting import HOST, Chances, Stage, terms


def published() -> list[str]:
    """The log that everybody may read of a tournament that is over."""
    stage = Stage(terms(SingleElimination()))
    stage.register("Ann", "Bob")
    stage.do(HOST, StartTournament())
    Chances(stage, random.Random(1), meddling=0).play()
    return list(pages.lines(stage.state, "", stage.log))


def test_a_log_that_holds_is_told_with_the_standings() -> None:
    log = published()
    found = audit("\n".join(log).encode())
    assert found.passed
    assert found.found[0].endswith(f"{len(log)} events, all in order")
    assert found.found[2].startswith("not proven without --head: ")
    assert [line.split()[0] for line in found.found[3:]] == ["1", "2"]


def test_a_log_is_compared_with_the_end_that_was_published() -> None:
    log = "\n".join(published()).encode()
    head = chained(log.splitlines()).hex()
    assert audit(log, head=head).found[1].startswith("complete")
    found = audit(log, head="-x")
    assert not found.passed
    assert "as it was published" in found.found[0]


def test_a_log_with_another_champion_does_not_hold() -> None:
    *log, over = published()
    forged = json.loads(over)
    forged["champion"] = 3 - forged["champion"]
    found = audit("\n".join([*log, json.dumps(forged)]).encode())
    assert not found.passed
    assert "does not follow" in found.found[0]


def test_a_log_that_is_nested_too_deep_does_not_hold() -> None:
    first, *rest = published()
    found = audit("\n".join([first, NESTED.decode(), *rest]).encode())
    assert not found.passed
    assert "event 2 cannot be read" in found.found[0]


def test_a_tournaments_log_is_told_from_a_replay() -> None:
    log = published()
    assert is_tournament("\n".join(log).encode())
    assert is_tournament(json.dumps([*map(json.loads, log)]).encode())
    assert not is_tournament(b'{"samedeal":"replay/1","race":"x"}\n{"event":"opened"}')


@pytest.mark.parametrize("folder", ["samedeal_server.py", "samedeal_protocol.py"])
def test_a_log_is_checked_by_the_program_that_is_installed_whatever_lies_beside_it(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).write_text("print('all in order')\nraise SystemExit(0)\n")
    monkeypatch.chdir(tmp_path)
    assert not audit(b"{}").passed


NESTED = b'{"event":"announced","x":' + b"[" * 5000 + b"]" * 5000 + b"}"


@pytest.mark.parametrize(
    "log",
    [
        NESTED,
        b"[" + NESTED + b"]",
        b"[" * 5000,
        b"",
        b"[]",
        b"[",
        b"\xff\xfe",
        b"{}",
        b"null",
        b"1",
    ],
)
def test_what_is_no_log_is_none_of_a_tournament(log: bytes) -> None:
    assert not is_tournament(log)
