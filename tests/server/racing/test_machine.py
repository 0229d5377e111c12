"""A race against a naive model of one: the same commands, the same happenings, the same refusals.

Hypothesis picks terms, commands and pauses; the model in `support.naive_race` shares no code with
the real race but the rules core's boards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from conftest import SOAK
from samedeal_protocol.terms import Mode, Start, Terms, Undo
from samedeal_rules.notation import move_text
from samedeal_server.racing import commands as ask
from samedeal_server.racing.race import Refused
from support.naive_race import NaiveRace, No
from support.races import HOST, OPENED, WIN, WIN_GAME, WIN_SEED, Track, fingerprint

PLAYERS = st.sampled_from(["ann", "bob", "cat", "dan", HOST])
PAUSES = st.one_of(
    st.just(0),
    st.integers(1, 900),
    st.sampled_from([1000, 4999, 5000, 9999, 10_000, 30_000, 60_000, 120_000]),
    st.sampled_from([0, 0, 0, 0, 3_600_000, 86_400_000]),
)


@st.composite
def terms(draw: st.DrawFn) -> Terms:
    mode = draw(st.sampled_from([Mode.LIVE, Mode.LIVE, Mode.LIVE, Mode.ASYNC]))
    start = draw(st.sampled_from(Start)) if mode is Mode.LIVE else Start.ALL_READY
    limit = draw(st.sampled_from([10, 60, 3600, None]))
    graces = [5, 30, 300] if limit is None and mode is Mode.LIVE else [5, 30, 300, None]
    least = draw(st.integers(1, 3))
    return Terms(
        game=draw(st.sampled_from([WIN_GAME, WIN_GAME, "fortress", "forty-thieves"])),
        mode=mode,
        start=start,
        start_at=OPENED + 60_000 if start is Start.AT else None,
        countdown=draw(st.sampled_from([0, 5, 60])),
        limit=limit,
        closes=draw(st.sampled_from([60, 3600, 86_400])),
        punctual=mode is Mode.ASYNC and draw(st.booleans()),
        entrants_min=least,
        entrants_max=draw(st.integers(least, 4)),
        undo=draw(st.sampled_from(Undo)),
        bots=draw(st.booleans()),
        grace=draw(st.sampled_from(graces)),
    )


class RaceMachine(RuleBasedStateMachine):
    """The real race and the naive one, side by side."""

    track: Track
    model: NaiveRace

    @initialize(terms=terms(), rushed=st.booleans())
    def open(self, terms: Terms, rushed: bool) -> None:
        self.track = Track(terms, seed=WIN_SEED)
        self.model = NaiveRace(terms, WIN_SEED, HOST, OPENED)
        if rushed:
            for player in ("ann", "bob", "cat")[: terms.entrants_max]:
                self.both("Enter", player, False)
                if terms.mode is Mode.ASYNC:
                    self.both("Begin", player)
                elif terms.start is Start.ALL_READY:
                    self.both("Ready", player)
            if terms.start is Start.HOST:
                self.both("Start", HOST)
            self.pass_time(60_000 if terms.start is Start.AT else terms.countdown * 1000)
            self.both("Tick")

    def both(self, kind: str, player: str = "", *rest: Any) -> None:
        """Asks both, and compares what happened or why not."""
        log = self.track.log
        before = len(log)
        expected: str | None = None
        actual: str | None = None
        try:
            self.model.ask(self.track.now, kind, player, *rest)
        except No as no:
            expected = str(no)
        try:
            self.track.do(command(kind, player, *rest))
        except Refused as refused:
            actual = refused.code.code + (f" {refused.reason}" if refused.reason else "")
        happened = [
            (type(event).__name__, event.at, getattr(event, "entrant", None))
            for event in log[before:]
        ]
        assert (happened, actual) == (self.model.said, expected)

    def pass_time(self, ms: int) -> None:
        self.track.now += ms

    @rule(ms=PAUSES, tick=st.booleans())
    def wait(self, ms: int, tick: bool) -> None:
        self.pass_time(ms)
        if tick:
            self.both("Tick")

    @rule(player=PLAYERS, bot=st.booleans())
    def enter(self, player: str, bot: bool) -> None:
        self.both("Enter", player, bot)

    @rule(
        player=PLAYERS,
        kind=st.sampled_from(
            ["Withdraw", "Ready", "Ready", "Ready", "Unready", "Begin", "Begin", "Start"]
        ),
    )
    def lobby(self, player: str, kind: str) -> None:
        self.both(kind, player)

    @rule(player=PLAYERS, kind=st.sampled_from(["Drop", "Return", "Chat", "OpenRematch"]))
    def come_and_go(self, player: str, kind: str) -> None:
        self.both(kind, player)

    @rule(player=PLAYERS, kind=st.sampled_from(["GiveUp", "Disqualify", "Cancel"]))
    def end(self, player: str, kind: str) -> None:
        if kind == "Disqualify":
            self.both(kind, player, 1)
        else:
            self.both(kind, player)

    @rule()
    def start(self) -> None:
        self.both("Start", HOST)

    @rule(player=PLAYERS, choice=st.integers(0, 10_000), ahead=st.sampled_from([-1, 0, 0, 0, 1]))
    def play(self, player: str, choice: int, ahead: int) -> None:
        row = self.model.who(player)
        number = 1 if row is None else max(1, len(row["acts"]) + 1 + ahead)
        text = "draw"
        if row is not None and row["table"] is not None:
            table = row["table"]
            texts = sorted(move_text(table.game, move) for move in table.legal())
            texts += ["T1-T2", "T1-F1", "castle"]
            text = texts[choice % len(texts)]
        self.both("Play", player, number, text)

    @rule(player=PLAYERS)
    def win(self, player: str) -> None:
        row = self.model.who(player)
        if row is None or row["table"] is None:
            return
        done = row["acts"]
        if self.track.race.terms.game == WIN_GAME and done == WIN[: len(done)]:
            for move in WIN[len(done) :]:
                self.both("Play", player, len(row["acts"]) + 1, move)
        self.both("Finish", player, len(row["acts"]) + 1)

    @rule(player=PLAYERS, kind=st.sampled_from(["Undo", "Finish", "SendHome"]), again=st.booleans())
    def undo_or_finish(self, player: str, kind: str, again: bool) -> None:
        row = self.model.who(player)
        number = 1 if row is None else len(row["acts"]) + 1
        self.both(kind, player, number)
        if again:
            self.both(kind, player, number)

    @rule(ago=st.sampled_from([0, 500, 60_000]), outage=PAUSES, unlucky=st.integers(0, 4))
    def stop(self, ago: int, outage: int, unlucky: int) -> None:
        if unlucky:
            return
        since = max(OPENED, self.track.now - ago)
        self.pass_time(outage)
        self.both("Stop", "", since)

    @invariant()
    def states_agree(self) -> None:
        if not hasattr(self, "track"):
            return
        race = self.track.race
        assert race.phase.value == self.model.phase
        assert [
            (entrant.state.value, entrant.away, entrant.acts, entrant.moves, entrant.penalty_ms)
            for entrant in race.entrants
        ] == [
            (row["state"], row["away"], row["acts"], row["moves"], row["penalty"])
            for row in self.model.rows
        ]
        for entrant, row in zip(race.entrants, self.model.rows, strict=True):
            assert entrant.elapsed_ms == row["time"]
            if entrant.table is not None:
                assert entrant.table.digest() == row["table"].digest()

    @precondition(lambda self: hasattr(self, "track") and self.track.race.phase.value == "over")
    @invariant()
    def ranking_agrees(self) -> None:
        places = [(place.place, place.entrant) for place in self.track.race.standings]
        assert places == self.model.standings()

    def teardown(self) -> None:
        if hasattr(self, "track"):
            assert fingerprint(self.track.refold()) == fingerprint(self.track.race)


BY_PLAYER: dict[str, Callable[[str], ask.Command]] = {
    "Withdraw": ask.Withdraw,
    "Ready": ask.Ready,
    "Unready": ask.Unready,
    "Start": ask.Start,
    "Begin": ask.Begin,
    "GiveUp": ask.GiveUp,
    "Cancel": ask.Cancel,
    "Drop": ask.Drop,
    "Return": ask.Return,
    "Tick": lambda _: ask.Tick(),
    "Chat": lambda player: ask.Chat(player, player, bot=False, text="hm"),
    "OpenRematch": lambda player: ask.OpenRematch(player, "race-2"),
}


def command(kind: str, player: str, *rest: Any) -> ask.Command:
    match kind:
        case "Enter":
            return ask.Enter(player, player, bot=rest[0])
        case "Play":
            return ask.Play(player, *rest)
        case "Undo":
            return ask.Undo(player, *rest)
        case "Finish":
            return ask.Finish(player, *rest)
        case "SendHome":
            return ask.SendHome(player, *rest)
        case "Disqualify":
            return ask.Disqualify(player, rest[0], "")
        case "Stop":
            return ask.Stop(rest[0])
        case _:
            return BY_PLAYER[kind](player)


TestRace = RaceMachine.TestCase
TestRace.settings = settings(max_examples=60 * SOAK, stateful_step_count=40)
