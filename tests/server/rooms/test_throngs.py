"""Many spectators are told together: everybody everything once and in order, come what may."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import ServerMessage
from samedeal_server.gateway.outbox import Outbox, Post
from samedeal_server.rooms.throng import Throng
from samedeal_server.rooms.viewers import Viewer, Who


class Loop:
    """Turns of an event loop, taken one by one; every look at its clock takes half a slice."""

    def __init__(self) -> None:
        self.soon: list[Callable[[], None]] = []
        self.later: list[Callable[[], None]] = []
        self.looks = 0

    def call_soon(self, callback: Callable[[], None]) -> None:
        self.soon.append(callback)

    def call_later(self, _: float, callback: Callable[[], None]) -> None:
        self.later.append(callback)

    def seconds(self) -> float:
        self.looks += 1
        return self.looks * 0.0003

    def turn(self) -> None:
        soon, self.soon = self.soon, []
        for callback in soon:
            callback()

    def pass_time(self) -> None:
        later, self.later = self.later, []
        for callback in later:
            callback()

    def rest(self) -> None:
        while self.soon or self.later:
            self.turn()
            self.pass_time()


class Peer:
    """A connection as the gateway has them, whose link writes down what it is given."""

    address = subprotocol = ""
    legal = False
    is_open = True

    def __init__(self, post: Post) -> None:
        self.outbox = Outbox(self, post, limit=10**9, overflow=lambda: None, spared=lambda: None)
        self.got: list[int] = []
        self.writes = 0
        self.send = self.outbox.put
        self.offer = self.outbox.offer
        self.offer_all = self.outbox.offer_all
        self.put_off = post.put_off
        self.draws_from = self.outbox.draws_from
        self.draws_no_more_from = self.outbox.draws_no_more_from

    @property
    def berth(self) -> Peer:
        return self

    def write(self, frames: Sequence[bytes]) -> int:
        self.writes += 1
        self.got += [int(part) for part in b"".join(frames).split()]
        return 0

    def wire(self, message: ServerMessage) -> bytes:
        raise AssertionError(message)

    def say(self, message: ServerMessage) -> None: ...

    def close(self, code: CloseCode) -> None: ...

    def abort(self) -> None: ...


def frame(number: int) -> bytes:
    return b"%d " % number


class House:
    """One race's spectators, told of events 1, 2, 3, ...; a snapshot is minus the last of them."""

    def __init__(self, size: int) -> None:
        self.loop = Loop()
        self.post = Post(self.loop.call_soon, self.loop.call_later, self.loop.seconds)
        self.last = 0
        self.viewers: list[Viewer] = []
        self.everybody: list[Viewer] = []
        self.throng: Throng | None = None
        for _ in range(size):
            self.come()

    def come(self) -> Viewer:
        viewer = Viewer(Peer(self.post), Who("p", "P", bot=False))
        self.change([*self.viewers, viewer])
        self.everybody.append(viewer)
        viewer.peer.send(frame(-self.last))
        return viewer

    def go(self, viewer: Viewer) -> None:
        viewer.detach()
        self.change([each for each in self.viewers if each is not viewer])

    def change(self, viewers: list[Viewer]) -> None:
        self.viewers = viewers
        if self.throng is not None:
            self.throng.retire()
            self.throng = None

    def tell(self) -> None:
        self.last += 1
        if self.throng is None:
            self.throng = Throng(self.viewers, self.post.put_off)
        self.throng.tell(frame(self.last))


def peer_of(viewer: Viewer) -> Peer:
    return cast(Peer, viewer.peer)


def look(viewer: Viewer, *, last: int | None) -> None:
    """Every number follows the one before, but behind a snapshot, which says where one is."""
    known: int | None = None
    for number in peer_of(viewer).got:
        if number <= 0:
            assert known is None or -number >= known, peer_of(viewer).got
            known = -number
        else:
            assert known is not None
            assert number == known + 1, peer_of(viewer).got
            known = number
    if last is not None:
        assert known == last


ACTS = ("tell", "tell", "tell", "turn", "time", "reply", "clog", "drain", "come", "go", "hold")


@given(st.integers(0, 10**9), st.lists(st.sampled_from(ACTS), max_size=60))
def test_everybody_is_told_everything_once_and_in_order(seed: int, acts: list[str]) -> None:
    chance = random.Random(seed)
    house = House(70)
    held: list[Viewer] = []
    for act in acts:
        viewer = chance.choice(house.viewers)
        outbox = peer_of(viewer).outbox
        match act:
            case "tell":
                house.tell()
            case "turn":
                house.loop.turn()
            case "time":
                house.loop.pass_time()
            case "reply" if viewer not in held and not viewer.is_stale:
                # A reply that says where things stand, as far as they have been told.
                viewer.peer.send(frame(-house.last))
            case "clog":
                outbox.clog()
            case "drain":
                drain(house, viewer)
            case "come":
                house.come()
            case "go":
                house.go(viewer)
            case "hold":
                newcomer = house.come()
                newcomer.hold()
                held.append(newcomer)
            case _:
                pass
    for viewer in held:
        viewer.let_go()
    for viewer in house.viewers:
        drain(house, viewer)
    house.loop.rest()
    for viewer in house.viewers:
        drain(house, viewer)
    house.loop.rest()
    for viewer in house.everybody:
        look(viewer, last=house.last if viewer in house.viewers else None)


def drain(house: House, viewer: Viewer) -> None:
    """The peer reads again, and is told where things stand if it has missed something."""
    peer_of(viewer).outbox.drain()
    viewer.catch_up(frame(-house.last))


def test_what_gathers_for_many_leaves_in_one_write_each() -> None:
    house = House(100)
    house.loop.rest()
    before = [peer_of(viewer).writes for viewer in house.viewers]
    for _ in range(10):
        house.tell()
        house.loop.turn()
    assert [peer_of(viewer).writes for viewer in house.viewers] == before
    house.loop.rest()
    assert [peer_of(viewer).writes for viewer in house.viewers] == [each + 1 for each in before]
    for viewer in house.viewers:
        look(viewer, last=10)


def test_many_are_given_it_in_slices_of_time() -> None:
    house = House(200)
    house.loop.rest()
    house.tell()
    midway(house)
    given = [bool(peer_of(viewer).got[-1:] == [1]) for viewer in house.viewers]
    assert 0 < sum(given) < len(given)
    house.loop.rest()
    for viewer in house.viewers:
        look(viewer, last=1)


@pytest.mark.parametrize("when", ["before", "within"])
def test_whoever_leaves_has_been_told_what_was_said_before(when: str) -> None:
    house = House(100)
    house.loop.rest()
    house.tell()
    if when == "within":
        midway(house)
    leaving = [house.viewers[0], house.viewers[-1]]
    for viewer in leaving:
        house.go(viewer)
    house.tell()
    house.loop.rest()
    for viewer in leaving:
        look(viewer, last=1)
    for viewer in house.viewers:
        look(viewer, last=2)


def midway(house: House) -> None:
    """Goes on until some have been given what gathered, and others not."""
    house.loop.turn()
    house.loop.pass_time()
    house.loop.turn()


def test_what_is_told_while_others_are_still_given_the_last_leaves_next_time() -> None:
    house = House(200)
    house.loop.rest()
    house.tell()
    midway(house)
    house.tell()
    house.loop.rest()
    for viewer in house.viewers:
        look(viewer, last=2)


def test_what_was_kept_back_comes_before_what_has_gathered_since() -> None:
    house = House(100)
    newcomer = house.come()
    newcomer.hold()
    house.tell()
    house.loop.rest()
    house.tell()
    newcomer.let_go()
    house.loop.rest()
    for viewer in house.viewers:
        look(viewer, last=2)
