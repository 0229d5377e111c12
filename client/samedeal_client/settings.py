"""What the command reads from its surroundings: where the server is, who plays, colours.

A flag wins over an environment variable, and that over the default. Nothing here opens a file.

    SAMEDEAL_SERVER   the server, as ws://HOST:PORT or HOST:PORT
    SAMEDEAL_NAME     the name to play under
    SAMEDEAL_HOME     where the tokens of one's players are kept
    NO_COLOR          any value: no colours
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from samedeal_client.client import DEFAULT_URL

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """One run's settings."""

    server: str = DEFAULT_URL
    name: str | None = None
    home: Path = Path(".samedeal")
    has_colour: bool = False

    @staticmethod
    def of(
        environment: Mapping[str, str],
        *,
        server: str | None = None,
        name: str | None = None,
        is_terminal: bool = False,
    ) -> Settings:
        """Settles the flags `server` and `name` with the environment.

        Colours are for terminals that want them: NO_COLOR and TERM=dumb are respected.
        """
        dull = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
        return Settings(
            server=server or environment.get("SAMEDEAL_SERVER") or DEFAULT_URL,
            name=name or environment.get("SAMEDEAL_NAME") or None,
            home=_home(environment),
            has_colour=is_terminal and not dull,
        )


def _home(environment: Mapping[str, str]) -> Path:
    if own := environment.get("SAMEDEAL_HOME"):
        return Path(own)
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        if base := environment.get(name):
            return Path(base) / "samedeal"
    return Path(environment.get("HOME") or ".") / ".config" / "samedeal"
