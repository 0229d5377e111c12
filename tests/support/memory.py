"""A store in memory: log and leases, which pass their ports' contract suites as all stores do.

It can be told to fail and to hold its answers back. When a server "crashes" it forgets nothing:
hand the same log to the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from samedeal_server.adapters.names import UNSEEN_MS, fold, moved_aside
from samedeal_server.hosting.codes import is_cup
from samedeal_server.ports import (
    Claim,
    Ended,
    Entry,
    LogConflict,
    LogUnavailable,
    NameTaken,
    NodeRow,
    Player,
    RaceRow,
    Ruling,
)
from support.fakes import FakeClock

__all__ = ["MemoryLeases", "MemoryLog", "SharedLog"]


@dataclass(slots=True)
class _Race:
    row: RaceRow
    lines: list[bytes]
    owner: tuple[str, int] | None = None
    """Who owns it by which epoch, once nodes share the log; until then nobody asks."""
    epoch: int = 1
    left_at: int | None = None
    is_listed: bool = True


class MemoryLog:
    """The log in memory.

    `fail_next` makes the next write raise, before or after it took effect. Between `hold` and
    `release` writes take effect, one after the other, only when they are released.
    """

    def __init__(self) -> None:
        self._races: dict[str, _Race] = {}
        self._players: dict[str, Player] = {}
        self._entries: dict[str, list[str]] = {}
        self._endings: list[str] = []
        self._summaries: dict[str, bytes] = {}
        self._rulings: list[Ruling] = []
        self._alive: int | None = None
        self._faults: list[tuple[Exception, bool]] = []
        self._free = asyncio.Event()
        self._free.set()
        self.living: dict[str, MemoryLeases] = {}
        """The nodes whose leases run, where several share the log."""
        self.appends: list[tuple[Entry, ...]] = []
        """The entries of every append that took effect, group by group."""
        self.lines_read = 0
        """How many lines were ever returned."""
        self.is_unreadable = False
        self.may_read = asyncio.Event()
        """Reading waits until it is set."""
        self.may_read.set()

    def fail_next(self, fault: Exception, *, stored: bool = False) -> None:
        """Makes the next write raise; with `stored`, after it took effect."""
        self._faults.append((fault, stored))

    def hold(self) -> None:
        """Keeps writes waiting from now on."""
        self._free.clear()

    def release(self) -> None:
        """Lets the waiting writes, and all after them, take effect."""
        self._free.set()

    # --- who owns what -------------------------------------------------------------------------

    def owner(self, race: str) -> tuple[str, int] | None:
        """Returns who owns a race, living or not."""
        stored = self._races.get(race)
        return stored.owner if stored is not None else None

    def owned(self, node: str) -> dict[str, int]:
        return {
            code: race.owner[1]
            for code, race in self._races.items()
            if race.owner is not None and race.owner[0] == node
        }

    def take(self, code: str, node: str, now: int) -> tuple[int, int | None]:
        """Makes a node the owner; returns the epoch, and since when nobody was."""
        race = self._races[code]
        epoch = race.epoch = race.epoch + 1
        race.owner = node, epoch
        since, race.left_at = race.left_at, None
        return epoch, since if since is not None else now

    def free(self, code: str, now: int) -> None:
        self._races[code].owner = None
        self._races[code].left_at = now

    # --- races ---------------------------------------------------------------------------------

    async def append(self, entries: Sequence[Entry], *, over: Sequence[str] = ()) -> None:
        fault = await self._before_write()
        next_seq: dict[str, int] = {}
        for entry in entries:
            race = self._races.get(entry.race)
            due = next_seq.get(entry.race, len(race.lines) + 1 if race else 1)
            if race is None or entry.seq != due or (self.living and entry.epoch != race.epoch):
                raise LogConflict(
                    f"{entry.race} expects event {due}, not {entry.seq}",
                    races=frozenset((entry.race,)),
                )
            next_seq[entry.race] = due + 1
        for entry in entries:
            self._races[entry.race].lines.append(entry.line)
        for code in over:
            if code in self._races:
                self._races[code].row = replace(self._races[code].row, is_over=True)
                if code not in self._endings:
                    self._endings.append(code)
        self.appends.append(tuple(entries))
        _raise(fault)

    async def open_race(
        self, entry: Entry, *, opened_at: int, is_listed: bool, phrase_hash: bytes | None
    ) -> None:
        fault = await self._before_write()
        if entry.race in self._races or entry.seq != 1:
            raise LogConflict(f"{entry.race} cannot be opened with event {entry.seq}")
        row = RaceRow(entry.race, opened_at, is_over=False, phrase_hash=phrase_hash)
        self._races[entry.race] = _Race(row, [entry.line], is_listed=is_listed)
        _raise(fault)

    async def read(self, race: str, *, after: int = 0, limit: int | None = None) -> list[bytes]:
        await asyncio.sleep(0)
        await self.may_read.wait()
        if self.is_unreadable:
            raise LogUnavailable("the log cannot be read")
        stored = self._races.get(race)
        lines = stored.lines[after:][:limit] if stored else []
        self.lines_read += len(lines)
        return lines

    async def race(self, race: str) -> RaceRow | None:
        await asyncio.sleep(0)
        stored = self._races.get(race)
        return stored.row if stored else None

    async def unfinished(self) -> list[RaceRow]:
        await asyncio.sleep(0)
        rows = [race.row for race in self._races.values() if not race.row.is_over]
        return sorted(rows, key=lambda row: (row.opened_at, row.race))

    async def ended(self, *, after: int = 0, limit: int) -> list[Ended]:
        await asyncio.sleep(0)
        numbered = [each for each in enumerate(self._endings, 1) if not is_cup(each[1])]
        return [
            Ended(number, code, self._summaries.get(code))
            for number, code in numbered
            if number > after
        ][:limit]

    async def summarize(self, summaries: Mapping[str, bytes]) -> None:
        fault = await self._before_write()
        self._summaries |= {code: each for code, each in summaries.items() if code in self._endings}
        _raise(fault)

    async def rule(self, ruling: Ruling) -> None:
        fault = await self._before_write()
        self._rulings.append(replace(ruling, number=len(self._rulings) + 1))
        _raise(fault)

    async def rulings(self, *, after: int = 0) -> list[Ruling]:
        await asyncio.sleep(0)
        return self._rulings[after:]

    # --- players -------------------------------------------------------------------------------

    async def enter(self, player: str, race: str) -> None:
        fault = await self._before_write()
        races = self._entries.setdefault(player, [])
        if race not in races:
            races.append(race)
        _raise(fault)

    async def races_of(self, player: str, *, limit: int) -> list[str]:
        await asyncio.sleep(0)
        entered = self._entries.get(player, [])[::-1]
        return [code for code in entered if not is_cup(code)][:limit]

    async def cups_of(self, player: str, *, over: bool, limit: int) -> list[RaceRow]:
        await asyncio.sleep(0)
        entered = [code for code in self._entries.get(player, [])[::-1] if is_cup(code)]
        rows = [self._races[code].row for code in entered if code in self._races]
        return [row for row in rows if row.is_over is over][:limit]

    async def cups(self, *, over: bool, limit: int) -> list[RaceRow]:
        await asyncio.sleep(0)
        rows = [
            race.row
            for code, race in self._races.items()
            if is_cup(code) and race.is_listed and race.row.is_over is over
        ]
        return sorted(rows, key=lambda row: (row.opened_at, row.race), reverse=True)[:limit]

    async def add_player(self, player: Player) -> None:
        fault = await self._before_write()
        if player.player in self._players or self._by_token(player.token_hash):
            raise LogConflict(f"there is a player {player.player}")
        self._free_name(player.name, by=player.player, now=player.seen_at)
        self._players[player.player] = player
        _raise(fault)

    async def player_by_token(self, token_hash: bytes) -> Player | None:
        await asyncio.sleep(0)
        return self._by_token(token_hash)

    async def player_by_name(self, name: str) -> Player | None:
        await asyncio.sleep(0)
        return self._holder(name, other_than="")

    async def players(self, players: Sequence[str]) -> list[Player]:
        await asyncio.sleep(0)
        return [self._players[player] for player in players if player in self._players]

    async def rename(self, player: str, name: str) -> None:
        fault = await self._before_write()
        if player not in self._players:
            raise LogConflict(f"there is no player {player}")
        self._free_name(name, by=player, now=self._players[player].seen_at)
        self._players[player] = replace(self._players[player], name=name)
        _raise(fault)

    async def mark_bot(self, player: str) -> None:
        fault = await self._before_write()
        if player in self._players:
            self._players[player] = replace(self._players[player], bot=True)
        _raise(fault)

    async def seen(self, player: str, at: int) -> None:
        fault = await self._before_write()
        if player in self._players:
            known = self._players[player]
            self._players[player] = replace(known, seen_at=max(known.seen_at, at))
        _raise(fault)

    # --- the server's own life -----------------------------------------------------------------

    async def alive(self, at: int) -> None:
        fault = await self._before_write()
        self._alive = max(at, self._alive or at)
        _raise(fault)

    async def last_alive(self) -> int | None:
        await asyncio.sleep(0)
        return self._alive

    async def close(self) -> None:
        """Changes nothing: the next server over this log finds everything."""

    async def _before_write(self) -> Exception | None:
        """Waits as the disk would; returns the fault to raise once the write has taken effect."""
        await asyncio.sleep(0)
        await self._free.wait()
        if not self._faults:
            return None
        fault, is_stored = self._faults.pop(0)
        if not is_stored:
            raise fault
        return fault

    def _by_token(self, token_hash: bytes) -> Player | None:
        found = (each for each in self._players.values() if each.token_hash == token_hash)
        return next(found, None)

    def _holder(self, name: str, *, other_than: str) -> Player | None:
        for player in self._players.values():
            if player.player != other_than and fold(player.name) == fold(name):
                return player
        return None

    def _free_name(self, name: str, *, by: str, now: int) -> None:
        holder = self._holder(name, other_than=by)
        if holder is None:
            return
        entered = self._entries.get(holder.player, [])
        is_racing = any(
            not self._races[code].row.is_over for code in entered if code in self._races
        )
        if is_racing or holder.seen_at > now - UNSEEN_MS:
            raise NameTaken(name)
        free = (each for each in moved_aside(holder.name) if not self._holder(each, other_than=""))
        self._players[holder.player] = replace(holder, name=next(free))


def _raise(fault: Exception | None) -> None:
    if fault is not None:
        raise fault


class SharedLog(MemoryLog):
    """A `MemoryLog` as one of several nodes has it: what it opens is this node's."""

    def __init__(self, log: MemoryLog, node: str) -> None:
        super().__init__()
        vars(self).update(vars(log))
        self._node = node

    async def open_race(
        self, entry: Entry, *, opened_at: int, is_listed: bool, phrase_hash: bytes | None
    ) -> None:
        await super().open_race(
            entry, opened_at=opened_at, is_listed=is_listed, phrase_hash=phrase_hash
        )
        self._races[entry.race].owner = self._node, 1


class MemoryLeases:
    """The leases of one of several nodes on one `MemoryLog`.

    A test says who lives: `dies` ends the lease, `is_cut` has every call fail.
    """

    is_shared = True

    def __init__(self, log: MemoryLog, node: str, clock: FakeClock) -> None:
        self.node = node
        self.incarnation = f"{node}-1"
        self.is_cut = False
        self.is_superseded = False
        self.has_bus = True
        self._log = log
        self._clock = clock
        self._alive_at: int | None = None

    def dies(self) -> None:
        """Ends the lease, though the node may not know."""
        self._log.living.pop(self.node, None)

    async def join(self) -> None:
        await self._asked()
        self._log.living[self.node] = self

    async def renew(self, *, has_bus: bool) -> bool:
        await self._asked()
        if self.is_superseded:
            return False
        self._log.living[self.node] = self
        self._alive_at = self._clock.now()
        self.has_bus = has_bus
        return True

    async def nodes(self) -> list[NodeRow]:
        await self._asked()
        return [
            NodeRow(node, each.incarnation, each._alive_at or 0, True, each.has_bus)
            for node, each in self._log.living.items()
        ]

    async def owner(self, race: str) -> tuple[str, int] | None:
        await self._asked()
        owner = self._log.owner(race)
        return owner if owner is not None and owner[0] in self._log.living else None

    async def claim(self, race: str) -> Claim | None:
        await self._asked()
        owner = self._log.owner(race)
        if await self._log.race(race) is None:
            return None
        if owner is not None and owner[0] != self.node and owner[0] in self._log.living:
            return None
        return Claim(race, *self._log.take(race, self.node, self._clock.now()))

    async def claim_orphans(self, *, limit: int) -> list[Claim]:
        await self._asked()
        claims = []
        for row in (await self._log.unfinished())[:limit]:
            owner = self._log.owner(row.race)
            if owner is None or owner[0] not in self._log.living:
                claims.append(
                    Claim(row.race, *self._log.take(row.race, self.node, self._clock.now()))
                )
        return claims

    async def owned(self, races: Sequence[str]) -> dict[str, int]:
        await self._asked()
        return {race: each for race, each in self._log.owned(self.node).items() if race in races}

    async def release(self, races: Sequence[str]) -> None:
        await self._asked()
        for race in races:
            self._log.free(race, self._clock.now())

    async def leave(self) -> None:
        await self.release(list(self._log.owned(self.node)))
        self.dies()

    async def _asked(self) -> None:
        await asyncio.sleep(0)
        if self.is_cut:
            raise LogUnavailable("the node is cut from the store")
