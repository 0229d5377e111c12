"""What the server needs of the world outside, each behind one small interface.

An adapter alone imports its library. Every adapter of a port passes the port's contract suite.

world   clock, seeds, meter
log     the durable store
nodes   leases and bus
house   the server's own bots
hooks   what hosts want to be posted
"""

from __future__ import annotations

from samedeal_server.ports.hooks import Fate, Health, Hook, Hooks
from samedeal_server.ports.house import Booking, HouseBots
from samedeal_server.ports.log import (
    Ended,
    Entry,
    Log,
    LogConflict,
    LogUnavailable,
    NameTaken,
    Player,
    RaceRow,
    Ruling,
)
from samedeal_server.ports.nodes import Bus, Claim, Leases, NodeRow, Superseded
from samedeal_server.ports.world import Clock, Meter, Seeds

__all__ = [
    "Booking",
    "Bus",
    "Claim",
    "Clock",
    "Ended",
    "Entry",
    "Fate",
    "Health",
    "Hook",
    "Hooks",
    "HouseBots",
    "Leases",
    "Log",
    "LogConflict",
    "LogUnavailable",
    "Meter",
    "NameTaken",
    "NodeRow",
    "Player",
    "RaceRow",
    "Ruling",
    "Seeds",
    "Superseded",
]
