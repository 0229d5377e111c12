"""What is done to a store beside its servers: check, back up, restore, migrate, annul.

Each command takes what it is told, prints what came of it, and returns the exit code: 0, or 1 where
a check found something wrong. What somebody can put right is raised, with a line that says how.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from samedeal_server.settings import Settings

if TYPE_CHECKING:
    from samedeal_server.adapters import log_postgres, log_sqlite
    from samedeal_server.backup import Tally
    from samedeal_server.ports import Ruling
    from samedeal_server.stored import Record, StoredRace

__all__ = [
    "CannotDo",
    "annul",
    "back_up",
    "check_backup",
    "check_store",
    "check_tournament",
    "migrate",
    "restore",
]


class CannotDo(Exception):
    """The command ends here; the message is one line that says what to do."""


# --- check -------------------------------------------------------------------------------------


def check_store(settings: Settings) -> int:
    """Prints what is wrong in the store that the settings name."""
    faults = 0
    with _stored(settings) as stored:
        for line in stored.damage():
            faults += 1
            print(f"the file: {line}")
        strays = stored.strays()
        for race_code in strays:
            print(f"race {race_code}: it has events, but was never opened")
        found = _audit(stored.races(), of=stored.count(), faults=faults + len(strays))
        unplaced = stored.count_events() - found.events
        if unplaced and not strays and not found.faults:
            found.faults += 1
            print(f"the store: {unplaced:,} events are in no race")
    return _verdict(found)


def check_backup(file: Path) -> int:
    """Prints what is wrong in a backup."""
    from samedeal_server.backup import Backup, BadBackup

    try:
        with _backups_refused(), Backup(file) as backup:
            return _verdict(_audit(backup.races(), of=backup.tally.races))
    except BadBackup as fault:
        print(f"{file}: {fault}")
        return 1


def check_tournament(name: str, *, head: str | None = None) -> int:
    """Prints what is wrong with the log of a tournament that is over, and its standings.

    `head` is the end of its hash chain as it was published, if that is known.

    The file, or `-` for standard input, has an event a line, or one list of them, as
    `samedeal tournament log --json` and `export --what log --format json` write it.
    """
    from samedeal_server.hosting.published import look

    try:
        log = sys.stdin.buffer.read() if name == "-" else Path(name).expanduser().read_bytes()
    except OSError as refusal:
        raise CannotDo(f"cannot read {name}: {refusal.strerror}") from None
    report = look(log, head=head)
    for line in report.lines:
        print(line)
    return 0 if report.passed else 1


@dataclass(slots=True)
class _Found:
    """What a check has come upon."""

    races: int = 0
    events: int = 0
    faults: int = 0


def _audit(races: Iterable[StoredRace], *, of: int, faults: int = 0) -> _Found:
    """Prints what is wrong with each race."""
    from samedeal_server.audit import audit
    from samedeal_server.hosting.codes import is_cup

    found = _Found(faults=faults)
    with _Progress(of, "races") as progress:
        for race in races:
            found.races += 1
            found.events += len(race.lines)
            if findings := audit(race):
                found.faults += 1
                what = "tournament" if is_cup(race.row.race) else "race"
                for finding in findings:
                    print(f"{what} {race.row.race}: {finding}")
            progress.tell(found.races)
    return found


def _verdict(found: _Found) -> int:
    checked = f"{found.races:,} races, {found.events:,} events"
    if found.faults:
        print(f"{checked}: {found.faults:,} NOT in order")
        return 1
    print(f"{checked}: all in order")
    return 0


class _Progress:
    """Says on standard error how far something is, if somebody watches."""

    def __init__(self, of: int, what: str) -> None:
        self._of = f"of {of:,} {what}"
        self._is_watched = sys.stderr.isatty()
        self._told_at = time.monotonic()

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._is_watched:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def tell(self, done: int) -> None:
        if self._is_watched and time.monotonic() - self._told_at > 0.2:
            self._told_at = time.monotonic()
            print(f"\r{done:,} {self._of}", end="", file=sys.stderr, flush=True)


def _stored(settings: Settings) -> log_sqlite.Stored | log_postgres.Stored:
    """Returns a look at the store that the settings name."""
    # Who keeps races in a file need not load what speaks to a PostgreSQL.
    if settings.store == "sqlite":
        from samedeal_server.adapters import log_sqlite

        return log_sqlite.Stored(settings.data)
    from samedeal_server.adapters import log_postgres

    return log_postgres.Stored(settings.store)


# --- backup and restore ------------------------------------------------------------------------


@contextmanager
def _backups_refused() -> Iterator[None]:
    """Turns what a backup's file is refused for into the end of the command."""
    from samedeal_server.backup import CannotBackUp

    try:
        yield
    except CannotBackUp as refusal:
        raise CannotDo(str(refusal)) from None


def back_up(settings: Settings, file: Path) -> int:
    """Copies everything in the store that the settings name into one new file."""
    from samedeal_server.backup import Tally, write

    tally = Tally()
    with (
        _backups_refused(),
        _stored(settings) as stored,
        _Progress(stored.count_events(), "events") as progress,
    ):
        for tally in write(file, stored, at=time.time_ns() // 1_000_000):
            progress.tell(tally.events)
    print(f"{_told(tally)}: in {file}")
    return 0


def restore(settings: Settings, file: Path) -> int:
    """Fills the empty store that the settings name from a backup."""
    from samedeal_server.backup import Backup, BadBackup

    try:
        with (
            _backups_refused(),
            Backup(file) as backup,
            _Progress(backup.tally.records, "records") as progress,
        ):
            _fill(settings, _watched(backup.records(), progress), alive_at=backup.alive_at)
    except BadBackup as fault:
        raise CannotDo(f"{file}: {fault}; nothing was restored, name another backup") from None
    print(f"{_told(backup.tally)}: restored")
    return 0


def _fill(settings: Settings, content: Iterable[Record], *, alive_at: int | None) -> None:
    """Stores everything in the store that the settings name."""
    if settings.store == "sqlite":
        from samedeal_server.adapters import log_sqlite

        log_sqlite.restore(settings.data, content, alive_at=alive_at)
    else:
        from samedeal_server.adapters import log_postgres

        log_postgres.restore(settings.store, content, alive_at=alive_at)


def _watched(content: Iterable[Record], progress: _Progress) -> Iterator[Record]:
    for number, record in enumerate(content):
        progress.tell(number)
        yield record


def _told(tally: Tally) -> str:
    return f"{tally.races:,} races, {tally.events:,} events, {tally.players:,} players"


# --- migrate -----------------------------------------------------------------------------------


def migrate(store: str) -> int:
    """Makes a PostgreSQL's tables, or brings them up to date."""
    if store == "sqlite":
        raise CannotDo("name a PostgreSQL with --store; `serve` itself brings a file up to date")
    from samedeal_server.adapters.log_postgres import migrate

    done = asyncio.run(migrate(store))
    print("\n".join(done) or "the schema is up to date: nothing to do")
    return 0


# --- annul -------------------------------------------------------------------------------------


def annul(settings: Settings, race: str, *, reason: str, undo: bool, dry_run: bool) -> int:
    """Rules that a race counts nowhere, or again, and prints what that changes for whom."""
    from samedeal_server.boards.annulling import CannotRule, Counted, count, ruling_on, sentences

    counted = Counted()
    with _stored(settings) as stored, _Progress(stored.count(), "races") as progress:
        for number, _ in enumerate(count(stored, counted), 1):
            progress.tell(number)
    try:
        ruling, changes = ruling_on(
            counted,
            race.strip().lower(),
            is_annulled=not undo,
            reason=reason,
            at=time.time_ns() // 1_000_000,
        )
    except CannotRule as refusal:
        raise CannotDo(str(refusal)) from None
    if not dry_run:
        _rule(settings, ruling)
    for line in sentences(changes):
        print(line)
    how = "counts again" if undo else "is annulled"
    told = f"race {ruling.race} {how}: {len(changes):,} ratings change"
    print(f"{told}; nothing was done (--dry-run)" if dry_run else told)
    return 0


def _rule(settings: Settings, ruling: Ruling) -> None:
    """Stores a ruling in the store that the settings name."""
    if settings.store == "sqlite":
        from samedeal_server.adapters import log_sqlite

        log_sqlite.rule(settings.data, ruling)
    else:
        from samedeal_server.adapters import log_postgres

        log_postgres.rule(settings.store, ruling)
