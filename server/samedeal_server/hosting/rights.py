"""Who may do what: a table, and what is said to others.

A host may do what a co-host may, and a co-host what a referee may. Who plays, plays; staff may play
as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.requests import Act
from samedeal_server.racing.race import Refused

from .state import State

__all__ = ["RIGHTS", "Right", "must", "right_of"]


class Right(IntEnum):
    """What somebody is to a tournament; more may do all that less may."""

    NONE = 0
    REFEREE = 1
    CO_HOST = 2
    HOST = 3


RIGHTS: Final[Mapping[type[Act], Right]] = {
    requests.Register: Right.NONE,
    requests.CheckIn: Right.NONE,
    requests.Withdraw: Right.NONE,  # somebody else: REFEREE, see `decide`
    requests.SitOut: Right.NONE,
    requests.ComeBack: Right.NONE,
    requests.PickGame: Right.NONE,
    requests.Halt: Right.REFEREE,
    requests.Continue: Right.REFEREE,
    requests.Extend: Right.REFEREE,
    requests.VoidRace: Right.REFEREE,
    requests.Override: Right.REFEREE,
    requests.Disqualify: Right.REFEREE,
    requests.Invite: Right.CO_HOST,
    requests.OpenCheckIn: Right.CO_HOST,
    requests.StartTournament: Right.CO_HOST,
    requests.StartRound: Right.CO_HOST,
    requests.RingBell: Right.CO_HOST,
    requests.LetIn: Right.CO_HOST,
    requests.Reinstate: Right.CO_HOST,
    requests.Appoint: Right.HOST,
    requests.CallOff: Right.HOST,
    requests.AddHook: Right.HOST,
    requests.RemoveHook: Right.HOST,
}

_ROLES: Final = {"referee": Right.REFEREE, "co-host": Right.CO_HOST, "host": Right.HOST}
_SAID: Final = {
    Right.REFEREE: "only its host, co-hosts and referees may do this",
    Right.CO_HOST: "only its host and co-hosts may do this",
    Right.HOST: "only its host may do this",
}


def right_of(state: State, id: str) -> Right:
    """Returns what the player of that id may do."""
    staff = state.staff.get(id)
    return Right.NONE if staff is None else _ROLES[staff.role]


def must(state: State, id: str, needed: Right) -> None:
    """Raises `Refused` unless the player may do so much."""
    if right_of(state, id) < needed:
        raise Refused(ErrorCode.NOT_STAFF, f"{_SAID[needed]}: ask {state.announced.host_name}")
