"""What the command reads from its surroundings: where the server is, who plays, colours.

A flag wins over an environment variable, and that over the default. Nothing here opens a file.

    SAMEDEAL_SERVER   the server, as ws://HOST:PORT or HOST:PORT
    SAMEDEAL_NAME     the name to play under
    SAMEDEAL_HOME     where the tokens of one's players are kept
    NO_COLOR          any value: no colours
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shlex import join
from typing import Final

from samedeal_client.client import DEFAULT_URL

__all__ = ["Settings", "as_run", "program_of"]

_COMMAND: Final = re.compile(r"(?<![\w./-])samedeal(|-server)(?= +[a-z-])")


@dataclass(frozen=True, slots=True)
class Settings:
    """One run's settings."""

    server: str = DEFAULT_URL
    name: str | None = None
    home: Path = Path(".samedeal")
    has_colour: bool = False
    program: str = "samedeal"
    """How this program can be run again."""
    own_flags: tuple[str, ...] = ()
    """The flags that make the next command go to the same server, as the same player."""

    def command(self, *words: str) -> str:
        """Returns a command line for this player to type; it does what it says as it stands."""
        return f"{self.program} {join((*words, *self.own_flags))}"

    def command_for_others(self, *words: str) -> str:
        """Returns a command line for other players: the server is named, unless it is the usual."""
        server = () if self.server == DEFAULT_URL else ("--server", self.server)
        return f"{self.program} {join((*words, *server))}"

    @staticmethod
    def of(
        environment: Mapping[str, str],
        *,
        server: str | None = None,
        name: str | None = None,
        is_terminal: bool = False,
        program: str = "",
    ) -> Settings:
        """Settles the flags `server` and `name` with the environment.

        Colours are for terminals that want them: NO_COLOR and TERM=dumb are respected. `program`
        is the path by which the command was run.
        """
        flags = (("--server", server), ("--name", name))
        dull = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
        return Settings(
            server=server or environment.get("SAMEDEAL_SERVER") or DEFAULT_URL,
            name=name or environment.get("SAMEDEAL_NAME") or None,
            home=_home(environment),
            has_colour=is_terminal and not dull,
            program=program_of(program),
            own_flags=tuple(word for flag, value in flags if value for word in (flag, value)),
        )


@cache
def program_of(path: str) -> str:
    """Returns what to type for the program that was run by that path: its name if the shell finds
    it so, else the path."""
    name = "samedeal"
    if Path(path).name != name:
        return name
    found = shutil.which(name)
    return name if found is not None and Path(found).absolute() == Path(path).absolute() else path


def as_run(text: str, path: str) -> str:
    """The text with its commands, `samedeal ...` and `samedeal-server ...`, as they are to be typed
    by whoever ran the program by that path."""
    program = program_of(path)
    return _COMMAND.sub(lambda found: f"{program}{found[1]}", text)


def _home(environment: Mapping[str, str]) -> Path:
    if own := environment.get("SAMEDEAL_HOME"):
        return Path(own)
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        if base := environment.get(name):
            return Path(base) / "samedeal"
    return Path(environment.get("HOME") or ".") / ".config" / "samedeal"
