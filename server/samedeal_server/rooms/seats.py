"""Places that entrants of this node's races have on other nodes.

Here such a place is a viewer who is told nothing: the other node folds the race and tells its
player itself. It is told only that a newer connection of the player, over whichever node, has
taken the place.
"""

from __future__ import annotations

from collections.abc import Callable

from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import ServerMessage
from samedeal_server.ports import Clock
from samedeal_server.rooms.home import Home
from samedeal_server.rooms.viewers import Viewer, Who

__all__ = ["Seats"]

NodeLife = tuple[str, str]
"""A node's name, and its incarnation."""
Replaced = Callable[[NodeLife, int, str], None]
"""Tells a node that its place of that number in a race was taken by a newer connection."""


class Seats:
    """All such places, by their nodes and the numbers that these gave them."""

    def __init__(self, home: Home, clock: Clock, *, replaced: Replaced) -> None:
        self._home = home
        self._clock = clock
        self._replaced = replaced
        self._peers: dict[tuple[NodeLife, int], _Afar] = {}

    def viewer(self, node: NodeLife, seat: int, race: str, player: str) -> Viewer:
        """Returns a place, one and the same each time."""
        key = node, seat
        peer = self._peers.get(key)
        if peer is None:

            def replaced() -> None:
                self._peers.pop(key, None)
                self._replaced(node, seat, race)

            peer = self._peers[key] = _Afar(key, player, replaced)
        return peer.viewer

    def given_up(self, node: NodeLife, seat: int) -> None:
        """Forgets a place whose connection has ended."""
        self._peers.pop((node, seat), None)

    def keep(self, alive: set[NodeLife]) -> None:
        """Has entrants be away whose nodes are not among those that live; tidies up."""
        now = self._clock.now()
        held: set[Viewer] = set()
        for room in list(self._home.rooms.values()):
            for seat in room.seats_afar() if room.is_owned else ():
                if isinstance(seat.peer, _Afar) and seat.peer.place[0] not in alive:
                    room.gone(seat, now)
                elif room.race.is_final:
                    room.leave(seat)
                else:
                    held.add(seat)
        self._peers = {key: peer for key, peer in self._peers.items() if peer.viewer in held}


class _Afar:
    """The peer of such a place; whichever object stands for it, it is the same place."""

    legal = False
    berth = None

    def __init__(
        self, place: tuple[NodeLife, int], player: str, replaced: Callable[[], None]
    ) -> None:
        self.place = place
        self.is_open = True
        self.viewer = Viewer(self, Who(player, "", bot=False))
        self.viewer.is_afar = True
        self._replaced = replaced

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Afar) and other.place == self.place

    def __hash__(self) -> int:
        return hash(self.place)

    def wire(self, message: ServerMessage) -> bytes:
        raise AssertionError("nothing is told to other nodes but by the log's lines")

    def send(self, frame: bytes) -> None:
        """Sends nothing."""

    def offer(self, frame: bytes) -> bool:
        return True

    def say(self, message: ServerMessage) -> None:
        """Says nothing."""

    def close(self, code: CloseCode) -> None:
        if self.is_open and code is CloseCode.REPLACED:
            self._replaced()
        self.is_open = False
