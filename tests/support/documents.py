"""What documents show, read out of them, and whether it is what happened."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Block", "agrees", "blocks"]


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line at which it begins."""

    language: str
    text: str
    line: int


def blocks(text: str, language: str) -> list[Block]:
    """Returns a document's blocks in a language, in order."""
    found = re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [
        Block(match[1], match[2], text[: match.start()].count("\n") + 1)
        for match in found
        if match[1] == language
    ]


def agrees(shown: str, happened: str) -> bool:
    """Whether what is shown stands for what happened; `...` stands for anything."""
    pattern = re.escape(shown.rstrip("\n")).replace(re.escape("..."), ".*?")
    return re.fullmatch(pattern, happened.rstrip("\n"), re.DOTALL) is not None
