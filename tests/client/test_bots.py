"""Bots: honest, the same for the same seed, and each ends by itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from samedeal_client import BOTS, LocalGame, View, patient_bot, play_out, run_bot
from samedeal_client.bots import Bot, Slow
from samedeal_client.client import connect
from samedeal_client.errors import IllegalMove
from samedeal_protocol.terms import Mode, Terms
from samedeal_rules.engine import Table
from samedeal_rules.games import GAMES
from samedeal_rules.spec import Game
from support.scripted import RaceServer, StillTiming

KINDS = pytest.mark.parametrize("make", BOTS.values(), ids=list(BOTS))
LIVE = Terms(game="amazons", countdown=0, entrants_min=1)


def quick(kind: str) -> Bot:
    """The patient bot is tested with a small budget."""
    return patient_bot("1", nodes=60) if kind == "patient" else BOTS[kind]("1")


def moves_of(bot: Bot, game: Game | str, seed: str) -> tuple[list[str], View]:
    local = LocalGame(game, seed)
    moves = []
    while (move := bot(local.view)) is not None:
        assert isinstance(move, str)
        local.play(move)
        moves.append(move)
        assert len(moves) < 1000, "a bot ends by itself"
    return moves, local.view


@pytest.mark.parametrize("kind", BOTS)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_bot_plays_every_game_legally_and_ends(game: Game, kind: str) -> None:
    moves, view = moves_of(quick(kind), game, "friday-night")
    assert len(moves) >= 1
    assert view.number == len(moves)


@KINDS
def test_the_same_seed_plays_the_same(make: Callable[[str], Bot]) -> None:
    assert moves_of(make("7"), "boomerang", "1") == moves_of(make("7"), "boomerang", "1")


WINNABLE = (
    ("tuxedo", "1"),
    ("tuxedo", "2"),
    ("penguin-ii", "2"),
    ("chessboard", "1"),
    ("chessboard", "2"),
    ("binary-star", "1"),
    ("binary-star", "2"),
    ("small-billee", "1"),
)
"""Deals that can be won, and are by who looks ahead."""


def test_looking_ahead_wins_what_haste_does_not() -> None:

    def wins(make: Callable[[str], Bot]) -> int:
        return sum(moves_of(make("1"), game, deal)[1].status == "won" for game, deal in WINNABLE)

    patient = wins(lambda seed: patient_bot(seed, nodes=8_000))
    assert patient > wins(BOTS["greedy"]) + len(WINNABLE) / 2
    assert patient > wins(BOTS["random"])


@pytest.mark.parametrize("kind", BOTS)
def test_what_is_hidden_makes_no_difference_to_a_bot(kind: str) -> None:
    """Two tables that look alike are played alike, whatever lies in the stock."""
    local = LocalGame("forty-thieves", "3")
    table = local.view.table()
    other = Table.from_position(
        replace(
            table.position(),
            piles=tuple(
                tuple(reversed(pile)) if name == "S" else pile
                for name, pile in zip(table.game.piles, table.position().piles, strict=True)
            ),
        )
    )
    views = View(table.view()), View(other.view())
    assert views[0] == views[1]
    assert quick(kind)(views[0]) == quick(kind)(views[1])


def test_a_bot_gives_up_when_nothing_can_be_played() -> None:
    local = LocalGame("fortress", "1")
    for move in iter(lambda: next(iter(local.legal()), None), None):
        local.play(move)
        if local.view.status == "stuck":
            break
    for kind in BOTS:
        if not local.legal():
            assert quick(kind)(local.view) is None


async def test_a_bot_that_gives_up_ends_its_race() -> None:
    server, timing = RaceServer(LIVE), StillTiming()
    async with (
        connect("test:1", dial=server.dial, timing=timing) as hall,
        hall.join(server.race) as run,
    ):
        await play_out(run, lambda view: None)
        assert run.state == "gave-up"
        assert run.is_over


async def test_a_bot_begins_an_async_race() -> None:
    terms = Terms(game="amazons", mode=Mode.ASYNC, entrants_min=1, entrants_max=1)
    server, timing = RaceServer(terms), StillTiming()
    async with (
        connect("test:1", dial=server.dial, timing=timing) as hall,
        hall.join(server.race) as run,
    ):
        await play_out(run, BOTS["greedy"]("1"))
        assert run.is_done
        assert run.entrants[1].moves


async def test_a_slow_bot_thinks_beside_the_event_loop() -> None:
    server, timing = RaceServer(LIVE), StillTiming()
    loop = asyncio.get_running_loop()
    went_on = threading.Event()
    waited: list[bool] = []

    def think(view: View) -> None:
        """Goes on only when the event loop has done something meanwhile."""
        loop.call_soon_threadsafe(went_on.set)
        waited.append(went_on.wait(10))

    async with (
        connect("test:1", dial=server.dial, timing=timing) as hall,
        hall.join(server.race) as run,
    ):
        await play_out(run, Slow(think))
    assert waited == [True]


async def test_an_illegal_move_of_a_bot_is_raised() -> None:
    server, timing = RaceServer(LIVE), StillTiming()
    async with (
        connect("test:1", dial=server.dial, timing=timing) as hall,
        hall.join(server.race) as run,
    ):
        with pytest.raises(IllegalMove):
            await play_out(run, lambda view: "R1-F4")


async def test_an_unknown_bot_is_told_at_once() -> None:
    with pytest.raises(KeyError, match="genius"):
        await run_bot("ws://127.0.0.1:9", "genius", race="r")
