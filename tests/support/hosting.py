"""A tournament on the bench: commands in, its log kept, its laws checked after every step.

`Stage` is what a runtime would be without tasks and races: one tournament, its clock, its log.
`Chances` plays a whole tournament under chance: results, people who come late, leave and meddle.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import pytest

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament import events, requests
from samedeal_protocol.tournament.events import Ending, Showing, TournamentEvent
from samedeal_protocol.tournament.formats import Format
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_server.hosting import errands
from samedeal_server.hosting.causes import unfounded
from samedeal_server.hosting.clockwork import What, instants
from samedeal_server.hosting.commands import (
    Command,
    Did,
    Given,
    Person,
    RaceHasEnded,
    RaceHasStarted,
    RaceWasCancelled,
    Resumed,
    Tick,
    WhoIsThere,
)
from samedeal_server.hosting.demands import picker, waiting_round
from samedeal_server.hosting.formal import is_elimination
from samedeal_server.hosting.state import Match, Phase, State
from samedeal_server.hosting.tournament import (
    Refused,
    announce,
    begin,
    decide,
    due,
    evolve,
    is_done,
    replay,
)

__all__ = ["CODE", "HOST", "OPENED", "SALT", "SEED", "Chances", "Stage", "person", "terms"]

CODE: Final = "cup-bench"
OPENED: Final = 1_800_000_000_000
"""When every tournament on the bench is announced: milliseconds of UTC."""
SEED: Final = "5eed" * 8
SALT: Final = "5a17" * 8
HOST: Final = Person("host-id", "Hostess")
GAME: Final = "forty-thieves"

PAUSED: Final = (
    events.Paired,
    events.TakenBack,
    events.Called,
    events.Mustered,
    events.Picked,
    events.RoundDue,
    events.Rung,
    events.Over,
)
"""What must not happen by itself while a tournament is halted."""


def person(name: str) -> Person:
    """Somebody: `Ann` has the id `ann`."""
    return Person(name.lower(), name)


def terms(format: Format, **more: object) -> TournamentTerms:
    """Terms of a tournament in that format, with some of them given."""
    whole: dict[str, object] = {"name": "Bench", "race": Terms(game=GAME), **more}
    return TournamentTerms(format=format, **whole)  # type: ignore[arg-type]


class Stage:
    """One tournament, driven by hand. `now` is when the next command is received."""

    def __init__(self, chosen: TournamentTerms, *, phrase_hash: str = "") -> None:
        announced = announce(
            tournament=CODE,
            terms=chosen,
            seed=SEED,
            salt=SALT,
            host=HOST,
            phrase_hash=phrase_hash,
            now=OPENED,
        )
        self.log: list[TournamentEvent] = [announced]
        self.state: State = begin(announced)
        self.now = OPENED
        self.ratings: dict[str, float] = {}
        self.commands = 0

    @property
    def given(self) -> Given:
        return Given(chance=f"{self.commands:032x}", ratings=self.ratings)

    def tell(self, command: Command) -> tuple[TournamentEvent, ...]:
        """Carries out a command twice; the second time it must cause nothing."""
        before = self.state
        caused = decide(before, command, self.now, self.given)
        for event in caused:
            if self.state.halted is not None:
                assert event.by or not isinstance(event, PAUSED), f"{event} while it is halted"
            assert event.at >= self.state.at
            assert unfounded(self.state, event) is None, "what is caused is found to follow"
            self.state = evolve(self.state, event)
            line = events.to_line(event)
            self.log.append(events.parse_line(line))
        assert decide(before, command, self.now, self.given) == caused, "a decision is a look"
        self.commands += 1
        again = decide(self.state, command, self.now, self.given)
        assert again == (), f"{command} again causes {again}"
        self.hold()
        return caused

    def do(self, who: Person | str, act: requests.AnyAct, **more: object) -> list[str]:
        """Lets somebody act; returns the names of the events."""
        by = person(who) if isinstance(who, str) else who
        command = Did(by=by, act=act, **more)  # type: ignore[arg-type]
        return [type(event).__name__ for event in self.tell(command)]

    def refusal(self, who: Person | str, act: requests.AnyAct, **more: object) -> ErrorCode:
        """Lets somebody act who must be refused; returns the code."""
        by = person(who) if isinstance(who, str) else who
        command = Did(by=by, act=act, **more)  # type: ignore[arg-type]
        with pytest.raises(Refused) as refused:
            decide(self.state, command, self.now, self.given)
        assert refused.value.sentence
        return refused.value.code

    def register(self, *names: str) -> None:
        for name in names:
            self.do(name, requests.Register())

    def start(self, *names: str) -> list[str]:
        self.register(*names)
        return self.do(HOST, requests.StartTournament())

    def wait(self, ms: int) -> list[str]:
        """Lets time pass, with a tick at every instant on the way; nobody comes to any race."""
        until = self.now + ms
        told: list[str] = []
        while (instant := due(self.state)) is not None and instant <= until:
            self.now = max(self.now, instant)
            told += [type(event).__name__ for event in self.tell(Tick())]
            for opening in errands.muster_due(self.state, self.now):
                told += [type(event).__name__ for event in self.muster(opening.race)]
        self.now = until
        return told + [type(event).__name__ for event in self.tell(Tick())]

    def muster(self, race: str, *ready: str) -> tuple[TournamentEvent, ...]:
        return self.tell(WhoIsThere(race=race, ready=ready))

    def match(self, id: str) -> Match:
        return self.state.matches[id]

    def number(self, name: str) -> int:
        return self.state.numbers[name.lower()]

    def race(self, match: str) -> str:
        """The code of the match's active race."""
        active = self.match(match).active
        assert active is not None, f"match {match} has no race"
        return active.code

    def end(self, match: str, text: str) -> list[str]:
        """Ends the match's race: `Ann@90 Bob@95 Cy:40 Dot-`, as finished, with cards home, out."""
        code = self.race(match)
        self.tell(RaceHasStarted(race=code))
        shown = []
        for place, word in enumerate(text.split(), 1):
            name, ms, home = word.rstrip("-"), None, 0
            if "@" in word:
                name, time = word.split("@")
                ms, home = int(time), 104
            elif ":" in word:
                name, cards = word.split(":")
                home = int(cards)
            own = None if word.endswith("-") else place
            shown.append(Showing(player=self.number(name), place=own, elapsed_ms=ms, home=home))
        told = self.tell(RaceHasEnded(race=code, showings=tuple(shown)))
        return [type(event).__name__ for event in told]

    def pairings(self) -> str:
        """The open matches: `Ann-Bob Cy-Dot`."""
        return " ".join(
            "-".join(self.state.players[player].name for player in match.players)
            for match in self.state.open_matches()
        )

    # --- laws

    def hold(self) -> None:
        """Laws that hold after every command."""
        state = self.state
        assert state.seq == len(self.log)
        if state.halted is None and not state.is_final:
            assert all(
                instant > self.now or what is What.READY for instant, what in instants(state)
            ), "what has fallen due is done"
        if state.phase is Phase.RUNNING:
            self._every_open_match_has_a_reason()
        active = [
            race for match in state.matches.values() for race in match.races if race.is_active
        ]
        called = [race.code for match in state.matches.values() for race in match.races]
        assert len(called) == len(set(called))
        if state.is_final:
            assert errands.openings(state) == ()
        else:
            assert {each.race for each in errands.openings(state)} == {each.code for each in active}
        assert not set(state.dropped) & {each.code for each in active}
        if is_done(state):
            assert due(state) is None

    def _every_open_match_has_a_reason(self) -> None:
        state = self.state
        busy = {
            player
            for match in state.open_matches()
            if match.active is not None
            for player in match.players
        }
        racing = [
            player for match in state.open_matches() if match.active for player in match.players
        ]
        assert len(racing) == len(busy), "somebody has to play two races at once"
        for match in state.open_matches():
            assert (
                match.active is not None
                or picker(state, match) is not None
                or busy & set(match.players)
                or state.halted is not None
            ), f"match {match.id} waits for nothing"

    def replays(self) -> None:
        """The fold of the log is the state."""
        assert replay(self.log) == self.state


class Chances:
    """A whole tournament under chance."""

    def __init__(
        self,
        stage: Stage,
        dice: random.Random,
        *,
        meddling: float = 0.0,
    ) -> None:
        self.stage = stage
        self.dice = dice
        self.meddling = meddling
        self.late = 0

    def play(self, most: int = 4000) -> None:
        """Plays to the end."""
        stage = self.stage
        for step in range(most):
            if stage.state.is_final:
                stage.replays()
                return
            if step % 25 == 0:
                stage.replays()
            stage.now += self.dice.randrange(1, 20_000)
            if self.dice.random() < self.meddling / 10:
                stage.tell(Resumed(since=stage.now - self.dice.randrange(1, 5000)))
            stage.tell(Tick())
            if stage.state.is_final:
                continue
            if self.dice.random() < self.meddling:
                self._meddle()
            else:
                self._go_on()
        raise AssertionError("the tournament comes to no end")

    def _go_on(self) -> None:
        stage, state = self.stage, self.stage.state
        ripe = errands.muster_due(state, stage.now)
        openings = errands.openings(state)
        if ripe:
            opening = self.dice.choice(ripe)
            stage.muster(opening.race, *(id for id in opening.invited if self.dice.random() < 0.7))
        elif openings:
            self._race(self.dice.choice(openings))
        elif (picking := self._picking()) is not None:
            match, turn = picking
            games = (state.terms.race.game, *state.terms.games)
            who = state.players[turn]
            act = requests.PickGame(match=match.id, game=self.dice.choice(games))
            stage.do(Person(who.id, who.name), act)
        elif state.halted is not None:
            stage.do(HOST, requests.Continue())
        elif (waiting := waiting_round(state)) is not None and state.terms.rounds_by_hand:
            assert waiting == state.round + 1, "a word for the next round would name another"
            stage.do(HOST, requests.StartRound(round=waiting))
        elif any(entry.sits_out and not entry.has_left for entry in state.players.values()):
            for entry in state.players.values():
                if entry.sits_out and not entry.has_left:
                    stage.do(Person(entry.id, entry.name), requests.ComeBack())
        else:
            instant = due(state)
            assert instant is not None, "it waits for nothing"
            stage.now = max(stage.now, instant)
            stage.tell(Tick())

    def _picking(self) -> tuple[Match, int] | None:
        state = self.stage.state
        if state.halted is not None:
            return None
        for match in state.open_matches():
            turn = picker(state, match)
            if turn is not None and self.dice.random() < 0.7:
                return match, turn
        return None

    def _race(self, opening: errands.Opening) -> None:
        stage = self.stage
        if self.dice.random() < 0.04:
            stage.tell(RaceWasCancelled(race=opening.race, reason="the server failed"))
            return
        if not opening.is_running:
            stage.tell(RaceHasStarted(race=opening.race))
            return
        where = stage.state.located(opening.race)
        assert where is not None
        stage.tell(RaceHasEnded(race=opening.race, showings=self._showings(where[0].players)))

    def _showings(self, players: Sequence[int]) -> tuple[Showing, ...]:
        keyed: list[tuple[tuple[int, int], int]] = []
        for player in players:
            if self.dice.random() < 0.7:
                keyed.append(((0, self.dice.randrange(60_000, 60_010)), player))
            elif self.dice.random() < 0.9:
                keyed.append(((1, -self.dice.randrange(0, 104)), player))
        shown = [
            Showing(
                player=player,
                place=1 + sum(1 for other, _ in keyed if other < (group, key)),
                elapsed_ms=key if group == 0 else None,
                home=104 if group == 0 else -key,
            )
            for (group, key), player in keyed
        ]
        self.dice.shuffle(shown)
        return tuple(shown)

    def _meddle(self) -> None:
        """Somebody does something; a refusal is as good as any answer."""
        state = self.stage.state
        entries = list(state.players.values())
        matches = list(state.matches.values())
        player = self.dice.choice(entries)
        whom = Person(player.id, player.name)
        acts: list[tuple[Person, requests.AnyAct]] = [
            (whom, requests.Withdraw()),
            (whom, requests.ComeBack()),
            (whom, requests.SitOut()),
            (whom, requests.Register()),
            (HOST, requests.Halt(reason="tea")),
            (HOST, requests.Continue()),
            (HOST, requests.Extend(seconds=60, shown=due(state))),
            (HOST, requests.StartRound(round=state.round + 1)),
            (HOST, requests.Reinstate(player=player.number, reason="a mistake")),
            (HOST, requests.LetIn(player=player.number)),
            (self._newcomer(), requests.Register()),
        ]
        if self.dice.random() < 0.2:
            acts.append((HOST, requests.Disqualify(player=player.number, reason="rude")))
            acts.append((HOST, requests.RingBell()))
        if matches:
            match = self.dice.choice(matches)
            acts += [(HOST, each) for each in self._of_match(match)]
        who, act = self.dice.choice(acts)
        try:
            self.stage.do(who, act)
        except Refused:
            self.stage.hold()

    def _newcomer(self) -> Person:
        self.late += 1
        return person(f"Late{self.late % 5}")

    def _of_match(self, match: Match) -> list[requests.AnyAct]:
        state = self.stage.state
        found: list[requests.AnyAct] = [
            requests.Extend(seconds=30, match=match.id, shown=due(state)),
            requests.Override(
                match=match.id,
                winner=self.dice.choice(match.players),
                ending=self.dice.choice((Ending.PLAYED, Ending.WALKOVER)),
                reason="seen on video",
            ),
        ]
        if not is_elimination(state.terms.format):
            found.append(
                requests.Override(match=match.id, ending=Ending.FORFEIT, reason="both cheated")
            )
        if match.races:
            number = self.dice.choice(match.races).number
            found.append(requests.VoidRace(match=match.id, number=number, reason="a bug"))
        return found
