"""The tokens of one's own players, kept so that a guest stays the same guest.

One small file a server and name, readable by its owner only: two terminals that play under two
names never write to the same file. A player without a name is kept as `default`.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from urllib.parse import quote

__all__ = ["Tokens"]

_LONGEST_FILE_NAME = 200


class Tokens:
    """The folder of tokens, for one server."""

    def __init__(self, home: Path, server: str) -> None:
        address = server.rstrip("/").partition("://")[2] or server.rstrip("/")
        self._folder = home / "players" / _file_name(address)

    def of(self, name: str | None) -> str | None:
        """Returns the token kept for that name, if any."""
        try:
            return self._file(name).read_text("utf-8").strip() or None
        except (OSError, UnicodeDecodeError):
            return None

    def keep(self, name: str | None, token: str) -> None:
        """Keeps the token. A folder that cannot be written is no reason not to play."""
        file = self._file(name)
        draft = file.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(
                os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w"
            ) as out:
                out.write(f"{token}\n")
            draft.replace(file)

    def forget(self, name: str | None) -> None:
        """Forgets a token that the server does not know."""
        with contextlib.suppress(OSError):
            self._file(name).unlink(missing_ok=True)

    def _file(self, name: str | None) -> Path:
        return self._folder / (f"@{_file_name(name)}.token" if name else "default.token")


def _file_name(text: str) -> str:
    return quote(text, safe="")[:_LONGEST_FILE_NAME]
