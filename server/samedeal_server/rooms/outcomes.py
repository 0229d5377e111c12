"""What a node asks of another for one of its players, and what came of it.

These are the bodies of the commands and replies that `links` carries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec
from msgspec import Struct

from samedeal_protocol.bases import whole
from samedeal_protocol.errors import ErrorCode

__all__ = ["Answer", "Carried", "Elsewhere", "Order", "Outcome", "Rejected", "is_settled"]


class Order(Struct, frozen=True):
    """What a node asks of a race's owner for one of its players."""

    at: int
    """When the player asked, in ms by the cluster's clock."""
    seat: int
    """Which of a node's places in races is meant; 0 for none."""
    incarnation: str = ""
    """Whose place that is, where it is one of the asked node's: numbers begin anew with each."""
    command: msgspec.Raw = msgspec.Raw(b"\xc0")
    """A command of `racing.commands`; the order's kind says which."""


class Carried(Struct, frozen=True, tag="done"):
    """It was carried out; the race is at `seq` now."""

    seq: int


_CodeName = Annotated[str, whole("|".join(ErrorCode.__members__))]


class Rejected(Struct, frozen=True, tag="refused"):
    """It was refused, as `racing` refuses, or because nothing can be carried out now."""

    name: _CodeName
    sentence: str
    reason: str | None = None

    @property
    def code(self) -> ErrorCode:
        return ErrorCode[self.name]


class Elsewhere(Struct, frozen=True, tag="elsewhere"):
    """The race is not the asked node's."""


Outcome = Carried | Rejected | Elsewhere
Answer = Callable[[Outcome], None]


def is_settled(outcome: Outcome) -> bool:
    """Says whether an order that comes again gets the same answer."""
    if isinstance(outcome, Rejected):
        return outcome.code is not ErrorCode.STORE_UNAVAILABLE
    return isinstance(outcome, Carried)
