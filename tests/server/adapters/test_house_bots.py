"""The house's process, as the server keeps it: started, restarted, given up, ended."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from samedeal_server.adapters.house_bots import open_house_bots
from samedeal_server.ports import Booking
from support.halls import until

URL = "ws://127.0.0.1:1"

OBEDIENT = """
import json, os, signal, sys
with open(LOG, "a") as log:
    print(os.getpid(), sys.argv[1], "SAMEDEAL_STORE" in os.environ, file=log, flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if order["type"] == "beat":
            print(line.strip(), flush=True)
            continue
        print(line.strip(), file=log, flush=True)
        told = {"type": "report", "seat": order["seat"]}
        if order["type"] == "go":
            print(json.dumps({**told, "left": "done"}), flush=True)
            continue
        race = order["race"]
        if race in ("deadly", "freezing") and "token" in order:
            race = "survived"
        print(json.dumps({**told, "player": "p1", "token": "t1", "race": race}), flush=True)
        if race == "deadly":
            os._exit(1)
        if race == "freezing":
            os.kill(os.getpid(), signal.SIGSTOP)
        if race == "short":
            print("what is this?", flush=True)
            print(json.dumps({**told, "left": "done"}), flush=True)
"""


def a_booking(race: str) -> Booking:
    return Booking(
        by="ann", address="192.0.2.1", bot="greedy", pace_ms=None, phrase=None, race=race
    )


def obedient(log: Path) -> tuple[str, ...]:
    """The command of a house that sits down at once, and writes down what it is told."""
    return (sys.executable, "-c", OBEDIENT.replace("LOG", repr(str(log))))


def pids(log: Path) -> list[int]:
    return [int(line.split()[0]) for line in log.read_text().splitlines() if URL in line]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_the_house_starts_with_the_first_invitation_and_ends_with_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMEDEAL_STORE", "postgresql://samedeal:secret@10.0.0.6/samedeal")
    log = tmp_path / "log"
    async with open_house_bots(command=obedient(log)) as house:
        house.opens(URL, "open")
        await asyncio.sleep(0)
        assert not log.exists()
        booking, short = a_booking("long"), a_booking("short")
        house.seat(booking)
        house.seat(short)
        await until(lambda: booking.player == "p1" and short.is_over)
        assert not booking.is_over
        [pid] = pids(log)
        assert is_alive(pid)
        assert log.read_text().splitlines()[0].endswith(f"{URL} False")
    assert not is_alive(pid)


async def test_a_house_that_died_is_started_again_and_its_bots_are_who_they_were(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    async with open_house_bots(command=obedient(log), rest=0.0) as house:
        house.opens(URL, "open")
        booking = a_booking("deadly")
        house.seat(booking)
        await until(lambda: booking.race == "survived")
        assert len(pids(log)) == 2
        assert '"token":"t1"' in log.read_text().splitlines()[-1]


async def test_a_house_that_freezes_is_ended_and_its_bots_are_who_they_were(tmp_path: Path) -> None:
    log = tmp_path / "log"
    beats = asyncio.Semaphore(0)

    async def beat() -> None:
        await beats.acquire()

    async with open_house_bots(command=obedient(log), rest=0.0, beat=beat) as house:
        house.opens(URL, "open")
        booking = a_booking("freezing")
        house.seat(booking)
        await until(lambda: booking.race == "freezing" and booking.player == "p1")
        [pid] = pids(log)
        beats.release()  # it spoke before this beat
        beats.release()
        await until(lambda: booking.race == "survived")
        assert not is_alive(pid)
        assert '"token":"t1"' in log.read_text().splitlines()[-1]


async def test_a_house_that_answers_its_beats_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    asked = 0
    rounds = asyncio.Queue[None]()

    async def beat() -> None:
        nonlocal asked
        asked += 1
        await rounds.get()

    async with open_house_bots(command=obedient(log), rest=0.0, beat=beat) as house:
        house.opens(URL, "open")
        first = a_booking("long")
        house.seat(first)
        for turn in range(1, 4):
            seen = a_booking("short")
            house.seat(seen)
            await until(lambda seen=seen: seen.is_over)  # type: ignore[misc]
            rounds.put_nowait(None)
            await until(lambda turn=turn: asked == turn + 1)  # type: ignore[misc]
        assert len(pids(log)) == 1


async def test_a_bot_that_is_told_to_go_frees_its_seat(tmp_path: Path) -> None:
    async with open_house_bots(command=obedient(tmp_path / "log")) as house:
        house.opens(URL, "open")
        booking, other = a_booking("long"), a_booking("longer")
        house.seat(booking)
        house.seat(other)
        await until(lambda: booking.player == "p1")
        house.leave(booking)
        await until(lambda: booking.is_over)
        house.leave(booking)
        assert not other.is_over


async def test_bots_of_a_server_that_was_killed_come_back_as_who_they_were(tmp_path: Path) -> None:
    log, kept = tmp_path / "log", tmp_path / "seats.json"
    async with open_house_bots(command=obedient(log), kept=kept) as house:
        assert not house.opens(URL, "open")
        booking, short = a_booking("long"), a_booking("short")
        house.seat(booking)
        house.seat(short)
        await until(lambda: booking.player == "p1" and short.is_over)
    assert kept.stat().st_mode & 0o777 == 0o600

    async with open_house_bots(command=obedient(log), kept=kept) as house:
        [back] = house.opens(URL, "open")
        assert (back.race, back.by, back.player) == ("long", "ann", "p1")
        assert back.address == "192.0.2.1"
        await until(lambda: len(pids(log)) == 2 and '"token":"t1"' in log.read_text())
        kept.write_text("[{")
    async with open_house_bots(command=obedient(log), kept=kept) as house:
        assert not house.opens(URL, "open")


async def test_a_house_that_cannot_start_frees_its_seats_and_is_tried_again_when_asked(
    tmp_path: Path,
) -> None:
    missing = tmp_path / "no-such-program"
    async with open_house_bots(command=(str(missing),)) as house:
        house.opens(URL, "open")
        for _ in range(2):
            booking = a_booking("any")
            house.seat(booking)
            await until(lambda booking=booking: booking.is_over)  # type: ignore[misc]


async def test_a_house_that_speaks_without_end_is_given_up_and_nothing_else_is() -> None:
    babbling = "import sys; [print('x' * 1_000_000, flush=True) for line in sys.stdin]"
    async with open_house_bots(command=(sys.executable, "-c", babbling), rest=0.0) as house:
        house.opens(URL, "open")
        for _ in range(2):
            booking = a_booking("any")
            house.seat(booking)
            await until(lambda booking=booking: booking.is_over)  # type: ignore[misc]
