"""Legal and illegal moves in any order, in every game, against a table that shares no code.

After each event the digest that the server tells the player, and a spectator, is the digest of what
the naive model of the rulebook shows; and no card is lost or doubled.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Final

import pytest
import pytest_asyncio

from conftest import SOAK
from faults.forge import LOUD, Forge, Forged
from faults.oracle import Board, piles_of
from rules import naive
from samedeal_protocol import messages
from samedeal_protocol.codec import JSON
from samedeal_protocol.messages import Error
from samedeal_protocol.terms import Terms, Undo
from samedeal_rules import every_game
from support.voices import Refusal, Voice, greeted

pytestmark = pytest.mark.asyncio(loop_scope="session")

STEPS: Final = 60 * SOAK
KEYS: Final = [game.key for game in every_game()]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(forge: Forge, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Forged]:
    made = await forge.start(tmp_path_factory.mktemp("tables"), *LOUD, "--log-level", "warning")
    yield made
    assert made.errors.read_text() == ""
    await forge.kill(made)


def any_move(game: naive.Naive, dice: random.Random) -> str:
    """Returns a move that may be legal, and mostly is not."""
    names = list(game.board.piles)
    move = f"{dice.choice(names)}-{dice.choice(names)}"
    count = dice.choice((1, 1, 1, 2, 3))
    roll = dice.random()
    if roll < 0.1:
        return dice.choice(("draw", "deal", "redeal"))
    return move if count == 1 else f"{move}:{count}"


async def wish(player: Voice, request: messages.ClientMessage) -> messages.Played | Error:
    try:
        return await player.get(messages.Played, request)
    except Refusal as refused:
        return refused.error


async def race_of(game: str, seed: str, player: Voice, watcher: Voice) -> str:
    """Starts a race of one, with a spectator; both are shown the naive model's deal."""
    terms = Terms(game=game, countdown=0, entrants_min=1, undo=Undo.FREE)
    create = messages.Create(id=player.next_id(), terms=terms, seed=seed)
    race = (await player.get(messages.Created, create)).race
    await watcher.watch(race)
    await player.join(race)
    await player.ready(race)
    dealt = Board.of(naive.deal(game, seed))
    for viewer in (player, watcher):
        started = await viewer.hear(messages.Started)
        assert started.board is not None
        assert piles_of(started.board) == dealt.piles
        assert started.digest == dealt.digest
    return race


@pytest.mark.parametrize("key", KEYS)
async def test_legal_and_illegal_moves_in_any_order_leave_the_table_that_the_rulebook_says(
    server: Forged, key: str
) -> None:
    seed = f"tables of {key}"[:64]
    dice = random.Random(seed)
    async with AsyncExitStack() as stack:
        player = await stack.enter_async_context(greeted(server.address))
        watcher = await stack.enter_async_context(greeted(server.address, codec=JSON))
        race = await race_of(key, seed, player, watcher)
        before = [naive.deal(key, seed)]
        pack = Counter(card for pile in before[0].board.piles.values() for card in pile)
        told: list[str] = []
        number = refused = 0
        for _ in range(STEPS):
            game = before[-1]
            legal = game.legal()
            roll = dice.random()
            if roll < 0.15 or (roll < 0.9 and not legal):
                request: messages.ClientMessage = messages.Undo(
                    id=player.next_id(), race=race, number=number + 1
                )
                is_allowed = len(before) > 1
                move = ""
            else:
                move = any_move(game, dice)
                if roll < 0.7 and legal:
                    move = dice.choice(sorted(legal))
                is_allowed = move in legal
                request = messages.Play(
                    id=player.next_id(), race=race, number=number + 1, move=move
                )
            answer = await wish(player, request)
            if not is_allowed:
                refused += 1
                assert isinstance(answer, Error), f"{move} in\n{game.text()}"
                assert answer.code == ("illegal-move" if move else "no-undo")
                continue
            assert isinstance(answer, messages.Played), f"{answer}: {move} in\n{game.text()}"
            number += 1
            if move:
                after = game.copy()
                after.play(move)
                before.append(after)
            else:
                before.pop()
            now = Board.of(before[-1])
            told.append(now.digest)
            assert (answer.number, answer.digest, answer.home) == (number, now.digest, now.home)
            assert Counter(c for pile in before[-1].board.piles.values() for c in pile) == pack
            if before[-1].won:
                break
        assert number > 8
        assert refused
        whole = await player.join(race)
        assert whole.entrants[0].digest == told[-1]
        if not before[-1].won:
            await player.ask(messages.GiveUp(id=player.next_id(), race=race))
        seen = await heard_until_over(watcher)
        assert [each.digest for each in seen] == told


async def heard_until_over(watcher: Voice) -> list[messages.Moved | messages.Undone]:
    """Returns the moves that a spectator was told of, in order."""
    seen: list[messages.Moved | messages.Undone] = []
    while True:
        match await watcher.hear(object):
            case messages.Over():
                return seen
            case messages.Moved() | messages.Undone() as moved:
                seen.append(moved)
            case _:
                pass
