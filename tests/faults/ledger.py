"""What the log says afterwards, held against what everybody was told: the judge of every fault.

- What was acknowledged is in the log, once, at the seq that the answer said.
- Every viewer was told every seq once and in order; a snapshot may stand for some.
- A race's events were appended under claims of which none is older than the one before, and each
  claim was one life's of one node.
- Whenever a race changed hands, a stoppage begins the new claim, and covers what was lost; a finish
  is timed by plain arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import asyncpg
import msgspec

from faults.nodes import EVERY, Fault
from faults.oracle import Oracle, Reader
from faults.travellers import Player, Spectator
from samedeal_client import verify
from samedeal_protocol import events as log
from samedeal_protocol import messages
from samedeal_protocol.codec import JSON

__all__ = ["Account", "account", "accounts"]

SLACK_MS: Final = 400
"""How late a process may note anything on a busy machine."""
RENEW_MS: Final = 500
"""How often a node says that it lives."""
_OF_LOG: Final[dict[type[object], tuple[type[object], ...]]] = {
    log.Played: (messages.Moved, messages.Played, messages.Progressed),
    log.Undone: (messages.Undone, messages.Played, messages.Progressed),
    log.AutoFinished: (messages.Moved, messages.Played, messages.Progressed),
    log.SentHome: (messages.Moved, messages.Played, messages.Progressed),
    log.Stopped: (messages.Stoppage,),
    log.Dropped: (messages.Away,),
    log.Returned: (messages.Back,),
    log.Over: (messages.Over,),
}
"""By what an event of the log may be told, besides as nothing that one may see."""


@dataclass(frozen=True, slots=True)
class Hand:
    """Who appended an event."""

    seq: int
    epoch: int
    life: str


@dataclass(slots=True)
class Account:
    """A race as the database has it."""

    race: str
    lines: list[bytes]
    events: list[log.Event]
    hands: list[Hand]
    is_over: bool
    head: bytes

    @property
    def changes(self) -> list[tuple[Hand, Hand]]:
        """The last event before each change of hands, and the first after it."""
        return [(one, two) for one, two in pairwise(self.hands) if one.epoch != two.epoch]

    def look(self, viewers: Iterable[Spectator], faults: Sequence[Fault]) -> None:
        """Raises `AssertionError` for whatever is not as it must be."""
        self.look_at_hands()
        self.look_at_stoppages(faults)
        self.look_at_times()
        self.look_at_file()
        for viewer in viewers:
            self.look_at_story(viewer)
            if isinstance(viewer, Player):
                self.look_at_acts(viewer)

    # --- the log alone -------------------------------------------------------------------------

    def look_at_hands(self) -> None:
        """Numbers without gap or repeat; claims that follow each other and never interleave."""
        assert [hand.seq for hand in self.hands] == list(range(1, len(self.lines) + 1)), self.race
        for one, two in pairwise(self.hands):
            assert one.epoch <= two.epoch, f"{self.race}: {one}, and then {two}"
            assert one.epoch != two.epoch or one.life == two.life, f"{self.race}: {one}, {two}"

    def look_at_stoppages(self, faults: Sequence[Fault]) -> None:
        """Whenever others took the race over, the outage is a stoppage: no less, and no more."""
        running = next((at for at, e in enumerate(self.events, 1) if isinstance(e, log.Started)), 0)
        taken = set[int]()
        for before, after in self.changes:
            event = self.events[after.seq - 1]
            if before.life == after.life or self.is_final(before.seq) or not running:
                continue
            taken.add(after.seq)
            assert isinstance(event, log.Stopped), f"{self.race}: {before}, {after}, {event}"
            last = self.events[before.seq - 1].at
            since = event.at - event.stopped_ms
            assert since >= last, f"{self.race}: stopped since {since}, but {last} is in the log"
            begun = [
                fault
                for fault in faults
                if fault.node in (EVERY, before.life.split()[0])
                and fault.since <= event.at + SLACK_MS
            ]
            assert begun, f"{self.race} changed hands at {event.at}, and nothing had happened"
            # The owner is known to have lived shortly before; and whatever came after is covered.
            earliest = begun[-1].since - RENEW_MS - SLACK_MS
            latest = begun[-1].last + SLACK_MS
            assert earliest <= since or since == last, f"{self.race}: {event}, {begun[-1]}"
            assert since <= latest, f"{self.race}: {since - latest} too late: {event}, {begun[-1]}"
        for seq, event in enumerate(self.events, 1):
            if isinstance(event, log.Stopped) and seq not in taken:
                assert event.stopped_ms == 0 or self.hands[seq - 1].epoch != (
                    self.hands[seq - 2].epoch
                ), f"{self.race}: a stoppage in nobody's absence: {event}"

    def look_at_times(self) -> None:
        """A finish is timed by an undisturbed clock but for the stoppages, by plain arithmetic."""
        started = stopped = penalty = 0
        ats = [event.at for event in self.events]
        assert ats == sorted(ats), f"{self.race}: the log's clock went back"
        for event in self.events:
            match event:
                case log.Started():
                    started, stopped = event.at, 0
                case log.Stopped(stopped_ms=ms):
                    stopped += ms
                case log.Undone(entrant=1):
                    penalty += 2000
                case log.Done(elapsed_ms=elapsed, entrant=1) if elapsed is not None:
                    assert event.state is log.EntrantState.FINISHED
                    assert elapsed == event.at - started - stopped + penalty
                case _:
                    pass

    def look_at_file(self) -> None:
        """The replay verifies, by code that shares nothing with the servers'."""
        if not self.is_over:
            return
        header = msgspec.json.encode({"samedeal": "replay/1", "race": self.race, "server": ""})
        footer = msgspec.json.encode({"head": self.head.hex()})
        report = verify([header, *self.lines, footer])
        assert report.passed, report.text()

    def is_final(self, seq: int) -> bool:
        """Whether the race was over by then."""
        return any(isinstance(each, log.Over | log.Cancelled) for each in self.events[:seq])

    # --- what was told -------------------------------------------------------------------------

    def look_at_story(self, viewer: Spectator) -> None:
        """Everything was told as it is in the log: in order, once, and as what it was."""
        told = viewer.story.told
        seqs = list(told)
        assert seqs == sorted(set(seqs)), viewer.name
        missing = viewer.story.seq - viewer.story.begins - len(seqs)
        assert not missing or viewer.story.jumps, viewer.name
        assert viewer.story.seq <= len(self.lines), f"{viewer.name} was told what is not stored"
        for seq, message in told.items():
            event = self.events[seq - 1]
            if isinstance(message, messages.Skip):
                continue
            kinds = _OF_LOG.get(type(event))
            assert kinds is None or isinstance(message, kinds), f"{viewer.name}: {event}, {message}"
            assert getattr(message, "at", None) == event.at, (
                f"{viewer.name} at {seq}: {event}, {message}"
            )
            who = getattr(message, "entrant", None)
            assert who is None or who == getattr(event, "entrant", None), f"{event}, {message}"
            number = getattr(message, "number", None)
            assert number is None or number == getattr(event, "number", None), f"{event}, {message}"

    def look_at_acts(self, player: Player) -> None:
        """Every act that was acknowledged is in the log, once, and none that was not asked for."""
        stored: list[str] = []
        for seq, event in enumerate(self.events, 1):
            match event:
                case log.Played(entrant=entrant, move=what) if entrant == player.you:
                    stored.append(what)
                case log.Undone(entrant=entrant) if entrant == player.you:
                    stored.append("undo")
                case log.AutoFinished(entrant=entrant) if entrant == player.you:
                    stored.append("finish")
                case _:
                    continue
            assert event.number == len(stored)
            answer = player.answered.get(event.number)
            if answer is not None:
                assert (answer.seq, answer.at) == (seq, event.at), f"{player.name}: {answer}"
        asked = [act.what for act in player.acts[: len(stored)]]
        assert stored == asked, player.name
        lost = [number for number in player.answered if number > len(stored)]
        assert not lost, f"{player.name} of {self.race}: acknowledged, and lost: {lost}"

    def look_for_leaks(self, viewers: Iterable[Spectator]) -> int:
        """Nobody who kept their frames was sent a card too early; returns how many boards were."""
        oracle = Oracle(self.events)
        opened = oracle.opened
        secrets = (opened.seed.encode(), opened.salt.encode())
        boards = 0
        for viewer in viewers:
            if viewer.keeps:
                reader = Reader(oracle, viewer.player, secrets)
                for frame in viewer.frames:
                    reader.read(frame, is_text=viewer.codec is JSON)
                boards += reader.boards
        return boards


async def accounts(store: str) -> dict[str, Account]:
    """Returns every race of a database that has a witness."""
    connection = await asyncpg.connect(store)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            races = await connection.fetch("select race, is_over, head from samedeal.races")
            lines = await connection.fetch(
                "select race, line from samedeal.events order by race, seq"
            )
            hands = await connection.fetch(
                "select race, seq, epoch, life from public.witness order by number"
            )
    finally:
        await connection.close()
    found = {row[0]: Account(row[0], [], [], [], row[1], row[2]) for row in races}
    for race, line in lines:
        found[race].lines.append(line)
        found[race].events.append(log.parse_line(line))
    for race, *hand in hands:
        found[race].hands.append(Hand(*hand))
    return found


async def account(store: str, race: str) -> Account:
    """Returns one race of a database that has a witness."""
    return (await accounts(store))[race]
