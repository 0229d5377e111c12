"""Tournaments for tests: fields in one word, results by name, and whole tournaments under chance.

`Run` plays a tournament like a log would: it records what `look` demands, and after every step it
checks the laws of all formats.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from samedeal_protocol.tournament.formats import DoubleElimination, Format, Heats, SingleElimination
from samedeal_server.tourneys.state import (
    Ending,
    Match,
    Plan,
    Player,
    Race,
    Result,
    Showing,
    Tourney,
)
from samedeal_server.tourneys.table import Line
from samedeal_server.tourneys.tourney import look, standings, verdict

SEED = "friday-night"

__all__ = [
    "SEED",
    "Run",
    "bye",
    "entrants",
    "finish",
    "flag",
    "played",
    "race",
    "record",
    "settled",
    "table",
    "tourney",
]


def entrants(names: str | int) -> tuple[Player, ...]:
    """Players `A B C ...` by seed number from 1, or so many called `p1`, `p2`, ..."""
    ids = names.split() if isinstance(names, str) else [f"p{n}" for n in range(1, names + 1)]
    return tuple(Player(id=id, seeding=number) for number, id in enumerate(ids, 1))


def tourney(names: str | int, *, seed: str = SEED) -> Tourney:
    return Tourney(seed, entrants(names))


def race(text: str) -> Race:
    """`A1@90 B2@95 C3:40 D-`: A first in 90 ms, C third with 40 cards home, D without a place."""
    showings: list[Showing] = []
    for word in text.split():
        player, rest = word[0], word[1:]
        if rest == "-":
            showings.append(Showing(player, None, None, 0))
        elif "@" in rest:
            place, ms = rest.split("@")
            showings.append(Showing(player, int(place), int(ms), 52))
        else:
            place, home = rest.split(":")
            showings.append(Showing(player, int(place), None, int(home)))
    return Race(tuple(showings))


def played(id: str, pair: str, winner: str | None, *races: str, round: int = 1) -> Match:
    """A match that was played: `A B`, and who won it."""
    result = Result(Ending.PLAYED, winner, tuple(race(text) for text in races))
    return Match(id, round, tuple(pair.split()), "", id, result)


def bye(id: str, player: str, *, round: int = 1) -> Match:
    return Match(id, round, (player,), "", id, Result(Ending.BYE, player))


def table(lines: Iterable[Line]) -> str:
    """`1 A, 2 B, 2 C, 4 D`."""
    return ", ".join(f"{line.place} {line.player.id}" for line in lines)


def record(state: Tourney, plan: Plan) -> Tourney:
    """What a log does with a plan: void, pair, decide."""
    matches = [match for match in state.matches if match.id not in plan.void]
    assert not {match.id for match in plan.pair} & {match.id for match in matches}
    state = replace(state, matches=(*matches, *plan.pair))
    for decided in plan.decide:
        state = finish(state, decided.match, decided.result)
    return state


def finish(state: Tourney, id: str, result: Result) -> Tourney:
    """The state with that result."""
    assert id in {match.id for match in state.matches}
    return replace(
        state,
        matches=tuple(
            replace(match, result=result) if match.id == id else match for match in state.matches
        ),
    )


def flag(state: Tourney, id: str, **flags: bool) -> Tourney:
    """The state with that player's flags changed."""
    return replace(
        state,
        players=tuple(
            _flagged(player, flags) if player.id == id else player for player in state.players
        ),
    )


def settled(terms: Format, state: Tourney) -> tuple[Tourney, Plan]:
    """The state when everything that it demands by itself is recorded."""
    for _ in range(4 * len(state.players) + 40):
        plan = look(terms, state)
        if plan.is_settled:
            return state, plan
        state = record(state, plan)
    raise AssertionError("the demands come to no end")


def _flagged(player: Player, flags: dict[str, bool]) -> Player:
    return replace(
        player,
        paused=flags.get("paused", player.paused),
        withdrawn=flags.get("withdrawn", player.withdrawn),
        disqualified=flags.get("disqualified", player.disqualified),
    )


Change = Callable[[Tourney], Tourney]


@dataclass
class Run:
    """A whole tournament under chance: results, and people who leave, pause, return, come late."""

    terms: Format
    state: Tourney
    dice: random.Random
    meddling: float = 0.0
    bell: int = 40
    """After so many results the bell of a ladder rings."""
    check: Callable[[Tourney, Plan], None] = lambda state, plan: None
    """Called with every plan, before it is recorded."""
    log: list[Change] = field(default_factory=list)
    """What came from outside, for a replay."""
    results: int = 0

    def play(self) -> Plan:
        """Plays to the end; returns the plan that says so."""
        for _ in range(400 + 40 * len(self.state.players) ** 2):
            plan = look(self.terms, self.state)
            self._hold(plan)
            self.check(self.state, plan)
            if plan.over:
                return plan
            if not plan.is_settled:
                self.state = record(self.state, plan)
                continue
            self._apply(self._next())
        raise AssertionError("the tournament comes to no end")

    def replayed(self, start: Tourney) -> Tourney:
        """The same from what came from outside alone."""
        state = start
        for change in self.log:
            state, _ = settled(self.terms, state)
            state = change(state)
        return settled(self.terms, state)[0]

    def _apply(self, change: Change) -> None:
        self.log.append(change)
        self.state = change(self.state)

    def _next(self) -> Change:
        open = self.state.open()
        if self.dice.random() < self.meddling or not open:
            return self._meddle(stuck=not open)
        self.results += 1
        if self.results == self.bell:
            return lambda state: replace(state, closed=True)
        match = self.dice.choice(open)
        result = self.result(match)
        return lambda state: finish(state, match.id, result)

    def _meddle(self, *, stuck: bool) -> Change:
        player = self.dice.choice(self.state.players)
        if stuck:
            if not any(player.paused for player in self.state.players):
                return lambda state: replace(state, closed=True)

            def all_back(state: Tourney) -> Tourney:
                for player in state.players:
                    state = flag(state, player.id, paused=False)
                return state

            return all_back
        what = self.dice.choice("withdraw return pause unpause disqualify".split())
        match what:
            case "withdraw" | "return":
                return lambda state: flag(state, player.id, withdrawn=what == "withdraw")
            case "pause" | "unpause":
                return lambda state: flag(state, player.id, paused=what == "pause")
            case _:
                if self.dice.random() < 0.7:
                    return lambda state: state
                return lambda state: flag(state, player.id, disqualified=True)

    def result(self, match: Match) -> Result:
        """A result that races could have led to."""
        races: list[Race] = []
        while True:
            told = verdict(self.terms, self.state, match, races)
            if told.result is not None:
                return told.result
            assert told.next_race == len(races) + 1
            races.append(self._race(match.players))

    def _race(self, players: Sequence[str]) -> Race:
        keyed: list[tuple[tuple[int, int], str]] = []
        for player in players:
            if self.dice.random() < 0.7:
                keyed.append(((0, self.dice.randrange(60_000, 60_010)), player))
            else:
                keyed.append(((1, -self.dice.randrange(0, 52)), player))
        keyed.sort()
        showings: list[Showing] = []
        for (group, key), player in keyed:
            place = 1 + sum(1 for other, _ in keyed if other < (group, key))
            if group == 0:
                showings.append(Showing(player, place, key, 52))
            elif self.dice.random() < 0.1:
                showings.append(Showing(player, None, None, -key))
            else:
                showings.append(Showing(player, place, None, -key))
        self.dice.shuffle(showings)
        return Race(tuple(showings), void=self.dice.random() < 0.05)

    def _hold(self, plan: Plan) -> None:
        """Laws of all formats, at every step."""
        state = self.state
        after = record(state, plan)
        busy = [player for match in after.open() for player in match.players]
        assert len(busy) == len(set(busy)), "somebody plays twice at once"
        assert plan.is_settled or not plan.over
        if plan.over:
            assert not state.open()
            assert plan.reason
        paused = {player.id for player in state.players if player.paused}
        gone = {player.id for player in state.players if not player.is_in}
        if not isinstance(self.terms, SingleElimination | DoubleElimination):
            new = [match for match in plan.pair if match.result is None]
            if type(self.terms).__name__ != "RoundRobin":
                assert not (paused | gone) & {p for match in new for p in match.players}
        if not plan.over and self.dice.random() > 0.1:
            return
        shuffled = list(state.players)
        self.dice.shuffle(shuffled)
        again = replace(state, players=tuple(shuffled))
        assert look(self.terms, again) == plan, "the order of the players matters"
        lines = standings(self.terms, state)
        assert standings(self.terms, again) == lines
        self._hold_places(lines)

    def _hold_places(self, lines: Sequence[Line]) -> None:
        everybody = {player.id for player in self.state.players}
        if isinstance(self.terms, SingleElimination | DoubleElimination):
            everybody = {player.id for player in self.state.players if player.joined <= 1}
        assert {line.player.id for line in lines} == everybody
        assert len(lines) == len(everybody)
        for index, line in enumerate(lines):
            assert line.place in (index + 1, lines[index - 1].place if index else 1)
            if index and line.place == index + 1:
                one, other = lines[index - 1], line
                if not other.player.disqualified:
                    keys = [[mark.key for mark in each.marks] for each in (one, other)]
                    assert keys[0] > keys[1], "another place, but not by the marks"
            for mark in line.marks:
                assert mark.arithmetic
                if isinstance(self.terms, Heats) and mark.name == "points":
                    assert mark.arithmetic.endswith(mark.value)
