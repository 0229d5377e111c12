"""What a viewer knows, event by event, is what a snapshot would tell them, for every viewer."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from samedeal_client.mirror import Mirror
from samedeal_client.scene import Scene
from samedeal_protocol.events import Event
from samedeal_protocol.messages import (
    ChatLine,
    CountdownBegan,
    CountdownStopped,
    EntrantView,
    Moved,
    Said,
    Skip,
    Snapshot,
    Stoppage,
    Turned,
    Undone,
)
from samedeal_protocol.terms import Mode, Sight, Terms, Undo
from samedeal_rules.engine import deal
from samedeal_rules.games import GAMES
from samedeal_rules.notation import move_text
from samedeal_server.racing.audience import played, show, sight, snapshot
from samedeal_server.racing.commands import Begin, Disqualify, Drop, GiveUp, Play, Return, Stop
from samedeal_server.racing.commands import Undo as TakeBack
from support.races import HOST, Track

PLAYERS = ("ada", "grace")
VIEWERS = (*PLAYERS, HOST, "stranger")


class Viewer:
    """One viewer's scene, kept up to date as a room does."""

    def __init__(self, track: Track, player: str, *, as_replies: bool) -> None:
        self.track = track
        self.player = player
        self.as_replies = as_replies
        """Own moves come as replies, as on the connection that asked; else as events."""
        self.scene = Scene.of(self._snapshot(), now=0)
        self.seen = sight(track.race, player)
        self.asked = 0
        track.watchers.append(self._on)

    def _snapshot(self) -> Snapshot:
        return snapshot(self.track.race, self.player, self.track.now)

    def _on(self, event: Event) -> None:
        race = self.track.race
        message = show(race, event, self.seen)
        own = race.by_player.get(self.player)
        if (
            self.as_replies
            and own is not None
            and isinstance(message, Moved | Undone)
            and message.entrant == own.number
        ):
            is_doubted = self.scene.apply(played(race, own), now=0)
        else:
            is_doubted = self.scene.apply(message, now=0)
        now_seen = sight(race, self.player)
        self.asked += is_doubted
        if is_doubted or now_seen != self.seen:
            self.seen = now_seen
            self.scene.apply(self._snapshot(), now=0)

    def check(self) -> None:
        """Compares with what a fresh snapshot tells."""
        told = Scene.of(self._snapshot(), now=0)
        known = self.scene
        assert known.phase == told.phase
        assert known.entrants == told.entrants
        assert known.standings == told.standings
        assert (known.seed, known.salt, known.rematch) == (told.seed, told.salt, told.rematch)
        assert (known.you, known.number) == (told.you, told.number)
        for number in told.entrants:
            mine, theirs = known.board(number), told.board(number)
            assert (mine and mine.position) == (theirs and theirs.position)
        if told.view is not None and known.view is not None:
            assert known.view.position == told.view.position
            if not known.is_over:
                assert known.view.status == told.view.status
        assert known.doubts == 0


def terms_of(chance: random.Random) -> Terms:
    return Terms(
        game=chance.choice(GAMES).key,
        mode=chance.choice([Mode.LIVE, Mode.LIVE, Mode.ASYNC]),
        countdown=chance.choice([0, 3]),
        entrants_min=1,
        entrants_max=2,
        undo=chance.choice(list(Undo)),
        spectators=chance.choice([Sight.PROGRESS, Sight.BOARDS]),
        blind=chance.random() < 0.3,
        limit=chance.choice([None, 60]),
    )


@given(seed=st.integers(0, 10**9), as_replies=st.booleans())
def test_scenes_agree_with_snapshots_whatever_happens(seed: int, as_replies: bool) -> None:
    chance = random.Random(seed)
    track = Track(terms_of(chance), seed=str(seed % 7))
    track.enter(*PLAYERS)
    viewers = [Viewer(track, player, as_replies=as_replies) for player in VIEWERS]
    if track.race.is_async:
        for player in PLAYERS:
            track.do(Begin(player), after=chance.randint(0, 1000))
    else:
        track.ready(*PLAYERS)
        track.wait(3000)
    for _ in range(40):
        for viewer in viewers:
            viewer.check()
        if track.race.is_final:
            break
        player = chance.choice(PLAYERS)
        entrant = track[player]
        table = entrant.table
        if table is None or entrant.is_done:
            continue
        legal = table.legal()
        match chance.randint(0, 30):
            case 0:
                track.do(GiveUp(player))
            case 1:
                track.do(Disqualify(HOST, entrant.number, ""))
            case 2:
                track.do(Drop(player))
                track.do(Return(player), after=900)
            case 3:
                track.do(Stop(since=track.now), after=700)
            case 4 | 5 | 6 | 7 if track.race.undoable(entrant):
                track.do(TakeBack(player, entrant.last + 1), after=10)
            case _ if legal:
                move = move_text(table.game, chance.choice(legal))
                track.do(Play(player, entrant.last + 1, move), after=chance.randint(0, 500))
            case _:
                track.do(GiveUp(player))
    track.wait(10**7)
    track.wait(10**9)
    for viewer in viewers:
        viewer.check()


def test_an_own_move_that_comes_as_an_event_is_shown_when_it_is_known_what_may_be_undone() -> None:
    track = Track(Terms(game="streets-and-alleys", countdown=0, entrants_min=1, undo=Undo.FREE))
    track.start("ada")
    scene = Scene.of(snapshot(track.race, "ada", track.now), now=0)
    table = track["ada"].table
    assert table is not None
    first = scene.view
    events: list[Event] = []
    track.watchers.append(events.append)
    track.play("ada", move_text(table.game, table.legal()[0]), after=10)
    track.do(TakeBack("ada", 2), after=10)
    for event in events:
        assert scene.apply(show(track.race, event, sight(track.race, "ada")), now=0)
        assert scene.view is first
    scene.apply(snapshot(track.race, "ada", track.now), now=0)
    assert scene.view is not None
    assert (scene.view.number, scene.view.undoable) == (2, False)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_mirror_follows_every_game_without_rules(game: object) -> None:
    chance = random.Random(1)
    track = Track(Terms(game=getattr(game, "key", ""), countdown=0, entrants_min=1), seed="1")
    track.start("ada")
    viewer = Viewer(track, "stranger", as_replies=False)
    for _ in range(120):
        entrant = track["ada"]
        table = entrant.table
        assert table is not None
        if entrant.is_done or not (legal := table.legal()):
            break
        track.play("ada", move_text(table.game, chance.choice(legal)), after=10)
    viewer.check()
    assert viewer.asked == 0


def moved(digest: str, *steps: str, turned: tuple[Turned, ...] = ()) -> Moved:
    return Moved(
        race="r",
        seq=1,
        at=1,
        entrant=1,
        number=1,
        steps=steps,
        turned=turned,
        digest=digest,
        home=0,
    )


@pytest.mark.parametrize(
    "told",
    [
        moved("0" * 16, "T1-T2"),
        moved("0" * 16, "T1-T99"),
        moved("0" * 16, "T1-T2:60"),
        moved("0" * 16, "draw"),
        moved("0" * 16, "hop"),
        moved("0" * 16, "S-W", turned=(Turned(pile="X", card="5H"),)),
        moved("0" * 16, "S-W", turned=(Turned(pile="W", card="0H"),)),
        moved("0" * 16, "S-W", turned=(Turned(pile="F1", card="5H"),)),
        replace(moved("0" * 16), board="game: whist"),
        replace(moved("0" * 16), board=""),
        replace(moved("0" * 16, "S-W"), covered=("X9",)),
    ],
)
def test_nonsense_is_doubt_and_no_exception(told: Moved) -> None:
    view = deal(GAMES[5], "1").view()
    assert view.game.key == "forty-thieves"
    assert Mirror(view).follow(told) is False


def scene(**fields: object) -> Scene:
    entrants = (EntrantView(entrant=1, name="Ada", state="entered"),)
    first = Snapshot(
        race="r",
        seq=1,
        at=0,
        phase="open",
        terms=Terms(game="opus"),
        host="Ada",
        commitment="c",
        entrants=entrants,
    )
    return Scene.of(replace(first, **fields), now=1000)


def test_a_countdown_counts_from_its_arrival() -> None:
    race = scene()
    race.apply(CountdownBegan(race="r", seq=2, at=9, starts_in_ms=5000), now=2000)
    assert race.starts_in_ms(2000) == 5000
    assert race.starts_in_ms(6500) == 500
    assert race.starts_in_ms(9000) == 0


def test_a_stopped_countdown_counts_no_more() -> None:
    race = scene()
    race.apply(CountdownBegan(race="r", seq=2, at=9, starts_in_ms=5000), now=2000)
    race.apply(CountdownStopped(race="r", seq=3, at=9, reason="not everybody"), now=2500)
    assert race.starts_in_ms(2600) is None
    assert (race.phase, race.reason) == ("open", "not everybody")


def test_the_clock_goes_on_from_a_snapshot_and_leaves_out_stoppages() -> None:
    race = scene(phase="running", elapsed_ms=4000)
    assert race.elapsed_ms(1500) == 4500
    race.apply(Stoppage(race="r", seq=2, at=9, stopped_ms=300), now=1500)
    assert race.elapsed_ms(1500) == 4200


def test_the_clock_stands_when_the_race_is_over() -> None:
    race = scene(phase="over", elapsed_ms=4000)
    assert race.elapsed_ms(99_999) == 4000


def test_an_async_race_says_when_it_closes() -> None:
    assert scene(closes_in_ms=9000).closes_in_ms(3000) == 7000
    assert scene().closes_in_ms(3000) is None


def test_what_was_said_comes_with_the_snapshot_and_goes_on_from_there() -> None:
    first = ChatLine(at=5, name="Ada", text="Good luck!")
    race = scene(chat=(first,))
    race.apply(Said(race="r", seq=2, at=9, name="Bob", text="You too", bot=True), now=0)
    assert race.chat == (first, ChatLine(at=9, name="Bob", text="You too", bot=True))
    for seq in range(3, 103):
        race.apply(Said(race="r", seq=seq, at=seq, name="Ada", text="again"), now=0)
    assert (len(race.chat), race.chat[-1].at) == (50, 102)


def test_a_skip_changes_nothing_but_the_seq() -> None:
    race = scene()
    race.apply(Skip(race="r", seq=2, at=9), now=0)
    assert (race.seq, race.phase) == (2, "open")
