"""Checking the log of a tournament that is over, with nothing but the log.

What pairings, results and standings follow from a log only the server's rules of tournaments know:
its `check` is run as a process of its own. Nothing is asked over the network.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Final

import msgspec

from samedeal_client.errors import ClientError
from samedeal_protocol.bases import UNREADABLE

__all__ = ["Audit", "audit", "is_tournament"]

_CHECK: Final = ("-P", "-m", "samedeal_server", "check", "--tournament", "-")
"""With -P: whoever sent the log may have sent a `samedeal_server.py` into the folder as well."""


class _First(msgspec.Struct):
    event: str
    tournament: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What a log proves: whether all of it holds, and what was found, in lines."""

    passed: bool
    found: tuple[str, ...]


def is_tournament(log: bytes) -> bool:
    """Returns whether this is the log of a tournament: an event a line, or a JSON list of them."""
    text = log.lstrip()
    try:
        if text.startswith(b"["):
            text = next(iter(msgspec.json.decode(text, type=list[msgspec.Raw])), b"")
        first = msgspec.json.decode(bytes(text).partition(b"\n")[0], type=_First)
    except UNREADABLE:
        return False
    return first.event == "announced"


def audit(log: bytes, *, head: str | None = None) -> Audit:
    """Audits a log. `head` is the end of its hash chain as it was published with the standings.

    Raises `ClientError` where no server is installed that could.
    """
    published = () if head is None else (f"--head={head}",)
    ran = subprocess.run([sys.executable, *_CHECK, *published], input=log, capture_output=True)
    if ran.returncode not in (0, 1):
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ClientError(f"the log cannot be checked: {said[-1] if said else 'nothing was said'}")
    found = ran.stdout.decode("utf-8", "replace").splitlines()
    return Audit(ran.returncode == 0, tuple(found))
