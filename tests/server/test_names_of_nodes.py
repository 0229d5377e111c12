"""Two servers under one name: the newer has it, and the older says so and ends."""

from __future__ import annotations

from pathlib import Path

from support.postgres import database
from support.processes import process


async def test_the_older_of_two_servers_of_one_name_ends_and_says_why(tmp_path: Path) -> None:
    async with database() as url:
        shared = ("--store", url, "--node", "a", "--drain", "0")
        async with (
            process(tmp_path / "one", *shared) as older,
            process(tmp_path / "two", *shared) as newer,
        ):
            assert await older.ended() == 2
            assert older.errors[-1].strip() == (
                "samedeal-server: another samedeal-server runs as node a; give each its own --node"
            )
            newer.ask_to_end()
            assert await newer.ended() == 0
