"""Honest bots: each is one function from what it was sent to a move, or None to give up.

A bot sees a `View` and nothing else. Where it looks ahead, it stops at every play that would turn
up a hidden card: what comes then, it knows as little as a person. Each bot is made from a seed of
its own, gives the same answers to the same views, and ends by itself: it gives up when it has made
many moves without bringing a card home.
"""

from __future__ import annotations

import heapq
import inspect
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

from samedeal_protocol.messages import Standing
from samedeal_protocol.terms import Mode, Start
from samedeal_rules.engine import Table
from samedeal_rules.notation import Move, move_text

from .client import DEFAULT_URL, connect
from .errors import Refused
from .planning import can_plan, plan
from .run import Run
from .transport import RealTiming, Timing
from .view import View

__all__ = ["BOTS", "Bot", "greedy_bot", "patient_bot", "play_out", "random_bot", "run_bot"]

Bot: TypeAlias = Callable[[View], str | Move | Awaitable[str | Move | None] | None]
"""Looks at a view and says what to play: a move, or None to give up. It may be async."""

_PATIENCE: Final = 100
"""Moves without a card home, a draw or a deal after which a bot gives up."""
_AHEAD: Final = 12
"""How many times as far it looks where the whole game can be planned: positions cost less there."""
_NODES_MIN: Final = 40
"""How little a planner looks ahead that has looked in vain for a while."""


# --- the three ------------------------------------------------------------------------------


def random_bot(seed: str = "") -> Bot:
    """Any legal move, by chance from its own seed."""
    chance = random.Random(seed)
    weariness = _Weariness()

    def bot(view: View) -> str | None:
        legal = view.legal()
        return chance.choice(legal) if legal and not weariness.grows(view) else None

    return bot


def greedy_bot(seed: str = "") -> Bot:
    """Whatever makes the table better at once; else the stock; else something not tried yet."""
    return patient_bot(seed, nodes=1)


def patient_bot(seed: str = "", *, nodes: int = 1500) -> Bot:
    """Looks ahead over known cards, through about `nodes` positions, for the best table to reach.

    It plays the whole line that leads there, as long as the table is as foreseen. Where no line
    makes the table better it turns the stock, and then tries what it has not tried yet. Where all
    is open it looks for a way to win, twelve times as far, which may take it half a second.
    """
    return _Planner(nodes, random.Random(seed)).bot


BOTS: Final[Mapping[str, Callable[[str], Bot]]] = MappingProxyType(
    {"random": random_bot, "greedy": greedy_bot, "patient": patient_bot}
)
"""By name; each makes a bot from a seed."""


@dataclass(slots=True)
class _Weariness:
    """When a bot has had enough: too many moves in a row that got it nowhere."""

    moves: int = 0
    best: tuple[int, int, int] | None = None

    def grows(self, view: View) -> bool:
        """Notes another move to be made; True when it is time to give up."""
        position = view.position
        stock = sum(len(position.piles[at]) for at in view.game.named("S"))
        reached = (view.home, position.redeals + position.idle, -stock)
        if self.best is None or any(new > old for new, old in zip(reached, self.best, strict=True)):
            self.best = reached if self.best is None else _most(self.best, reached)
            self.moves = 0
        self.moves += 1
        return self.moves > _PATIENCE


def _most(first: tuple[int, int, int], second: tuple[int, int, int]) -> tuple[int, int, int]:
    a, b, c = (max(pair) for pair in zip(first, second, strict=True))
    return a, b, c


@dataclass(slots=True)
class _Planner:
    """The mind of the greedy and the patient bot."""

    nodes: int
    chance: random.Random
    plan: list[Move] = field(default_factory=list)
    vain: int = 0
    """How often in a row it looked ahead and saw nothing better; each halves what it looks at."""
    foreseen: str = ""
    """The digest of the view at which the plan goes on."""
    tried: set[tuple[str, Move]] = field(default_factory=set)
    weariness: _Weariness = field(default_factory=_Weariness)

    def bot(self, view: View) -> str | None:
        """Returns the next move, or None to give up."""
        if view.status != "playing" or self.weariness.grows(view):
            return None
        table = view.table()
        digest = view.digest
        if not self.plan or digest != self.foreseen:
            nodes = min(self.nodes, max(_NODES_MIN, self.nodes >> self.vain))
            if self.nodes > 1 and can_plan(view.game):
                self.plan, _ = plan(table, nodes=_AHEAD * nodes)
            else:
                self.plan = _best_line(table, nodes, self.chance)
            self.vain = 0 if self.plan else self.vain + 1
        move = self.plan.pop(0) if self.plan else self._other(table, digest)
        if move is None:
            return None
        self.tried.add((digest, move))
        table.play(move)
        self.foreseen = table.view_digest()
        if table.revealed:
            self.plan.clear()
        return move_text(view.game, move)

    def _other(self, table: Table, digest: str) -> Move | None:
        """The stock's action if there is one, else the best of what was not tried here."""
        left = [move for move in _in_order(table) if (digest, move) not in self.tried]
        actions = [move for move in left if move.cards == 0]
        if actions:
            return actions[0]
        rated = [(_worth_of(table, move), -at, move) for at, move in enumerate(left)]
        return max(rated)[2] if rated else None


def _in_order(table: Table) -> list[Move]:
    """The legal moves in an order that depends on the position only."""
    return sorted(table.legal())


def _best_line(table: Table, nodes: int, chance: random.Random) -> list[Move]:
    """The line to the best table in reach that is better than this one; empty if none is.

    Best first, over at most `nodes` positions and at least over this one's moves.
    """
    best: tuple[float, tuple[Move, ...]] = (_worth(table), ())
    seen = {table.view_digest()}
    waiting: list[tuple[float, int, float, tuple[Move, ...], Table]] = [
        (-best[0], 0, 0.0, (), table)
    ]
    looked_at = 0
    while waiting and looked_at < nodes:
        _, _, _, line, here = heapq.heappop(waiting)
        for worth, move, there in _onward(here):
            looked_at += 1
            if there is not None:
                digest = there.view_digest()
                if digest in seen:
                    continue
                seen.add(digest)
            reached = (*line, move)
            if worth - 0.01 * len(reached) > best[0]:
                best = (worth - 0.01 * len(reached), reached)
            if there is not None:
                heapq.heappush(waiting, (-worth, len(reached), chance.random(), reached, there))
    return list(best[1])


def _onward(table: Table) -> Iterator[tuple[float, Move, Table | None]]:
    """Every move but the stock's actions: what it is worth, and the table if nothing turned up."""
    for move in _in_order(table):
        if move.cards == 0:
            continue
        there = table.copy()
        there.play(move)
        if there.revealed:
            yield _worth(table) + _gain(table, move), move, None
        else:
            yield _worth(there), move, there


def _worth_of(table: Table, move: Move) -> float:
    there = table.copy()
    there.play(move)
    return _worth(table) + _gain(table, move) if there.revealed else _worth(there)


def _gain(table: Table, move: Move) -> float:
    """What a move is worth that turns up a card: news, and perhaps a card home."""
    return 1.5 + (20.0 if table.game.piles[move.target].startswith("F") else 0.0)


def _worth(table: Table) -> float:
    """How good a table looks: cards home, free places, moves to choose from, cards in the way.

    A card is in the way if it lies on a lower one, since foundations mostly go up.
    """
    if table.won:
        return 1e6
    game = table.game
    free = buried = 0
    for name, pile in zip(game.piles, table.piles(), strict=True):
        if name[0] in "TCR":
            free += not pile
        if name[0] in "TR":
            ranks = [card & 15 for card in pile]
            lowest = 14
            for rank in ranks:
                buried += rank > lowest
                lowest = min(lowest, rank)
    return 20.0 * table.home + 5.0 * free + 0.25 * len(table.legal()) - 2.0 * buried


# --- playing a race -------------------------------------------------------------------------


async def play_out(
    run: Run,
    bot: Bot,
    *,
    pace: float | Callable[[], float] = 0.0,
    timing: Timing | None = None,
) -> None:
    """Says ready (or begins an async race), plays until done; gives up when the bot returns None.

    `pace` is how many seconds to let go by before every move; a function is asked each time. An
    illegal move of the bot's is raised as `IllegalMove`.
    """
    clock = timing or RealTiming()
    if run.terms.mode is Mode.ASYNC:
        if run.state == "entered":
            await run.begin()
    else:
        await _be_ready(run)
    async for view in run:
        wait = pace() if callable(pace) else pace
        if wait > 0:
            await clock.sleep(wait)
        move = bot(view)
        if inspect.isawaitable(move):
            move = await move
        try:
            if move is None:
                await run.give_up()
            else:
                await run.play(move)
        except Refused:
            # The race may have ended while the bot was thinking.
            if not run.is_done:
                raise


async def _be_ready(run: Run) -> None:
    """Says ready, and again whenever it was taken back, until the race starts."""
    async for _ in run.changes():
        if run.phase not in ("open", "countdown"):
            return
        if run.state == "entered" and run.terms.start is not Start.AT:
            await run.ready()


async def run_bot(
    url: str = DEFAULT_URL,
    bot: Bot | str = "greedy",
    *,
    race: str,
    name: str | None = None,
    token: str | None = None,
    phrase: str | None = None,
    pace: float = 0.0,
    seed: str = "",
) -> tuple[Standing, ...]:
    """Connects as a bot, enters the race, plays it out, and returns the standings.

    `bot` is a function or a name of `BOTS`, which is then made from `seed`. Returns when a live
    race is over; of an async one, the standings so far. Raises KeyError for an unknown name, and
    what `connect`, `join` and `play` raise.
    """
    chosen = BOTS[bot](seed) if isinstance(bot, str) else bot
    async with (
        connect(url, name=name, token=token, bot=True) as hall,
        hall.join(race, phrase=phrase) as run,
    ):
        await play_out(run, chosen, pace=pace)
        if run.terms.mode is Mode.LIVE:
            return await run.over()
        return (await hall.results(race)).standings
