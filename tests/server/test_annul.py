"""`samedeal-server annul`: ruled from outside, published, and taken up by servers that run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from samedeal_client import Terms
from samedeal_protocol.events import to_line
from samedeal_server.adapters.log_postgres import PostgresLog
from samedeal_server.adapters.log_sqlite import SqliteLog
from samedeal_server.boards.keeper import Keeper
from samedeal_server.cli import main
from samedeal_server.ports import Entry, Log, Player
from samedeal_server.racing.commands import Finish, GiveUp
from samedeal_server.ratings.book import Pool
from support.postgres import database
from support.races import OPENED, WIN, WIN_GAME, WIN_SEED, Track
from support.serving import serving

Flags = tuple[str, str]


async def sqlite(flags: Flags) -> Log:
    return await SqliteLog.open(Path(flags[1]))


async def postgres(flags: Flags) -> Log:
    return await PostgresLog.open(flags[1], node="a")


@pytest.fixture(params=["sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Flags]:
    """A store of three races: two that ann has won against bob, and one that goes on."""
    if request.param == "sqlite":
        flags = "--data", str(tmp_path / "data")
        await fill(await sqlite(flags))
        yield flags
        return
    async with database() as url:
        await fill(await postgres(("--store", url)))
        yield "--store", url


async def fill(log: Log) -> None:
    for player in ("ann", "bob"):
        named = Player(player, player.capitalize(), False, player.encode(), OPENED)
        await log.add_player(named)
    for code, is_over in (("first", True), ("second", True), ("going", False)):
        lines = lines_of(code, is_over=is_over)
        entries = [Entry(code, seq, line) for seq, line in enumerate(lines, 1)]
        await log.open_race(entries[0], opened_at=OPENED, is_listed=True, phrase_hash=None)
        await log.append(entries[1:], over=[code] if is_over else [])
    await log.close()


def lines_of(code: str, *, is_over: bool) -> list[bytes]:
    track = Track(Terms(game=WIN_GAME, countdown=0, rated=True), seed=WIN_SEED)
    track.start("ann", "bob")
    if is_over:
        track.play("ann", *WIN, after=1000)
        track.do(Finish("ann", len(WIN) + 1), after=1000)
        track.do(GiveUp("bob"), after=1000)
    first, *rest = [to_line(event) for event in track.log]
    return [first.replace(b'"race-1"', b'"%s"' % code.encode()), *rest]


async def annul(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    """Runs the command as it runs in a process of its own: where no loop does."""
    code = await asyncio.to_thread(main, ["annul", *arguments])
    said = capsys.readouterr()
    return code, said.out.splitlines(), said.err


async def ratings(flags: Flags) -> tuple[dict[str, float], list[str]]:
    """What a server that starts over the store counts, and what was ruled."""
    log = await (sqlite if flags[0] == "--data" else postgres)(flags)
    async with asyncio.TaskGroup() as group:
        keeper = Keeper(log, lambda work, title: void(group.create_task(work, name=title)))
        await keeper.look()
    await log.close()
    assert keeper.ledger is not None
    pool = keeper.ledger.book.pools.get(Pool(bots=False), {})
    return {name: rating.mu for name, rating in pool.items()}, [
        f"{each.race} {each.is_annulled} {each.reason}" for each in keeper.rulings
    ]


def void(_: object) -> None: ...


async def test_a_race_is_annulled_and_what_changes_is_said(
    store: Flags, capsys: pytest.CaptureFixture[str]
) -> None:
    twice, _ = await ratings(store)
    code, said, err = await annul(capsys, "FIRST", "--reason", "two at one board", *store)
    assert (code, err) == (0, "")
    # Between two newcomers: c = √(2·250² + 2·125²), and 250²/c · ½ is what the winner gains.
    once = {"ann": 1579.056942, "bob": 1420.943058}
    ann, bob = (f"{twice[name]:.6f} -> {once[name]:.6f}" for name in ("ann", "bob"))
    gain, loss = (f"({once[name] - twice[name]:+.6f})" for name in ("ann", "bob"))
    assert said == [
        f"Ann (all games): {ann} {gain}",
        f"Bob (all games): {bob} {loss}",
        f"Ann (abandon-hope): {ann} {gain}",
        f"Bob (abandon-hope): {bob} {loss}",
        "race first is annulled: 4 ratings change",
    ]
    assert await ratings(store) == (once, ["first True two at one board"])


async def test_a_dry_run_says_the_same_and_changes_nothing(
    store: Flags, capsys: pytest.CaptureFixture[str]
) -> None:
    before = await ratings(store)
    _, would, _ = await annul(capsys, "first", "--reason", "x", "--dry-run", *store)
    assert await ratings(store) == before
    _, does, _ = await annul(capsys, "first", "--reason", "x", *store)
    assert would == [*does[:-1], f"{does[-1]}; nothing was done (--dry-run)"]


async def test_an_annulment_can_be_undone(store: Flags, capsys: pytest.CaptureFixture[str]) -> None:
    before, _ = await ratings(store)
    for race in ("first", "second"):
        await annul(capsys, race, "--reason", "x", *store)
    assert (await ratings(store))[0] == {}
    for race in ("second", "first"):
        code, said, _ = await annul(capsys, race, "--undo", "--reason", "it was another", *store)
        assert (code, said[-1]) == (0, f"race {race} counts again: 4 ratings change")
    after, rulings = await ratings(store)
    assert after == before
    assert len(rulings) == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("going", "--reason", "x"), "is not over"),
        (("unknown", "--reason", "x"), "no race has the code unknown"),
        (("first", "--undo", "--reason", "x"), "is not annulled"),
        (("first", "--reason", " "), "--reason is a line"),
        (("first", "--reason", "x" * 201), "--reason is a line"),
        (("first", "--reason", "a\nb"), "--reason is a line"),
        (("first",), "--reason"),
        ((), "RACE"),
    ],
)
async def test_what_cannot_be_ruled_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    flags = "--data", str(tmp_path / "data")
    await fill(await sqlite(flags))
    code, out, err = await annul(capsys, *arguments, *flags)
    assert (code, out) == (2, [])
    assert said in err
    assert err.count("\n") == 1
    assert (await ratings(flags))[1] == []


async def test_a_race_is_annulled_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = "--data", str(tmp_path / "data")
    await fill(await sqlite(flags))
    await annul(capsys, "first", "--reason", "x", *flags)
    code, _, err = await annul(capsys, "first", "--reason", "x", *flags)
    assert (code, "is annulled already" in err) == (2, True)


async def test_a_server_that_runs_takes_it_up_and_publishes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = "--data", str(tmp_path / "data")
    await fill(await sqlite(flags))
    with serving(tmp_path / "data") as url:

        def told(path: str) -> Any:
            with urlopen(f"http{url.removeprefix('ws')}/api/v1/{path}") as answer:
                return json.load(answer)

        before = await asyncio.to_thread(told, "leaderboards/rating")
        assert before["total"] == 2
        assert (await asyncio.to_thread(told, "annulments")) == {"annulments": []}
        code, _, _ = await annul(capsys, "second", "--reason", "Bob was not there", *flags)
        assert code == 0
        after = await asyncio.to_thread(told, "players/ann")
        assert [each["mu"] for each in after["ratings"]] == [1579.056942] * 2
        (ruled,) = (await asyncio.to_thread(told, "annulments"))["annulments"]
        assert (ruled["race"], ruled["annulled"], ruled["reason"]) == (
            "second",
            True,
            "Bob was not there",
        )
        assert [each["name"] for each in ruled["changes"]] == ["Ann", "Bob", "Ann", "Bob"]
        assert ruled["changes"][0]["after"]["mu"] == 1579.056942
