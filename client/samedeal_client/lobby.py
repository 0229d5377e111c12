"""The lobby as a watcher sees it: one row for each public race, what leads, and for how long.

The server's list says which races there are; whoever watches a race knows more of it. Pure but for
the rows of watched races, which are asked for when they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from samedeal_client.sight import Watch
from samedeal_client.telling import cells, clock, counted, padded
from samedeal_protocol.messages import EntrantView, RaceCard
from samedeal_protocol.terms import Sight, Terms, Visibility
from samedeal_rules import known

__all__ = ["Lobby", "Row", "row_of"]

_HEADINGS: Final = ("race", "game", "phase", "entrants", "time", "home", "leader")
_PHASES: Final = ("running", "countdown", "open", "over", "cancelled")
"""In the order of the table."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one race. `leader` and `home` are None where nobody may know yet."""

    race: str
    game: str
    phase: str
    entrants: int
    most: int
    """How many entrants the race takes."""
    leader: str | None = None
    home: int | None = None
    goal: int | None = None
    elapsed_ms: int | None = None
    delay: int = 0
    """Seconds that the watcher is behind."""

    def as_json(self) -> dict[str, object]:
        """Returns the row for scripts."""
        return {"type": "race", **asdict(self)}

    def sentence(self) -> str:
        """Returns the row for a pipe."""
        said = [f"{self.race}  {self.phase}  {self.game}", counted(self.entrants, "entrant")]
        if self.leader is not None:
            home = "" if self.home is None else f" {self.home}/{self.goal}"
            said.append(f"{'won by' if self.phase == 'over' else 'leads'} {self.leader}{home}")
        if self.elapsed_ms is not None and self.phase == "over":
            said.append(f"in {clock(self.elapsed_ms)}")
        return ", ".join(said)

    @property
    def time(self) -> str:
        """`1:23`, or `1:23 -30s` where it is seen half a minute late."""
        if self.elapsed_ms is None:
            return ""
        return clock(self.elapsed_ms)[:-4] + (f" -{self.delay}s" if self.delay else "")

    def cells(self) -> tuple[str, ...]:
        """Returns the row's texts, one for each heading."""
        entrants = f"{self.entrants}/{self.most}"
        home = "" if self.home is None else f"{self.home}/{self.goal}"
        leader = self.leader or ""
        return (self.race, self.game, self.phase, entrants, self.time, home, leader)


def _goal(game: str) -> int | None:
    found = known(game)
    return None if found is None else found.goal


def _of_card(card: RaceCard) -> Row:
    terms = card.terms
    return Row(card.race, terms.game, card.phase, len(card.entrants), terms.entrants_max)


def row_of(watch: Watch) -> Row:
    """Returns the row of a race that is watched."""
    terms: Terms = watch.terms
    entered = [each for each in watch.entrants.values() if each.state != "withdrawn"]
    row = Row(
        race=watch.race,
        game=terms.game,
        phase=watch.phase,
        entrants=len(entered),
        most=terms.entrants_max,
        goal=_goal(terms.game),
        elapsed_ms=watch.elapsed_ms,
        delay=0 if watch.is_over else terms.delay,
    )
    leader, home = _leader(watch, entered)
    return replace(row, leader=leader, home=home)


def _leader(watch: Watch, entered: Sequence[EntrantView]) -> tuple[str | None, int | None]:
    if watch.standings:
        first = watch.standings[0]
        return first.name, first.home
    seen = [each for each in entered if each.home is not None and each.moves is not None]
    if watch.phase != "running" or not seen:
        return None, None
    best = min(seen, key=lambda each: (each.elapsed_ms or 2**53, -(each.home or 0), each.entrant))
    return best.name, best.home


class Lobby:
    """The rows, as they are known now."""

    def __init__(self) -> None:
        self._cards: dict[str, RaceCard] = {}
        self._watched: dict[str, Callable[[], Row]] = {}
        self._ended: dict[str, tuple[Row, float]] = {}
        self._unwatchable: set[str] = set()
        self._told: dict[str, Row] = {}

    def listed(self, cards: Iterable[RaceCard], *, now: float, keep_ms: float) -> None:
        """Takes the server's list in; what ended `keep_ms` ago is forgotten."""
        self._cards = {card.race: card for card in cards}
        self._ended = {
            race: (row, at) for race, (row, at) in self._ended.items() if now - at < keep_ms
        }

    def worth_watching(self) -> list[str]:
        """Returns the races of which a watcher would know more than the list says."""
        return [
            race
            for race, card in self._cards.items()
            if card.phase in ("running", "countdown")
            and card.terms.visibility is Visibility.PUBLIC
            and card.terms.spectators is not Sight.NONE
            and race not in self._unwatchable
            and race not in self._ended
        ]

    def watched(self, race: str, row: Callable[[], Row]) -> None:
        """Notes that a race is watched, and how to know its row."""
        self._watched[race] = row

    def ended(self, race: str, row: Row, *, now: float) -> None:
        """Notes how a race that was watched has ended."""
        self._watched.pop(race, None)
        self._ended[race] = (row, now)

    def unwatchable(self, race: str) -> None:
        """Notes that the server does not let this watcher in."""
        self._watched.pop(race, None)
        self._unwatchable.add(race)

    def rows(self) -> list[Row]:
        """Returns every race, those that run first."""
        known = {race: _of_card(card) for race, card in self._cards.items()}
        known |= {race: row() for race, row in self._watched.items()}
        known |= {race: row for race, (row, _) in self._ended.items()}
        return sorted(known.values(), key=lambda row: (_PHASES.index(row.phase), row.race))

    def changed(self, rows: Iterable[Row]) -> list[Row]:
        """Returns the rows in which something but the clock has changed since the last call."""
        now = {row.race: row for row in rows}
        news = [
            row for race, row in now.items() if self._gist(row) != self._gist(self._told.get(race))
        ]
        self._told = now
        return news

    @staticmethod
    def _gist(row: Row | None) -> tuple[object, ...] | None:
        return None if row is None else (row.phase, row.entrants, row.leader, row.home)

    def table(self, rows: Sequence[Row], *, width: int, height: int) -> list[str]:
        """Draws the rows below their headings, as many as there is room for."""
        running = sum(row.phase == "running" for row in rows)
        title = f"{counted(len(rows), 'race')}, {running} running. Watch one: samedeal watch RACE"
        if not rows:
            return ["No race. Open one: samedeal race new GAME"]
        texts = [_HEADINGS, *(row.cells() for row in rows)]
        widths = [max(cells(text[at]) for text in texts) for at in range(len(_HEADINGS))]
        lines = [
            "  ".join(padded(each, wide) for each, wide in zip(text, widths, strict=True))
            for text in texts
        ]
        room = height - 2
        if len(lines) > room:
            lines = [*lines[: room - 1], f"and {len(lines) - room + 1} more"]
        return [title, "", *(padded(line, width).rstrip() for line in lines)]
