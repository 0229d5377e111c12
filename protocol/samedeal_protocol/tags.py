"""Names on the wire: the protocol's number, its subprotocols, and how a message is tagged."""

from __future__ import annotations

from typing import Final

__all__ = ["PROTOCOL", "SUBPROTOCOL_JSON", "SUBPROTOCOL_MSGPACK", "tag"]

PROTOCOL: Final = 1
SUBPROTOCOL_MSGPACK: Final = "samedeal.v1.msgpack"
SUBPROTOCOL_JSON: Final = "samedeal.v1.json"


def tag(name: str) -> str:
    """Returns the tag of a message's class: `GiveUp` travels as `give-up`."""
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
