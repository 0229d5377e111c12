"""The log in PostgreSQL: what has returned is on the database's disk.

Every call is one statement, so nothing is ever half done, and what needs several decisions is a
function in the database. Appends have a connection of their own, which keeps them in order; all
else shares others. Every call ends within the limit; `LogUnavailable` says that it is unknown
whether what was asked took effect.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final, TypeVar

import asyncpg

from samedeal_protocol.events import CHAIN_START, link
from samedeal_server.adapters.log_postgres.lanes import Connection, Lane
from samedeal_server.adapters.log_postgres.schema import check
from samedeal_server.adapters.names import UNSEEN_MS, fold, moved_aside
from samedeal_server.hosting.codes import CUP
from samedeal_server.ports import (
    Ended,
    Entry,
    LogConflict,
    LogUnavailable,
    NameTaken,
    Player,
    RaceRow,
    Ruling,
)

__all__ = ["LIMIT_S", "RULINGS", "PostgresLog", "is_storable", "ruling_of"]

LIMIT_S: Final = 3.0
"""Within so many seconds every call has returned or raised, whatever becomes of the database."""

_LINKS: Final = 4
"""Connections besides that of the appends."""

_NAMES_OFFERED: Final = 50
"""How many names are offered to the database at once for a holder who is moved aside."""

_LAST: Final = 2**63 - 1
"""The greatest number that a column holds."""

_T = TypeVar("_T")

_APPEND: Final = "select samedeal.append($1, $2, $3, $4, $5, $6, $7)"

_OPEN: Final = """
with opened as (
    insert into samedeal.races
        (race, opened_at, is_listed, phrase_hash, owner, incarnation, last_seq, head)
    select $1::text, $2::bigint, $3::boolean, $4::bytea, $5::text, $6::text, 1, $7::bytea
    where not exists (select from samedeal.nodes where node = $5 and incarnation <> $6)
    returning race
)
insert into samedeal.events (race, seq, line) select race, 1, $8::bytea from opened returning seq
"""

_IS_CUP: Final = f"(race between '{CUP}' and '{CUP}~')"
"""Told by the range that all codes of tournaments are in, which an index knows."""

_ROW: Final = "select race, opened_at, is_over, phrase_hash from samedeal.races"

_PLAYER: Final = "select player, name, bot, token_hash, seen_at from samedeal.players"

RULINGS: Final = "select number, at, race, is_annulled, reason, differences from samedeal.rulings"
"""What `ruling_of` reads a row of."""


def is_storable(code: str) -> bool:
    """Says whether PostgreSQL can hold a text at all: anybody may ask for a race of any code."""
    return "\0" not in code


def ruling_of(row: asyncpg.Record) -> Ruling:
    """Returns the ruling that a row of `RULINGS` is."""
    return Ruling(**dict(row))


class PostgresLog:
    """The `Log` port over a PostgreSQL that several nodes share; made by `open`.

    It appends as `node` in the life `incarnation`: a race that another owns refuses.
    """

    def __init__(self, url: str, *, node: str, incarnation: str | None, limit: float) -> None:
        """Connects when first asked; belongs to the running loop."""
        self.node = node
        self.incarnation = incarnation or secrets.token_hex(8)
        """Tells this life of the node from every other."""
        self._appends = Lane(url, name=f"{node} appends", links=1, limit=limit)
        self._others = Lane(url, name=node, links=_LINKS, limit=limit)

    @classmethod
    async def open(
        cls, url: str, *, node: str, incarnation: str | None = None, limit: float = LIMIT_S
    ) -> PostgresLog:
        """Opens the store at `postgresql://...`; raises `CannotOpen`.

        `limit` is how long a call may take, in seconds.
        """
        await check(url)
        return cls(url, node=node, incarnation=incarnation, limit=limit)

    async def close(self) -> None:
        """Finishes what was asked and ends the connections."""
        await self._appends.close()
        await self._others.close()

    async def store_now(self) -> int:
        """Returns the database's clock: milliseconds of UTC."""
        statement = "select (extract(epoch from clock_timestamp()) * 1000)::bigint"
        return int(await self.ask(lambda connection: connection.fetchval(statement)))

    async def ask(self, work: Callable[[Connection], Awaitable[_T]]) -> _T:
        """Does something over one of the connections; see `Lane.ask`."""
        try:
            return await self._others.ask(work)
        except asyncpg.UniqueViolationError as refusal:
            raise LogConflict(f"it is there already ({refusal.constraint_name})") from None

    async def do(self, statement: str, *values: object) -> None:
        """Executes a statement."""
        await self.ask(lambda connection: connection.execute(statement, *values))

    async def fetch(self, statement: str, *values: object) -> list[asyncpg.Record]:
        """Returns the rows of a statement."""
        return await self.ask(lambda connection: connection.fetch(statement, *values))

    # --- races ---------------------------------------------------------------------------------

    async def append(self, entries: Sequence[Entry], *, over: Sequence[str] = ()) -> None:
        """Appends in one transaction and marks the races in `over` as ended.

        Raises:
            LogConflict: of the races that it names, an entry's seq is not the next or its epoch is
                stale, or this node in this life is not the owner; nothing was appended.
            LogUnavailable: it is unknown whether the entries were appended.
        """
        if not entries and not over:
            return
        values = (
            self.node,
            self.incarnation,
            [entry.race for entry in entries],
            [entry.seq for entry in entries],
            [entry.epoch for entry in entries],
            [entry.line for entry in entries],
            list(over),
        )
        try:
            await self._appends.ask(lambda connection: connection.execute(_APPEND, *values))
        except asyncpg.UniqueViolationError as fault:
            # The races' rows say what comes next, and hold the lock: this cannot be.
            raise LogConflict("an event is there already") from fault
        except asyncpg.PostgresError as refusal:
            races = frozenset((refusal.detail or "").split("\n"))
            raise LogConflict(
                f"not the next event, or not ours: {', '.join(sorted(races))}", races=races
            ) from None

    async def open_race(
        self, entry: Entry, *, opened_at: int, is_listed: bool, phrase_hash: bytes | None
    ) -> None:
        """Stores a new race with its first event, owned by this node with epoch 1.

        Raises `LogConflict` for a code in use, and when another has taken this node's name.
        """
        race, races = entry.race, frozenset((entry.race,))
        if entry.seq != 1:
            raise LogConflict(f"a race's first event is not its number {entry.seq}", races=races)
        head = link(CHAIN_START, entry.line)
        row = (race, opened_at, is_listed, phrase_hash, self.node, self.incarnation, head)
        try:
            rows = await self.fetch(_OPEN, *row, entry.line)
        except LogConflict:
            raise LogConflict(f"there is a race {race}", races=races) from None
        if not rows:
            raise LogConflict(f"another is the node {self.node} by now", races=races)

    async def read(self, race: str, *, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Returns the lines of a race from seq `after + 1` on, in order; none for no such race.

        `limit` is how many at most.
        """
        if not is_storable(race):
            return []
        statement = (
            "select line from samedeal.events where race = $1 and seq > $2 order by seq limit $3"
        )
        return [row[0] for row in await self.fetch(statement, race, min(after, _LAST), limit)]

    async def race(self, race: str) -> RaceRow | None:
        """Returns what the store knows of a race besides its events."""
        if not is_storable(race):
            return None
        rows = await self.fetch(f"{_ROW} where race = $1", race)
        return RaceRow(*rows[0]) if rows else None

    async def unfinished(self) -> list[RaceRow]:
        """Returns the races of all nodes that are neither over nor cancelled, oldest first."""
        rows = await self.fetch(f"{_ROW} where not is_over order by opened_at, race")
        return [RaceRow(*row) for row in rows]

    async def ended(self, *, after: int = 0, limit: int) -> list[Ended]:
        """Returns the races that were marked as ended, by number, from the one behind `after`."""
        rows = await self.fetch(
            "select number, race, summary from samedeal.endings "
            f"where number > $1 and not {_IS_CUP} order by number limit $2",
            after,
            limit,
        )
        return [Ended(*row) for row in rows]

    async def summarize(self, summaries: Mapping[str, bytes]) -> None:
        """Keeps something with each of these races that have ended, in place of what was kept."""
        await self.do(
            "update samedeal.endings as e set summary = given.summary "
            "from unnest($1::text[], $2::bytea[]) as given (race, summary) "
            "where e.race = given.race",
            list(summaries),
            list(summaries.values()),
        )

    async def rule(self, ruling: Ruling) -> None:
        """Stores a ruling behind all others."""
        await self.do(
            "select samedeal.rule($1, $2, $3, $4, $5)",
            *(ruling.at, ruling.race, ruling.is_annulled, ruling.reason, ruling.differences),
        )

    async def rulings(self, *, after: int = 0) -> list[Ruling]:
        """Returns the rulings by number, from the one behind `after`."""
        rows = await self.fetch(f"{RULINGS} where number > $1 order by number", after)
        return [ruling_of(row) for row in rows]

    # --- players -------------------------------------------------------------------------------

    async def enter(self, player: str, race: str) -> None:
        """Notes that the player is an entrant or host of the race, for `races_of`."""
        await self.do(
            "insert into samedeal.entries (player, race) values ($1, $2) on conflict do nothing",
            player,
            race,
        )

    async def races_of(self, player: str, *, limit: int) -> list[str]:
        """Returns the player's races, the one entered last first; no tournaments."""
        rows = await self.fetch(
            f"select race from samedeal.entries where player = $1 and not {_IS_CUP} "
            "order by number desc limit $2",
            player,
            limit,
        )
        return [row[0] for row in rows]

    async def cups_of(self, player: str, *, over: bool, limit: int) -> list[RaceRow]:
        """Returns the tournaments that the player was entered for: those that are over, or those
        that are not; the last one first."""
        rows = await self.fetch(
            f"{_ROW} join samedeal.entries using (race) where player = $1 and {_IS_CUP} "
            "and is_over = $2 order by number desc limit $3",
            player,
            over,
            limit,
        )
        return [RaceRow(*row) for row in rows]

    async def cups(self, *, over: bool, limit: int) -> list[RaceRow]:
        """Returns the listed tournaments that are over, or those that are not; newest first."""
        rows = await self.fetch(
            f"{_ROW} where {_IS_CUP} and is_listed and is_over = $1 "
            "order by opened_at desc, race desc limit $2",
            over,
            limit,
        )
        return [RaceRow(*row) for row in rows]

    async def add_player(self, player: Player) -> None:
        """Raises `NameTaken`; `seen_at` is the instant of asking."""
        row = (player.player, player.name, fold(player.name), player.bot, player.token_hash)
        await self._named(
            "select samedeal.add_player($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            *(*row, player.seen_at, UNSEEN_MS),
            name=player.name,
        )

    async def player_by_token(self, token_hash: bytes) -> Player | None:
        """Returns the player whose token has this SHA-256."""
        rows = await self.fetch(f"{_PLAYER} where token_hash = $1", token_hash)
        return Player(*rows[0]) if rows else None

    async def player_by_name(self, name: str) -> Player | None:
        """Returns who is called so now, however it is written."""
        if not is_storable(name):
            return None
        rows = await self.fetch(f"{_PLAYER} where folded = $1", fold(name))
        return Player(*rows[0]) if rows else None

    async def players(self, players: Sequence[str]) -> list[Player]:
        """Returns those of these players that there are, in no order."""
        wanted = [player for player in players if is_storable(player)]
        return [
            Player(*row) for row in await self.fetch(f"{_PLAYER} where player = any ($1)", wanted)
        ]

    async def rename(self, player: str, name: str) -> None:
        """Raises `NameTaken`; counts from the instant at which the player was last seen."""
        is_known = await self._named(
            "select samedeal.rename($1, $2, $3, $4, $5, $6, $7, $8)",
            *(player, name, fold(name), UNSEEN_MS),
            name=name,
        )
        if not is_known:
            raise LogConflict(f"there is no player {player}")

    async def mark_bot(self, player: str) -> None:
        """Notes that the player is a bot, for good."""
        await self.do("update samedeal.players set bot = true where player = $1", player)

    async def seen(self, player: str, at: int) -> None:
        """Notes that the player was here at an instant; an earlier one changes nothing."""
        await self.do(
            "update samedeal.players set seen_at = $2 where player = $1 and seen_at < $2",
            player,
            at,
        )

    async def _named(self, statement: str, *values: object, name: str) -> object:
        """Executes what gives a player a name, and says how its holder may be called instead.

        The database tells us who holds the name if that is to change; by when we have thought of
        other names, things may have changed again.
        """
        holder, held = "", ""
        for attempt in range(1, 11):
            offered = list(islice(moved_aside(held), attempt * _NAMES_OFFERED)) if holder else []
            aside = (holder, held, offered, [fold(each) for each in offered])
            execute = partial(_value, statement=statement, values=(*values, *aside))
            try:
                return await self._others.ask(execute)
            except asyncpg.UniqueViolationError as fault:
                if fault.constraint_name != "name_is_one_players":
                    raise LogConflict(f"there already ({fault.constraint_name})") from None
            except asyncpg.PostgresError as refusal:
                if refusal.sqlstate == "SD002":
                    raise NameTaken(name) from None
                holder, _, held = (refusal.detail or "").partition("\n")
        raise LogUnavailable("too many want the same name at once")

    # --- the server's own life -----------------------------------------------------------------

    async def alive(self, at: int) -> None:
        """Notes that this node lives; after a crash the stoppage is counted from here."""
        await self.do(
            "insert into samedeal.nodes as n (node, beat_at) values ($1, $2) on conflict (node) "
            "do update set beat_at = greatest(n.beat_at, excluded.beat_at)",
            self.node,
            at,
        )

    async def last_alive(self) -> int | None:
        """Returns the latest instant that `alive` was told by a node of this name."""
        rows = await self.fetch("select beat_at from samedeal.nodes where node = $1", self.node)
        return rows[0][0] if rows else None


async def _value(connection: Connection, *, statement: str, values: Sequence[object]) -> object:
    return await connection.fetchval(statement, *values)
