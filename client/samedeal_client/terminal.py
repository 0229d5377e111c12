"""The plain terminal: lines out, lines in, and nothing cleverer.

Every line that is said is flushed at once. Lines are read by one thread that ends with the program,
because a terminal cannot be waited for in any other portable way; it reads ahead by a bounded
number of lines and then waits.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable
from typing import Final, TextIO

from samedeal_client.engine_pipe import LineCutter

__all__ = ["CannotWrite", "Lines", "Terminal", "standard_input"]

_MOMENT_S: Final = 1.0
_READ_AHEAD: Final = 500
_TO_COPY: Final = "    "
_COMMAND: Final = re.compile(r"`[^`]+`")
_TIED: Final = "\0"
"""Stands for a space at which no line is broken; a line that is shown has none of it."""
_COLOUR: Final = re.compile(r"(\x1b\[(?:0|1|2|31)m)")


class CannotWrite(Exception):
    """What is said goes nowhere, such as to a full disk."""


class Terminal:
    """Where lines are said. `is_live`: a person looks at a screen, and it can be redrawn."""

    def __init__(self, out: TextIO, *, is_live: bool = False, has_colour: bool = False) -> None:
        self._out = out
        self.is_live = is_live
        self.has_colour = has_colour

    @staticmethod
    def standard(*, has_colour: bool) -> Terminal:
        """Returns the terminal of standard output, which may well be a pipe."""
        is_live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        return Terminal(sys.stdout, is_live=is_live, has_colour=has_colour)

    @property
    def width(self) -> int:
        """How many columns a line may have now."""
        return shutil.get_terminal_size().columns if self.is_live else 80

    @property
    def height(self) -> int:
        """How many lines a board may have; a pipe takes any."""
        return shutil.get_terminal_size().lines - 3 if self.is_live else 1000

    @property
    def has_blocks(self) -> bool:
        """Whether the output's encoding can show more than ASCII."""
        return (self._out.encoding or "").lower().replace("-", "") == "utf8"

    def say(self, line: str = "") -> None:
        """Writes one line."""
        self.say_all((line,))

    def say_all(self, lines: Iterable[str]) -> None:
        """Writes lines, then flushes. Control characters are left out, whoever sent them; what the
        encoding cannot show becomes `?`. A screen breaks long lines between words; but what is to
        be copied stays whole: what is indented by four columns, and what stands in backticks."""
        visible = [self.visible(line) for line in lines]
        if self.is_live:
            visible = [part for line in visible for part in _broken(line, self.width)]
        self.write("".join(f"{line}\n" for line in visible))

    def say_command(self, sentence: str, command: str) -> None:
        """Writes a command to copy behind the sentence, or below it where a screen lacks room."""
        line = f"{sentence} {command}"
        fits = not self.is_live or len(line) <= self.width
        self.say_all((line,) if fits else (sentence, f"{_TO_COPY}{command}"))

    def wrapped(self, text: str) -> list[str]:
        """Returns the text's lines, long ones broken for a screen and left whole for a pipe."""
        if not self.is_live:
            return text.splitlines()
        width = min(self.width, 100)
        return [part for line in text.splitlines() for part in _broken(line, width)]

    def write(self, text: str) -> None:
        """Writes text as it is.

        Raises:
            BrokenPipeError: nobody reads any more.
            CannotWrite: it cannot be written for another reason.
        """
        try:
            try:
                self._out.write(text)
            except UnicodeEncodeError:
                encoding = self._out.encoding or "ascii"
                self._out.write(text.encode(encoding, "replace").decode(encoding))
            self._out.flush()
        except BrokenPipeError:
            raise
        except OSError as fault:
            raise CannotWrite(f"the output cannot be written: {fault.strerror}") from fault

    def visible(self, line: str) -> str:
        """Returns the line without control characters; our own colours stay where wanted."""
        if line.isprintable():
            return line
        kept = _COLOUR.split(line) if self.has_colour else [line]
        return "".join(
            part if at % 2 else "".join(c for c in part if c.isprintable())
            for at, part in enumerate(kept)
        )


def _broken(line: str, width: int) -> list[str]:
    if len(line) <= width or line.startswith(_TO_COPY) or "\x1b" in line:
        return [line]
    indent = " " * min(len(line) - len(line.lstrip()) + 2, width // 2)
    whole = _COMMAND.sub(lambda found: found[0].replace(" ", _TIED), line)
    parts = textwrap.wrap(
        whole, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
    return [part.replace(_TIED, " ") for part in parts]


def standard_input() -> Callable[[], bytes]:
    """Returns a reader of standard input that waits for some bytes, and returns none at the end."""
    if sys.stdin is None:
        return bytes
    descriptor = os.dup(sys.stdin.fileno())  # ours, whoever closes the other
    return lambda: os.read(descriptor, 1 << 16)


class Lines:
    """Typed lines as they come. Made inside a running loop."""

    def __init__(self, read: Callable[[], bytes] | None = None) -> None:
        self._read = read or standard_input()
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._room = threading.Semaphore(_READ_AHEAD)
        self._back: list[str] = []
        threading.Thread(target=self._listen, name="typed lines", daemon=True).start()

    async def next(self) -> str | None:
        """Waits for a line; None at the end of the input, and ever after."""
        if self._back:
            return self._back.pop()
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
        else:
            self._room.release()
        return line

    async def has_ended(self) -> bool:
        """Whether the input ends before anything was typed, as that of /dev/null does.

        Who may still type is waited for no longer than a moment.
        """
        try:
            async with asyncio.timeout(_MOMENT_S):
                line = await self.next()
        except TimeoutError:
            return False
        if line is not None:
            self.put_back(line)
        return line is None

    def put_back(self, line: str) -> None:
        """Makes a line the next one again."""
        self._back.append(line)

    def _listen(self) -> None:
        cutter = LineCutter()
        try:
            while chunk := self._read():
                for line in cutter.feed(chunk):
                    self._pass_on(line)
            for line in cutter.end():
                self._pass_on(line)
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)
        except (OSError, RuntimeError):
            return  # the program is ending: its input or its loop is closed

    def _pass_on(self, line: bytes | None) -> None:
        self._room.acquire()
        text = "(a line that was too long)" if line is None else line.decode("utf-8", "replace")
        self._loop.call_soon_threadsafe(self._lines.put_nowait, text)
