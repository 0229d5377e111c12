"""A race's address in a browser."""

from __future__ import annotations

__all__ = ["race_link"]


def race_link(server: str, race: str) -> str:
    """Returns the race's page on its server: `ws://HOST:PORT` becomes `http://HOST:PORT/r/RACE`."""
    scheme, _, address = server.partition("://")
    secure = "s" if scheme in ("wss", "https") else ""
    return f"http{secure}://{address.rstrip('/')}/r/{race}"
