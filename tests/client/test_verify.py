"""The auditor: whole replays pass, and whatever is tampered with is found at its line."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_client.verify import CHECKS, Report, verify
from samedeal_protocol.events import CHAIN_START, Event, Over, chained, link, parse_line, to_line
from samedeal_protocol.terms import Mode, Start, Terms, Undo
from samedeal_rules.notation import move_text
from samedeal_server.racing.commands import (
    Cancel,
    Chat,
    Disqualify,
    Drop,
    Finish,
    GiveUp,
    OpenRematch,
    Return,
    SendHome,
    Stop,
    Withdraw,
)
from samedeal_server.racing.commands import Undo as TakeBack
from samedeal_server.racing.fold import replay as fold
from support.races import HOST, WIN, WIN_GAME, WIN_SEED, Track

Line = dict[str, Any]
Edit = Callable[[list[Line]], None]


def written(log: list[Event]) -> list[bytes]:
    """The replay file's lines of a race's log."""
    lines = [to_line(event) for event in log]
    head = CHAIN_START
    for line in lines:
        head = link(head, line)
    header = {"samedeal": "replay/1", "race": "race-1", "server": "test"}
    return [json.dumps(header).encode(), *lines, json.dumps({"head": head.hex()}).encode()]


def audited(track: Track) -> Report:
    return verify(b"\n".join(written(track.log)) + b"\n")


def won(terms: Terms | None = None) -> Track:
    """Ada finishes, Grace is a card behind, Kay gives up, Eve is disqualified."""
    track = Track(terms or Terms(game=WIN_GAME, countdown=2, undo=Undo.PENALTY), seed=WIN_SEED)
    track.start("ada", "grace", "kay", "eve")
    track.play("kay", WIN[0], after=500)
    track.do(Chat("kay", "Kay", False, "gl"), after=10)
    for move in WIN:
        track.play("ada", move, after=1000)
        track.play("grace", move, after=7)
    track.do(TakeBack("grace", track["grace"].last + 1))
    track.play("grace", WIN[-1], after=100)
    track.do(Disqualify(HOST, 4, "two at one board"))
    track.do(Stop(since=track.now), after=2500)
    for player in ("ada", "grace", "kay"):
        track.do(Return(player), after=5)
    track.do(Finish("ada", track["ada"].last + 1), after=321)
    track.do(SendHome("grace", track["grace"].last + 1), after=20)
    track.do(GiveUp("kay"))
    track.do(OpenRematch("ada", "race-2"))
    return track


def punctual() -> Track:
    """Ada and Grace fill a punctual race, give up, and the server is away before its end."""
    terms = Terms(
        game=WIN_GAME, mode=Mode.ASYNC, closes=3600, entrants_max=2, limit=None, punctual=True
    )
    track = Track(terms, seed=WIN_SEED)
    track.start("ada", "grace")
    track.do(GiveUp("ada"))
    track.do(GiveUp("grace"))
    track.do(Stop(track.now), after=60_000)
    track.wait(track.race.closes_at - track.now)
    return track


def test_a_punctual_race_passes_though_it_outlasts_its_entrants() -> None:
    assert audited(punctual()).passed


def test_a_punctual_race_that_ends_early_is_found_out() -> None:
    track = punctual()
    track.log[-1] = Over(at=track.log[-2].at, standings=track.race.standings)
    assert "closes" in audited(track).text()


@cache
def lines() -> tuple[bytes, ...]:
    return tuple(written(won().log))


def tampered(edit: Edit) -> Report:
    """Verifies the race after an edit of its events, the chain made anew as a forger would."""
    events = [json.loads(line) for line in lines()[1:-1]]
    edit(events)
    body = [json.dumps(event, separators=(",", ":"), ensure_ascii=False) for event in events]
    head = CHAIN_START
    for line in body:
        head = link(head, line.encode())
    return verify([lines()[0], *body, json.dumps({"head": head.hex()})])


def find(events: list[Line], kind: str, nth: int = 0) -> Line:
    return [event for event in events if event["event"] == kind][nth]


def index(events: list[Line], kind: str, nth: int = 0) -> int:
    return events.index(find(events, kind, nth))


# --- what holds ------------------------------------------------------------------------------


def test_a_whole_replay_passes_every_check() -> None:
    report = verify(lines())
    assert report.passed, report.text()
    assert tuple(check.name for check in report.checks) == CHECKS
    assert report.failure is None
    assert (report.race, report.seed) == ("race-1", WIN_SEED)
    assert report.names[0] == (1, "Ada")


def test_the_ranking_is_recomputed() -> None:
    report = verify(lines())
    assert [(p.place, p.entrant, p.state.value, p.penalty_ms) for p in report.standings] == [
        (1, 1, "finished", 0),
        (2, 2, "finished", 5000),
        (3, 3, "gave-up", 0),
        (4, 4, "disqualified", 0),
    ]
    assert report.standings == fold(won().log).standings


def test_bytes_lines_and_texts_are_the_same_file() -> None:
    texts = [line.decode() + "\n" for line in lines()]
    assert verify(texts) == verify(b"\n".join(lines())) == verify(lines())


def test_the_published_head_is_compared() -> None:
    head = verify(lines()).head
    assert verify(lines(), head=head).passed
    report = verify(lines(), head="00" * 32)
    assert report.failure is not None
    assert report.failure.name == "chain"


def test_the_report_reads_line_by_line() -> None:
    text = verify(lines()).text()
    assert [line.split()[1] for line in text.splitlines()] == [f"{name}:" for name in CHECKS]


def stuck_early() -> Track:
    track = Track(Terms(game="fortress", countdown=0, entrants_min=1, undo=Undo.NONE), seed="1")
    track.start("ada")
    table = track["ada"].table
    assert table is not None
    while track.phase() == "running":
        track.play("ada", move_text(table.game, table.legal()[0]), after=10)
    return track


def out_of_time() -> Track:
    track = Track(Terms(game="opus", countdown=0, entrants_min=1, limit=10))
    track.start("ada")
    track.wait(20_000)
    return track


def away_too_long() -> Track:
    track = Track(Terms(game="opus", countdown=0, entrants_min=1, grace=5))
    track.start("ada")
    track.do(Drop("ada"), after=100)
    track.wait(20_000)
    return track


def stopped_in_the_countdown() -> Track:
    track = Track(Terms(game="opus", countdown=5, entrants_min=2))
    track.enter("ada", "grace")
    track.ready("ada", "grace")
    track.do(Withdraw("grace"), after=10)
    track.enter("kay")
    track.ready("kay")
    track.wait(6000)
    track.do(GiveUp("ada"))
    track.do(GiveUp("kay"))
    return track


def called_off() -> Track:
    track = Track(Terms(game="opus", entrants_min=1))
    track.enter("ada")
    track.do(Cancel(HOST))
    return track


def by_the_host() -> Track:
    track = Track(Terms(game="opus", countdown=1, entrants_min=1, start=Start.HOST))
    track.start("ada")
    track.do(GiveUp("ada"), after=10)
    return track


def each_in_their_own_time() -> Track:
    track = Track(
        Terms(game=WIN_GAME, mode=Mode.ASYNC, entrants_max=2, entrants_min=1), seed=WIN_SEED
    )
    track.start("ada")
    for move in WIN:
        track.play("ada", move, after=250)
    track.do(Finish("ada", len(WIN) + 1), after=250)
    track.start("grace")
    track.do(SendHome("grace", 1), after=100)
    track.do(TakeBack("grace", 2), after=100)
    track.play("grace", WIN[0], after=100)
    track.do(Stop(since=track.now), after=9000)
    track.do(GiveUp("grace"), after=10)
    return track


@pytest.mark.parametrize(
    "make",
    [
        stuck_early,
        out_of_time,
        away_too_long,
        stopped_in_the_countdown,
        called_off,
        by_the_host,
        each_in_their_own_time,
    ],
)
def test_every_way_to_end_passes(make: Callable[[], Track]) -> None:
    track = make()
    report = audited(track)
    assert report.passed, report.text()
    assert report.standings == track.race.standings


@given(seed=st.integers(0, 10**9))
def test_random_races_pass_and_rank_as_the_server_does(seed: int) -> None:
    chance = random.Random(seed)
    undo = chance.choice(list(Undo))
    game = chance.choice(["abandon-hope", "amazons", "fortress", "st-helena"])
    track = Track(Terms(game=game, countdown=0, undo=undo, limit=60), seed=str(seed))
    players = ["ada", "grace", "kay"][: chance.randint(2, 3)]
    track.enter(*players)
    track.ready(*players)
    for _ in range(60):
        player = chance.choice(players)
        track.now += chance.randint(0, 900)
        entrant = track[player]
        table = entrant.table
        if track.phase() != "running" or entrant.is_done or table is None:
            continue
        legal = table.legal()
        if track.race.undoable(entrant) and chance.random() < 0.2:
            track.do(TakeBack(player, entrant.last + 1))
        elif not legal or chance.random() < 0.02:
            track.do(GiveUp(player))
        elif chance.random() < 0.03:
            track.do(Stop(since=track.now - chance.randint(0, 5000)))
        else:
            track.play(player, move_text(table.game, chance.choice(legal)))
    track.wait(600_000)
    report = audited(track)
    assert report.passed, report.text()
    assert report.standings == track.race.standings


# --- what does not ---------------------------------------------------------------------------


@given(data=st.data())
def test_any_changed_byte_of_the_log_is_found(data: st.DataObject) -> None:
    body = b"\n".join(lines()[1:])
    at = data.draw(st.integers(0, len(body) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != body[at]))
    spoilt = body[:at] + bytes([byte]) + body[at + 1 :]
    report = verify(lines()[0] + b"\n" + spoilt)
    assert not report.passed


@given(data=st.data())
def test_any_line_left_out_doubled_or_moved_is_found(data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(lines()) - 2))
    to = data.draw(st.integers(1, len(lines()) - 2))
    rows = list(lines())
    row = rows.pop(at)
    if data.draw(st.booleans()):
        rows.insert(to, row)
    if rows != list(lines()):
        assert not verify(rows).passed


def earlier(event: Line, ms: int) -> None:
    event["at"] -= ms


def swapped(events: list[Line]) -> None:
    over = find(events, "over")["standings"]
    over[0], over[1] = (
        {**over[1], "place": 1},
        {**over[0], "place": 2},
    )


def unranked(events: list[Line]) -> None:
    find(events, "over")["standings"].pop()


def without(kind: str, nth: int = 0) -> Edit:
    def edit(events: list[Line]) -> None:
        del events[index(events, kind, nth)]

    return edit


def with_(kind: str, nth: int = 0, **fields: object) -> Edit:
    def edit(events: list[Line]) -> None:
        find(events, kind, nth).update(fields)

    return edit


FORGERIES: list[tuple[str, Edit, str]] = [
    ("another seed", with_("opened", seed="8"), "commitment"),
    ("another salt", with_("opened", salt="5b" * 16), "commitment"),
    ("a salt that is none", with_("opened", salt="zz"), "commitment"),
    ("another promise", with_("opened", commitment="00" * 32), "commitment"),
    ("rules of another version", with_("opened", rules="samedeal-rules/2"), "order"),
    ("a deal of another version", with_("opened", deal="samedeal/2"), "deal"),
    ("an unknown game", lambda e: find(e, "opened")["terms"].update(game="whist"), "deal"),
    ("a seed that is none", with_("opened", seed=""), "commitment"),
    ("another race", with_("opened", race="race-9"), "file"),
    ("no opening", without("opened"), "order"),
    ("a second opening", lambda e: e.insert(3, dict(e[0])), "order"),
    ("an entrant from nowhere", without("entered"), "order"),
    ("an entrant twice", with_("entered", 1, player="ada"), "order"),
    ("a stranger's move", with_("played", entrant=9), "order"),
    ("a start too early", lambda e: earlier(find(e, "started"), 1), "clocks"),
    ("a start without a countdown", without("countdown-began"), "order"),
    ("a start before all are ready", without("readied"), "order"),
    ("a move left out", without("played", 1), "moves"),
    ("another move", with_("played", 3, move="T1-W"), "moves"),
    ("a move that is none", with_("played", 3, move="hop"), "moves"),
    ("another number", with_("played", 3, number=7), "moves"),
    ("a move before the start", lambda e: e.insert(2, dict(find(e, "played"))), "order"),
    ("an undo left out", without("undone"), "moves"),
    ("an instant that goes back", lambda e: earlier(find(e, "played", 5), 99_999), "clocks"),
    ("a finish that does not finish", with_("auto-finished", moves=[]), "moves"),
    ("nothing that is sent home", with_("sent-home", moves=[]), "moves"),
    ("what is sent elsewhere", with_("sent-home", moves=["T1-T2"]), "moves"),
    ("a faster finish", with_("done", 1, elapsed_ms=1), "finishes"),
    ("a slower stoppage", with_("stopped", stopped_ms=2400), "finishes"),
    ("no stoppage", without("stopped"), "finishes"),
    ("a stoppage in time that was played", with_("stopped", stopped_ms=99_999), "clocks"),
    ("a finish for who gave up", with_("done", 3, state="finished", elapsed_ms=9), "finishes"),
    ("stuck with moves left", with_("done", 3, state="stuck"), "finishes"),
    ("out of time with time left", with_("done", 3, state="out-of-time"), "finishes"),
    ("away who was there", with_("done", 3, reason="away"), "finishes"),
    ("cards home that are not", with_("done", 3, home=13), "finishes"),
    ("an end left out", without("done", 3), "finishes"),
    ("no penalties", lambda e: find(e, "opened")["terms"].update(undo="free"), "finishes"),
    ("undo against the terms", lambda e: find(e, "opened")["terms"].update(undo="none"), "moves"),
    ("two who change places", swapped, "ranking"),
    ("somebody not ranked", unranked, "ranking"),
    ("no result", without("over"), "order"),
    ("moves after the result", lambda e: e.append(dict(find(e, "played"))), "order"),
    ("too many entrants", lambda e: find(e, "opened")["terms"].update(entrants_max=3), "order"),
    ("too few entrants", lambda e: find(e, "opened")["terms"].update(entrants_min=5), "order"),
    ("a bot among people", with_("entered", 1, bot=True), "order"),
]


@pytest.mark.parametrize(
    ("edit", "check"),
    [(edit, check) for _, edit, check in FORGERIES],
    ids=[name for name, _, _ in FORGERIES],
)
def test_a_forger_who_mends_the_chain_is_found(edit: Edit, check: str) -> None:
    def forged(events: list[Line]) -> None:
        if edit is FORGERIES[-1][1]:
            find(events, "opened")["terms"].update(bots=False)
        edit(events)

    report = tampered(forged)
    failed = {each.name for each in report.checks if not each.passed}
    assert check in failed, report.text()


def test_the_first_failure_is_named_with_its_line() -> None:
    events = [json.loads(line) for line in lines()[1:-1]]
    at = index(events, "played", 3)
    report = tampered(with_("played", 3, move="T1-W"))
    assert report.failure is not None
    assert (report.failure.name, report.failure.line) == ("moves", at + 2)


def test_an_untouched_forgery_still_passes() -> None:
    assert tampered(lambda _: None).passed


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (b'"event":"played"', b'"event":"played","remark":"forged"'),
        (b'"event":"played",', b'"event":"played", '),
        (b'"event":"played"', b'"event":"played","move":"T1-W"'),
        (b'"event":"entered"', b'"event":"entered","bot":false'),
        (b'"event":"played"', b'"event":"pl\\u0061yed"'),
    ],
    ids=["an unknown field", "a space", "a field twice", "a default written out", "an escape"],
)
def test_a_line_that_is_not_its_event_to_the_byte_is_found(was: bytes, becomes: bytes) -> None:
    header, *body, _ = lines()
    changed = next(number for number, line in enumerate(body) if was in line)
    body[changed] = body[changed].replace(was, becomes, 1)
    end = json.dumps({"head": chained(body).hex()})
    failure = verify([header, *body, end]).failure
    assert failure is not None
    assert (failure.name, failure.line) == ("file", changed + 2)


@pytest.mark.parametrize("late", ["over", "done", "dropped", "stopped", "entered", "cancelled"])
def test_what_cannot_follow_the_end_of_a_race_is_found(late: str) -> None:
    def forged(events: list[Line]) -> None:
        known = {each["event"]: each for each in events}
        again = known.get(late, {"event": late, "reason": "rain"})
        events.append({**again, "at": events[-1]["at"]})

    failed = {each.name: each.found for each in tampered(forged).checks if not each.passed}
    assert failed.get("order") == "something happens after the race has ended"


# --- what is no replay -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (b"", 1),
        (b"\n", 1),
        (b"{}\n{}\n{}\n", 1),
        (b'{"samedeal":"replay/9","race":"r"}\n{}\n{}\n', 1),
        (b"\xff\xfe\n\n\n", 1),
        (lines()[0] + b'\n{"event":"flew"}\n{"head":""}\n', 2),
        (lines()[0] + b"\n" + lines()[1] + b"\n{}\n", 3),
        (b"[" * 5000 + b"\n\n\n", 1),
        (b'{"x":' + b"[" * 5000 + b"\n\n\n", 1),
        (lines()[0] + b'\n{"event":"opened","x":' + b"[" * 5000 + b"\n\n", 2),
        (b"\n".join(lines()[:2]) + b'\n{"x":' + b"[" * 5000, 3),
    ],
)
def test_what_is_no_replay_is_told_and_never_raised(file: bytes, line: int) -> None:
    report = verify(file)
    assert report.failure is not None
    assert (report.failure.name, report.failure.line) == ("file", line)
    assert not report.passed


@given(st.binary(max_size=300))
def test_any_bytes_are_verified_or_refused(file: bytes) -> None:
    assert not verify(file).passed


def test_a_stoppage_cannot_take_away_time_in_which_others_spoke() -> None:
    track = Track(Terms(game=WIN_GAME, countdown=2), seed=WIN_SEED)
    track.start("ada", "grace")
    track.do(Chat("grace", "Grace", False, "hm"), after=50_000)
    track.do(Stop(since=track.now), after=1000)
    for player in ("ada", "grace"):
        track.do(Return(player), after=5)
    track.do(GiveUp("grace"))
    for move in WIN:
        track.play("ada", move, after=9)
    track.do(Finish("ada", track["ada"].last + 1))
    log = [json.loads(to_line(event)) for event in track.log]
    for line in log:
        if line["event"] == "stopped":
            line["stopped_ms"] += 40_000
        elif line["event"] == "done" and line["state"] == "finished":
            line["elapsed_ms"] -= 40_000
        elif line["event"] == "over":
            line["standings"][0]["elapsed_ms"] -= 40_000
    forged = [parse_line(json.dumps(line).encode()) for line in log]
    assert audited(track).passed
    failure = verify(written(forged)).failure
    assert failure is not None
    assert failure.name == "clocks"


@pytest.mark.parametrize(
    ("kind", "change", "check"),
    [
        ("dropped", "twice", "order"),
        ("returned", "twice", "order"),
        ("countdown-began", "sooner", "clocks"),
    ],
)
def test_a_forged_absence_or_countdown_is_found(kind: str, change: str, check: str) -> None:
    log = [json.loads(to_line(event)) for event in won().log]
    at = next(index for index, line in enumerate(log) if line["event"] == kind)
    if change == "twice":
        log.insert(at, dict(log[at]))
    else:
        log[at]["starts"] -= 1500
    failure = verify(written([parse_line(json.dumps(line).encode()) for line in log])).failure
    assert failure is not None
    assert failure.name == check
