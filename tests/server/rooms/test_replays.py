"""How much of a log one page holds, and what it costs."""

from __future__ import annotations

import pytest

from samedeal_protocol.events import chained
from samedeal_server.ports import Entry
from samedeal_server.rooms.replays import PAGE_LINES, Replays, page_of
from support.memory import MemoryLog

PAGES = 10
LENGTH = PAGES * PAGE_LINES


@pytest.mark.parametrize(
    ("length", "count", "held"),
    [
        (10, 399, 399),
        (10, 401, 400),
        (64 * 1024, 3, 2),
        (64 * 1024 + 1, 3, 1),
        (200 * 1024, 2, 1),
        (10, 0, 0),
    ],
)
def test_a_page_holds_400_lines_and_128_kib_but_always_a_line(
    length: int, count: int, held: int
) -> None:
    assert len(page_of(["x" * length] * count)) == held


def test_a_page_is_measured_as_it_is_sent() -> None:
    assert len(page_of(["é" * 40 * 1024] * 3)) == 1


async def a_log() -> MemoryLog:
    log = MemoryLog()
    await log.open_race(Entry("r", 1, b"1"), opened_at=0, is_listed=True, phrase_hash=None)
    await log.append([Entry("r", seq, b"%d" % seq) for seq in range(2, LENGTH + 1)])
    return log


async def test_a_replay_read_page_by_page_reads_each_line_to_hash_it_and_to_send_it() -> None:
    log = await a_log()
    replays = Replays(log)
    heads, lines = set(), 0
    while True:
        page = await replays.page("r", after=lines, length=LENGTH)
        heads.add(page.head)
        lines += len(page.lines)
        if not page.more:
            break
    assert lines == LENGTH
    assert heads == {chained(b"%d" % seq for seq in range(1, LENGTH + 1)).hex()}
    assert log.lines_read == 2 * LENGTH


async def test_what_is_said_after_the_end_is_all_that_is_hashed_anew() -> None:
    log = await a_log()
    replays = Replays(log)
    await replays.page("r", after=0, length=LENGTH)
    await log.append([Entry("r", LENGTH + 1, b"thanks")])
    before = log.lines_read
    page = await replays.page("r", after=LENGTH, length=LENGTH + 1)
    assert page.lines == ("thanks",)
    assert page.head == chained(await log.read("r")).hex()
    assert log.lines_read - before == 2 + LENGTH + 1  # hashed, sent; and read for this test


async def test_a_page_behind_the_end_is_empty_and_the_last() -> None:
    page = await Replays(await a_log()).page("r", after=LENGTH + 5, length=LENGTH)
    assert (page.lines, page.more) == ((), False)
