"""A client's session without a socket: what is sent, what is told, what survives a lost link."""

from __future__ import annotations

from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol.codec import CODECS, JSON, MSGPACK, Codec
from samedeal_protocol.errors import CloseCode, Retry
from samedeal_protocol.happenings import (
    Answered,
    Complained,
    Cut,
    Declined,
    Greeted,
    Happening,
    Noticed,
    Postponed,
    Told,
    Unanswered,
    Unwelcome,
)
from samedeal_protocol.losses import Loss, loss
from samedeal_protocol.messages import (
    Cancel,
    Chat,
    ClientMessage,
    Create,
    Error,
    Hello,
    Join,
    Limits,
    List,
    Listed,
    Notice,
    Ok,
    Ping,
    Play,
    Played,
    Pong,
    Progressed,
    RaceEvent,
    Ready,
    Reply,
    Resume,
    Resumed,
    ServerMessage,
    Skip,
    Snapshot,
    Watch,
    Welcome,
)
from samedeal_protocol.session import ONCE, SHADOW_MS, Phase, Session
from samedeal_protocol.terms import Terms

RACE = "race-1"
TERMS = Terms(game="amazons")
LIMITS = Limits(
    frame_bytes=16384,
    requests_per_second=50,
    burst=100,
    chat_characters=300,
    races_per_player=20,
    ping_ms=20000,
)
_T = TypeVar("_T")


def snapshot(seq: int) -> Snapshot:
    return Snapshot(
        race=RACE,
        seq=seq,
        at=1,
        phase="open",
        terms=TERMS,
        host="Ada",
        commitment="c0",
        entrants=(),
    )


def event(seq: int) -> Progressed:
    return Progressed(race=RACE, seq=seq, at=1, entrant=1, home=seq, moves=seq)


def played(seq: int, number: int = 1) -> Played:
    return Played(
        race=RACE,
        seq=seq,
        at=1,
        number=number,
        digest="d",
        home=1,
        status="playing",
        elapsed_ms=1,
    )


class Talk:
    """A session with a scripted server at its other end."""

    def __init__(self, codec: Codec = MSGPACK, *, token: str | None = None) -> None:
        self.session = Session(codec, name="Ada", token=token)
        self.codec = codec
        self.now = 0

    def sent(self) -> list[ClientMessage]:
        return [self.codec.read_client(frame) for frame in self.session.take_frames()]

    def says(self, *messages: ServerMessage) -> list[Happening]:
        for message in messages:
            self.session.receive(self.codec.encode.encode(message), now=self.now)
        return self.session.take_happenings()

    def answers(self, request: ClientMessage, result: Reply | None = None) -> list[Happening]:
        return self.says(Ok(id=request.id, result=result))

    def connects(self) -> list[ClientMessage]:
        """Opens a connection and is welcomed; returns what is sent then."""
        self.session.opened()
        [hello] = self.sent()
        token = None if isinstance(hello, Hello) and hello.token else "t0k3n"
        welcome = Welcome(player="p1", name="Ada", token=token, server="test", at=1, limits=LIMITS)
        self.answers(hello, welcome)
        return self.sent()

    def loses(self, code: int | None) -> Loss:
        return self.session.lost(code, self.now)

    def joins(self, seq: int = 5) -> None:
        join = self.asks(Join(id=self.session.new_id(), race=RACE, phrase="sesame"))
        self.answers(join, snapshot(seq))

    def asks(self, request: ClientMessage) -> ClientMessage:
        self.session.ask(request)
        [sent] = self.sent()
        return sent


def joined(seq: int = 5) -> Talk:
    talk = Talk()
    talk.connects()
    talk.joins(seq)
    return talk


def only(happenings: list[Happening], kind: type[_T]) -> list[_T]:
    return [each for each in happenings if isinstance(each, kind)]


def told(happenings: list[Happening]) -> list[int]:
    return [each.message.seq for each in only(happenings, Told)]


# --- hello ----------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", CODECS.values(), ids=["msgpack", "json"])
def test_hello_is_said_first_in_either_encoding(codec: Codec) -> None:
    talk = Talk(codec)
    talk.session.ask(List(id=talk.session.new_id()))
    talk.session.opened()
    assert [type(message) for message in talk.sent()] == [Hello]


def test_requests_wait_for_the_welcome() -> None:
    talk = Talk()
    request = List(id=talk.session.new_id())
    talk.session.ask(request)
    assert talk.connects() == [request]


def test_the_token_of_the_welcome_is_said_next_time_without_a_name() -> None:
    talk = Talk()
    talk.connects()
    talk.loses(None)
    talk.session.opened()
    [hello] = talk.sent()
    assert isinstance(hello, Hello)
    assert (hello.token, hello.name) == ("t0k3n", None)


def test_a_known_player_may_rename_by_hello() -> None:
    talk = Talk(token="old")
    talk.session.opened()
    [hello] = talk.sent()
    assert isinstance(hello, Hello)
    assert (hello.token, hello.name) == ("old", "Ada")


def test_the_second_welcome_says_again() -> None:
    talk = Talk()
    seen = []
    for _ in range(2):
        talk.session.opened()
        [hello] = talk.sent()
        welcome = Welcome(player="p1", name="Ada", server="t", at=1, limits=LIMITS)
        seen += only(talk.answers(hello, welcome), Greeted)
        talk.loses(None)
    assert [greeted.again for greeted in seen] == [False, True]


@pytest.mark.parametrize(("retry", "then"), [("never", Phase.ENDED), ("after", Phase.OFFLINE)])
def test_a_refused_hello_says_by_itself_whether_to_return(retry: str, then: Phase) -> None:
    talk = Talk()
    talk.session.opened()
    [hello] = talk.sent()
    refusal = Error(id=hello.id, code="name-taken", message="taken", retry=retry)
    assert talk.says(refusal) == [Unwelcome(refusal)]
    talk.loses(CloseCode.NO_HELLO.number)
    assert talk.session.phase is then


# --- requests and replies -------------------------------------------------------------------


def test_ids_are_never_used_twice() -> None:
    talk = Talk()
    ids = [talk.session.new_id() for _ in range(3)]
    talk.connects()
    talk.loses(None)
    talk.session.opened()
    ids += [message.id for message in talk.sent()]
    assert len(set(ids)) == len(ids)


def test_a_reply_finds_its_request() -> None:
    talk = Talk()
    talk.connects()
    first = talk.asks(List(id=talk.session.new_id()))
    second = talk.asks(List(id=talk.session.new_id(), game="opus"))
    assert talk.answers(second, Listed(races=())) == [Answered(second, Listed(races=()))]
    assert talk.answers(first, Listed(races=())) == [Answered(first, Listed(races=()))]


def test_a_second_reply_to_a_request_is_nothing() -> None:
    talk = Talk()
    talk.connects()
    request = talk.asks(List(id=talk.session.new_id()))
    talk.answers(request, Listed(races=()))
    assert talk.answers(request, Listed(races=())) == []


def test_a_refusal_finds_its_request() -> None:
    talk = Talk()
    talk.connects()
    request = talk.asks(Join(id=talk.session.new_id(), race="nowhere"))
    error = Error(id=request.id, code="no-such-race", message="no such race", retry="never")
    assert talk.says(error) == [Declined(request, error)]


def test_an_error_without_id_is_a_complaint() -> None:
    talk = Talk()
    talk.connects()
    error = Error(code="malformed", message="what?", retry="never")
    assert talk.says(error) == [Complained(error)]


def test_a_notice_is_passed_on() -> None:
    notice = Notice(code="draining", message="soon")
    talk = Talk()
    talk.connects()
    assert talk.says(notice) == [Noticed(notice)]


def test_nothing_is_pinged_without_a_connection() -> None:
    talk = Talk()
    talk.session.ping(5)
    assert talk.session.waiting == 0


def test_pings_measure_the_round_trip_and_the_clock() -> None:
    talk = Talk()
    talk.connects()
    for sent, received in ((1000, 1100), (2000, 2010), (3000, 3050)):
        talk.session.ping(sent)
        [ping] = talk.sent()
        assert isinstance(ping, Ping)
        pong = Ok(id=ping.id, result=Pong(sent=ping.sent, at=sent + 505))
        talk.session.receive(MSGPACK.encode.encode(pong), now=received)
    assert (talk.session.rtt_ms, talk.session.offset_ms) == (10, 500)


# --- the order of a race ---------------------------------------------------------------------


def test_a_join_is_told_as_a_snapshot_before_it_is_answered() -> None:
    talk = Talk()
    talk.connects()
    join = talk.asks(Join(id=talk.session.new_id(), race=RACE))
    told_first, answered = talk.answers(join, snapshot(5))
    assert told_first == Told(RACE, snapshot(5))
    assert isinstance(answered, Answered)


def test_events_are_told_in_order() -> None:
    assert told(joined(5).says(event(6), event(7), Skip(race=RACE, seq=8, at=1))) == [6, 7, 8]


def test_repeats_are_dropped_and_counted() -> None:
    talk = joined(5)
    assert told(talk.says(event(4), event(5), event(6), event(6))) == [6]
    assert talk.session.repeats == 3


def test_a_gap_asks_to_resume_after_the_last_one_and_tells_nothing() -> None:
    talk = joined(5)
    assert told(talk.says(event(7))) == []
    [resume] = talk.sent()
    assert resume == Resume(id=resume.id or 0, race=RACE, after=5, phrase="sesame")


def test_a_gap_asks_once_and_is_filled_without_repeat() -> None:
    talk = joined(5)
    talk.says(event(7), event(8), event(9))
    [resume] = talk.sent()
    resumed = Ok(id=resume.id or 0, result=Resumed(race=RACE, after=5, seq=9))
    assert told(talk.says(resumed, *map(event, range(6, 11)))) == [6, 7, 8, 9, 10]
    assert talk.session.gaps == 1


def test_a_gap_may_be_answered_by_a_snapshot() -> None:
    talk = joined(5)
    talk.says(event(700))
    [resume] = talk.sent()
    assert told(talk.answers(resume, snapshot(900))) == [900]
    assert told(talk.says(event(901))) == [901]


def test_a_pushed_snapshot_replaces_what_was_told() -> None:
    talk = joined(5)
    assert told(talk.says(event(6), snapshot(6), event(7))) == [6, 6, 7]


def test_a_played_reply_stands_in_for_its_event() -> None:
    talk = joined(5)
    play = talk.asks(Play(id=talk.session.new_id(), race=RACE, number=1, move="deal"))
    happenings = talk.says(Ok(id=play.id or 0, result=played(6)), event(7))
    assert told(happenings) == [6, 7]
    assert only(happenings, Answered) == [Answered(play, played(6))]


def test_a_played_reply_of_old_is_an_answer_and_no_event() -> None:
    talk = joined(5)
    talk.says(event(6), event(7))
    play = talk.asks(Play(id=talk.session.new_id(), race=RACE, number=1, move="deal"))
    assert talk.answers(play, played(6)) == [Answered(play, played(6))]


def test_races_that_are_not_followed_are_not_told() -> None:
    talk = Talk()
    talk.connects()
    assert talk.says(event(1)) == []


def test_a_forgotten_race_is_not_told() -> None:
    talk = joined(5)
    talk.session.forget(RACE)
    assert talk.says(event(6)) == []
    assert talk.session.seq(RACE) is None


def test_a_doubt_asks_for_the_whole_once_and_loses_no_event() -> None:
    talk = joined(5)
    talk.session.refresh(RACE)
    talk.session.refresh(RACE)
    [resume] = talk.sent()
    assert isinstance(resume, Resume)
    assert resume.after is None
    assert told(talk.says(event(6), Ok(id=resume.id, result=snapshot(6)))) == [6, 6]


def test_a_doubt_while_offline_is_settled_on_the_next_connection() -> None:
    talk = joined(5)
    talk.loses(None)
    talk.session.refresh(RACE)
    [resume] = talk.connects()
    assert isinstance(resume, Resume)
    assert resume.after is None


# --- what a newer server says -----------------------------------------------------------------


@pytest.mark.parametrize("codec", CODECS.values(), ids=["msgpack", "json"])
def test_an_event_of_a_newer_server_is_a_skip(codec: Codec) -> None:
    talk = Talk(codec)
    talk.connects()
    talk.joins(5)
    newer = {"type": "fireworks", "race": RACE, "seq": 6, "at": 9, "colour": "red"}
    talk.session.receive(codec.encode.encode(newer), now=0)
    [happening] = talk.session.take_happenings()
    assert happening == Told(RACE, Skip(race=RACE, seq=6, at=9))


def test_a_reply_that_cannot_be_read_declines_its_request() -> None:
    talk = Talk()
    talk.connects()
    request = talk.asks(List(id=talk.session.new_id()))
    reply = {"type": "ok", "id": request.id, "result": {"type": "poem"}}
    talk.session.receive(MSGPACK.encode.encode(reply), now=0)
    [declined] = only(talk.session.take_happenings(), Declined)
    assert declined.request == request


@pytest.mark.parametrize("frame", [b"", b"\xc1", b"\x93\x01\x02\x03", b"nonsense"])
def test_nonsense_is_a_complaint(frame: bytes) -> None:
    talk = joined(5)
    talk.session.receive(frame, now=0)
    assert [type(each) for each in talk.session.take_happenings()] == [Complained]


# --- a lost connection ------------------------------------------------------------------------


def test_after_a_loss_races_are_resumed_before_requests_are_repeated() -> None:
    talk = joined(5)
    play = talk.asks(Play(id=talk.session.new_id(), race=RACE, number=1, move="deal"))
    talk.loses(None)
    resume, again = talk.connects()
    assert isinstance(resume, Resume)
    assert resume.after == 5
    assert again == play


def test_a_play_that_counted_before_the_loss_is_told_once_and_answered_once() -> None:
    talk = joined(5)
    play = talk.asks(Play(id=talk.session.new_id(), race=RACE, number=1, move="deal"))
    talk.loses(None)
    resume, _ = talk.connects()
    happenings = talk.says(
        Ok(id=resume.id or 0, result=Resumed(race=RACE, after=5, seq=6)),
        event(6),
        Ok(id=play.id or 0, result=played(6)),
    )
    assert told(happenings) == [6]
    assert Answered(play, played(6)) in happenings


def once_requests() -> list[ClientMessage]:
    return [
        Create(id=99, terms=TERMS),
        Chat(id=99, race=RACE, text="hello"),
        Cancel(id=99, race=RACE),
        Ready(id=99, race=RACE),
    ]


@pytest.mark.parametrize("request_", once_requests(), ids=["create", "chat", "cancel", "ready"])
def test_what_counts_twice_is_never_sent_twice(request_: ClientMessage) -> None:
    assert isinstance(request_, ONCE)
    talk = joined(5)
    talk.asks(request_)
    talk.loses(None)
    assert talk.session.take_happenings() == [Unanswered(request_)]
    assert [type(message) for message in talk.connects()] == [Resume]


@pytest.mark.parametrize("request_", once_requests(), ids=["create", "chat", "cancel", "ready"])
def test_what_was_never_sent_is_sent_later(request_: ClientMessage) -> None:
    talk = Talk()
    talk.session.ask(request_)
    talk.loses(None)
    assert talk.session.take_happenings() == []
    assert talk.connects() == [request_]


def test_a_lost_ping_is_forgotten() -> None:
    talk = joined(5)
    talk.session.ping(1)
    talk.session.take_frames()
    talk.loses(None)
    assert [type(message) for message in talk.connects()] == [Resume]
    assert talk.session.waiting == 1


def test_a_watched_race_is_resumed_as_well() -> None:
    talk = Talk()
    talk.connects()
    talk.answers(talk.asks(Watch(id=talk.session.new_id(), race=RACE)), snapshot(5))
    talk.loses(1012)
    [resume] = talk.connects()
    assert resume == Resume(id=resume.id or 0, race=RACE, after=5)


def test_a_race_that_cannot_be_resumed_is_cut() -> None:
    talk = joined(5)
    talk.loses(None)
    [resume] = talk.connects()
    error = Error(id=resume.id, code="no-such-race", message="gone", retry="never")
    assert talk.says(error) == [Cut(RACE, error)]
    assert talk.says(event(6)) == []


def test_a_resume_that_is_refused_for_now_is_asked_again_and_nothing_is_lost() -> None:
    talk = joined(5)
    talk.loses(None)
    [resume] = talk.connects()
    error = Error(id=resume.id, code="rate-limited", message="slowly", retry="after", after_ms=70)
    assert talk.says(error) == [Postponed(RACE, 70)]
    assert talk.says(event(8)) == []
    talk.session.resume(RACE)
    [again] = talk.sent()
    assert again == Resume(id=again.id, race=RACE, after=5, phrase="sesame")


def test_the_frames_of_a_lost_connection_are_not_sent_on_the_next() -> None:
    talk = joined(5)
    talk.session.ask(Chat(id=99, race=RACE, text="hello"))
    talk.loses(None)
    talk.session.opened()
    assert [type(message) for message in talk.sent()] == [Hello]


@pytest.mark.parametrize("code", CloseCode)
def test_close_codes_say_whether_to_return(code: CloseCode) -> None:
    assert loss(code.number).retry is code.retry


@pytest.mark.parametrize("code", [None, 1000, 1001, 1005, 1006, 1011, 1012, 1013, 1014])
def test_common_losses_allow_to_return(code: int | None) -> None:
    assert loss(code).retry is not Retry.NEVER


@pytest.mark.parametrize("code", [1002, 1003, 1007, 1008, 1009, 4999, 3000])
def test_a_code_that_nobody_knows_forbids_to_return(code: int) -> None:
    assert loss(code).retry is Retry.NEVER


def test_a_replaced_connection_ends_the_session() -> None:
    talk = joined(5)
    assert talk.loses(CloseCode.REPLACED.number) == Loss(
        Retry.NEVER, "A newer connection of the player took over", 4001
    )
    assert talk.session.phase is Phase.ENDED


def test_who_came_back_and_is_replaced_by_their_own_shadow_comes_back_once_more() -> None:
    talk = joined(5)
    replaced = CloseCode.REPLACED.number
    talk.loses(None)
    talk.connects()
    talk.now += SHADOW_MS - 1
    assert talk.loses(replaced).retry is Retry.NOW
    assert [type(request) for request in talk.connects()] == [Resume]
    assert talk.loses(replaced).retry is Retry.NEVER


def test_who_came_back_long_ago_is_replaced_for_good() -> None:
    talk = joined(5)
    talk.loses(None)
    talk.connects()
    talk.now += SHADOW_MS
    assert talk.loses(CloseCode.REPLACED.number).retry is Retry.NEVER


# --- the law, over chance --------------------------------------------------------------------


def test_json_frames_are_text() -> None:
    talk = Talk(JSON)
    talk.session.opened()
    [frame] = talk.session.take_frames()
    assert frame.decode().startswith('{"type":"hello"')


def deliver(talk: Talk, log: list[RaceEvent], order: list[int]) -> list[int]:
    """Delivers events by index, answering every resume from the log; returns what was told."""
    seen: list[int] = []
    for index in order:
        seen += told(talk.says(log[index]))
        for request in talk.sent():
            assert isinstance(request, Resume)
            after = request.after or 0
            resumed = Ok(id=request.id, result=Resumed(race=RACE, after=after, seq=len(log)))
            seen += told(talk.says(resumed, *log[after:]))
    return seen


@given(st.lists(st.integers(0, 19), max_size=60))
def test_whatever_is_lost_repeated_or_late_every_seq_is_told_once(order: list[int]) -> None:
    log: list[RaceEvent] = [event(seq) for seq in range(1, 21)]
    talk = joined(0)
    seen = deliver(talk, log, order)
    assert seen == list(range(1, len(seen) + 1))
