"""A store in one file: the same for every kind of store, and readable without this program.

A backup is gzip around lines of text. The first line tells what it is and the last how much there
must be before it. Every line is a JSON object with its kind in `is`:

    {"is":"backup","version":2,...}     what made it, and of which instant it is
    {"is":"race",...,"events":3}        a race; the next 3 lines are its events, as they are logged
    {"is":"player",...}                 a player, with the SHA-256 of the token
    {"is":"entrance",...}               that a player entered a race, in the order of entering
    {"is":"ruling",...}                 what was ruled about a race, in the order of the rulings
    {"is":"end",...,"sha256":...}       how many of each, and the SHA-256 of all lines before this

Bytes (hashes) are in base64. Instants are milliseconds of UTC. Nothing follows the end. What is
cut off, altered or continued is refused as a whole, before anything is done with it.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from samedeal_protocol.bases import UNREADABLE
from samedeal_server.ports import Player, RaceRow, Ruling
from samedeal_server.stored import Entrance, Record, Source, StoredRace, records
from samedeal_server.version import VERSION

__all__ = ["FORMAT", "Backup", "BadBackup", "CannotBackUp", "Tally", "write"]

FORMAT: Final = 2
"""The number of the format that is written; older ones are read."""

_LEVEL: Final = 6
"""Of gzip."""


class CannotBackUp(Exception):
    """No backup can be made, or none can be found; the message is one line that says what to do."""


class BadBackup(Exception):
    """The file is not what was once written; the message says how that shows."""


class Tally(Struct, kw_only=True):
    """How much there is."""

    races: int = 0
    events: int = 0
    players: int = 0
    entrances: int = 0
    rulings: int = 0

    @property
    def records(self) -> int:
        """Records, of every kind; the events of a race are part of it."""
        return self.races + self.players + self.entrances + self.rulings


class _Header(Struct, tag="backup", tag_field="is", kw_only=True):
    version: int
    program: str
    at: int
    alive_at: int | None


class _Version(Struct, tag="backup", tag_field="is"):
    """All that is known of a header before one knows its version."""

    version: int


class _Race(Struct, tag="race", tag_field="is", kw_only=True):
    race: str
    opened_at: int
    is_listed: bool
    is_over: bool
    phrase_hash: bytes | None
    head: bytes | None
    head_seq: int | None
    events: int


class _Player(Struct, tag="player", tag_field="is", kw_only=True):
    player: str
    name: str
    bot: bool
    token_hash: bytes
    seen_at: int


class _Entrance(Struct, tag="entrance", tag_field="is", kw_only=True):
    player: str
    race: str


class _Ruling(Struct, tag="ruling", tag_field="is", kw_only=True):
    at: int
    race: str
    is_annulled: bool
    reason: str
    differences: bytes


class _End(Struct, tag="end", tag_field="is", kw_only=True):
    tally: Tally
    sha256: str


_Line: TypeAlias = _Header | _Race | _Player | _Entrance | _Ruling | _End

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder[_Line](_Line).decode


# --- writing -----------------------------------------------------------------------------------


def write(file: Path, source: Source, *, at: int) -> Iterator[Tally]:
    """Copies everything into a new file, which has its name once it is whole and on the disk.

    Yields after every record how much is in it by now, always the same object. `at` is the instant
    of the backup. Raises `CannotBackUp`, also when the store is damaged; then there is no file.
    """
    part = file.with_name(f"{file.name}.part")
    if file.exists():
        raise CannotBackUp(f"{file} is there already; name another file with --to")
    try:
        # Whoever reads a backup knows the deals of running races.
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as raw:
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=_LEVEL) as zipped:
                yield from _written(zipped, source, at)
            raw.flush()
            os.fsync(raw.fileno())
        part.rename(file)
        _sync(file.parent)
    except OSError as fault:
        raise CannotBackUp(
            f"{file} cannot be written ({fault.strerror or fault}); name another file with --to"
        ) from fault
    finally:
        part.unlink(missing_ok=True)


def _written(out: gzip.GzipFile, source: Source, at: int) -> Iterator[Tally]:
    tally = Tally()
    digest = hashlib.sha256()

    def put(*lines: bytes) -> None:
        text = b"\n".join((*lines, b""))
        digest.update(text)
        out.write(text)

    put(_encode(_Header(version=FORMAT, program=VERSION, at=at, alive_at=source.alive_at)))
    for record in records(source):
        match record:
            case StoredRace():
                put(_encode(_race(record)), *record.lines)
                tally.races += 1
                tally.events += len(record.lines)
            case Player():
                put(_encode(_player(record)))
                tally.players += 1
            case Entrance():
                put(_encode(_Entrance(player=record.player, race=record.race)))
                tally.entrances += 1
            case Ruling():
                put(_encode(_ruling(record)))
                tally.rulings += 1
        yield tally
    if tally.events != source.count_events():
        raise CannotBackUp("the store has events of no race; `samedeal-server check` tells more")
    out.write(_encode(_End(tally=tally, sha256=digest.hexdigest())) + b"\n")


def _race(race: StoredRace) -> _Race:
    row = race.row
    is_whole = race.seqs == list(range(1, len(race.lines) + 1))
    if not (race.lines and is_whole and race.is_placed):
        raise CannotBackUp(
            f"events of the race {row.race} are missing; `samedeal-server check` tells more"
        )
    return _Race(
        race=row.race,
        opened_at=row.opened_at,
        is_listed=race.is_listed,
        is_over=row.is_over,
        phrase_hash=row.phrase_hash,
        head=race.head,
        head_seq=race.head_seq,
        events=len(race.lines),
    )


def _player(player: Player) -> _Player:
    return _Player(
        player=player.player,
        name=player.name,
        bot=player.bot,
        token_hash=player.token_hash,
        seen_at=player.seen_at,
    )


def _ruling(ruling: Ruling) -> _Ruling:
    return _Ruling(
        at=ruling.at,
        race=ruling.race,
        is_annulled=ruling.is_annulled,
        reason=ruling.reason,
        differences=ruling.differences,
    )


def _sync(folder: Path) -> None:
    """Makes the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- reading -----------------------------------------------------------------------------------


class Backup:
    """A backup that has been read from end to end, and found whole. To be used with `with`."""

    def __init__(self, file: Path) -> None:
        """Reads the file; raises `CannotBackUp` if it cannot be, and `BadBackup` if it is bad."""
        self._file = file
        try:
            self._raw = file.open("rb")
        except OSError as fault:
            raise CannotBackUp(
                f"{file} cannot be read ({fault.strerror}); name a backup's file"
            ) from fault
        try:
            self._header, self.tally = self._verified()
        except BaseException:
            self._raw.close()
            raise

    def __enter__(self) -> Backup:
        return self

    def __exit__(self, *exc: object) -> None:
        self._raw.close()

    @property
    def at(self) -> int:
        """The instant of the backup, in ms of UTC."""
        return self._header.at

    @property
    def alive_at(self) -> int | None:
        """When a server last noted that it lived, in ms of UTC."""
        return self._header.alive_at

    def records(self) -> Iterator[Record]:
        """Yields everything: races, then players, then who entered what, then rulings."""
        with self._opened() as lines:
            next(lines)  # the header
            while not isinstance(line := _parsed(next(lines)), _End):
                yield _record(line, lines)

    def races(self) -> Iterator[StoredRace]:
        """Yields the races alone."""
        for record in self.records():
            if not isinstance(record, StoredRace):
                return
            yield record

    def _opened(self) -> gzip.GzipFile:
        self._raw.seek(0)
        return gzip.GzipFile(mode="rb", fileobj=self._raw)

    def _verified(self) -> tuple[_Header, Tally]:
        """Reads everything once."""
        try:
            with self._opened() as lines:
                return _verified(lines)
        except (OSError, EOFError, zlib.error) as fault:
            raise BadBackup(f"it is no gzip file, or a damaged one ({fault})") from fault


def _verified(lines: gzip.GzipFile) -> tuple[_Header, Tally]:
    """Reads every line and returns what the first says and how much there is."""
    digest = hashlib.sha256()
    tally = Tally()

    def read() -> bytes:
        text = lines.readline()
        if not text.endswith(b"\n"):
            raise BadBackup("it is cut off")
        return text

    first = read()
    digest.update(first)
    header = _header(first)
    while True:
        text = read()
        line = _parsed(text)
        if isinstance(line, _End):
            break
        digest.update(text)
        match line:
            case _Race():
                tally.races += 1
                tally.events += line.events
                for _ in range(line.events):
                    digest.update(read())
            case _Player():
                tally.players += 1
            case _Entrance():
                tally.entrances += 1
            case _Ruling():
                tally.rulings += 1
            case _:
                raise BadBackup("it has a second beginning")
    if line.sha256 != digest.hexdigest() or line.tally != tally:
        raise BadBackup("its content is not what was written")
    if lines.read(1):
        raise BadBackup("something follows its end")
    return header, tally


def _header(text: bytes) -> _Header:
    try:
        told = msgspec.json.decode(text, type=_Version)
    except UNREADABLE:
        raise BadBackup("it is no backup of samedeal's") from None
    if told.version > FORMAT:
        raise BadBackup("it was written by a newer samedeal; install that version")
    line = _parsed(text)
    if not isinstance(line, _Header):
        raise BadBackup("it is no backup of samedeal's")
    return line


def _parsed(text: bytes) -> _Line:
    try:
        return _decode(text)
    except UNREADABLE as fault:
        raise BadBackup(f"a line cannot be read ({fault})") from None


def _record(line: _Line, lines: Iterator[bytes]) -> Record:
    """Returns what a line begins, with the lines that belong to it."""
    match line:
        case _Race():
            return StoredRace(
                row=RaceRow(line.race, line.opened_at, line.is_over, line.phrase_hash),
                is_listed=line.is_listed,
                seqs=list(range(1, line.events + 1)),
                lines=[next(lines)[:-1] for _ in range(line.events)],
                head=line.head,
                head_seq=line.head_seq,
                is_placed=True,
            )
        case _Player():
            return Player(line.player, line.name, line.bot, line.token_hash, line.seen_at)
        case _Entrance():
            return Entrance(line.player, line.race)
        case _Ruling():
            return Ruling(
                at=line.at,
                race=line.race,
                is_annulled=line.is_annulled,
                reason=line.reason,
                differences=line.differences,
            )
        case _:
            raise AssertionError("a backup was verified before it is read")
