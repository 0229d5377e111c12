"""Every command in every phase of both modes: taken, or refused with the code of the table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Mode, Start, Terms
from samedeal_server.racing import commands as ask
from samedeal_server.racing.phases import ALLOWED, table
from samedeal_server.racing.race import Refused
from support.cases import case
from support.races import HOST, Track

# Of each kind a command that is right in every other respect, from the entrant `ann` or the host.
COMMANDS: dict[str, Callable[[Track], ask.Command]] = {
    "Enter": lambda _: ask.Enter("new", "New", bot=False),
    "Withdraw": lambda _: ask.Withdraw("zoe"),
    "Ready": lambda _: ask.Ready("ann"),
    "Unready": lambda _: ask.Unready("ann"),
    "Start": lambda _: ask.Start(HOST),
    "Begin": lambda _: ask.Begin("zoe"),
    "Play": lambda track: ask.Play("ann", track["ann"].last + 1, "draw"),
    "Undo": lambda track: ask.Undo("ann", track["ann"].last + 1),
    "SendHome": lambda track: ask.SendHome("ann", track["ann"].last + 1),
    "Finish": lambda track: ask.Finish("ann", track["ann"].last + 1),
    "GiveUp": lambda _: ask.GiveUp("ann"),
    "Disqualify": lambda _: ask.Disqualify(HOST, 1, "for a reason"),
    "Cancel": lambda _: ask.Cancel(HOST),
    "Chat": lambda _: ask.Chat("ann", "Ann", bot=False, text="hello"),
    "OpenRematch": lambda _: ask.OpenRematch("ann", "race-2"),
    "Drop": lambda _: ask.Drop("ann"),
    "Return": lambda _: ask.Return("ann"),
    "Stop": lambda track: ask.Stop(track.now),
    "Tick": lambda _: ask.Tick(),
}

TAKEN = {
    ("live", "open"): "Enter Withdraw Ready Unready Start Cancel",
    ("live", "countdown"): "Enter Withdraw Ready Unready Start Cancel",
    ("live", "running"): "Play Undo SendHome GiveUp Disqualify",
    ("live", "over"): "OpenRematch",
    ("live", "cancelled"): "OpenRematch",
    ("async", "open"): "Enter Withdraw Begin Cancel",
    ("async", "running"): "Enter Withdraw Begin Play Undo SendHome GiveUp Disqualify",
    ("async", "over"): "OpenRematch",
    ("async", "cancelled"): "OpenRematch",
}
ALWAYS = "Chat Drop Return Stop Tick"

REFUSED = {
    "Enter": "not-open",
    "Withdraw": "not-open",
    "Ready": "not-open",
    "Unready": "not-open",
    "Start": "not-open",
    "Begin": "not-open",
    "Play": "not-running",
    "Undo": "not-running",
    "Finish": "not-running",
    "SendHome": "not-running",
    "GiveUp": "not-running",
    "Disqualify": "not-running",
    "Cancel": "not-open",
    "OpenRematch": "not-over",
}
OF_THE_OTHER_MODE = {
    ("async", "Ready"): "not-live",
    ("async", "Unready"): "not-live",
    ("async", "Start"): "not-live",
    ("live", "Begin"): "not-async",
}


def in_phase(mode: str, phase: str) -> Track:
    """Returns a race with the entrants `ann` and (not begun in an async race) `zoe`."""
    if mode == "live":
        track = Track(Terms(game="forty-thieves", start=Start.HOST))
        track.enter("ann", "zoe")
        if phase != "open":
            track.do(ask.Start(HOST))
    else:
        track = Track(Terms(game="forty-thieves", mode=Mode.ASYNC))
        track.enter("ann", "zoe")
    if phase == "cancelled":
        track.do(ask.Cancel(HOST))
    if phase in {"running", "over"}:
        if mode == "live":
            track.wait(5000)
        else:
            track.do(ask.Begin("ann"))
        track.play("ann", "draw")
    if phase == "over":
        if mode == "live":
            track.do(ask.GiveUp("ann"))
            track.do(ask.GiveUp("zoe"))
        else:
            track.wait(track.race.closes_at - track.now)
    assert track.race.phase.value == phase
    return track


CASES = [(mode, phase, kind) for mode, phase in TAKEN for kind in COMMANDS]


def test_a_command_is_taken_or_refused_as_the_table_says() -> None:
    for mode, phase, kind in CASES:
        with case(mode, phase, kind):
            track = in_phase(mode, phase)
            try:
                track.do(COMMANDS[kind](track))
                code = "taken"
            except Refused as refused:
                code = refused.code.code
            expected = "taken"
            if kind not in f"{TAKEN[mode, phase]} {ALWAYS}".split():
                expected = OF_THE_OTHER_MODE.get((mode, kind), REFUSED[kind])
            if code in {"no-undo", "not-finishable"}:  # taken by the phase, refused by the board
                assert phase == "running"
            else:
                assert code == expected


def test_the_printed_table_has_every_command_and_its_verdict() -> None:
    text = table()
    for kind in COMMANDS:
        assert text.count(f"| {kind} |") == 2
    assert "| Play | `not-running` | `not-running` | yes | again | again |" in text
    assert "| Enter | yes | yes | `not-open` | `not-open` |" in text


def test_every_command_is_allowed_somewhere() -> None:
    allowed = {
        kind.__name__ for phases in ALLOWED.values() for kinds in phases.values() for kind in kinds
    }
    assert allowed == set(COMMANDS)


@pytest.mark.parametrize("mode", ["live", "async"])
@pytest.mark.parametrize("phase", ["over", "cancelled"])
def test_what_has_ended_stays_as_it_is(mode: str, phase: str) -> None:
    track = in_phase(mode, phase)
    for command in COMMANDS.values():
        try:
            track.do(command(track))
        except (Refused, KeyError):
            continue
    track.wait(40 * 86_400_000)
    assert track.race.phase.value == phase
    assert track.race.due is None


def test_a_host_who_is_none_is_refused() -> None:
    track = in_phase("live", "running")
    assert track.refusal(ask.Disqualify("ann", 2, "")) is ErrorCode.NOT_HOST
