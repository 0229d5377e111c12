"""The addresses of races and tournaments in a browser."""

from __future__ import annotations

__all__ = ["cup_link", "race_link"]


def race_link(server: str, race: str) -> str:
    """Returns the race's page on its server: `ws://HOST:PORT` becomes `http://HOST:PORT/r/RACE`."""
    return f"{_site(server)}/r/{race}"


def cup_link(server: str, tournament: str) -> str:
    """Returns the tournament's page on its server."""
    return f"{_site(server)}/t/{tournament}"


def _site(server: str) -> str:
    scheme, _, address = server.partition("://")
    secure = "s" if scheme in ("wss", "https") else ""
    return f"http{secure}://{address.rstrip('/')}"
