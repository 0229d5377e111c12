"""Whatever is lost on the way, everything that an entrant does counts once, in order."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.runs import first, placed, racing, through
from samedeal_client import Closed, IllegalMove, OutcomeUnknown, Run, TakenBack
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import Chat, GiveUp, Moved, Play, Played, Resume, Snapshot
from samedeal_protocol.session import SHADOW_MS
from support.races import HOST
from support.scripted import settle


async def test_a_rate_limited_resume_does_not_end_the_race() -> None:
    async with racing() as place:
        server = place.server
        server.resumes_too_many = 1
        server.wire.drop()
        await place.timing.advance(5)
        assert len(server.asked(Resume)) == 2
        playing = asyncio.create_task(place.run.play(first(place.run)))
        assert (await through(place, playing)).number == 1


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
            await place.timing.advance(1 + SHADOW_MS / 1000)
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
