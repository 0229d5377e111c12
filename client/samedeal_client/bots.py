"""Honest bots: each is one function from what it was sent to a move, or None to give up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from samedeal_protocol.messages import Standing
from samedeal_rules.notation import Move

from .client import DEFAULT_URL
from .run import Run
from .view import View

__all__ = ["BOTS", "Bot", "greedy_bot", "patient_bot", "play_out", "random_bot", "run_bot"]

Bot = Callable[[View], str | Move | None | Awaitable[str | Move | None]]


def random_bot(seed: str = "") -> Bot:
    """Any legal move, by chance from its own seed; gives up after 400 moves without a card home."""
    raise NotImplementedError


def greedy_bot(seed: str = "") -> Bot:
    """Cards home first, then what frees most; never a position twice."""
    raise NotImplementedError


def patient_bot(seed: str = "", *, nodes: int = 2000) -> Bot:
    """Looks ahead over known cards only, through at most `nodes` positions a move."""
    raise NotImplementedError


BOTS: Final[dict[str, Callable[[str], Bot]]] = {}
"""By name: random, greedy, patient; each makes a bot from a seed."""


async def play_out(run: Run, bot: Bot, *, pace: float = 0.0) -> None:
    """Says ready (or begins an async race), plays until done; gives up when the bot returns None.

    `pace` is how many seconds to let go by before every move.
    """
    raise NotImplementedError


async def run_bot(
    url: str = DEFAULT_URL,
    bot: Bot | str = "greedy",
    *,
    race: str,
    name: str | None = None,
    token: str | None = None,
    phrase: str | None = None,
    pace: float = 0.0,
) -> tuple[Standing, ...]:
    """Connects as a bot, enters the race, plays it out, and returns the standings."""
    raise NotImplementedError
