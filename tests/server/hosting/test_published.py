"""The log that everybody may read in the end proves the tournament, or that it is forged."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from samedeal_protocol.events import chained
from samedeal_protocol.tournament.events import CalledOff, parse_line, to_line
from samedeal_protocol.tournament.formats import Heats, RoundRobin, SingleElimination, Swiss
from samedeal_protocol.tournament.requests import (
    AddHook,
    Appoint,
    Invite,
    RemoveHook,
    StartTournament,
)
from samedeal_protocol.tournament.schedule import Every, Schedule
from samedeal_protocol.tournament.terms import Registration
from samedeal_server.hosting import pages, view
from samedeal_server.hosting.commands import Tick
from samedeal_server.hosting.published import look
from samedeal_server.hosting.tournament import due
from support.hosting import HOST, OPENED, Chances, Stage, terms

Event = dict[str, Any]


def played(format: SingleElimination | Swiss | RoundRobin | Heats) -> Stage:
    stage = Stage(terms(format))
    stage.register("Ann", "Bob", "Cy", "Dot", "Eve")
    stage.do(HOST, StartTournament())
    Chances(stage, random.Random(7), meddling=0).play()
    return stage


def public(stage: Stage) -> bytes:
    return "\n".join(pages.lines(stage.state, "", stage.log)).encode()


def first(log: list[Event], event: str) -> Event:
    return next(each for each in log if each["event"] == event)


@pytest.mark.parametrize(
    "format", [SingleElimination(), Swiss(rounds=3), RoundRobin(), Heats(rounds=2)]
)
def test_the_public_log_gives_the_standings(
    format: SingleElimination | Swiss | RoundRobin | Heats,
) -> None:
    stage = played(format)
    report = look(public(stage))
    assert report.passed
    title, _, unproven, *standings = report.lines
    assert title.endswith(f"{len(stage.log)} events, all in order")
    assert unproven.startswith("not proven without --head: ")
    names = [stage.state.players[line.player].name for line in view.table(stage.state).lines]
    assert [line.split(",")[0].split(" ", 1)[1] for line in standings] == names


def test_a_list_of_events_is_a_log_as_well() -> None:
    log = public(played(SingleElimination()))
    assert look(json.dumps([*map(json.loads, log.splitlines())]).encode()).passed


def test_a_log_that_was_cut_off_and_called_off_is_not_what_was_published() -> None:
    stage = played(SingleElimination())
    *_, end = pages.chain(stage.state, stage.log)
    whole = public(stage)
    kept = whole.splitlines()[:-4]
    at = json.loads(kept[-1])["at"]
    forged = b"\n".join([*kept, to_line(CalledOff(at=at, by=HOST.id, reason="rain"))])
    assert look(forged).passed  # as far as the log alone can tell
    assert "not known" in look(forged).lines[1]
    assert not look(forged, head=end).passed
    assert look(whole, head=end.upper()).lines[1].startswith(f"complete: event {len(stage.log)} ")


def test_a_log_that_has_gone_on_since_its_end_was_published_says_how_far_it_is_known() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.register("Ann", "Bob")
    stage.do(HOST, AddHook(url="https://example.org/results"))
    stage.do(HOST, StartTournament())
    Chances(stage, random.Random(7), meddling=0).play()
    *_, end = pages.chain(stage.state, stage.log)
    count = len(stage.log)
    stage.do(HOST, RemoveHook(url="https://example.org/results"))
    report = look(public(stage), head=end)
    assert report.passed
    assert report.lines[1].startswith(
        f"it was published up to event {count}, and the standings are "
    )
    assert report.lines[1].endswith("for what came later (1) nothing vouches")


def test_an_end_of_the_chain_from_before_the_end_vouches_for_no_results() -> None:
    stage = played(SingleElimination())
    ends = [*pages.chain(stage.state, stage.log)]
    for number in (1, len(ends) - 1):
        report = look(public(stage), head=ends[number - 1])
        assert not report.passed
        assert f"at event {number}, before the end" in report.lines[0]
        assert len(report.lines) == 1  # no standings
    assert look(public(stage), head=ends[-1]).passed


LATE: dict[str, Event] = {
    "disqualified": {"player": 1, "reason": "late"},
    "withdrew": {"player": 1},
    "reinstated": {"player": 1, "reason": "late"},
    "over": {"reason": "again", "champion": 1},
    "called-off": {"reason": "rain"},
    "halted": {"reason": "rain"},
    "continued": {"later_ms": 1},
    "appointed": {"by": HOST.id, "id": "x", "name": "Eve", "role": "referee"},
    "hooked": {"by": HOST.id, "url": "", "secret": ""},
    "unhooked": {"by": "somebody", "url": ""},
    "followed": {"next": "cup-next", "starts": 9, "seed": "", "salt": ""},
    "invited": {"by": HOST.id, "names": ["Zoe"]},
    "registered": {"player": 6, "id": "zoe", "name": "Zoe"},
    "round-due": {"round": 9},
}
"""Events that no rule lets follow the end of a tournament that does not repeat."""


@pytest.mark.parametrize("event", LATE)
def test_what_cannot_follow_the_end_is_found_whatever_was_published(event: str) -> None:
    stage = played(SingleElimination())
    *_, end = pages.chain(stage.state, stage.log)
    late = {"event": event, "at": stage.log[-1].at, **LATE[event]}
    forged = b"\n".join([public(stage), to_line(parse_line(json.dumps(late).encode()))])
    for head in (None, end):
        report = look(forged, head=head)
        assert not report.passed
        wanted = f"event {len(stage.log) + 1} cannot happen after the end"
        assert any(wanted in line for line in report.lines), report.lines


def test_what_a_series_does_after_its_end_is_in_order() -> None:
    daily = Schedule(zone="UTC", every=Every.DAY, at="08:00")
    chosen = terms(
        SingleElimination(), starts=OPENED + 86_400_000, repeat=daily, announced_ahead=3600
    )
    stage = Stage(chosen)
    stage.register("Ann", "Bob")
    stage.do(HOST, StartTournament())
    Chances(stage, random.Random(7), meddling=0).play()
    end = len(stage.log)
    stage.do(HOST, Appoint(name="Bob", role="referee"))
    while (instant := due(stage.state)) is not None:
        stage.now = max(stage.now, instant)
        stage.tell(Tick())
    assert [type(each).__name__ for each in stage.log[end:]] == ["Appointed", "Followed"]
    report = look(public(stage))
    assert report.passed, report.lines


@pytest.mark.parametrize(
    ("ending", "winner"),
    [("played", 6), ("played", None), ("walkover", None), ("double forfeit", 1), ("bye", 1)],
)
def test_a_ruling_that_nobody_could_give_is_found_and_never_raised(
    ending: str, winner: int | None
) -> None:
    stage = played(SingleElimination())
    log = [json.loads(line) for line in public(stage).splitlines()]
    match = next(each["match"] for each in reversed(log) if each["event"] == "decided")
    ruled = {
        "event": "overridden",
        "at": log[-1]["at"],
        "by": HOST.id,
        "match": match,
        "result": {"ending": ending, "winner": winner},
        "reason": "so",
    }
    for place in (len(log) - 1, len(log)):
        forged = [*log[:place], ruled, *log[place:]]
        report = look("\n".join(map(json.dumps, forged)).encode())
        assert not report.passed
        said = f"the ruling of event {place + 1} does not follow"
        assert any(said in line for line in report.lines), report.lines


@pytest.mark.parametrize("after", [0, 1])
def test_a_walkover_against_somebody_who_neither_left_nor_was_late_is_found(after: int) -> None:
    """Before the match's race is called, or as soon as it is."""
    log = [json.loads(line) for line in public(played(SingleElimination())).splitlines()]
    place = next(number for number, each in enumerate(log) if each["event"] == "called") + after
    call = log[place - after]
    paired = [match for each in log if each["event"] == "paired" for match in each["matches"]]
    winner = next(each["players"][0] for each in paired if each["match"] == call["match"])
    walkover = {
        "event": "decided",
        "at": call["at"],
        "match": call["match"],
        "result": {"ending": "walkover", "winner": winner},
    }
    report = look("\n".join(map(json.dumps, [*log[:place], walkover, *log[place:]])).encode())
    said = f"the result of event {place + 1} does not follow from those before"
    assert any(said in line for line in report.lines), report.lines


def duel() -> list[Event]:
    """The log of a final between two, which ends with its race, its result and the end."""
    stage = Stage(terms(SingleElimination()))
    stage.register("Ann", "Bob")
    stage.do(HOST, StartTournament())
    Chances(stage, random.Random(7), meddling=0).play()
    return [json.loads(line) for line in public(stage).splitlines()]


def unplayed(log: list[Event], *, after: str, wait_ms: int) -> list[Event]:
    """The same log, in which Bob did not come to the race, so long after it was called."""
    call = first(log, "called")
    kept = log[: log.index(first(log, after)) + 1]
    ann = next(each["player"] for each in log if each.get("name") == "Ann")
    at = call["at"] + wait_ms
    won = {"ending": "walkover", "winner": ann}
    walkover = {"event": "decided", "at": at, "match": call["match"], "result": won}
    return [*kept, walkover, {**log[-1], "at": at, "champion": ann}]


def written(log: list[Event]) -> bytes:
    return b"\n".join(to_line(parse_line(json.dumps(each).encode())) for each in log)


def test_a_forged_walkover_passes_only_as_far_as_the_log_can_tell_and_says_so() -> None:
    log = duel()
    call = first(log, "called")
    forged = written(unplayed(log, after="called", wait_ms=call["ready_by"] - call["at"]))
    report = look(forged)
    assert report.passed
    said = f"{call['match']}: Bob did not come, see race {call['race']}"
    assert report.lines[2] == f"not proven without --head: why matches were not played ({said})"
    assert not look(forged, head=chained(written(log).splitlines()).hex()).passed


@pytest.mark.parametrize("head", [False, True])
def test_what_was_published_is_not_called_unproven(head: bool) -> None:
    stage = played(SingleElimination())
    *_, end = pages.chain(stage.state, stage.log)
    report = look(public(stage), head=end if head else None)
    assert any("not proven" in line for line in report.lines) is not head


def test_a_walkover_in_a_race_that_runs_is_found() -> None:
    log = duel()
    call = first(log, "called")
    place = log.index(call) + 1
    runs = {
        "event": "race-started",
        "at": call["at"],
        "match": call["match"],
        "number": call["number"],
    }
    begun = [*log[:place], runs, log[-1]]
    forged = unplayed(begun, after="race-started", wait_ms=call["ready_by"] - call["at"])
    report = look(written(forged))
    assert not report.passed
    assert any("the result of event" in line for line in report.lines), report.lines


def test_a_walkover_in_a_race_that_was_called_for_too_short_a_time_is_found() -> None:
    log = duel()
    call = first(log, "called")
    call["ready_by"] = call["at"] + 1000
    report = look(written(unplayed(log, after="called", wait_ms=1000)))
    assert not report.passed
    assert any("the race of event" in line for line in report.lines), report.lines


MADE_UP: dict[str, Event] = {
    "report": {"event": "mustered", "there": [1]},
    "instant": {"event": "round-due", "round": 9},
    "time": {"event": "extended", "by": HOST.id, "seconds": -300},
    "outage": {"event": "continued", "later_ms": -300_000},
}


@pytest.mark.parametrize("what", MADE_UP)
def test_what_nothing_called_for_while_a_race_is_waited_for_is_found(what: str) -> None:
    log = duel()
    call = first(log, "called")
    place = log.index(call) + 1
    made_up = {"at": call["at"], **MADE_UP[what]}
    if what in ("report", "time"):
        made_up["match"] = call["match"]
    if what == "report":
        made_up["number"] = call["number"]
    report = look(written([*log[:place], made_up, *log[place:]]))
    assert not report.passed
    said = f"the {what} of event {place + 1} does not follow from those before"
    assert any(said in line for line in report.lines), report.lines


def test_a_start_with_somebody_left_out_is_found() -> None:
    log = [json.loads(line) for line in public(played(SingleElimination())).splitlines()]
    first(log, "started")["players"].pop()
    report = look(written(log))
    assert any("the start of event" in line for line in report.lines), report.lines


def test_whatever_stands_in_a_field_is_found_and_never_raised() -> None:
    stage = played(SingleElimination())
    *_, end = pages.chain(stage.state, stage.log)
    log = [json.loads(line) for line in public(stage).splitlines()]
    whatever: list[object] = [0, 9**40, -1, "zz", None, []]
    kinds = {each["event"]: number for number, each in enumerate(log)}
    for number in kinds.values():
        event = log[number]
        for field, value in event.items():
            for other in whatever:
                forged = [*log[:number], {**event, field: other}, *log[number + 1 :]]
                report = look(json.dumps(forged).encode(), head=end)
                assert other == value or not report.passed, (number, field, other)


def with_more(line: bytes) -> bytes:
    return line[:-1] + b',"remark":"forged"}'


def with_space(line: bytes) -> bytes:
    return line.replace(b",", b", ", 1)


def with_twice(line: bytes) -> bytes:
    return b'{"at":0,' + line[1:]


def with_default(line: bytes) -> bytes:
    return line[:-1] + b',"follows":null}'


def in_other_order(line: bytes) -> bytes:
    return json.dumps(json.loads(line), separators=(",", ":"), sort_keys=True).encode()


def with_secret(line: bytes) -> bytes:
    return line[:-1] + b',"phrase_hash":"00"}'


@pytest.mark.parametrize(
    "change", [with_more, with_space, with_twice, with_default, in_other_order, with_secret]
)
@pytest.mark.parametrize("listed", [False, True])
def test_a_line_that_is_not_its_event_to_the_byte_is_refused(
    change: Callable[[bytes], bytes], *, listed: bool
) -> None:
    stage = played(SingleElimination())
    *_, end = pages.chain(stage.state, stage.log)
    first, *others = public(stage).splitlines()
    lines = [change(first), *others]
    forged = b"[" + b",".join(lines) + b"]" if listed else b"\n".join(lines)
    for head in (None, end):
        report = look(forged, head=head)
        # In a list the spaces are those of whoever wrote the list.
        is_the_same = listed and change is with_space
        assert report.passed is is_the_same, report.lines


def test_the_chains_end_is_the_published_hash_over_the_lines_that_everybody_reads() -> None:
    stage = played(SingleElimination())
    end = bytes(32)
    for line in public(stage).splitlines():
        end = sha256(end + line).digest()
    assert [*pages.chain(stage.state, stage.log)][-1] == end.hex()


def test_a_log_that_staff_has_fetched_has_the_chain_of_everybodys() -> None:
    stage = Stage(terms(SingleElimination(), registration=Registration.INVITATION))
    stage.do(HOST, Invite(names=("Ann", "Bob", "Zoe")))
    stage.register("Ann", "Bob")
    stage.do(HOST, StartTournament())
    Chances(stage, random.Random(7), meddling=0).play()
    log = "\n".join(pages.lines(stage.state, HOST.id, stage.log)).encode()
    assert b"Zoe" in log
    assert b"Zoe" not in public(stage)
    *_, end = pages.chain(stage.state, stage.log)
    assert look(log, head=end).passed


def other_seed(log: list[Event]) -> None:
    log[0]["seed"] = "another"


def other_pairing(log: list[Event]) -> None:
    one, other = first(log, "paired")["matches"][-2:]
    one["players"][0], other["players"][0] = other["players"][0], one["players"][0]


def other_result(log: list[Event]) -> None:
    decided = next(each for each in log if each["event"] == "decided")
    paired = [match for each in log if each["event"] == "paired" for match in each["matches"]]
    players = next(each["players"] for each in paired if each["match"] == decided["match"])
    decided["result"]["winner"] = sum(players) - decided["result"]["winner"]


def other_champion(log: list[Event]) -> None:
    log[-1]["champion"] = log[-1]["champion"] % 5 + 1


def other_salt(log: list[Event]) -> None:
    first(log, "called")["salt"] = "00" * 16


def no_end(log: list[Event]) -> None:
    del log[-1]


def no_seed(log: list[Event]) -> None:
    log[0]["seed"] = ""


def no_beginning(log: list[Event]) -> None:
    del log[0]


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (other_seed, "its seed and salt are not those that were committed to"),
        (other_pairing, "do not follow from those before"),
        (other_result, "the result of event"),
        (other_champion, "the end of event"),
        (other_salt, "the race of event"),
        (no_end, "its end is missing"),
        (no_seed, "ask for the log when it is over"),
        (no_beginning, "no log of a tournament"),
    ],
)
def test_what_is_forged_is_found(forge: Callable[[list[Event]], None], said: str) -> None:
    log = [json.loads(line) for line in public(played(SingleElimination())).splitlines()]
    forge(log)
    report = look("\n".join(map(json.dumps, log)).encode())
    assert not report.passed
    assert any(said in line for line in report.lines), report.lines


@pytest.mark.parametrize("log", [b"", b"\n", b"[]", b"[1]", b"\xff", b'{"samedeal":"replay/1"}'])
def test_anything_else_is_no_log(log: bytes) -> None:
    assert look(log).lines == ("this is no log of a tournament: it begins with no announcement",)
