"""Frames leave together, once a turn, and never without bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from samedeal_protocol import messages
from samedeal_protocol.errors import CloseCode
from samedeal_server.bucket import Bucket
from samedeal_server.gateway.outbox import Outbox, Post
from samedeal_server.gateway.transport_fast import framed


class FakeLink:
    address = "here"
    subprotocol = ""

    def __init__(self) -> None:
        self.writes: list[list[bytes]] = []

    def write(self, frames: Sequence[bytes]) -> int:
        self.writes.append(list(frames))
        return sum(map(len, frames))

    def close(self, code: CloseCode) -> None: ...

    def abort(self) -> None: ...


class Turns:
    """An event loop's `call_soon`, turn by turn; every look at the clock takes half a slice."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []
        self.later: list[Callable[[], None]] = []
        self.looks = 0

    def seconds(self) -> float:
        self.looks += 1
        return self.looks * 0.0003

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        assert seconds > 0
        self.later.append(callback)

    def pass_time(self) -> None:
        later, self.later = self.later, []
        for callback in later:
            callback()

    def __call__(self, callback: Callable[[], None]) -> None:
        self.waiting.append(callback)

    def turn(self) -> None:
        waiting, self.waiting = self.waiting, []
        for callback in waiting:
            callback()


def an_outbox(link: FakeLink, post: Post, *, limit: int = 100) -> tuple[Outbox, list[str]]:
    overflows: list[str] = []
    outbox = Outbox(
        link,
        post,
        limit=limit,
        overflow=lambda: overflows.append("too much"),
        spared=lambda: overflows.append("spared"),
    )
    return outbox, overflows


def test_frames_of_one_turn_leave_in_one_write() -> None:
    turns, link = Turns(), FakeLink()
    post = Post(turns, turns.call_later, turns.seconds)
    outbox, _ = an_outbox(link, post)
    for each in (b"one", b"two", b"three"):
        outbox.put(each)
    assert link.writes == []
    turns.turn()
    assert link.writes == [[b"one", b"two", b"three"]]
    assert (post.frames, post.bytes) == (3, 11)


def test_many_outboxes_are_written_in_slices_of_time() -> None:
    turns = Turns()
    post = Post(turns, turns.call_later, turns.seconds)
    links = [FakeLink() for _ in range(70)]
    for link in links:
        an_outbox(link, post)[0].put(b"x")
    written = []
    while turns.waiting:
        turns.turn()
        written.append(sum(bool(link.writes) for link in links))
    assert written == [*range(8, 65, 8), 70]


def test_whoever_waits_for_a_reply_is_written_before_the_crowd() -> None:
    turns = Turns()
    post = Post(turns, turns.call_later, turns.seconds)
    crowd, player = [FakeLink() for _ in range(200)], FakeLink()
    reply, _ = an_outbox(player, post)
    for link in crowd:
        an_outbox(link, post)[0].offer(b"event")
    turns.turn()
    turns.pass_time()
    turns.turn()
    assert 0 < sum(bool(link.writes) for link in crowd) < 200
    reply.put(b"reply")
    before = sum(bool(link.writes) for link in crowd)
    turns.turn()
    assert player.writes == [[b"reply"]]
    assert sum(bool(link.writes) for link in crowd) - before <= 8
    while turns.waiting:
        turns.turn()
    assert [link.writes for link in crowd] == [[[b"event"]]] * 200


def test_a_crowd_waits_while_somebody_waits_for_the_log() -> None:
    turns, link = Turns(), FakeLink()
    is_writing = True
    post = Post(turns, turns.call_later, turns.seconds, lambda: is_writing)
    player = FakeLink()
    an_outbox(link, post)[0].offer(b"event")
    an_outbox(player, post)[0].put(b"reply")
    turns.turn()
    assert (link.writes, player.writes) == ([], [[b"reply"]])
    turns.pass_time()
    turns.turn()
    assert link.writes == []
    is_writing = False
    turns.pass_time()
    turns.turn()
    assert link.writes == [[b"event"]]


def test_a_crowd_gets_its_turn_however_busy_the_log_is() -> None:
    turns, link = Turns(), FakeLink()
    post = Post(turns, turns.call_later, turns.seconds, lambda: True)
    an_outbox(link, post)[0].offer(b"event")
    waits = 0
    turns.turn()
    while not link.writes:
        turns.pass_time()
        turns.turn()
        waits += 1
    assert 5 < waits < 50


def test_a_few_spectators_are_written_at_once() -> None:
    turns, link = Turns(), FakeLink()
    outbox, _ = an_outbox(link, Post(turns, turns.call_later, turns.seconds))
    outbox.offer(b"x")
    turns.turn()
    assert link.writes == [[b"x"]]


def test_a_crowd_of_spectators_is_written_with_all_that_has_gathered() -> None:
    turns = Turns()
    post = Post(turns, turns.call_later, turns.seconds)
    links = [FakeLink() for _ in range(100)]
    outboxes = [an_outbox(link, post)[0] for link in links]
    for event in (b"one", b"two", b"three"):
        for outbox in outboxes:
            outbox.offer(event)
        turns.turn()
    assert [len(link.writes) for link in links] == [0] * 100
    turns.pass_time()
    while turns.waiting:
        turns.turn()
    assert [link.writes for link in links] == [[[b"one", b"two", b"three"]]] * 100


def test_a_reply_to_a_patient_spectator_leaves_at_once_and_after_what_came_before_it() -> None:
    turns = Turns()
    post = Post(turns, turns.call_later, turns.seconds)
    links = [FakeLink() for _ in range(65)]
    outboxes = [an_outbox(link, post)[0] for link in links]
    for outbox in outboxes:
        outbox.offer(b"event")
    outboxes[-1].put(b"reply")
    turns.turn()
    assert links[-1].writes == [[b"event", b"reply"]]
    turns.pass_time()
    while turns.waiting:
        turns.turn()
    assert [len(link.writes) for link in links] == [1] * 65


def test_a_clogged_outbox_keeps_what_the_limit_allows_and_no_more() -> None:
    turns, link = Turns(), FakeLink()
    outbox, overflows = an_outbox(link, Post(turns, turns.call_later, turns.seconds), limit=10)
    outbox.clog()
    outbox.put(b"x" * 10)
    assert overflows == []
    outbox.put(b"x")
    assert overflows == ["too much"]
    turns.turn()
    assert link.writes == []


def test_what_waited_for_a_peer_is_written_when_it_reads_again() -> None:
    turns, link = Turns(), FakeLink()
    outbox, _ = an_outbox(link, Post(turns, turns.call_later, turns.seconds))
    outbox.put(b"before")
    outbox.clog()
    turns.turn()
    outbox.put(b"meanwhile")
    outbox.drain()
    assert link.writes == [[b"before", b"meanwhile"]]


def test_a_closed_outbox_takes_nothing() -> None:
    turns, link = Turns(), FakeLink()
    outbox, _ = an_outbox(link, Post(turns, turns.call_later, turns.seconds))
    outbox.put(b"one")
    outbox.close()
    outbox.put(b"two")
    turns.turn()
    assert link.writes == []


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (2, b"\x82\x02"),
        (125, b"\x82\x7d"),
        (126, b"\x82\x7e\x00\x7e"),
        (65_536, b"\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
    ],
)
def test_frames_have_the_header_of_their_length(size: int, head: bytes) -> None:
    payload = b"x" * size
    message = messages.Notice(code="", message="")
    assert framed(lambda _: payload, False)(message) == head + payload
    assert framed(lambda _: payload, True)(message)[0] == 0x81


def test_a_bucket_lets_a_burst_through_and_then_the_rate() -> None:
    bucket = Bucket(rate=10, burst=3, now=0)
    assert [bucket.take(0) for _ in range(4)] == [True, True, True, False]
    assert bucket.debt == 1
    assert bucket.wait_ms > 100
    assert not bucket.take(100)
    assert bucket.take(500)


def test_a_bucket_never_holds_more_than_its_burst() -> None:
    bucket = Bucket(rate=10, burst=2, now=0)
    assert [bucket.take(10**9) for _ in range(3)] == [True, True, False]
