"""Many races at once on all nodes, and how long their players wait when something befalls one."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from conftest import SOAK
from faults.lateness import Lateness, lateness
from faults.ledger import Account, accounts
from faults.nodes import Fleet
from faults.travellers import Player, Spectator, Wait, Winner
from samedeal_protocol import messages
from samedeal_protocol.codec import JSON, MSGPACK
from samedeal_protocol.terms import Terms, Undo
from support.races import WIN_GAME, WIN_SEED
from support.voices import greeted

__all__ = ["BOUND_S", "Race", "Traffic", "busiest", "traffic"]

BOUND_S: Final = 10.0
"""Within so many seconds after a fault every race goes on, for everybody whose node lives.

What a busy machine takes of them is not counted."""
PACE_S: Final = 0.5 if SOAK == 1 else 0.25
"""How long players rest between moves."""
_END_S: Final = 40.0
_LEAST_S: Final = 0.5
"""What the machine took of so little is not given back."""
SEED: Final = "under-the-stairs"
HIDDEN: Final = "st-helena"
"""A game with cards that lie face down: what is said of its races is held against the rulebook."""

BASE: Final = Terms(game="", countdown=0, limit=None, grace=3600, undo=Undo.FREE)
KINDS: Final = (
    replace(BASE, game=WIN_GAME, undo=Undo.PENALTY, undo_penalty=2),
    replace(BASE, game="forty-thieves"),
    replace(BASE, game=HIDDEN, blind=True),
)


@dataclass(slots=True)
class Race:
    """One race and everybody in it."""

    code: str
    owner: str
    """The node that it was opened on."""
    players: list[Player]
    spectators: list[Spectator]

    @property
    def everybody(self) -> list[Spectator]:
        return [*self.players, *self.spectators]


@dataclass(slots=True)
class Traffic:
    """All that goes on."""

    fleet: Fleet
    late: Lateness
    races: list[Race] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def players(self) -> list[Player]:
        return [player for race in self.races for player in race.players]

    @property
    def everybody(self) -> list[Spectator]:
        return [each for race in self.races for each in race.everybody]

    def races_of(self, node: str) -> list[Race]:
        return [race for race in self.races if race.owner == node]

    async def until(
        self, is_so: Callable[[], bool], *, seconds: float, what: Callable[[], str]
    ) -> None:
        """Waits until something is so; when it takes longer it fails and says what is not."""
        left = seconds
        while True:
            late = self.late.allowed
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    while not is_so():
                        self._news.clear()
                        await self._news.wait()
                    return
            if left < _LEAST_S:
                raise AssertionError(f"not within {seconds:g} s: {what()}")
            left = self.late.allowed - late

    async def under_way(self) -> None:
        """Waits until every player has had answers."""
        players = self.players
        await self.until(
            lambda: all(len(player.answered) >= 2 for player in players),
            seconds=30,
            what=lambda: "all races have begun",
        )

    async def goes_on(
        self, since: float, *, players: Iterable[Player] | None = None, within: float = BOUND_S
    ) -> float:
        """Waits until moves that were asked for after an instant are answered everywhere.

        Returns the seconds from there to the last of the players' first answers; `within` counts
        from the instant as well.
        """
        within -= (self.fleet.now() - since) / 1000
        chosen = self.players if players is None else list(players)
        await self.until(
            lambda: all(answered_since(player, since) for player in chosen),
            seconds=within,
            what=lambda: f"everybody plays on, but for {_late(chosen, since)}",
        )
        return (
            max(
                min(wait.answered for wait in answered_since(player, since) if wait.answered)
                - since
                for player in chosen
            )
            / 1000
        )

    def local_players(self, owners: dict[str, str]) -> list[Player]:
        """Returns the players who are at the very nodes that own their races."""
        return [player for player in self.players if owners[player.race] == player.at]

    def longest_wait(self, players: Iterable[Player], since: float = 0.0) -> float:
        """Returns for how many seconds anybody has waited for an answer at most."""
        waits = [
            wait.answered - wait.asked
            for player in players
            for wait in player.waits
            if wait.answered is not None and wait.answered >= since
        ]
        return max(waits, default=0.0) / 1000

    def latencies(self, players: Iterable[Player], since: float, until: float) -> list[float]:
        """Returns the sorted milliseconds of what was asked and answered within a window."""
        return sorted(
            wait.answered - wait.asked
            for player in players
            for wait in player.waits
            if wait.answered is not None and since <= wait.asked and wait.answered <= until
        )

    def noted(self) -> None:
        self._news.set()

    # --- making and ending it ------------------------------------------------------------------

    async def open(
        self,
        number: int,
        owner: str,
        homes: list[str],
        *,
        dice: random.Random,
        pace: float,
        hops: float,
    ) -> Race:
        """Opens a race on a node, for players who begin at those nodes."""
        terms = replace(KINDS[number % len(KINDS)], entrants_min=len(homes))
        seed = WIN_SEED if terms.game == WIN_GAME else SEED
        async with greeted(await self.fleet.address(owner), f"Host {number}") as host:
            create = messages.Create(id=host.next_id(), terms=terms, seed=seed)
            code = (await host.get(messages.Created, create)).race
        players = [
            (Winner if terms.game == WIN_GAME and at == 0 else Player)(
                self.fleet,
                code,
                f"{number}.{at}",
                home=home,
                codec=(MSGPACK, JSON)[at % 2],
                dice=random.Random(dice.random()),
                pace=pace,
                game=terms.game,
                seed=seed,
                hops=hops,
            )
            for at, home in enumerate(homes)
        ]
        spectators = [
            Spectator(
                self.fleet,
                code,
                f"{number}.{node}",
                home=node,
                codec=MSGPACK,
                dice=random.Random(dice.random()),
                pace=pace,
                hops=2 * hops,
            )
            for node in self.fleet.members
            if node != owner or number % 2
        ]
        race = Race(code, owner, players, spectators)
        for each in race.everybody:
            each.noted = self.noted
            each.keeps = terms.game == HIDDEN
        self.races.append(race)
        return race

    async def close(self) -> None:
        """Has everybody come to an end, when all are known to be there."""
        for each in self.everybody:
            each.stay()
        await self.until(
            lambda: not any(player.you in player.away for player in self.players),
            seconds=BOUND_S,
            what=lambda: f"nobody is away, but for {self._away()}",
        )
        for player in self.players:
            player.is_closing = True

    def _away(self) -> str:
        away = [player for player in self.players if player.you in player.away]
        return "; ".join(f"{each.name} of {each.race} at {each.at}" for each in away)

    async def check(self) -> dict[str, Account]:
        """Looks at everything that has happened, when all is over."""
        found = await accounts(self.fleet.store)
        for race in self.races:
            account = found[race.code]
            assert account.is_over
            account.look(race.everybody, self.fleet.faults)
            if race.spectators[0].keeps:
                assert account.look_for_leaks(race.everybody) > len(race.everybody)
            for player in race.players:
                assert sorted(player.answered) == list(range(1, len(player.acts) + 1))
            for each in race.everybody:
                assert each.story.seq >= len(account.lines) - 3, f"{each.name} was told the end"
        self.fleet.look_at_logs()
        return found


async def busiest(fleet: Fleet) -> str:
    """Returns the node that owns the most races."""
    owners = Counter((await fleet.owners()).values())
    return max(owners, key=owners.__getitem__)


def answered_since(player: Player, since: float) -> list[Wait]:
    """Returns the waits for what was asked after an instant and is answered."""
    return [wait for wait in reversed(player.waits) if wait.asked >= since and wait.answered]


def _late(players: Iterable[Player], since: float) -> str:
    late = [player for player in players if not answered_since(player, since)]
    return "; ".join(f"{each.name} of {each.race} at {each.at}" for each in late)


@asynccontextmanager
async def traffic(
    fleet: Fleet,
    *,
    races: int,
    seed: int,
    pace: float = PACE_S,
    hops: float = 0.01,
) -> AsyncIterator[Traffic]:
    """Runs races while the block lasts, then to their ends; then all is checked."""
    dice = random.Random(seed)
    fleet.dice = random.Random(dice.random())
    names = tuple(fleet.members)
    try:
        async with lateness() as late, asyncio.TaskGroup() as group:
            whole = Traffic(fleet, late)
            for number in range(races):
                homes = [names[(number + at) % len(names)] for at in range(dice.randrange(2, 5))]
                owner = names[number % len(names)]
                await whole.open(number, owner, homes, dice=dice, pace=pace, hops=hops)
            riding = [group.create_task(each.ride(), name=each.name) for each in whole.everybody]
            await whole.under_way()
            yield whole
            await whole.close()
            _, hung = await asyncio.wait(riding, timeout=_END_S)
            assert not hung, f"did not come to an end: {[task.get_name() for task in hung]}"
        await whole.check()
    except BaseException as failure:
        for fault in fleet.faults:
            failure.add_note(f"{fault}")
        failure.add_note(
            ", ".join(f"{each.name} at {each.port}" for each in fleet.members.values())
        )
        raise
