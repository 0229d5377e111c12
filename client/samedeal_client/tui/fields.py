"""A form whose fields are the flags of a command, so that both take and refuse the same. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = ["SWITCH", "Field", "Presets", "flags"]


@dataclass(frozen=True, slots=True)
class Field:
    """One term: how it is called, the flag that sets it, and what it usually is."""

    name: str
    label: str
    flag: str
    usual: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """What is shown and what is meant; empty where something is typed."""
    meaning: str = ""
    is_many: bool = False
    """Each word that is typed has the flag before it."""

    @property
    def begins(self) -> str:
        """What stands there before anything is chosen."""
        meant = [value for _, value in self.choices]
        return self.usual if not meant or self.usual in meant else meant[0]


SWITCH: Final = (("no", ""), ("yes", "yes"))
"""The choices of a flag that has no value."""
Presets: TypeAlias = tuple[tuple[str, Mapping[str, str]], ...]
"""Sets of terms to begin with, each with what it is called; what is not named is as usual."""


def flags(fields: Sequence[Field], values: Mapping[str, str]) -> list[str]:
    """Returns the flags that say what the values say, but for what is usual."""
    said: list[str] = []
    for field in fields:
        value = values.get(field.name, field.begins).strip()
        if value == field.usual or not value:
            continue
        if value == "yes" and field.choices:
            said.append(field.flag)
        else:
            for each in value.split() if field.is_many else [value]:
                said += [field.flag, each]
    return said
