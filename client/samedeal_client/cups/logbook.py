"""The log of a tournament as people read it: when, what, by whom and why; everybody by their name.

The log knows who did something by a player id. Whose it is stands in the log itself, before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final

import msgspec

from samedeal_protocol.tournament.views import PlayerView

from .telling import called

__all__ = ["Entry", "Logbook"]

_RULINGS: Final = frozenset(
    """overridden race-voided disqualified reinstated halted continued extended appointed let-in
    called-off""".split()
)
"""Events that staff causes by hand."""
_NAMED_BESIDE: Final = ("id", "host_name")
"""Fields that say once more who it is."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log."""

    text: str
    is_ruling: bool
    """Staff did it by hand."""


class Logbook:
    """Reads the lines of a log, from its first on; `players` are those of the sheet, by number."""

    def __init__(self, players: Mapping[int, PlayerView], *, zone: tzinfo | None = None) -> None:
        self._players = players
        self._zone = zone
        self._names: dict[object, str] = {}
        """By player id."""

    def read(self, line: str) -> Entry:
        """Returns what the next line says."""
        fields = msgspec.json.decode(line, type=dict[str, object])
        self._learn(fields)
        is_ruling = fields.get("event") in _RULINGS and bool(fields.get("by"))
        at, event = fields.pop("at", 0), fields.pop("event", "?")
        when = datetime.fromtimestamp(int(str(at)) / 1000, self._zone).strftime("%Y-%m-%d %H:%M:%S")
        said = [
            f"{key} {self._field(key, value)}"
            for key, value in fields.items()
            if key not in _NAMED_BESIDE
        ]
        return Entry(f"{when}  {event}  {', '.join(said)}".rstrip(), is_ruling)

    def _learn(self, fields: Mapping[str, object]) -> None:
        """Takes in who an event says has which id: host, staff, a player, whoever is appointed."""
        for id, name in (("host", "host_name"), ("id", "name")):
            if id in fields and name in fields:
                self._names[fields[id]] = str(fields[name])
        match fields.get("staff"):
            case list() as staff:
                self._names |= {id: str(name) for id, name, _ in staff}
            case _:
                pass

    def _field(self, key: str, value: object) -> str:
        match value:
            case str() if key in ("by", "host"):
                return self._names.get(value, value)
            case int() if key in ("player", "winner", "champion") and not isinstance(value, bool):
                return called(self._players, value)
            case list() if key == "staff":
                return "; ".join(f"{name} ({role})" for _, name, role in value)
            case list() if key in ("players", "there"):
                return " ".join(self._field("player", each) for each in value)
            case list():
                return "; ".join(self._field(key, each) for each in value)
            case dict():
                return " ".join(
                    f"{name} {self._field(str(name), each)}" for name, each in value.items()
                )
            case _:
                return str(value)
