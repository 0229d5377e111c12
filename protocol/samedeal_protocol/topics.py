"""The bus's topics under `samedeal/v1/`, and what each of them carries.

The bus may lose, repeat and delay anything; the log alone is the truth. So every message about a
race carries the owner's `epoch` and the race's `seq`: an older epoch or seq is dropped, and whoever
misses something asks the owner. Payloads are MessagePack; what is retained is JSON for anybody.

Nothing on the bus tells more than a stranger may know who watches the race.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from samedeal_protocol.messages import Standing

__all__ = [
    "ROOT",
    "NodeStatus",
    "Owner",
    "Progress",
    "ProgressLine",
    "Standings",
    "node_status",
    "race_owner",
    "race_progress",
    "race_standings",
    "to_json",
    "to_msgpack",
]

ROOT: Final = "samedeal/v1"


def race_owner(race: str) -> str:
    """Retained JSON `Owner`: which node holds the race; emptied when it is over."""
    return f"{ROOT}/races/{race}/owner"


def race_progress(race: str) -> str:
    """`Progress`, coalesced: at most ten a second, when it is durable."""
    return f"{ROOT}/races/{race}/progress"


def race_standings(race: str) -> str:
    """Retained JSON `Standings`, at most one a second; emptied some time after the end."""
    return f"{ROOT}/races/{race}/standings"


def node_status(node: str) -> str:
    """Retained JSON `NodeStatus`; a broker's last will says that the node is gone."""
    return f"{ROOT}/nodes/{node}/status"


class Payload(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a topic carries."""


class Owner(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """The node that holds a race, fenced by `epoch`."""

    race: str
    node: str
    epoch: int


class ProgressLine(Payload, frozen=True, kw_only=True, array_like=True):
    """How one entrant's board goes."""

    entrant: int
    state: str
    home: int
    moves: int


class Progress(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """How all boards go at `seq`; replaces what came before."""

    race: str
    epoch: int
    seq: int
    at: int
    phase: str
    entrants: tuple[ProgressLine, ...]


class Standings(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """How a race stands, or ended."""

    race: str
    epoch: int
    seq: int
    phase: str
    standings: tuple[Standing, ...]


class NodeStatus(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """How a node is: up, draining or down."""

    node: str
    status: str
    at: int
    races: int = 0


_json: Final = msgspec.json.Encoder()
_msgpack: Final = msgspec.msgpack.Encoder()


def to_json(payload: Payload) -> bytes:
    """Returns a payload for a retained topic."""
    return _json.encode(payload)


def to_msgpack(payload: Payload) -> bytes:
    """Returns a payload for a passing topic."""
    return _msgpack.encode(payload)
