"""`kill -9` at random instants: what was acknowledged is there, and no race has a gap."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import SOAK
from samedeal_server.adapters.log_sqlite import SqliteLog, Stored

WRITER = """
import asyncio, sys
from pathlib import Path
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.ports import Entry

async def main():
    log = await SqliteLog.open(Path(sys.argv[1]))
    last = {}
    for race in map("race-{}".format, range(20)):
        lines = await log.read(race)
        if not lines:
            await log.open_race(
                Entry(race, 1, b"1"), opened_at=1, is_listed=True, phrase_hash=None
            )
        last[race] = max(1, len(lines))
        print(race, last[race], flush=True)
    turn = 0
    while True:
        turn += 1
        group = []
        for race in list(last)[turn % 7 :: 1 + turn % 5]:
            last[race] += 1
            group.append(Entry(race, last[race], b"%d" % last[race]))
        await log.append(group)
        print("".join(f"{each.race} {each.seq}\\n" for each in group), end="", flush=True)

asyncio.run(main())
"""


def run_until_killed(folder: Path, *, seconds: float) -> dict[str, int]:
    """Returns the last seq of each race that the writer said was durable."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    with writer:
        told = writer.stdout.readline()  # it has opened the log, whatever that took
        time.sleep(seconds)
        writer.kill()
        told += writer.stdout.read()
    durable: dict[str, int] = {}
    for line in told.decode().splitlines():
        race, _, seq = line.partition(" ")
        if seq.isdigit() and told.endswith(b"\n"):
            durable[race] = int(seq)
    return durable


@pytest.mark.timeout(600)
async def test_whatever_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    chance = random.Random(20261129)
    for _ in range(8 * SOAK):
        durable = await asyncio.to_thread(
            run_until_killed, tmp_path, seconds=chance.uniform(0, 0.25)
        )
        with Stored(tmp_path) as stored:
            assert stored.damage() == []
            races = {each.row.race: each for each in stored.races()}
        for race, last in durable.items():
            assert len(races[race].seqs) >= last
        for each in races.values():
            assert each.seqs == list(range(1, len(each.seqs) + 1))
            assert each.lines == [b"%d" % seq for seq in each.seqs]
            assert each.is_placed
        log = await SqliteLog.open(tmp_path)
        try:
            for race, each in races.items():
                assert await log.read(race) == each.lines
        finally:
            await log.close()
