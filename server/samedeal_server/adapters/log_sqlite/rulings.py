"""Rulings about races that have ended, in the file: written also beside a server that runs.

A ruling is one row that nothing else in the file rests on, so it needs no owner of the folder.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from samedeal_server.adapters.log_sqlite.schema import (
    MIGRATIONS,
    CannotOpen,
    connect,
    version_of,
)
from samedeal_server.ports import Ruling

__all__ = ["SINCE", "read_rulings", "rule", "write_ruling"]

SINCE: Final = 2
"""The number of the schema that first had rulings."""


def write_ruling(connection: sqlite3.Connection, ruling: Ruling) -> None:
    """Adds a ruling behind all others."""
    connection.execute(
        "insert into rulings (at, race, is_annulled, reason, differences) values (?, ?, ?, ?, ?)",
        (ruling.at, ruling.race, ruling.is_annulled, ruling.reason, ruling.differences),
    )


def read_rulings(connection: sqlite3.Connection, *, after: int = 0) -> list[Ruling]:
    """Returns the rulings by number, from the one behind `after`."""
    rows = connection.execute(
        "select number, at, race, is_annulled, reason, differences from rulings "
        "where number > ? order by number",
        (after,),
    )
    return [
        Ruling(
            number=number,
            at=at,
            race=race,
            is_annulled=bool(is_annulled),
            reason=reason,
            differences=differences,
        )
        for number, at, race, is_annulled, reason, differences in rows
    ]


def rule(data: Path, ruling: Ruling) -> None:
    """Stores a ruling in a server's folder, whether one uses it or not; raises `CannotOpen`."""
    file = data / "samedeal.db"
    if not file.is_file():
        raise CannotOpen(f"there is no {file}; name a server's folder with --data")
    connection = connect(file)
    try:
        if version_of(connection, file) < len(MIGRATIONS):
            raise CannotOpen(
                f"{file} is an older samedeal's; start the server once, then try again"
            )
        connection.execute("pragma synchronous = full")
        write_ruling(connection, ruling)
    except sqlite3.Error as fault:
        raise CannotOpen(f"{file} cannot be written ({fault}); nothing was changed") from fault
    finally:
        connection.close()
