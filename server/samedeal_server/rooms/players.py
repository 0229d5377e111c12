"""Who somebody is: guests, their tokens and their names.

A token is drawn once, told once, and kept as its SHA-256 only. Whoever shows it is the player, with
the name, the races and the results that go with it. Once a bot, always a bot.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import PROTOCOL, Hello
from samedeal_server.bucket import Buckets
from samedeal_server.ports import Clock, Log, Meter, NameTaken, Player, Seeds
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.alphabets import twins
from samedeal_server.rooms.names import drawn_name, guests_name, proper_name
from samedeal_server.rooms.viewers import Who

__all__ = ["Greeted", "Players"]

_ATTEMPTS: Final = 12
_SEEN_EVERY_MS: Final = 3_600_000
GUESSERS: Final = 10_000
"""Players of whom it is known how many pass phrases they tried."""


@dataclass(frozen=True, slots=True)
class Greeted:
    """Who has said hello; `token` for a new guest only, who is told it this once."""

    who: Who
    token: str | None


class Players:
    """Everybody the store knows, by their tokens."""

    def __init__(self, log: Log, seeds: Seeds, clock: Clock, meter: Meter) -> None:
        self._log = log
        self._seeds = seeds
        self._clock = clock
        self._meter = meter
        self.guesses = Buckets(rate=0.2, burst=5, kept=GUESSERS)
        """Each pass phrase that a player tries takes a token, over whatever connection."""

    @cached_property
    def door(self) -> str:
        """What a bot of the house that is nobody yet shows in place of a token: a secret of this
        server and its house, by which it may have a name of the house."""
        return self._seeds.token()

    async def greet(self, hello: Hello) -> Greeted:
        """Returns who says hello.

        Raises:
            Refused: bad-protocol, bad-token, bad-name or name-taken.
            LogUnavailable: nobody can be looked up or added now.
        """
        if hello.protocol != PROTOCOL:
            raise Refused(
                ErrorCode.BAD_PROTOCOL,
                f"this server speaks protocol {PROTOCOL}, not {hello.protocol}",
            )
        if hello.token is not None and _is_same(hello.token, self.door):
            return await self._add(proper_name(hello.name or ""), bot=True)
        if hello.token is not None:
            return Greeted(await self._known(hello.token, hello.name, bot=hello.bot), None)
        name = None if hello.name is None else guests_name(hello.name)
        return await self._add(name, bot=hello.bot)

    async def _known(self, token: str, text: str | None, *, bot: bool) -> Who:
        """Returns who has the token, under the name that was said. One's own is never refused."""
        player = await self._log.player_by_token(_hashed(token))
        if player is None:
            raise Refused(
                ErrorCode.BAD_TOKEN,
                "the server knows no player with this token: say hello without one",
            )
        now = self._clock.now()
        if now - player.seen_at >= _SEEN_EVERY_MS:
            await self._log.seen(player.player, now)
        name = player.name
        if text is not None and text.strip() != name:
            name = guests_name(text)
        if bot and not player.bot:
            await self._log.mark_bot(player.player)
        if name != player.name:
            await self._check_twins(name, player.player)
            try:
                await self._log.rename(player.player, name)
            except NameTaken:
                raise _taken(name) from None
        return Who(player.player, name, player.bot or bot)

    async def _add(self, name: str | None, *, bot: bool) -> Greeted:
        code = self._seeds.player()
        token = self._seeds.token()
        if name is not None:
            await self._check_twins(name, code)
        now = self._clock.now()
        for attempt in range(_ATTEMPTS):
            called = drawn_name(code, attempt) if name is None else name
            try:
                await self._log.add_player(Player(code, called, bot, _hashed(token), now))
            except NameTaken:
                if name is not None:
                    raise _taken(name) from None
                continue
            self._meter.count("players_added")
            return Greeted(Who(code, called, bot), token)
        raise Refused(ErrorCode.NAME_TAKEN, "no free name was found: bring one of your own")

    async def _check_twins(self, name: str, own: str) -> None:
        """Raises `Refused` if somebody else has the name, as it looks, in another alphabet."""
        for twin in twins(name):
            player = await self._log.player_by_name(twin)
            if player is not None and player.player != own:
                raise _taken(name)


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _is_same(one: str, other: str) -> bool:
    return hmac.compare_digest(_hashed(one), _hashed(other))


def _taken(name: str) -> Refused:
    return Refused(ErrorCode.NAME_TAKEN, f"somebody else is called {name}: choose another name")
