"""The world as a spectator: what is told of a race on the bus's `watch` topic.

It sees what a stranger sees who watches, as late as the terms say, by the same way as they do: an
onlooker is a viewer whose peer is the bus.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from samedeal_protocol import topics
from samedeal_protocol.codec import MSGPACK
from samedeal_protocol.errors import CloseCode
from samedeal_protocol.messages import ServerMessage
from samedeal_server.ports import Bus
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import Viewer, Who

__all__ = ["STRANGER", "Onlooker"]

STRANGER: Final = Who("", "", bot=False)


class _Numbered(Struct):
    """What every event says, whatever else it does."""

    seq: int


_numbered: Final = msgspec.msgpack.Decoder(_Numbered)


def _encoded(message: ServerMessage) -> bytes:
    return MSGPACK.encode.encode(message)


class Onlooker:
    """A peer that keeps what it is told until it is published."""

    legal = False
    berth = None
    is_open = True

    def __init__(self, room: Room, bus: Bus, *, node: str) -> None:
        self.wire = _encoded
        self.room = room
        self.viewer = Viewer(self, STRANGER)
        self.viewer.is_afar = True
        self._bus = bus
        self._node = node
        self._frames: list[bytes] = []

    def send(self, frame: bytes) -> None:
        self._frames.append(frame)

    def offer(self, frame: bytes) -> bool:
        self._frames.append(frame)
        return True

    def say(self, message: ServerMessage) -> None:
        self.send(self.wire(message))

    def close(self, code: CloseCode) -> None:
        """Is never closed: it leaves by itself."""

    def flush(self) -> None:
        """Publishes what it was told since the last time."""
        frames, self._frames = self._frames, []
        if not frames:
            return
        race = self.room.id
        watch = topics.Watch(
            race=race,
            node=self._node,
            epoch=self.room.epoch,
            seq=_numbered.decode(frames[-1]).seq,
            frames=tuple(frames),
        )
        self._bus.publish(topics.WATCH.at(race=race), topics.WATCH.encode(watch))
