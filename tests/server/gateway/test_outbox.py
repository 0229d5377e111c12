"""Frames leave together, once a turn, and never without bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from samedeal_protocol.errors import CloseCode
from samedeal_server.bucket import Bucket
from samedeal_server.gateway.outbox import Outbox, Post
from samedeal_server.gateway.transport_fast import frame


class FakeLink:
    address = "here"
    subprotocol = ""

    def __init__(self) -> None:
        self.writes: list[list[bytes]] = []

    def write(self, frames: Sequence[bytes]) -> None:
        self.writes.append(list(frames))

    def close(self, code: CloseCode) -> None: ...

    def abort(self) -> None: ...


class Turns:
    """An event loop's `call_soon`, turn by turn."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def __call__(self, callback: Callable[[], None]) -> None:
        self.waiting.append(callback)

    def turn(self) -> None:
        waiting, self.waiting = self.waiting, []
        for callback in waiting:
            callback()


def test_frames_of_one_turn_leave_in_one_write() -> None:
    turns, link = Turns(), FakeLink()
    outbox = Outbox(link, Post(turns), limit=100)
    for each in (b"one", b"two", b"three"):
        assert outbox.put(each)
    assert link.writes == []
    turns.turn()
    assert link.writes == [[b"one", b"two", b"three"]]


def test_many_outboxes_are_written_in_slices() -> None:
    turns = Turns()
    post = Post(turns)
    links = [FakeLink() for _ in range(450)]
    for link in links:
        Outbox(link, post, limit=100).put(b"x")
    written = []
    while turns.waiting:
        turns.turn()
        written.append(sum(bool(link.writes) for link in links))
    assert written == [200, 400, 450]


def test_a_clogged_outbox_keeps_what_the_limit_allows_and_no_more() -> None:
    turns, link = Turns(), FakeLink()
    outbox = Outbox(link, Post(turns), limit=10)
    outbox.is_clogged = True
    assert outbox.put(b"x" * 10)
    assert not outbox.put(b"x")
    turns.turn()
    assert link.writes == []
    outbox.is_clogged = False
    outbox.write()
    assert link.writes == [[b"x" * 10, b"x"]]


def test_frames_have_the_header_of_their_length() -> None:
    assert frame(b"ab", False) == b"\x82\x02ab"
    assert frame(b"ab", True)[:2] == b"\x81\x02"
    assert frame(b"x" * 126, False)[:4] == b"\x82\x7e\x00\x7e"
    assert frame(b"x" * 65_536, False)[:10] == b"\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"


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
