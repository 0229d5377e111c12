"""Whole races under a virtual clock and a bad network, every fault drawn from one seed.

Commands are dropped, delayed, repeated and overtaken; connections break; the server stalls, and
dies before or after it has written the log, and comes back from the lines alone. Whatever happens:
every race ends; what was acknowledged is in the log, once; the same number gets the same answer for
ever; and times and ranking are what plain arithmetic over the log says they are.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Final

import pytest

from conftest import SOAK
from samedeal_protocol import events as log
from samedeal_protocol.messages import Played, Snapshot
from samedeal_protocol.terms import Mode, Start, Terms, Undo
from samedeal_rules import RULES_VERSION
from samedeal_server.racing import commands as ask
from samedeal_server.racing.audience import played, snapshot
from samedeal_server.racing.race import Race, Refused, deadline, open_race, replay, step
from support.races import HOST, OPENED, SALT, WIN, WIN_GAME, WIN_SEED, answer, fingerprint

RACES: Final = 100 * SOAK
HORIZON: Final = 3 * 86_400_000
BOARD: Final = (ask.Play, ask.Undo, ask.Finish, ask.SendHome)

Reply = Played | Snapshot | str
"""A board's reply, the race as it stands, or `ok` or the code of a refusal."""


class World:
    """The virtual clock, and all that will happen."""

    def __init__(self, dice: random.Random) -> None:
        self.now = OPENED
        self.dice = dice
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()

    def at(self, instant: int, action: Callable[[], None]) -> None:
        heappush(self._agenda, (max(instant, self.now), next(self._order), action))

    def later(self, ms: int, action: Callable[[], None]) -> None:
        self.at(self.now + ms, action)

    def chance(self, percent: float) -> bool:
        return self.dice.random() * 100 < percent

    def run(self, until: Callable[[], bool]) -> None:
        while self._agenda and not until():
            self.now, _, action = heappop(self._agenda)
            assert self.now < OPENED + HORIZON, "the race does not end"
            action()


@dataclass
class Letter:
    """A command on its way, with the time of its receipt once it is there."""

    player: str
    command: ask.Command
    answer: Callable[[Reply], None]
    received: int = 0


class Server:
    """One race's room without tasks: inbox, step, log, then tell. It can die and come back."""

    def __init__(self, world: World, terms: Terms, faults: float) -> None:
        self.world = world
        self.faults = faults
        opened = open_race(
            race="race-1",
            terms=terms,
            seed=WIN_SEED,
            salt=SALT,
            host=HOST,
            host_name="Hostess",
            seeded=False,
            rules=RULES_VERSION,
            now=OPENED,
        )
        self.lines = [log.to_line(opened)]
        self.race: Race | None = replay([opened])
        self.inbox: list[Letter] = []
        self.alive = OPENED
        self.pumps = False
        self.ticking: int | None = None
        self.deaths = 0
        self._wake()

    @property
    def race_is_final(self) -> bool:
        return self.race is not None and self.race.is_final

    def receive(self, letter: Letter) -> None:
        if self.race is None:
            return
        letter.received = self.world.now
        self.inbox.append(letter)
        if not self.pumps:
            self.pumps = True
            stall = self.world.dice.randrange(5000) if self.world.chance(self.faults) else 0
            self.world.later(stall, self._pump)

    def _pump(self) -> None:
        """Takes what is in the inbox in the order of receipt, and then the tick."""
        self.pumps = False
        letters, self.inbox = self.inbox, []
        for letter in letters:
            if self.race is None:
                return
            self._take(letter)
        if self.race is not None:
            self._take(Letter("", ask.Tick(), lambda _: None, self.world.now))
            self.alive = self.world.now
        self._wake()

    def _take(self, letter: Letter) -> None:
        race = self.race
        assert race is not None
        caused: list[log.Event] = []
        reply: Reply = "ok"
        try:
            for event in step(race, letter.command, letter.received):
                caused.append(event)  # noqa: PERF402  (what came before a refusal must be kept)
        except Refused as refused:
            reply = refused.code.code
        if caused and self.world.chance(self.faults / 3):
            self._die()  # before the append: nothing of it has happened
            return
        self.lines += map(log.to_line, caused)
        if caused and self.world.chance(self.faults / 3):
            self._die()  # after the append, before the answer
            return
        if reply == "ok":
            reply = self._answer(race, letter)
        letter.answer(reply)

    def _answer(self, race: Race, letter: Letter) -> Reply:
        command = letter.command
        if isinstance(command, BOARD):
            entrant = race.by_player[letter.player]
            if command.number == entrant.last:
                return played(race, entrant, legal=True)
            return answer(
                map(log.parse_line, self.lines), entrant.number, command.number, legal=True
            )
        if isinstance(command, ask.Return):
            return snapshot(race, letter.player, self.world.now, legal=True)
        return "ok"

    def _die(self) -> None:
        self.deaths += 1
        self.race = None
        self.inbox.clear()
        self.world.later(self.world.dice.randrange(100, 20_000), self._come_back)

    def _come_back(self) -> None:
        self.race = replay(map(log.parse_line, self.lines))
        for event in step(self.race, ask.Stop(self.alive), self.world.now):
            self.lines.append(log.to_line(event))
        self.alive = self.world.now
        self._wake()

    def _wake(self) -> None:
        """Sees to it that the race is ticked at its deadline, or somewhat after it."""
        due = None if self.race is None else deadline(self.race)
        if due is not None and due != self.ticking:
            self.ticking = due
            late = self.world.dice.randrange(5000) if self.world.chance(self.faults) else 1
            self.world.at(due + late, self._tick)

    def _tick(self) -> None:
        self.ticking = None
        if not self.pumps:
            self._pump()


@dataclass
class Client:
    """A player who asks one thing at a time, and asks again until there is an answer."""

    world: World
    server: Server
    player: str
    plan: str
    faults: float
    online: bool = True
    number: int = 0
    legal: tuple[str, ...] = ()
    replies: dict[int, Played] = field(default_factory=dict)
    acts: dict[int, ask.Command] = field(default_factory=dict)
    done: bool = False
    asking: int = 0
    looks: int = 0

    def live(self) -> None:
        """Enters, gets ready, and looks in."""
        self.request(ask.Enter(self.player, self.player, bot=False), self._entered)
        if self.world.chance(self.faults * 10):
            self.world.later(self.world.dice.randrange(60_000), self._lose_connection)

    def _entered(self, reply: Reply) -> None:
        if reply in {"ok", "already-entered"}:
            self._get_ready()
        else:
            self.done = True

    def _get_ready(self) -> None:
        race = self.server.race
        if race is not None and race.is_async:
            self.request(ask.Begin(self.player), self._look)
        elif race is not None and race.terms.start is Start.HOST and self.player == "ann":
            self.request(ask.Start(HOST), self._look)
        else:
            self.request(ask.Ready(self.player), self._look)

    def _look(self, reply: Reply) -> None:
        self.looks += 1
        if self.looks > 60 and not self.replies:  # nobody else comes
            self.request(ask.Withdraw(self.player), self._gone)
            return
        self.world.later(500, lambda: self.request(ask.Return(self.player), self._see))

    def _gone(self, reply: Reply) -> None:
        self.done = True

    def _see(self, reply: Reply) -> None:
        if not isinstance(reply, Snapshot):
            self._look(reply)
            return
        if reply.phase in {"over", "cancelled"} or reply.you is None:
            self.done = True
        elif reply.legal is None:
            own = reply.entrants[reply.you - 1]
            if own.board is not None:
                self.done = True
            elif own.state == "entered":
                self._get_ready()
            else:
                self._look(reply)
        else:
            self.number, self.legal = reply.number, reply.legal
            self._act()

    def _act(self) -> None:
        dice, number = self.world.dice, self.number + 1
        command: ask.Command
        if self.plan == "win" and number <= len(WIN):
            command = ask.Play(self.player, number, WIN[number - 1])
        elif self.plan == "win":
            command = ask.Finish(self.player, number)
        elif number > 25 or not self.legal:
            self.request(ask.GiveUp(self.player), self._look)
            return
        elif dice.random() < 0.15:
            command = ask.Undo(self.player, number)
        elif dice.random() < 0.1:
            command = ask.SendHome(self.player, number)
        elif dice.random() < 0.1:
            command = ask.Play(self.player, number, "T1-F4")
        else:
            command = ask.Play(self.player, number, dice.choice(self.legal))
        think = dice.randrange(50, 3000)
        self.world.later(think, lambda: self._do(number, command))

    def _do(self, number: int, command: ask.Command) -> None:
        # After a resume the number may be known to have been used for something else.
        earlier = self.acts.setdefault(number, command)
        command = earlier if number in self.replies else command
        self.acts[number] = command
        self.request(command, lambda reply: self._played(number, reply))

    def _played(self, number: int, reply: Reply) -> None:
        if not isinstance(reply, Played):
            if reply in {"not-running", "not-racing"}:
                self.done = True
            else:
                self.request(ask.Return(self.player), self._see)
            return
        assert reply.number == number
        self.number = max(self.number, number)
        self.legal = reply.legal or ()
        if reply.status == "won":
            self.done = True
        elif self.world.chance(10) and number > 1:
            old = self.world.dice.randint(1, number)
            if old in self.acts:
                self.request(self.acts[old], lambda again: self._again(old, again))
                return
            self._act()
        else:
            self._act()

    def _again(self, number: int, reply: Reply) -> None:
        assert isinstance(reply, Played | str)
        if isinstance(reply, Played):
            assert reply.number == number
        self._act()

    # the network

    def request(self, command: ask.Command, then: Callable[[Reply], None]) -> None:
        """Sends a command until it is answered; only the first answer is acted on."""
        self.asking += 1
        turn = self.asking

        def answered(reply: Reply) -> None:
            self._check(command, reply)
            if self.asking == turn:
                self.asking += 1
                then(reply)

        def send() -> None:
            if self.asking != turn or (self.server.race_is_final and self.done):
                return
            if self.online:
                for _ in range(2 if self.world.chance(self.faults * 2) else 1):
                    self._deliver(Letter(self.player, command, lambda r: self._bring(r, answered)))
            self.world.later(self.world.dice.randrange(800, 3000), send)

        send()

    def _check(self, command: ask.Command, reply: Reply) -> None:
        """The same number has the same answer whenever it is asked, until the end of time."""
        if isinstance(reply, Played):
            assert self.replies.setdefault(reply.number, reply) == reply

    def _deliver(self, letter: Letter) -> None:
        if not self.world.chance(self.faults):
            self.world.later(self._delay(), lambda: self.server.receive(letter))

    def _bring(self, reply: Reply, to: Callable[[Reply], None]) -> None:
        if not self.world.chance(self.faults):
            self.world.later(self._delay(), lambda: to(reply))

    def _delay(self) -> int:
        slow = self.world.chance(self.faults)
        return self.world.dice.randrange(400, 4000) if slow else self.world.dice.randrange(1, 120)

    def _lose_connection(self) -> None:
        self.online = False
        self.server.receive(Letter(self.player, ask.Drop(self.player), lambda _: None))
        self.world.later(self.world.dice.randrange(200, 40_000), self._reconnect)

    def _reconnect(self) -> None:
        self.online = True
        self._deliver(Letter(self.player, ask.Return(self.player), lambda _: None))
        if not self.server.race_is_final:
            self.world.later(self.world.dice.randrange(60_000), self._lose_connection)


# --- what must hold at the end -----------------------------------------------------------------


def audit(terms: Terms, lines: list[bytes], clients: list[Client]) -> None:
    """Recomputes numbers, times and ranking from the log by plain arithmetic."""
    told = [log.parse_line(line) for line in lines]
    assert [event.at for event in told] == sorted(event.at for event in told)
    numbers: dict[int, int] = {}
    by_player: dict[str, int] = {}
    zero: dict[int, int] = {}
    penalty: dict[int, int] = {}
    times: dict[int, int] = {}
    ends: dict[int, log.Done] = {}
    at_number: dict[tuple[int, int], tuple[int, log.Event]] = {}
    active: set[int] = set()
    for seq, event in enumerate(told, 1):
        match event:
            case log.Entered(entrant=entrant, player=player):
                by_player[player] = entrant
                active.add(entrant)
            case log.Withdrew(entrant=entrant):
                active.discard(entrant)
            case log.Started() if terms.mode is Mode.LIVE:
                zero.update(dict.fromkeys(active, event.at))
            case log.Began(entrant=entrant):
                zero[entrant] = event.at
            case log.Stopped(stopped_ms=outage):
                for entrant in zero.keys() - ends.keys():
                    zero[entrant] += outage
            case log.Played() | log.Undone() | log.AutoFinished() | log.SentHome():
                entrant = event.entrant
                assert entrant in zero
                assert entrant not in ends
                numbers[entrant] = numbers.get(entrant, 0) + 1
                assert event.number == numbers[entrant], "numbers are 1, 2, 3, ..."
                at_number[entrant, event.number] = seq, event
                times[entrant] = event.at - zero[entrant]
                if isinstance(event, log.Undone) and terms.undo is Undo.PENALTY:
                    penalty[entrant] = penalty.get(entrant, 0) + terms.undo_penalty * 1000
            case log.Done():
                assert event.entrant not in ends, "a race ends once"
                ends[event.entrant] = event
                if event.state is log.EntrantState.FINISHED:
                    time = times[event.entrant] + penalty.get(event.entrant, 0)
                    assert event.elapsed_ms == time
                else:
                    assert event.elapsed_ms is None
                if event.state is log.EntrantState.OUT_OF_TIME and terms.mode is Mode.LIVE:
                    assert terms.limit is not None
                    assert event.at - zero[event.entrant] == terms.limit * 1000
            case log.Over(standings=standings):
                keys = [_key(ends[place.entrant]) for place in standings]
                assert keys == sorted(keys)
                assert [place.place for place in standings] == [
                    1 + sum(other < key for other in keys) for key in keys
                ]
                assert {place.entrant for place in standings} == set(ends)
            case _:
                pass
    for client in clients:
        for number, reply in client.replies.items():
            seq, event = at_number[by_player[client.player], number]
            assert (reply.seq, reply.at) == (seq, event.at), "acknowledged is in the log"
            match event:
                case log.Played(move=move):
                    assert reply.moves == (move,)
                case log.AutoFinished(moves=moves) | log.SentHome(moves=moves):
                    assert reply.moves == moves
                case _:
                    assert reply.moves == ()


def _key(done: log.Done) -> tuple[int, int]:
    match done.state:
        case log.EntrantState.FINISHED:
            assert done.elapsed_ms is not None
            return 0, done.elapsed_ms
        case log.EntrantState.DISQUALIFIED:
            return 2, 0
        case _:
            return 1, -done.home


def any_terms(dice: random.Random) -> Terms:
    mode = dice.choice([Mode.LIVE, Mode.LIVE, Mode.LIVE, Mode.ASYNC])
    start = dice.choice(list(Start)) if mode is Mode.LIVE else Start.ALL_READY
    return Terms(
        game=dice.choice([WIN_GAME, "amazons", "opus", "st-helena"]),
        mode=mode,
        start=start,
        start_at=OPENED + 30_000 if start is Start.AT else None,
        limit=dice.choice([30, 120, 3600]),
        closes=dice.choice([120, 3600]),
        entrants_min=dice.choice([1, 2]),
        entrants_max=4,
        undo=dice.choice(list(Undo)),
        grace=dice.choice([5, 30, None]),
        blind=dice.random() < 0.3,
        punctual=mode is Mode.ASYNC and dice.random() < 0.5,
    )


def simulate(seed: int, faults: float) -> tuple[Server, list[Client]]:
    """Runs one race to its end; `faults` is roughly the percentage of letters that go astray."""
    world = World(random.Random(f"race {seed}"))
    terms = any_terms(world.dice)
    server = Server(world, terms, faults)
    clients = [
        Client(
            world,
            server,
            player,
            "win" if terms.game == WIN_GAME and world.chance(70) else "play",
            faults,
        )
        for player in ("ann", "bob", "cat", "dan")[: world.dice.randint(1, 4)]
    ]
    for client in clients:
        world.later(world.dice.randrange(3000), client.live)
    world.run(lambda: server.race_is_final and all(client.done for client in clients))
    assert server.race is not None
    assert server.race.is_final
    audit(terms, server.lines, clients)
    again = replay(map(log.parse_line, server.lines))
    assert fingerprint(again) == fingerprint(server.race)
    return server, clients


@pytest.mark.parametrize("faults", [0.0, 4.0, 15.0])
def test_races_end_rightly_whatever_goes_astray(faults: float) -> None:
    finished = deaths = answers = 0
    for seed in range(RACES // 3):
        server, clients = simulate(seed, faults)
        assert server.race is not None
        finished += server.race.phase.value == "over"
        deaths += server.deaths
        answers += sum(len(client.replies) for client in clients)
    assert finished > RACES // 10, "most races are run to the end"
    assert answers > RACES
    assert (deaths > 0) == (faults > 0)
