"""A race as a film: every position as its entrant saw it, at the time that their clock read."""

from __future__ import annotations

from samedeal_protocol.events import Event, Opened
from samedeal_protocol.terms import Mode, Terms, Undo
from samedeal_rules import Position, deal, find
from samedeal_rules.notation import parse_move, parse_position
from samedeal_server.racing.commands import Cancel, Finish, GiveUp, Stop, Tick
from samedeal_server.racing.commands import Undo as TakeBack
from samedeal_server.racing.reel import Frame, Reel, Reeling
from support.races import HOST, SALT, SEED, WIN, WIN_GAME, WIN_SEED, Track

FREE = Terms(game=WIN_GAME, countdown=0, undo=Undo.FREE, entrants_min=1)


def filmed(log: list[Event]) -> Reel:
    opened, *rest = log
    assert isinstance(opened, Opened)
    reeling = Reeling(opened)
    for event in rest:
        reeling.add(event)
    return reeling.reel()


def seen(track: Track, player: str) -> str:
    """Returns what the player has before them now."""
    table = track[player].table
    assert table is not None
    return table.view().text()


def won() -> tuple[Track, list[str]]:
    """Ann wins, one move a second; returns also all that she has seen but the server's moves."""
    track = Track(FREE, seed=WIN_SEED)
    track.start("ann", "ben")
    boards = [seen(track, "ann")]
    for move in WIN:
        track.play("ann", move, after=1000)
        boards.append(seen(track, "ann"))
    track.do(Finish("ann", len(WIN) + 1), after=1000)
    track.do(GiveUp("ben"), after=1000)
    return track, boards


def test_it_begins_with_the_deal_and_has_a_frame_for_every_move() -> None:
    track, boards = won()
    ann, ben = filmed(track.log).entrants
    times = [second * 1000 for second in range(len(WIN) + 1)]
    shown = [(frame.elapsed_ms, frame.move, frame.position) for frame in ann.frames]
    assert shown[: len(boards)] == list(zip(times, ["", *WIN], boards, strict=True))
    assert ben.frames == (Frame(0, "", 0, boards[0]),)


def test_the_moves_of_an_auto_finish_are_shown_one_by_one_at_its_instant() -> None:
    track, _ = won()
    frames = filmed(track.log).entrants[0].frames
    finish = frames[len(WIN) + 1 :]
    goal = find(WIN_GAME).goal
    assert [frame.home for frame in finish] == list(range(goal - len(finish) + 1, goal + 1))
    assert {frame.elapsed_ms for frame in finish} == {9000}
    table = deal(find(WIN_GAME), WIN_SEED)
    for frame in frames[1:]:
        table.play(parse_move(table.game, frame.move))
        assert table.view().text() == frame.position


def test_it_says_all_that_the_results_say() -> None:
    track, _ = won()
    reel = filmed(track.log)
    assert (reel.phase, reel.seed, reel.salt) == ("over", WIN_SEED, SALT)
    assert [(line.place, line.name, line.elapsed_ms) for line in reel.standings] == [
        (1, "Ann", 9000),
        (2, "Ben", None),
    ]
    assert [(run.state, run.ended_ms) for run in reel.entrants] == [
        ("finished", 9000),
        ("gave-up", 10_000),
    ]


def test_what_was_taken_back_is_shown_as_it_was_before() -> None:
    track = Track(FREE, seed=WIN_SEED)
    track.start("ann")
    track.play("ann", WIN[0], after=1000)
    track.do(TakeBack("ann", 2), after=1000)
    track.do(GiveUp("ann"))
    dealt, _, undone = filmed(track.log).entrants[0].frames
    assert undone == Frame(2000, "undo", 0, dealt.position)


def test_an_outage_is_a_pause_on_nobodys_clock() -> None:
    track = Track(FREE, seed=WIN_SEED)
    track.start("ann")
    track.play("ann", WIN[0], after=1000)
    track.now += 500
    track.do(Stop(track.now), after=60_000)
    track.play("ann", WIN[1], after=500)
    track.do(GiveUp("ann"))
    run = filmed(track.log).entrants[0]
    assert [frame.elapsed_ms for frame in run.frames] == [0, 1000, 2000]
    assert [(stop.elapsed_ms, stop.stopped_ms) for stop in run.stops] == [(1500, 60_000)]


def test_in_an_async_race_every_clock_begins_with_its_own_deal() -> None:
    track = Track(Terms(game=WIN_GAME, mode=Mode.ASYNC), seed=WIN_SEED)
    track.start("ann")
    track.now += 7000
    track.start("ben")
    track.play("ben", WIN[0], after=1000)
    track.do(Tick(), after=track.race.closes_at - track.now)
    ben = filmed(track.log).entrants[1]
    assert [(frame.elapsed_ms, frame.move) for frame in ben.frames] == [(0, ""), (1000, WIN[0])]


def test_a_card_that_was_hidden_from_its_player_stays_so() -> None:
    track = Track(Terms(game="box-kite", countdown=0, entrants_min=1), seed=SEED)
    track.start("ann")
    board = seen(track, "ann")
    track.do(GiveUp("ann"))
    (frame,) = filmed(track.log).entrants[0].frames
    assert frame.position == board
    position: Position = parse_position(frame.position)
    assert position.text().count("--") > 40


def test_of_a_race_that_never_began_there_is_nothing_to_see() -> None:
    track = Track(FREE, seed=WIN_SEED)
    track.enter("ann")
    track.do(Cancel(HOST))
    reel = filmed(track.log)
    assert (reel.phase, reel.standings) == ("cancelled", ())
    assert [run.frames for run in reel.entrants] == [()]
