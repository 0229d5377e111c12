"""The log's lines: they read back, they chain, and their shape does not move."""

from __future__ import annotations

from hashlib import sha256
from typing import get_args

import msgspec
import pytest

from samedeal_protocol import events as e
from samedeal_protocol.terms import Terms

SAMPLES: list[tuple[e.Event, str]] = [
    (
        e.Opened(
            at=1,
            race="r1",
            terms=Terms(game="opus", countdown=0),
            rules="samedeal-rules/1",
            deal="samedeal/1",
            seed="friday-night",
            salt="5a",
            commitment="c0",
            host="p1",
            host_name="Ada",
        ),
        (
            '{"event":"opened","at":1,"race":"r1","terms":{"game":"opus","countdown":0},'
            '"rules":"samedeal-rules/1","deal":"samedeal/1","seed":"friday-night","salt":"5a",'
            '"commitment":"c0","host":"p1","host_name":"Ada"}'
        ),
    ),
    (
        e.Entered(at=2, entrant=1, player="p1", name="Ada", bot=True),
        '{"event":"entered","at":2,"entrant":1,"player":"p1","name":"Ada","bot":true}',
    ),
    (e.Withdrew(at=3, entrant=1), '{"event":"withdrew","at":3,"entrant":1}'),
    (e.Readied(at=3, entrant=1), '{"event":"readied","at":3,"entrant":1}'),
    (e.Unreadied(at=3, entrant=1), '{"event":"unreadied","at":3,"entrant":1}'),
    (e.CountdownBegan(at=4, starts=9), '{"event":"countdown-began","at":4,"starts":9}'),
    (
        e.CountdownStopped(at=4, reason="x"),
        '{"event":"countdown-stopped","at":4,"reason":"x"}',
    ),
    (e.Started(at=5), '{"event":"started","at":5}'),
    (e.Began(at=5, entrant=1), '{"event":"began","at":5,"entrant":1}'),
    (
        e.Played(at=6, entrant=1, number=1, move="T1-F1"),
        '{"event":"played","at":6,"entrant":1,"number":1,"move":"T1-F1"}',
    ),
    (e.Undone(at=6, entrant=1, number=2), '{"event":"undone","at":6,"entrant":1,"number":2}'),
    (
        e.AutoFinished(at=6, entrant=1, number=3, moves=("T1-F1",)),
        '{"event":"auto-finished","at":6,"entrant":1,"number":3,"moves":["T1-F1"]}',
    ),
    (
        e.SentHome(at=6, entrant=1, number=3, moves=("T1-F1",)),
        '{"event":"sent-home","at":6,"entrant":1,"number":3,"moves":["T1-F1"]}',
    ),
    (
        e.Done(at=7, entrant=1, state=e.EntrantState.FINISHED, home=52, elapsed_ms=2),
        '{"event":"done","at":7,"entrant":1,"state":"finished","home":52,"elapsed_ms":2}',
    ),
    (e.Dropped(at=7, entrant=1), '{"event":"dropped","at":7,"entrant":1}'),
    (e.Returned(at=7, entrant=1), '{"event":"returned","at":7,"entrant":1}'),
    (e.Stopped(at=7, stopped_ms=8), '{"event":"stopped","at":7,"stopped_ms":8}'),
    (
        e.Said(at=7, player="p1", name="Ada", text="gg ♥"),
        '{"event":"said","at":7,"player":"p1","name":"Ada","text":"gg ♥"}',
    ),
    (e.RematchOpened(at=8, rematch="r2"), '{"event":"rematch-opened","at":8,"rematch":"r2"}'),
    (
        e.Over(
            at=9,
            standings=(e.Place(place=1, entrant=1, state=e.EntrantState.STUCK, home=3, moves=9),),
        ),
        (
            '{"event":"over","at":9,"standings":'
            '[{"place":1,"entrant":1,"state":"stuck","home":3,"moves":9}]}'
        ),
    ),
    (e.Cancelled(at=9, reason="x"), '{"event":"cancelled","at":9,"reason":"x"}'),
]
ALL = pytest.mark.parametrize(("event", "line"), SAMPLES, ids=[line[10:24] for _, line in SAMPLES])


@ALL
def test_the_line_of_an_event_does_not_move(event: e.Event, line: str) -> None:
    assert e.to_line(event).decode() == line


@ALL
def test_a_line_reads_back(event: e.Event, line: str) -> None:
    assert e.parse_line(line) == event


def test_every_event_has_its_line() -> None:
    assert {type(event) for event, _ in SAMPLES} == set(get_args(e.Event))


@pytest.mark.parametrize("line", ["", "{}", '{"event":"flew","at":1}', "[]", '{"event":"started"}'])
def test_what_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        e.parse_line(line)


def test_the_chain_is_sha256_over_the_hash_before_and_the_line() -> None:
    assert bytes(32) == e.CHAIN_START
    assert e.link(e.CHAIN_START, b"abc") == sha256(bytes(32) + b"abc").digest()
