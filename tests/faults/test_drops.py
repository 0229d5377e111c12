"""A connection, or the whole server, that is lost just before or just after the log's write."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from faults.forge import LOUD, Forge, Trap
from faults.stage import back, started, token_of
from faults.story import Story
from samedeal_protocol import messages
from samedeal_protocol.codec import JSON, MSGPACK
from samedeal_protocol.events import Played, parse_line
from samedeal_protocol.messages import Error, Ok
from samedeal_server.adapters.log_sqlite import Stored
from samedeal_server.app import Node
from samedeal_server.ports import LogUnavailable
from support.halls import until, walk
from support.nodes import fakes, running
from support.voices import Voice, greeted, voice

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOVES = walk(4)


def number_in(node: Node, race: str, player: str) -> int:
    """Returns the last number that the server has taken from the player, stored or not."""
    room = node.hall.room(race)
    return 0 if room is None else room.race.by_player[player].last


@pytest.mark.parametrize("fate", ["written", "written-but-reported-lost", "lost"])
async def test_a_link_that_breaks_while_its_move_is_written_leaves_it_done_once(fate: str) -> None:
    world = fakes()
    async with (
        running(world) as node,
        greeted(node.address, "Ben") as ben,
        greeted(node.address, "Ann") as ann,
    ):
        race = await started(ann, ben)
        assert ann.welcome is not None
        player = ann.welcome.player
        lines = len(await world.log.read(race))
        world.log.hold()
        if fate != "written":
            world.log.fail_next(LogUnavailable("disk"), stored=fate != "lost")
        await ann.say(messages.Play(id=ann.next_id(), race=race, number=1, move=MOVES[0]))
        await until(lambda: number_in(node, race, player) == 1)
        ann.connection.transport.abort()
        await until(lambda: node.gateway.connections == 1)
        assert len(await world.log.read(race)) == lines
        world.log.release()
        await node.hall.committer.flush()
        await until(lambda: node.hall.room(race) is not None)
        async with back(node.address, token_of(ann), race, after=lines) as again:
            await again.hear(messages.Back)
            played = await again.play(race, 1, MOVES[0])
            assert played == await again.play(race, 1, MOVES[0])
            assert (await again.play(race, 2, MOVES[1])).number == 2
        events = [parse_line(line) for line in await world.log.read(race)]
        stored = [(each.number, each.move) for each in events if isinstance(each, Played)]
        assert stored == [(1, MOVES[0]), (2, MOVES[1])]
        await until(lambda: _progress(ben)[-1:] == [2])
        assert _progress(ben) in ([1, 2], [2]), "a race that was read again is told by a snapshot"


def _progress(rival: Voice) -> list[int]:
    """Returns how many moves the player had made, each time that the rival was told so."""
    return [each.moves for each in rival.heard if isinstance(each, messages.Progressed)]


def plays_in(data: Path, race: str) -> int:
    with Stored(data) as stored:
        (found,) = (each for each in stored.races() if each.row.race == race)
    return sum(isinstance(parse_line(line), Played) for line in found.lines)


async def a_thousand_times(sockets: list[Voice], race: str) -> list[asyncio.Future[Ok | Error]]:
    """Sends one play a thousand times over several sockets, and waits for no answer."""
    replies: list[asyncio.Future[Ok | Error]] = []
    with suppress(ConnectionClosed):  # the server may die before it has them all
        for _ in range(1000 // len(sockets)):
            for socket in sockets:
                play = messages.Play(id=socket.next_id(), race=race, number=1, move=MOVES[0])
                replies.append(await socket.say(play))
    return replies


@pytest.mark.parametrize("is_before", [True, False], ids=["before-the-write", "after-the-write"])
async def test_a_server_that_dies_at_the_write_has_a_move_of_a_thousand_askings_done_once(
    forge: Forge, tmp_path: Path, is_before: bool
) -> None:
    first = await forge.start(tmp_path, *LOUD)
    async with greeted(first.address, "Ann") as ann, greeted(first.address, "Ben") as ben:
        race = await started(ann, ben)
        await forge.kill(first)
    tokens = [token_of(player) for player in (ann, ben)]
    # One append takes the race up, two bring its players back, and the fourth is the move's.
    trap = Trap(append=4, before=is_before)
    port = first.address.port
    second = await forge.start(tmp_path, *LOUD, port=port, trap=trap)
    stories = [Story(race, name) for name in ("ann", "ben")]
    async with AsyncExitStack() as stack:
        sockets = [
            await stack.enter_async_context(voice(second.address, codec=codec))
            for codec in (MSGPACK, JSON, MSGPACK, JSON)
        ]
        rival = await stack.enter_async_context(voice(second.address))
        for story, player, token in zip(stories, (sockets[0], rival), tokens, strict=True):
            await player.hello(token=token)
            story.take(Ok(id=1, result=await player.join(race)))
        for socket in sockets[1:]:
            await socket.hello(token=tokens[0])
        await a_thousand_times(sockets, race)
        assert await forge.ended(second) == -9
        for each in (*sockets, rival):
            await each.end()
        assert _progress(rival) == []
        for story, player in zip(stories, (sockets[0], rival), strict=True):
            for message in player.heard:
                story.take(message)
    assert plays_in(tmp_path, race) == (0 if is_before else 1)
    third = await forge.start(tmp_path, *LOUD, port=port)
    async with AsyncExitStack() as stack:
        sockets = [
            await stack.enter_async_context(voice(third.address, codec=codec))
            for codec in (MSGPACK, JSON, MSGPACK, JSON)
        ]
        rival = await stack.enter_async_context(voice(third.address))
        for story, player, token in zip(stories, (sockets[0], rival), tokens, strict=True):
            await player.hello(token=token)
            resume = messages.Resume(id=player.next_id(), race=race, after=story.seq)
            story.take(Ok(id=1, result=await player.get(messages.Resumed, resume)))
        for socket in sockets[1:]:
            await socket.hello(token=tokens[0])
        replies = await asyncio.gather(*await a_thousand_times(sockets, race))
        assert len(replies) == 1000
        assert len({reply.result for reply in replies if isinstance(reply, Ok)}) == 1
        assert not any(isinstance(reply, Error) for reply in replies)
        last = await sockets[0].play(race, 2, MOVES[1])
        await until(lambda: _progress(rival) == [1, 2])
        for story, player in zip(stories, (sockets[0], rival), strict=True):
            for message in player.heard:
                if getattr(message, "seq", 0) <= last.seq:
                    story.take(message)
    assert plays_in(tmp_path, race) == 2
    assert stories[1].seq == last.seq
    await forge.kill(third)
