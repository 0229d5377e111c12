"""What fault tests say often: a race that runs, a player who comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from samedeal_protocol import messages
from samedeal_protocol.terms import Terms, Undo
from samedeal_server.settings import Address
from support.halls import GAME, SEED
from support.voices import Voice, voice

__all__ = ["TERMS", "back", "started", "token_of"]

TERMS: Final = Terms(game=GAME, countdown=0, undo=Undo.FREE, limit=None, grace=3600)


async def started(*players: Voice, terms: Terms = TERMS) -> str:
    """Opens a race among the players and waits until each has the deal."""
    host = players[0]
    create = messages.Create(id=host.next_id(), terms=terms, seed=SEED)
    race = (await host.get(messages.Created, create)).race
    for player in players:
        await player.join(race)
    for player in players:
        await player.ready(race)
    for player in players:
        await player.hear(messages.Started)
    return race


def token_of(player: Voice) -> str:
    assert player.welcome is not None
    assert player.welcome.token is not None
    return player.welcome.token


@asynccontextmanager
async def back(address: Address, token: str, race: str, *, after: int) -> AsyncIterator[Voice]:
    """The same player on a new connection, who takes the race up where they were."""
    async with voice(address) as again:
        await again.hello(token=token, legal=True)
        resume = messages.Resume(id=again.next_id(), race=race, after=after)
        await again.get(messages.Resumed, resume)
        yield again
