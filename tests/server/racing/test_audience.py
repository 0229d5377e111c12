"""Who is told what: each event, snapshot and sheet, for each kind of viewer under each term."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from samedeal_protocol import messages
from samedeal_protocol.events import Event
from samedeal_protocol.messages import RaceEvent
from samedeal_protocol.terms import Mode, Sight, Start, Terms, Undo
from samedeal_rules.notation import parse_position
from samedeal_server.racing.audience import (
    Level,
    Role,
    card,
    changes_sight,
    lag_ms,
    lens,
    may_watch,
    played,
    results,
    show,
    sight,
    snapshot,
)
from samedeal_server.racing.commands import (
    Begin,
    Cancel,
    Chat,
    Finish,
    GiveUp,
    OpenRematch,
    Play,
    Return,
    Stop,
    Withdraw,
)
from samedeal_server.racing.commands import Undo as TakeBack
from support.races import HOST, SALT, WIN, WIN_GAME, WIN_SEED, Track


def racing(
    *,
    mode: Mode = Mode.LIVE,
    spectators: Sight = Sight.BOARDS,
    blind: bool = False,
    delay: int = 0,
    undo: Undo = Undo.FREE,
    game: str = WIN_GAME,
) -> Track:
    """A race of `ann`, `bob` and `cat`, in which `bob` is done; nobody else has played."""
    track = Track(
        Terms(game=game, mode=mode, spectators=spectators, blind=blind, delay=delay, undo=undo),
        seed=WIN_SEED,
    )
    track.start("ann", "bob", "cat")
    track.do(GiveUp("bob"))
    return track


def told(track: Track, events: Sequence[Event], viewer: str) -> RaceEvent:
    """Returns what the viewer is told of the last of the events."""
    return show(track.race, events[-1], sight(track.race, viewer))


# --- the matrix of a move ----------------------------------------------------------------------

VIEWERS = ("ann", "cat", "bob", HOST, "zoe")


@pytest.mark.parametrize(
    ("mode", "spectators", "blind", "delay", "kinds"),
    # what ann herself, cat (racing), bob (done), the host and a stranger are told of ann's move
    [
        ("live", "boards", False, 0, "Moved Progressed Moved Moved Moved"),
        ("live", "progress", False, 0, "Moved Progressed Progressed Progressed Progressed"),
        ("live", "none", False, 0, "Moved Progressed Progressed Progressed Skip"),
        ("live", "boards", True, 0, "Moved Skip Moved Moved Skip"),
        ("live", "none", True, 0, "Moved Skip Progressed Progressed Skip"),
        ("live", "boards", False, 30, "Moved Progressed Progressed Moved Moved"),
        ("async", "boards", False, 0, "Moved Progressed Moved Progressed Progressed"),
        ("async", "progress", False, 0, "Moved Progressed Progressed Progressed Progressed"),
        ("async", "none", False, 0, "Moved Progressed Progressed Progressed Skip"),
        ("async", "boards", True, 0, "Moved Skip Moved Skip Skip"),
        ("async", "none", True, 0, "Moved Skip Progressed Skip Skip"),
    ],
)
def test_a_move_is_shown_by_what_the_viewer_is_to_the_race(
    mode: str, spectators: str, blind: bool, delay: int, kinds: str
) -> None:
    track = racing(mode=Mode(mode), spectators=Sight(spectators), blind=blind, delay=delay)
    events = track.do(Play("ann", 1, WIN[0]))
    seen = [type(told(track, events, viewer)).__name__ for viewer in VIEWERS]
    assert seen == kinds.split()
    events = track.do(TakeBack("ann", 2))
    seen = [type(told(track, events, viewer)).__name__ for viewer in VIEWERS]
    assert seen == kinds.replace("Moved", "Undone").split()


@pytest.mark.parametrize("blind", [False, True])
def test_an_end_is_told_to_rivals_unless_the_race_is_blind(blind: bool) -> None:
    track = racing(blind=blind)
    events = track.do(GiveUp("ann"))
    kinds = [type(told(track, events, viewer)).__name__ for viewer in ("ann", "cat", "bob", "zoe")]
    hidden = "Skip" if blind else "Done"
    assert kinds == ["Done", hidden, "Done", hidden]


def test_an_entrant_sees_their_own_end_even_with_the_sight_they_had_before() -> None:
    track = racing(blind=True)
    before = sight(track.race, "ann")
    events = track.do(GiveUp("ann"))
    assert isinstance(show(track.race, events[-1], before), messages.Done)


@pytest.mark.parametrize("blind", [False, True])
def test_who_is_away_is_told_as_progress_is(blind: bool) -> None:
    track = racing(blind=blind)
    track.drop("ann")
    away = told(track, track.log, "cat")
    assert isinstance(away, messages.Skip if blind else messages.Away)
    back = told(track, track.do(Return("ann")), "cat")
    assert isinstance(back, messages.Skip if blind else messages.Back)


def test_before_the_start_a_blind_race_hides_nobody() -> None:
    track = Track(Terms(game=WIN_GAME, blind=True))
    track.enter("ann", "bob")
    track.drop("ann")
    away = told(track, track.log, "bob")
    assert isinstance(away, messages.Away)
    assert away.grace_ms is None


def test_the_grace_is_told_with_the_absence() -> None:
    track = racing()
    track.drop("ann")
    away = told(track, track.log, "cat")
    assert isinstance(away, messages.Away)
    assert away.grace_ms == 300_000


# --- the start ---------------------------------------------------------------------------------


def started(spectators: Sight = Sight.BOARDS) -> tuple[Track, Event]:
    track = Track(Terms(game=WIN_GAME, spectators=spectators), seed=WIN_SEED)
    track.enter("ann", "bob")
    track.ready("ann", "bob")
    (event,) = track.wait(5000)
    return track, event


def test_the_deal_is_the_same_message_for_every_entrant() -> None:
    track, event = started()
    lenses = {lens(event, sight(track.race, player)) for player in ("ann", "bob")}
    assert len(lenses) == 1
    shown = show(track.race, event, lenses.pop(), legal=True)
    assert isinstance(shown, messages.Started)
    assert shown.board is not None
    assert parse_position(shown.board).digest() == shown.digest
    assert shown.legal


@pytest.mark.parametrize(
    ("spectators", "dealt"), [(Sight.BOARDS, True), (Sight.PROGRESS, False), (Sight.NONE, False)]
)
def test_spectators_get_the_deal_where_they_see_boards(spectators: Sight, dealt: bool) -> None:
    track, event = started(spectators)
    shown = show(track.race, event, sight(track.race, "zoe"), legal=True)
    assert isinstance(shown, messages.Started)
    assert (shown.board is not None) == dealt
    assert shown.legal is None


def test_an_async_start_deals_to_nobody_and_a_beginning_to_the_beginner() -> None:
    track = Track(Terms(game=WIN_GAME, mode=Mode.ASYNC), seed=WIN_SEED)
    track.enter("ann", "bob")
    shown: list[dict[str, RaceEvent]] = []
    track.watchers.append(
        lambda event: shown.append(
            {
                viewer: show(track.race, event, lens(event, sight(track.race, viewer)))
                for viewer in ("ann", "bob", "zoe", HOST)
            }
        )
    )
    track.do(Begin("ann"))
    starts, begins = shown
    assert all(
        isinstance(message, messages.Started) and message.board is None
        for message in starts.values()
    )
    boards = {
        viewer: message.board
        for viewer, message in begins.items()
        if isinstance(message, messages.Began)
    }
    assert boards.pop("ann") is not None
    assert boards == {"bob": None, "zoe": None, HOST: None}


# --- snapshots ---------------------------------------------------------------------------------


def boards(track: Track, viewer: str) -> list[bool]:
    return [view.board is not None for view in snapshot(track.race, viewer, track.now).entrants]


def test_a_snapshot_before_the_start_knows_nothing_of_the_deal() -> None:
    track = Track(Terms(game=WIN_GAME), seed=WIN_SEED, seeded=True)
    track.enter("ann", "bob")
    for viewer in ("ann", HOST, "zoe"):
        sheet = snapshot(track.race, viewer, track.now, legal=True)
        assert (sheet.seed, sheet.salt, sheet.legal, sheet.number) == (None, None, None, 0)
        assert sheet.seeded
        assert [(view.board, view.digest, view.home) for view in sheet.entrants] == [
            (None, None, None)
        ] * 2


def test_a_snapshot_of_a_race_shows_each_viewer_their_boards() -> None:
    track = racing()
    assert boards(track, "ann") == [True, False, False]
    assert boards(track, "bob") == [True, True, True]
    assert boards(track, "zoe") == [True, True, True]
    assert boards(racing(spectators=Sight.PROGRESS), "bob") == [False, True, False]
    assert boards(racing(spectators=Sight.PROGRESS), "zoe") == [False, False, False]


def test_a_blind_snapshot_says_of_rivals_only_that_they_are_there() -> None:
    track = racing(blind=True)
    _, bob, cat = snapshot(track.race, "ann", track.now).entrants
    assert bob == messages.EntrantView(entrant=2, name="Bob", state="hidden")
    assert cat == messages.EntrantView(entrant=3, name="Cat", state="hidden")
    assert snapshot(track.race, "bob", track.now).entrants[2].state == "racing"


def test_a_snapshot_carries_what_resuming_needs() -> None:
    track = racing(undo=Undo.PENALTY)
    track.play("ann", WIN[0], WIN[1], after=1000)
    track.do(TakeBack("ann", 3))
    track.now += 500
    sheet = snapshot(track.race, "ann", track.now, legal=True)
    assert (sheet.you, sheet.number, sheet.undoable, sheet.elapsed_ms) == (1, 3, True, 2500)
    assert sheet.seq == track.race.seq
    assert sheet.legal is not None
    assert sheet.legal == tuple(sorted(sheet.legal))
    assert sheet.entrants[0].penalty_ms == 5000
    assert sheet.entrants[0].moves == 2


def test_the_countdown_in_a_snapshot_is_a_duration() -> None:
    track = Track(Terms(game=WIN_GAME))
    track.enter("ann", "bob")
    track.ready("ann", "bob")
    track.now += 1500
    assert snapshot(track.race, "ann", track.now).starts_in_ms == 3500
    at = Track(Terms(game=WIN_GAME, start=Start.AT, start_at=track.now + 60_000))
    assert snapshot(at.race, "zoe", track.now).starts_in_ms == 60_000


def test_clocks_stand_still_at_the_end() -> None:
    track = racing()
    track.do(GiveUp("ann"), after=1000)
    track.do(GiveUp("cat"), after=2000)
    later = track.now + 60_000
    clocks = [snapshot(track.race, viewer, later).elapsed_ms for viewer in ("ann", "cat", "zoe")]
    assert clocks == [1000, 3000, 3000]


def test_an_async_snapshot_says_when_it_closes() -> None:
    track = racing(mode=Mode.ASYNC)
    assert snapshot(track.race, "ann", track.now + 1000).closes_in_ms == 86_399_000
    assert snapshot(track.race, "zoe", track.now).elapsed_ms is None


def test_when_it_is_over_everybody_sees_everything() -> None:
    track = racing(blind=True, spectators=Sight.NONE, delay=30)
    track.play("ann", *WIN)
    track.do(Finish("ann", 9))
    events = track.do(GiveUp("cat"))
    for viewer in VIEWERS:
        assert may_watch(track.race, viewer)
        sheet = snapshot(track.race, viewer, track.now)
        assert (sheet.seed, sheet.salt) == (WIN_SEED, SALT)
        assert [line.place for line in sheet.standings] == [1, 2, 2]
        assert boards(track, viewer) == [True, True, True]
        assert results(track.race, viewer).standings == sheet.standings
        over = told(track, events, viewer)
        assert isinstance(over, messages.Over)
        assert over.standings == sheet.standings
        assert lag_ms(track.race, sight(track.race, viewer)) == 0


def test_a_cancelled_race_publishes_no_seed() -> None:
    track = Track(Terms(game=WIN_GAME))
    track.enter("ann", "bob")
    events = track.do(Cancel(HOST))
    assert isinstance(told(track, events, "ann"), messages.Cancelled)
    assert snapshot(track.race, "ann", track.now).seed is None
    assert results(track.race, "ann").seed is None


# --- sheets and cards --------------------------------------------------------------------------


def test_results_on_the_way_rank_provisionally() -> None:
    track = racing()
    track.play("ann", *WIN)
    track.do(Finish("ann", 9))
    sheet = results(track.race, "cat")
    assert [(line.place, line.name, line.state) for line in sheet.standings] == [
        (1, "Ann", "finished"),
        (2, "Bob", "gave-up"),
        (2, "Cat", "racing"),
    ]
    assert sheet.seed is None


def test_results_of_a_blind_race_are_empty_until_one_is_done() -> None:
    track = racing(blind=True)
    assert results(track.race, "ann").standings == ()
    assert results(track.race, "bob").standings != ()


def test_a_card_lists_who_is_in_and_in_ones_own_list_how_one_did() -> None:
    track = Track(Terms(game=WIN_GAME))
    track.enter("ann", "bob", "cat")
    track.do(Withdraw("cat"))
    assert card(track.race).entrants == ("Ann", "Bob")
    track.ready("ann", "bob")
    track.wait(5000)
    track.do(GiveUp("ann"))
    assert card(track.race, "ann").standing is None
    track.do(GiveUp("bob"))
    standing = card(track.race, "ann").standing
    assert standing is not None
    assert standing.place == 1
    assert card(track.race, "zoe").standing is None


# --- sights ------------------------------------------------------------------------------------


def test_a_players_second_connection_sees_as_an_entrant_sees() -> None:
    track = racing()
    assert sight(track.race, "ann") == (Role.ENTRANT, Level.PROGRESS, 1)


def test_being_done_widens_the_sight_and_so_does_the_end() -> None:
    track = racing(blind=True)
    assert sight(track.race, "ann").level is Level.NOTHING
    (done,) = track.do(GiveUp("ann"))
    assert changes_sight(done)
    assert sight(track.race, "ann").level is Level.BOARDS
    assert changes_sight(track.do(GiveUp("cat"))[-1])


def test_whoever_withdraws_is_a_spectator_again() -> None:
    track = Track(Terms(game=WIN_GAME, spectators=Sight.NONE))
    track.enter("ann")
    assert may_watch(track.race, "ann")
    track.do(Withdraw("ann"))
    assert sight(track.race, "ann").role is Role.SPECTATOR
    assert not may_watch(track.race, "ann")
    assert may_watch(track.race, HOST)


def test_only_spectators_are_behind() -> None:
    track = racing(delay=30)
    lags = [lag_ms(track.race, sight(track.race, viewer)) for viewer in VIEWERS]
    assert lags == [0, 0, 0, 0, 30_000]


def test_rivals_of_one_kind_share_a_lens() -> None:
    track = racing()
    (event,) = track.do(Play("ann", 1, WIN[0]))
    own, rival, done = (lens(event, sight(track.race, player)) for player in ("ann", "cat", "bob"))
    assert own.entrant == 1
    assert rival == (Role.ENTRANT, Level.PROGRESS, 0)
    assert done.entrant == 0


# --- chat --------------------------------------------------------------------------------------


def hear(track: Track, speaker: str) -> str:
    """Returns which of the viewers hear the speaker, as their initials."""
    text = f"T4 looks good at {track.race.seq}"
    events = track.do(Chat(speaker, speaker.capitalize(), bot=False, text=text))
    heard = "".join(
        viewer[0] for viewer in VIEWERS if isinstance(told(track, events, viewer), messages.Said)
    )
    assert heard == readers(track, text), "a reload brings what was heard, and no more"
    return heard


def readers(track: Track, text: str) -> str:
    """Returns which of the viewers find a line in a snapshot, as their initials."""
    return "".join(viewer[0] for viewer in VIEWERS if text in lines_of(track, viewer))


def lines_of(track: Track, viewer: str) -> list[str]:
    return [line.text for line in snapshot(track.race, viewer, track.now).chat]


def test_the_host_is_told_that_they_are_whatever_they_are_called_now() -> None:
    track = racing()
    told = {viewer: snapshot(track.race, viewer, track.now).hosting for viewer in ("ann", HOST)}
    assert told == {"ann": False, HOST: True}


@pytest.mark.parametrize(
    ("spectators", "blind", "speaker", "heard"),
    [
        # who races is heard by all
        ("boards", False, "cat", "acbhz"),
        ("boards", True, "cat", "acbhz"),
        # who sees more than a racer is not heard by racers
        ("boards", False, "bob", "bhz"),
        ("boards", False, "zoe", "bhz"),
        ("boards", True, "bob", "bhz"),
        ("progress", True, "bob", "bhz"),
        # nor is who has played the deal, whatever they see
        ("progress", False, "bob", "bhz"),
        # who sees no more is
        ("progress", False, "zoe", "acbhz"),
        # the host has a word to say
        ("boards", True, HOST, "acbhz"),
    ],
)
def test_who_may_know_more_is_not_heard_by_who_races(
    spectators: str, blind: bool, speaker: str, heard: str
) -> None:
    assert hear(racing(spectators=Sight(spectators), blind=blind), speaker) == heard


@pytest.mark.parametrize("blind", [False, True])
def test_in_an_async_race_only_who_is_done_hears_who_has_begun(blind: bool) -> None:
    track = racing(mode=Mode.ASYNC, blind=blind)
    assert hear(track, "cat") == "cb"
    assert hear(track, "bob") == "b"
    track.enter("dan")
    assert hear(track, "dan") == "acbhz"


def test_before_the_start_and_after_the_end_everybody_hears_everybody() -> None:
    track = Track(Terms(game=WIN_GAME, blind=True))
    track.enter("ann", "bob")
    assert hear(track, "zoe") == "acbhz"
    track.ready("ann", "bob")
    track.wait(5000)
    track.do(GiveUp("ann"))
    track.do(GiveUp("bob"))
    assert hear(track, "zoe") == "acbhz"


def test_what_was_heard_stays_to_be_read_though_its_speaker_is_done_by_now() -> None:
    track = racing()
    track.do(Chat("cat", "Cat", bot=False, text="hard, this one"))
    track.do(GiveUp("cat"))
    assert hear(track, "cat") == "cbhz"
    assert readers(track, "hard, this one") == "acbhz"


def test_what_a_racer_may_not_read_is_read_when_done_or_when_the_race_is_over() -> None:
    track = racing(mode=Mode.ASYNC)
    track.do(Chat("cat", "Cat", bot=False, text="the king is under T4"))
    assert readers(track, "the king is under T4") == "cb"
    track.do(GiveUp("ann"))
    assert readers(track, "the king is under T4") == "acb"
    track.wait(10 * 86_400_000)
    assert readers(track, "the king is under T4") == "acbhz"


def test_the_newest_lines_are_kept_as_they_were_said() -> None:
    track = Track(Terms(game=WIN_GAME))
    said = [track.do(Chat("ann", "Ann", bot=True, text=f"line {number}")) for number in range(60)]
    assert lines_of(track, "zoe") == [f"line {number}" for number in range(10, 60)]
    last = snapshot(track.race, "zoe", track.now).chat[-1]
    assert last == messages.ChatLine(at=said[-1][0].at, name="Ann", text="line 59", bot=True)
    for _ in range(60):
        track.do(Chat("ann", "Ann", bot=True, text="x" * 300))
    assert len(lines_of(track, "zoe")) == 4000 // 300


# --- what is told to everybody -----------------------------------------------------------------


def test_what_concerns_everybody_is_told_to_everybody() -> None:
    track = Track(Terms(game=WIN_GAME, blind=True, spectators=Sight.NONE))
    kinds: list[tuple[str, ...]] = []
    track.watchers.append(
        lambda event: kinds.append(
            tuple(
                sorted(
                    {
                        type(show(track.race, event, sight(track.race, viewer))).__name__
                        for viewer in ("ann", HOST, "zoe")
                    }
                )
            )
        )
    )
    track.enter("ann", "bob", "cat")
    track.ready("ann", "bob")
    track.do(Withdraw("cat"))
    track.do(Stop(track.now), after=1000)
    track.do(Return("ann"))
    track.do(Return("bob"))
    track.ready("ann", "bob")
    track.wait(5000)
    track.do(GiveUp("ann"))
    track.do(GiveUp("bob"))
    track.do(OpenRematch("ann", "race-2"))
    told_alike = [kind[0] for kind in kinds if len(kind) == 1]
    assert (
        told_alike
        == (
            "Entered Entered Entered Readied Readied Left CountdownBegan "
            "Stoppage CountdownStopped Away Readied Away Readied Back Back Readied Readied "
            "CountdownBegan Started Over RematchOpened"
        ).split()
    )


def test_the_opening_itself_is_nothing_to_tell() -> None:
    track = Track(Terms(game=WIN_GAME))
    assert isinstance(show(track.race, track.opened, sight(track.race, "zoe")), messages.Skip)


# --- the own board -----------------------------------------------------------------------------


def test_an_auto_finish_is_told_as_the_moves_that_it_came_to() -> None:
    track = racing()
    track.play("ann", *WIN)
    moved: list[RaceEvent] = []
    track.watchers.append(
        lambda event: moved.append(show(track.race, event, sight(track.race, "bob")))
    )
    track.do(Finish("ann", 9))
    reply = played(track.race, track["ann"])
    assert reply.status == "won"
    assert len(reply.moves) == 6
    assert not reply.undoable
    first = moved[0]
    assert isinstance(first, messages.Moved)
    assert (first.moves, first.steps, first.digest) == (reply.moves, reply.steps, reply.digest)


def test_what_steps_cannot_say_comes_as_a_whole_board() -> None:
    track = racing()
    track.play("ann", *WIN)
    reply = played(track.race, track["ann"])
    assert reply.moves == ("redeal",)
    assert reply.board is not None
    assert parse_position(reply.board).digest() == reply.digest
