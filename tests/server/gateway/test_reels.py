"""Reels as answers: made once, kept while they are asked for, refused as replays are."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Sequence
from http import HTTPStatus

import msgspec
import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Dropped, Played, Returned, Undone, chained, to_line
from samedeal_protocol.terms import Terms, Undo
from samedeal_server.gateway.reels import Reels
from samedeal_server.racing.commands import GiveUp
from samedeal_server.racing.race import Refused
from samedeal_server.racing.reel import Reel
from support.races import WIN, WIN_GAME, WIN_SEED, Track

TERMS = Terms(game=WIN_GAME, countdown=0, undo=Undo.FREE, entrants_min=1)


def log() -> list[bytes]:
    track = Track(TERMS, seed=WIN_SEED)
    track.start("ann")
    track.play("ann", *WIN, after=1000)
    track.do(GiveUp("ann"))
    return [to_line(event) for event in track.log]


class Shelf:
    """Logs that are asked for, and counts how often."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.lines = lines
        self.asked = 0

    async def read(self, race: str) -> Sequence[bytes]:
        self.asked += 1
        await asyncio.sleep(0)
        if race == "running":
            raise Refused(ErrorCode.NOT_OVER, "the replay can be had when the race is over")
        return self.lines


async def test_one_is_made_once_and_then_kept() -> None:
    reels, shelf = Reels(), Shelf(log())
    pages = [await reels.of("race-1", shelf.read) for _ in range(3)]
    assert shelf.asked == 1
    assert {page.etag for page in pages} == {pages[0].etag}
    reel = msgspec.json.decode(gzip.decompress(pages[0].body), type=Reel)
    assert [frame.move for frame in reel.entrants[0].frames] == ["", *WIN]


async def test_a_refusal_is_everybodys_who_asks() -> None:
    reels, shelf = Reels(), Shelf(log())
    for _ in range(2):
        with pytest.raises(Refused):
            await reels.of("running", shelf.read)


async def test_only_the_last_few_are_kept() -> None:
    reels, shelf = Reels(), Shelf(log())
    for number in (*range(17), 16, 0):
        await reels.of(f"race-{number}", shelf.read)
    assert shelf.asked == 18


async def test_one_that_is_too_long_is_refused_with_what_to_take_instead_and_not_tried_again() -> (
    None
):
    reels, shelf = Reels(longest=len(WIN)), Shelf(log())
    for _ in range(2):
        page = await reels.of("race-1", shelf.read)
        assert page.status is HTTPStatus.UNPROCESSABLE_ENTITY
        assert f"more than {len(WIN)} moves".encode() in page.body
    assert shelf.asked == 1


async def test_while_a_long_one_is_made_others_have_their_turn() -> None:
    lines, turns = log()[:-2], 0
    for number in range(9, 209, 2):
        at = 1_900_000_000_000
        lines.append(to_line(Undone(at=at, entrant=1, number=number)))
        lines.append(to_line(Played(at=at, entrant=1, number=number + 1, move=WIN[-1])))
    making = asyncio.create_task(Reels().of("race-1", Shelf(lines).read))
    while not making.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 10


async def test_events_that_show_nothing_are_folded_in_pieces_too() -> None:
    lines, at = log()[:2], 1_900_000_000_000
    for _ in range(500):
        lines += [to_line(Dropped(at=at, entrant=1)), to_line(Returned(at=at, entrant=1))]
    making, turns = asyncio.create_task(Reels().of("race-1", Shelf(lines).read)), 0
    while not making.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 10


async def test_a_long_replay_is_hashed_in_pieces_and_whole() -> None:
    lines = [b"{}"] * 5000
    making, turns = asyncio.create_task(Reels().replay("race-1", Shelf(lines).read)), 0
    while not making.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 4
    first, *kept, last = (await making).body.splitlines()
    assert (b"race-1" in first, kept) == (True, lines)
    assert msgspec.json.decode(last) == {"head": chained(lines).hex()}
