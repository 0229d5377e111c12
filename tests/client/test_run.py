"""An entrant's race: the lobby, the board, and what they may do there."""

from __future__ import annotations

import asyncio

import pytest

from client.runs import ASYNC, LIVE, placed, racing
from samedeal_client import ClientError, IllegalMove, LocalGame, Refused, connect
from samedeal_protocol.messages import Leave, Resume
from samedeal_protocol.terms import Terms, Undo
from samedeal_rules.notation import parse_move
from samedeal_server.racing import commands
from support.races import HOST, WIN, WIN_GAME, WIN_SEED
from support.scripted import RaceServer, StillTiming, settle


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


async def test_over_waits_for_the_standings() -> None:
    async with racing() as place, asyncio.TaskGroup() as group:
        waiting = group.create_task(place.run.over())
        await settle()
        assert not waiting.done()
        await place.run.give_up()
        assert [line.state for line in await waiting] == ["gave-up"]


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


async def test_moves_on_another_device_are_followed() -> None:
    async with racing() as place:
        place.server.track.do(commands.Play(HOST, 1, "draw"))
        await settle()
        assert (await place.run.play("draw")).number == 2
        assert place.run.doubts == 0
