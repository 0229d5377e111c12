"""What viewers are shown: all that they may know, and nothing that tells of deals to come."""

from __future__ import annotations

import random

import msgspec
import pytest

from samedeal_protocol.tournament import events
from samedeal_protocol.tournament.events import Showing
from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    Ladder,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_protocol.tournament.requests import (
    AddHook,
    Appoint,
    Halt,
    Invite,
    Override,
    Register,
    StartTournament,
)
from samedeal_protocol.tournament.terms import Registration
from samedeal_protocol.tournament.views import MatchView, PlayerView, TournamentSheet
from samedeal_server.hosting import errands
from samedeal_server.hosting.commands import RaceHasEnded, RaceHasStarted
from samedeal_server.hosting.fold import begin, evolve
from samedeal_server.hosting.pages import lines
from samedeal_server.hosting.view import card, changed, head, sheet, table
from support.hosting import HOST, OPENED, SALT, SEED, Chances, Stage, terms

URL = "https://example.org/results"
PHRASE_HASH = "fa" * 24


def full() -> Stage:
    """A tournament with every kind of secret."""
    chosen = terms(Swiss(rounds=2), registration=Registration.PHRASE)
    stage = Stage(chosen, phrase_hash=PHRASE_HASH)
    for name in ("Ann", "Bob", "Cy"):
        stage.do(name, Register(), phrase_fits=True)
    stage.do(HOST, AddHook(url=URL))
    stage.do(HOST, Appoint(name="Cy", role="referee"))
    stage.do(HOST, Invite(names=("Zoe",)))
    stage.do(HOST, StartTournament())
    return stage


def shown(stage: Stage, viewer: str) -> str:
    """All that this viewer can get at, as one text."""
    state = stage.state
    parts: list[bytes] = [
        msgspec.json.encode(sheet(state, viewer, stage.now)),
        msgspec.json.encode(table(state)),
        msgspec.json.encode(card(state)),
        *(line.encode() for line in lines(state, viewer, stage.log)),
    ]
    announced = stage.log[0]
    assert isinstance(announced, events.Announced)
    before = begin(announced)
    for event in stage.log[1:]:
        after = evolve(before, event)
        parts.append(msgspec.json.encode(changed(before, after, [event], stage.now)))
        before = after
    return b"\n".join(parts).decode()


def secrets_of_deals(stage: Stage) -> set[str]:
    found = {SEED, SALT}
    for opening in errands.openings(stage.state):
        found |= {opening.seed, opening.salt}
    return found


@pytest.mark.parametrize("viewer", ["zoe", "ann", "cy", HOST.id])
def test_nobody_is_shown_a_seed_or_salt_before_it_is_over(viewer: str) -> None:
    stage = full()
    assert len(secrets_of_deals(stage)) == 4
    for _ in range(2):
        text = shown(stage, viewer)
        for secret in (*secrets_of_deals(stage), PHRASE_HASH, *stage.state.hooks.values()):
            assert secret not in text
        for match in list(stage.state.open_matches()):
            names = [stage.state.players[player].name for player in match.players]
            if not stage.state.is_final:
                stage.end(match.id, f"{names[0]}@1 {names[1]}@2")


@pytest.mark.parametrize("viewer", ["zoe", "ann", "cy", HOST.id])
def test_over_it_shows_its_seed_and_salt_and_no_lasting_secret(viewer: str) -> None:
    stage = full()
    while not stage.state.is_final:
        match = next(stage.state.open_matches())
        names = [stage.state.players[player].name for player in match.players]
        stage.end(match.id, f"{names[0]}@1 {names[1]}@2")
    text = shown(stage, viewer)
    assert SEED in text
    assert SALT in text
    assert PHRASE_HASH not in text
    assert not any(secret in text for secret in stage.state.hooks.values())
    assert (URL in text) == (viewer == HOST.id)


def test_the_invited_are_named_to_the_staff_only() -> None:
    stage = full()
    for viewer, is_told in (("ann", False), ("zoe", False), ("cy", True), (HOST.id, True)):
        assert ("Zoe" in shown(stage, viewer)) == is_told
        assert sheet(stage.state, viewer, stage.now).invited == (("Zoe",) if is_told else ())


def test_a_sheet_tells_viewers_who_they_are() -> None:
    stage = full()
    host, cy, zoe = (sheet(stage.state, id, stage.now) for id in (HOST.id, "cy", "zoe"))
    assert (host.you, host.role, host.hooks) == (None, "host", (URL,))
    assert (cy.you, cy.role, cy.hooks) == (3, "referee", ())
    assert (zoe.you, zoe.role, zoe.hooks) == (None, None, ())


# --- changes


def updated(old: TournamentSheet, stage: Stage, seq: int) -> tuple[object, ...]:
    """What a client has that put every change after `seq` in the place of what was."""
    players = {each.player: each for each in old.players}
    matches = {each.match: each for each in old.matches}
    head, staff, next = old.head, old.staff, old.next
    announced = stage.log[0]
    assert isinstance(announced, events.Announced)
    before = begin(announced)
    for event in stage.log[1:]:
        after = evolve(before, event)
        if after.seq > seq:
            change = changed(before, after, [event], stage.now)
            assert change.after == before.seq
            assert change.seq == after.seq
            players |= {each.player: each for each in change.players}
            for id in change.gone:
                del matches[id]
            matches |= {each.match: each for each in change.matches}
            head, staff, next = change.head, change.staff or staff, change.next or next
        before = after
    return head, staff, next, players, matches


@pytest.mark.parametrize("format", [SingleElimination(), Swiss(rounds=3), Heats(rounds=2)])
def test_a_sheet_and_every_change_after_it_make_the_newest_sheet(
    format: SingleElimination | Swiss | Heats,
) -> None:
    stage = Stage(terms(format))
    stage.start("Ann", "Bob", "Cy", "Dot", "Eve")
    old = sheet(stage.state, "zoe", stage.now)
    Chances(stage, random.Random(7), meddling=0.3).play()
    newest = sheet(stage.state, "zoe", stage.now)
    head, staff, next, players, matches = updated(old, stage, old.seq)
    assert (head, staff, next) == (newest.head, newest.staff, newest.next)
    assert players == {each.player: each for each in newest.players}
    assert matches == {each.match: each for each in newest.matches}


@pytest.mark.parametrize(
    ("format", "names", "rounds"),
    [
        (SingleElimination(), "Ann Bob", 1),
        (SingleElimination(), "Ann Bob Cy Dot Eve", 3),
        # Everybody has a bye in the first of three.
        (
            SingleElimination(bracket=("Ann", None, "Bob", None, "Cy", None, "Dot", None)),
            "Ann Bob Cy Dot",
            3,
        ),
        (DoubleElimination(), "Ann Bob", None),
        (RoundRobin(times=2), "Ann Bob Cy", 6),
        (Swiss(rounds=3), "Ann Bob", 3),
    ],
)
def test_it_is_told_how_many_rounds_there_will_be_where_that_is_known(
    format: Format, names: str, rounds: int | None
) -> None:
    stage = Stage(terms(format))
    stage.start(*names.split())
    assert head(stage.state).rounds == rounds


def test_several_events_are_one_change() -> None:
    stage = Stage(terms(SingleElimination()))
    before, length = stage.state, len(stage.log)
    stage.start("Ann", "Bob")
    change = changed(before, stage.state, stage.log[length:], stage.now)
    assert (change.after, change.seq) == (1, len(stage.log))
    assert change.text == (
        "Ann registers",
        "Bob registers",
        "it starts with 2 players",
        "paired: Ann – Bob (F)",
        "F Ann – Bob: race 1 is called, forty-thieves, as bench-F-1",
    )


def test_whatever_happens_is_told_in_a_line_of_its_own() -> None:
    stage = Stage(terms(SingleElimination(), no_show=120))
    stage.start("Ann", "Bob")
    length = len(stage.log)
    before = stage.state
    stage.do(HOST, Override(match="F", winner=2, reason="seen on video"))
    change = changed(before, stage.state, stage.log[length:], stage.now)
    assert change.text == (
        "F Ann – Bob: Bob wins, overridden by Hostess: seen on video",
        "it is over: Bob has won (there is a champion)",
    )


# --- parts


def test_a_match_shows_its_races_and_its_score() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.start("Ann", "Bob", "Cy")
    stage.end("W1.2", "Cy@1 Bob@2")
    by_id = {each.match: each for each in sheet(stage.state, "zoe", stage.now).matches}
    played: MatchView = by_id["W1.2"]
    assert (played.score, played.ending, played.winner) == ("0–1", "played", 3)
    assert [race.state for race in played.races] == ["over"]
    assert (by_id["W1.1"].ending, by_id["W1.1"].winner) == ("bye", 1)
    final = by_id["F"]
    assert final.label == "final"
    assert [(race.state, race.ready_by) for race in final.races] == [("called", OPENED + 300_000)]


def test_a_heat_that_has_ended_shows_places_and_what_they_brought() -> None:
    stage = Stage(terms(Heats(rounds=1, points=(10, 8, 6))))
    stage.start("Ann", "Bob", "Cy", "Dot")
    (running,) = sheet(stage.state, "zoe", stage.now).matches
    assert running.places == ()
    code = stage.race("H1.1")
    stage.tell(RaceHasStarted(race=code))
    showings = [Showing(player=3, place=1, elapsed_ms=90_000, home=104)]
    showings += [Showing(player=player, place=2, elapsed_ms=None, home=7) for player in (1, 4)]
    stage.tell(RaceHasEnded(race=code, showings=(*showings, Showing(player=2))))
    (over,) = sheet(stage.state, "zoe", stage.now).matches
    # Ann and Dot share the second and the third place: (8 + 6) / 2 each. Bob did not come.
    assert [(each.player, each.place, each.points) for each in over.places] == [
        (3, 1, "10"),
        (1, 2, "7"),
        (4, 2, "7"),
        (2, None, "0"),
    ]


def test_who_is_alone_in_a_heat_has_its_first_place() -> None:
    stage = Stage(terms(Heats(rounds=1, points=(10, 8)), no_show=120))
    stage.start("Ann", "Bob")
    stage.now += 120_000
    stage.muster(stage.race("H1.1"), "bob")
    (over,) = sheet(stage.state, "zoe", stage.now).matches
    assert [(each.player, each.place, each.points) for each in over.places] == [
        (2, 1, "10"),
        (1, None, "0"),
    ]


def test_matches_are_said_to_be_played_while_they_are() -> None:
    stage = Stage(terms(Swiss(rounds=2)))
    stage.start("Ann", "Bob", "Cy", "Dot")
    assert head(stage.state).waits == "2 matches to be played"
    first, second = (each.active.code for each in stage.state.open_matches() if each.active)
    stage.tell(RaceHasStarted(race=first))
    assert head(stage.state).waits == "1 match being played, 1 to be played"
    stage.tell(RaceHasStarted(race=second))
    assert head(stage.state).waits == "2 matches being played"


def test_the_head_tells_what_comes_next_and_what_is_waited_for() -> None:
    stage = Stage(terms(Swiss(rounds=2), between=60))
    assert card(stage.state).head.waits == "the host starts it"
    stage.start("Ann", "Bob")
    assert card(stage.state).head.waits == "1 match to be played"
    stage.end("R1.1", "Ann@1 Bob@2")
    head = card(stage.state).head
    assert (head.next, head.next_at, head.round, head.rounds) == ("round", OPENED + 60_000, 1, 2)
    stage.do(HOST, Halt(reason="tea"))
    head = card(stage.state).head
    assert (head.halted, head.next_at, head.waits) == ("tea", None, "paused: tea")


def test_a_card_counts_those_who_have_a_place() -> None:
    stage = Stage(terms(Ladder(), bell=600, cap=2, games=("opus",)))
    stage.register("Ann", "Bob", "Cy")
    shown = card(stage.state)
    assert (shown.format, shown.players, shown.cap) == ("ladder", 2, 2)
    assert shown.games == ("forty-thieves", "opus")


def test_standings_show_their_arithmetic() -> None:
    stage = Stage(terms(RoundRobin()))
    stage.start("Ann", "Bob", "Cy")
    for _ in range(3):
        match = next(stage.state.open_matches())
        one, other = sorted(stage.state.players[player].name for player in match.players)
        stage.end(match.id, f"{one}@1 {other}@2")
    told = table(stage.state)
    assert told.final
    assert [(line.place, line.player) for line in told.lines] == [(1, 1), (2, 2), (3, 3)]
    points = told.lines[0].marks[0]
    assert (points.what, points.value) == ("points", "2")
    assert points.arithmetic.endswith("= 2")


def test_before_the_start_there_are_no_standings() -> None:
    stage = Stage(terms(SingleElimination()))
    stage.register("Ann")
    assert table(stage.state).lines == ()


def test_a_player_is_shown_in_the_words_that_the_view_lists() -> None:
    stage = Stage(terms(Swiss(rounds=2), cap=1 + 1))
    stage.register("Ann", "Bob", "Cy")
    listed = sheet(stage.state, "zoe", stage.now).players
    assert listed[2] == PlayerView(player=3, name="Cy", state="waiting")
