"""A race on the bench: commands in, its log kept, its laws checked after every step.

`Track` is what a room would be without tasks: one race, its clock, its log. `fingerprint` is the
whole state as plain values, so that two folds can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Final

from samedeal_protocol import messages
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Event, Opened, parse_line, to_line
from samedeal_protocol.terms import Terms
from samedeal_rules import RULES_VERSION
from samedeal_rules.engine import Table
from samedeal_server.racing.audience import search
from samedeal_server.racing.commands import (
    Begin,
    Command,
    Drop,
    Enter,
    Play,
    Ready,
    Start,
    Tick,
)
from samedeal_server.racing.fold import begin
from samedeal_server.racing.race import Entrant, Race, Refused, deadline, open_race, replay, step
from support.fakes import FixedSeeds

__all__ = [
    "HOST",
    "OPENED",
    "SALT",
    "SEED",
    "WIN",
    "WIN_GAME",
    "WIN_SEED",
    "Track",
    "WinningSeeds",
    "answer",
    "fingerprint",
]

OPENED: Final = 1_800_000_000_000
"""When every race on the bench is opened: milliseconds of UTC."""
HOST: Final = "host-id"
SEED: Final = "friday-night"
SALT: Final = "5a" * 16

WIN_GAME: Final = "abandon-hope"
WIN_SEED: Final = "7"
WIN: Final = "T24-W T4-W T13-W T23-W T19-W T12-W T17-W redeal".split()
"""With these eight moves the deal can be finished: six cards more go home by themselves."""


class WinningSeeds(FixedSeeds):
    """Deals what `WIN` wins, also where nobody names a seed."""

    def seed(self) -> str:
        return WIN_SEED


class Track:
    """One race, driven by hand. `now` is the time at which the next command is received."""

    def __init__(
        self,
        terms: Terms,
        *,
        seed: str = SEED,
        seeded: bool = False,
        tournament: str | None = None,
        invited: tuple[str, ...] = (),
    ) -> None:
        self.opened: Opened = open_race(
            race="race-1",
            terms=terms,
            seed=seed,
            salt=SALT,
            host=tournament or HOST,
            host_name="Hostess",
            seeded=seeded,
            rules=RULES_VERSION,
            now=OPENED,
            tournament=tournament,
            invited=invited,
        )
        self.race: Race = begin(self.opened)
        self.log: list[Event] = [self.opened]
        self.now = OPENED
        self.watchers: list[Callable[[Event], None]] = []
        """Told of every event just after it was folded."""

    def do(self, command: Command, *, after: int = 0) -> list[Event]:
        """Carries out a command received `after` milliseconds later; returns what it caused.

        Raises:
            Refused: what fell due before is in the log.
        """
        self.now += after
        caused: list[Event] = []
        try:
            for event in step(self.race, command, self.now):
                caused.append(event)
                self._note(event)
        finally:
            again = deadline(self.race)
            assert again is None or again > self.now, "what is due has been done"
        return caused

    def refusal(self, command: Command, *, after: int = 0) -> ErrorCode:
        """Carries out a command that must be refused and change nothing; returns the code."""
        if after:
            self.wait(after)
        before, seq = fingerprint(self.race), self.race.seq
        try:
            self.do(command)
        except Refused as caught:
            refused = caught
        else:
            raise AssertionError(f"{command} was not refused")
        assert refused.sentence, "a refusal has a sentence"
        assert self.race.seq == seq, "a refusal logs nothing"
        assert fingerprint(self.race) == before, "a refusal changes nothing"
        return refused.code

    def wait(self, ms: int) -> list[Event]:
        """Lets time pass, with a tick at every deadline on the way and one at the end."""
        until = self.now + ms
        caused: list[Event] = []
        while (due := deadline(self.race)) is not None and due <= until:
            self.now = due
            caused += self.do(Tick())
        self.now = until
        return caused + self.do(Tick())

    def enter(self, *players: str) -> None:
        for player in players:
            self.do(Enter(player, player.capitalize(), bot=False))

    def ready(self, *players: str) -> None:
        for player in players:
            self.do(Ready(player))

    def start(self, *players: str) -> None:
        """Brings a race under way: the players enter, do what the terms ask, and time passes."""
        self.enter(*players)
        terms = self.race.terms
        if self.race.is_async:
            for player in players:
                self.do(Begin(player))
            return
        match terms.start.value:
            case "all-ready":
                self.ready(*players)
            case "host":
                self.do(Start(HOST))
            case _:
                assert terms.start_at is not None
                self.wait(terms.start_at - terms.countdown * 1000 - self.now)
        self.wait(terms.countdown * 1000)
        assert self.race.phase.value == "running"

    def play(self, player: str, *moves: str, after: int = 0) -> list[Event]:
        """Plays moves under the player's next numbers; returns what the last one caused."""
        caused: list[Event] = []
        for move in moves:
            caused = self.do(Play(player, self[player].last + 1, move), after=after)
        return caused

    def drop(self, *players: str) -> None:
        for player in players:
            self.do(Drop(player))

    def put(self, player: str, table: Table) -> None:
        """Puts another board before a player, for positions that are far from the deal."""
        self[player].table = table

    def __getitem__(self, player: str) -> Entrant:
        return self.race.by_player[player]

    def phase(self) -> str:
        return self.race.phase.value

    def states(self) -> list[str]:
        """Returns the entrants' states, by number."""
        return [entrant.state.value for entrant in self.race.entrants]

    def refold(self) -> Race:
        """Returns the race as a restart would find it: from the lines of the log."""
        return replay([parse_line(to_line(event)) for event in self.log])

    def _note(self, event: Event) -> None:
        assert event.at >= self.log[-1].at, "instants never go back"
        self.log.append(event)
        assert self.race.seq == len(self.log), "seqs are contiguous from 1"
        assert parse_line(to_line(event)) == event, "an event's line reads back as it was"
        for watch in self.watchers:
            watch(event)


def fingerprint(race: Race) -> dict[str, object]:
    """Returns the whole state of a race as plain values."""
    state: dict[str, object] = {
        field.name: getattr(race, field.name)
        for field in fields(race)
        if field.name not in {"entrants", "by_player", "touched", "texts", "game", "standings"}
    }
    state["game"] = race.game.key
    state["standings"] = race.standings
    state["entrants"] = [_entrant_fingerprint(entrant) for entrant in race.entrants]
    state["by_player"] = {player: entrant.number for player, entrant in race.by_player.items()}
    state["touched"] = [entrant.number for entrant in race.touched]
    return state


def _entrant_fingerprint(entrant: Entrant) -> dict[str, object]:
    state: dict[str, object] = {
        field.name: getattr(entrant, field.name)
        for field in fields(entrant)
        if field.name not in {"table", "acts", "digested"}
    }
    state["acts"] = list(entrant.acts)
    table = entrant.table
    state["table"] = (
        None if table is None else (table.seed, table.depth, table.snapshot(), table.status)
    )
    return state


def answer(
    log: Iterable[Event], entrant: int, number: int, *, legal: bool = False
) -> messages.Played:
    """The reply to an older number, found again; raises `LookupError` for one that was not used."""
    for found in search(log, entrant, number, legal=legal):
        if found is not None:
            return found
    raise LookupError(f"entrant {entrant} has done nothing under {number}")
