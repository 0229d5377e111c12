"""An entrant's race over the library's ports: real racing behind them, faults between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_client import (
    ClientError,
    Closed,
    FellBehind,
    IllegalMove,
    LocalGame,
    OutcomeUnknown,
    Refused,
    Run,
    TakenBack,
    View,
    connect,
)
from samedeal_client.following import UNREAD_MAX
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import (
    Chat,
    Done,
    GiveUp,
    Leave,
    Moved,
    Over,
    Play,
    Played,
    Readied,
    Resume,
    Skip,
    Snapshot,
    Started,
)
from samedeal_protocol.terms import Mode, Terms, Undo
from samedeal_rules.notation import parse_move
from samedeal_server.racing import commands
from support.races import HOST, WIN, WIN_GAME, WIN_SEED
from support.scripted import RaceServer, StillTiming, settle

LIVE = Terms(game="forty-thieves", countdown=0, entrants_min=1, undo=Undo.FREE)
ASYNC = Terms(game="forty-thieves", mode=Mode.ASYNC, entrants_min=1)


@dataclass
class Place:
    """One player in one race."""

    server: RaceServer
    timing: StillTiming
    run: Run

    @property
    def moves(self) -> list[str]:
        """What the race has counted of the player's."""
        return self.server.track[HOST].acts


@asynccontextmanager
async def placed(terms: Terms = LIVE, *, seed: str = "friday-night") -> AsyncIterator[Place]:
    server, timing = RaceServer(terms, seed=seed), StillTiming()
    async with (
        connect("test:1", name="Ada", dial=server.dial, timing=timing) as hall,
        hall.join(server.race) as run,
    ):
        yield Place(server, timing, run)


@asynccontextmanager
async def racing(terms: Terms = LIVE, *, seed: str = "friday-night") -> AsyncIterator[Place]:
    async with placed(terms, seed=seed) as place:
        await place.run.ready()
        await settle()
        yield place


async def through(place: Place, play: asyncio.Task[Played]) -> Played:
    """Lets time pass until a play has been answered."""
    await place.timing.advance(10)
    return play.result()


def first(run: Run) -> str:
    assert run.view is not None
    return run.view.legal()[0]


async def test_a_rate_limited_resume_does_not_end_the_race() -> None:
    async with racing() as place:
        server = place.server
        server.resumes_too_many = 1
        server.wire.drop()
        await place.timing.advance(5)
        assert len(server.asked(Resume)) == 2
        playing = asyncio.create_task(place.run.play(first(place.run)))
        assert (await through(place, playing)).number == 1


# --- before the start ------------------------------------------------------------------------


async def test_the_lobby_is_known_after_joining() -> None:
    async with placed() as place:
        run = place.run
        assert (run.phase, run.state, run.you) == ("open", "entered", 1)
        assert run.entrants[1].name == "Ada"
        assert run.terms == LIVE
        assert run.view is None
        assert len(run.commitment) == 64


async def test_ready_starts_the_race_and_brings_the_deal() -> None:
    async with racing() as place:
        run = place.run
        assert (run.phase, run.state) == ("running", "racing")
        assert run.view is not None
        table = place.server.track[HOST].table
        assert table is not None
        assert run.view.position == table.view()
        assert run.board(1) == run.view.position


async def test_hidden_cards_stay_hidden() -> None:
    async with racing() as place:
        assert place.run.view is not None
        assert set(place.run.view.pile("S")) == {"--"}


async def test_a_deal_that_is_not_there_cannot_be_played_by_value() -> None:
    async with placed() as place:
        with pytest.raises(ClientError, match="no deal"):
            await place.run.play(parse_move(place.server.track.race.game, "draw"))


async def test_begin_opens_the_deal_of_an_async_race() -> None:
    async with placed(ASYNC) as place:
        assert place.run.view is None
        view = await place.run.begin()
        assert view.status == "playing"
        assert place.run.state == "racing"


async def test_begin_counts_once_whenever_the_link_breaks() -> None:
    for lost in ("before", "after"):
        async with placed(ASYNC) as place:
            getattr(place.server, f"drops_{lost}").add(place.server.counted)
            async with asyncio.TaskGroup() as group:
                begin = group.create_task(place.run.begin())
                await place.timing.advance(10)
            assert begin.result() == place.run.view
            assert place.run.state == "racing"


# --- playing ---------------------------------------------------------------------------------


async def test_a_play_is_answered_and_moves_the_board() -> None:
    async with racing() as place:
        played = await place.run.play("draw")
        assert played.number == 1
        assert place.run.view is not None
        assert len(place.run.view.pile("W")) == 1
        assert place.run.entrants[1].moves == 1
        assert place.run.doubts == 0


async def test_an_illegal_move_is_raised_and_its_number_stays_free() -> None:
    async with racing() as place:
        with pytest.raises(IllegalMove) as caught:
            await place.run.play("T1-F1")
        assert caught.value.reason
        assert (await place.run.play("draw")).number == 1


async def test_what_is_no_move_is_refused() -> None:
    async with racing() as place:
        with pytest.raises(Refused) as caught:
            await place.run.play("hop")
        assert caught.value.code == "bad-move"


async def test_undo_brings_the_board_back() -> None:
    async with racing() as place:
        before = place.run.view
        await place.run.play("draw")
        played = await place.run.undo()
        assert played.number == 2
        assert before is not None
        assert place.run.view is not None
        assert place.run.view.position == before.position
        assert not place.run.view.undoable


async def test_finish_plays_the_rest_home() -> None:
    terms = Terms(game=WIN_GAME, countdown=0, entrants_min=1)
    async with racing(terms, seed=WIN_SEED) as place:
        for move in WIN:
            await place.run.play(move)
        played = await place.run.finish()
        await settle()
        assert played.status == "won"
        assert place.run.state == "finished"
        assert place.run.is_over
        assert [line.place for line in place.run.standings] == [1]
        assert (place.run.seed, place.run.is_done) == (WIN_SEED, True)


async def test_safe_cards_are_sent_home_and_taken_back_as_one() -> None:
    terms = Terms(game=WIN_GAME, countdown=0, entrants_min=1, undo=Undo.FREE)
    async with racing(terms, seed=WIN_SEED) as place:
        played = await place.run.send_home()
        assert (played.number, sorted(played.moves)) == (1, sorted(WIN[:7]))
        undone = await place.run.undo()
        assert (undone.number, undone.home) == (2, 0)


async def test_undo_of_a_local_game_takes_back_what_that_of_a_race_does() -> None:
    """A local game told of one card of those that had gone home together, though all came back."""
    terms = Terms(game=WIN_GAME, countdown=0, entrants_min=1, undo=Undo.FREE)
    local = LocalGame(WIN_GAME, WIN_SEED)
    async with racing(terms, seed=WIN_SEED) as place:
        await place.run.play(WIN[0])
        local.play(WIN[0])
        gone = local.send_home()
        assert len(gone) > 1
        assert (await place.run.send_home()).moves == gone
        for taken_back in (gone, (WIN[0],)):
            await place.run.undo()
            assert local.undo() == taken_back
            assert place.run.view is not None
            assert local.view.position == place.run.view.position
            assert local.view.undoable == place.run.view.undoable


async def test_the_newest_view_is_yielded_and_stale_ones_are_skipped() -> None:
    async with racing() as place:
        numbers = []
        async for view in place.run:
            numbers.append(view.number)
            if view.number >= 6:
                break
            await place.run.play("draw")
            await place.run.play("draw")
        assert numbers == [0, 2, 4, 6]


async def test_the_views_end_when_the_entrant_is_done() -> None:
    async with racing() as place:
        seen: list[View] = []
        async for view in place.run:
            seen.append(view)
            await place.run.give_up()
        assert len(seen) == 1
        assert place.run.state == "gave-up"


async def test_views_begin_with_the_start() -> None:
    async with placed() as place, asyncio.TaskGroup() as group:
        views = aiter(place.run)
        waiting = group.create_task(_next(views))
        await settle()
        assert not waiting.done()
        await place.run.ready()
        assert (await waiting).number == 0


async def _next(views: AsyncIterator[View]) -> View:
    return await anext(views)


async def test_events_are_each_yielded_once_and_in_order() -> None:
    async with placed() as place:
        events = place.run.events()
        await place.run.ready()
        await place.run.play("draw")
        await place.run.give_up()
        seen = [event async for event in events]
        assert [event.seq for event in seen] == list(range(3, 3 + len(seen)))
        wanted = [Readied, Started, Played, Done, Over]
        assert [type(event) for event in seen if type(event) in wanted] == wanted


async def test_two_readers_see_the_same() -> None:
    async with placed() as place:
        readers = place.run.events(), place.run.events()
        await place.run.ready()
        await place.run.give_up()
        one, other = [[event async for event in reader] for reader in readers]
        assert one == other


async def test_a_reader_that_does_not_read_is_told_that_it_fell_behind() -> None:
    async with placed() as place:
        events = place.run.events()
        seq = place.server.track.race.seq
        for missed in range(1, UNREAD_MAX + 2):
            place.run.told(Skip(race=place.run.race, seq=seq + missed, at=1))
        with pytest.raises(FellBehind, match="left unread"):
            async for _ in events:
                pass
        assert place.run.phase == "open"


async def test_changes_skip_what_was_missed() -> None:
    async with racing() as place:
        changes = place.run.changes()
        await anext(changes)
        for _ in range(5):
            await place.run.play("draw")
        await anext(changes)
        assert place.run.view is not None
        assert place.run.view.number == 5


async def test_over_waits_for_the_standings() -> None:
    async with racing() as place, asyncio.TaskGroup() as group:
        waiting = group.create_task(place.run.over())
        await settle()
        assert not waiting.done()
        await place.run.give_up()
        assert [line.state for line in await waiting] == ["gave-up"]


async def test_leaving_ends_readers_quietly() -> None:
    async with racing() as place:
        events = place.run.events()
    assert [event async for event in events] == []


async def test_joining_twice_is_a_mistake() -> None:
    server, timing = RaceServer(LIVE), StillTiming()
    async with connect("test:1", dial=server.dial, timing=timing) as hall:
        async with hall.join(server.race):
            with pytest.raises(ClientError, match="already"):
                async with hall.join(server.race):
                    raise AssertionError("not reached")
        async with hall.join(server.race) as run:
            assert run.state == "entered"


async def test_a_spectator_leaves_and_an_entrant_does_not() -> None:
    server, timing = RaceServer(LIVE), StillTiming()
    async with connect("test:1", dial=server.dial, timing=timing) as hall:
        async with hall.watch(server.race) as watch:
            assert watch.you_are is None
        async with hall.join(server.race):
            pass
        async with hall.watch(server.race) as watch:
            assert watch.you_are == 1
        await settle()
    assert len(server.asked(Leave)) == 1


# --- exactly once ----------------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["before", "after"])
async def test_a_play_resolves_once_and_counts_once_over_a_broken_link(lost: str) -> None:
    async with racing() as place, asyncio.TaskGroup() as group:
        getattr(place.server, f"drops_{lost}").add(place.server.counted)
        play = group.create_task(place.run.play("draw"))
        played = await through(place, play)
        assert (played.number, place.moves) == (1, ["draw"])
        assert place.run.view is not None
        assert place.run.view.number == 1
        assert place.run.doubts == 0


@pytest.mark.parametrize("code", [None, 1000, 1001, 1012, CloseCode.SLOW_READER.number])
async def test_a_play_survives_every_close_that_allows_it(code: int | None) -> None:
    async with racing() as place, asyncio.TaskGroup() as group:
        place.server.wire.drop(code)
        play = group.create_task(place.run.play("draw"))
        assert (await through(place, play)).number == 1


async def test_a_play_that_was_answered_by_nobody_is_closed_with_the_hall() -> None:
    async with racing() as place:
        place.server.drops_before.add(place.server.counted)
        async with asyncio.TaskGroup() as group:
            play = group.create_task(_failed(place.run))
            await settle()
            place.server.wire.drop(CloseCode.REPLACED.number)
            await place.timing.advance(10)
            place.server.wire.drop(CloseCode.REPLACED.number)
            await place.timing.advance(10)
    assert play.done()


async def _failed(run: Run) -> None:
    try:
        await run.play("draw")
        async for _ in run:
            await run.play("draw")
    except Closed:
        return


async def test_concurrent_plays_take_turns() -> None:
    async with racing() as place:
        played = await asyncio.gather(*(place.run.play("draw") for _ in range(10)))
        assert [each.number for each in played] == list(range(1, 11))
        assert place.moves == ["draw"] * 10


async def test_a_refused_play_does_not_disturb_those_that_wait() -> None:
    async with racing() as place:
        results = await asyncio.gather(
            *(place.run.play(move) for move in ("draw", "T1-F1", "draw")), return_exceptions=True
        )
        assert [type(each) for each in results] == [Played, IllegalMove, Played]
        assert place.moves == ["draw", "draw"]


async def test_a_play_that_was_cancelled_still_has_its_number() -> None:
    async with racing() as place:
        play = asyncio.create_task(place.run.play("draw"))
        await asyncio.sleep(0)
        play.cancel()
        with pytest.raises(asyncio.CancelledError):
            await play
        assert (await place.run.play("draw")).number == 2
        assert place.moves == ["draw", "draw"]


@pytest.mark.parametrize("lost", ["nothing", "before", "after"])
async def test_plays_that_follow_go_out_at_once_and_count_in_their_order(lost: str) -> None:
    async with racing() as place, asyncio.TaskGroup() as group:
        server = place.server
        if lost == "nothing":
            server.wire.hold()
        else:
            getattr(server, f"drops_{lost}").add(server.counted + 1)
        plays = [group.create_task(place.run.play("draw", follows=True)) for _ in range(4)]
        await settle()
        if lost == "nothing":
            assert len(server.asked(Play)) == 4, "no answer was waited for"
            server.wire.release()
        await place.timing.advance(10)
        assert [play.result().number for play in plays] == [1, 2, 3, 4]
        assert place.moves == ["draw"] * 4
        assert place.run.doubts == 0


async def test_what_follows_a_refused_move_is_not_played_either() -> None:
    async with racing() as place:
        results = await asyncio.gather(
            *(place.run.play(move, follows=True) for move in ("draw", "T1-F1", "draw", "draw")),
            return_exceptions=True,
        )
        assert [type(each) for each in results] == [Played, IllegalMove, TakenBack, TakenBack]
        assert place.moves == ["draw"]
        assert (await place.run.play("draw", follows=True)).number == 2


async def test_what_overtakes_a_play_that_has_to_wait_is_said_again_behind_it() -> None:
    async with racing() as place, asyncio.TaskGroup() as group:
        place.server.plays_too_many = 1
        plays = [group.create_task(place.run.play("draw", follows=True)) for _ in range(3)]
        await place.timing.advance(10)
        assert [play.result().number for play in plays] == [1, 2, 3]


async def test_a_play_takes_its_turn_behind_those_that_follow() -> None:
    async with racing() as place:
        played = await asyncio.gather(
            place.run.play("draw", follows=True),
            place.run.play("draw", follows=True),
            place.run.undo(),
            place.run.play("draw", follows=True),
        )
        assert [each.number for each in played] == [1, 2, 3, 4]
        assert place.moves == ["draw", "draw", "undo", "draw"]


async def test_chat_is_not_repeated() -> None:
    async with racing() as place:
        place.server.drops_after.add(place.server.counted)
        with pytest.raises(OutcomeUnknown):
            await place.run.chat("hello")
        await place.timing.advance(10)
        assert len(place.server.asked(Chat)) == 1


@pytest.mark.parametrize("lost", ["before", "after"])
async def test_giving_up_is_done_once_and_never_forgotten(lost: str) -> None:
    async with racing() as place, asyncio.TaskGroup() as group:
        getattr(place.server, f"drops_{lost}").add(place.server.counted)
        giving_up = group.create_task(place.run.give_up())
        await place.timing.advance(10)
        assert giving_up.done()
        assert place.run.state == "gave-up"
        assert len(place.server.asked(GiveUp)) == (2 if lost == "before" else 1)


# --- doubt -----------------------------------------------------------------------------------


async def test_a_digest_that_disagrees_asks_for_the_whole() -> None:
    async with racing() as place:
        place.server.spoils.add(place.server.track.race.seq + 1)
        await place.run.play("draw")
        await settle()
        assert place.run.doubts == 1
        [resume] = place.server.asked(Resume)
        assert isinstance(resume, Resume)
        assert resume.after is None
        assert place.run.view is not None
        assert len(place.run.view.pile("W")) == 1


async def test_doubt_is_a_snapshot_among_the_events() -> None:
    async with racing() as place:
        events = place.run.events()
        place.server.spoils.add(place.server.track.race.seq + 1)
        await place.run.play("draw")
        await place.run.give_up()
        kinds = [type(event) async for event in events]
        assert kinds.count(Snapshot) >= 1
        assert kinds[0] is Played


async def test_moves_on_another_device_are_followed() -> None:
    async with racing() as place:
        place.server.track.do(commands.Play(HOST, 1, "draw"))
        await settle()
        assert (await place.run.play("draw")).number == 2
        assert place.run.doubts == 0


# --- chaos -----------------------------------------------------------------------------------


async def _chaos(moves: list[int], before: set[int], after: set[int]) -> None:
    async with placed() as place:
        place.server.drops_before, place.server.drops_after = before, after
        run = place.run
        events = run.events()

        async def player() -> list[int]:
            await run.ready()
            numbers: list[int] = []
            async for view in run:
                if len(numbers) == len(moves):
                    await run.give_up()
                    break
                legal = view.legal()
                move = legal[moves[len(numbers)] % len(legal)]
                numbers.append((await run.play(move)).number)
            return numbers

        async with asyncio.TaskGroup() as group:
            playing = group.create_task(player())
            while not playing.done():
                await place.timing.advance(5)
        numbers = playing.result()
        await place.timing.advance(10)
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(place.moves) == len(numbers)
        table = place.server.track[HOST].table
        assert table is not None
        assert run.board(1) == table.view()
        assert run.doubts == 0
        seqs = [event.seq async for event in events if not isinstance(event, Snapshot)]
        assert seqs == sorted(set(seqs))
        own = [each for each in place.server.told if isinstance(each, Moved)]
        assert [each.number for each in own] == numbers


@given(
    moves=st.lists(st.integers(0, 50), max_size=12),
    before=st.sets(st.integers(1, 40), max_size=8),
    after=st.sets(st.integers(1, 40), max_size=8),
)
def test_whatever_is_lost_every_play_counts_once(
    moves: list[int], before: set[int], after: set[int]
) -> None:
    asyncio.run(_chaos(moves, before, after))


async def test_every_play_is_asked_under_one_number() -> None:
    async with racing() as place, asyncio.TaskGroup() as group:
        place.server.drops_before |= {place.server.counted, place.server.counted + 2}
        play = group.create_task(place.run.play("draw"))
        await through(place, play)
        asked = [each for each in place.server.asked(Play) if isinstance(each, Play)]
        assert {(each.number, each.move) for each in asked} == {(1, "draw")}
        assert len(asked) == 3
