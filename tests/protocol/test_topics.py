"""Topics of the bus: what is said comes back, and nothing that is not what its topic says."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol import topics
from samedeal_protocol.messages import RaceCard, Standing
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament.views import MatchView, PlayerView, TournamentHead

CARD = RaceCard(
    race="r1",
    phase="open",
    terms=Terms(game="forty-thieves"),
    host="Ann",
    opened_at=1,
    commitment="00",
)
MATCH = MatchView(match="R1.1", round=1, label="round 1", players=(1, 2))
PLAYERS = (
    PlayerView(player=1, name="Ann", state="playing"),
    PlayerView(player=2, name="Bob", state="playing"),
)


@dataclass(frozen=True)
class Said:
    """A message on its topic."""

    kind: topics.Topic[topics.Payload]
    topic: str
    payload: topics.Payload


def said(kind: object, topic: str, payload: topics.Payload) -> Said:
    assert isinstance(kind, topics.Topic)
    return Said(kind, topic, payload)


MESSAGES = {
    "owner": said(
        topics.OWNER,
        topics.OWNER.at(race="r1"),
        topics.Owner(race="r1", node="a", epoch=2, seq=9, card=CARD),
    ),
    "progress": said(
        topics.PROGRESS,
        topics.PROGRESS.at(race="r1"),
        topics.Progress(
            race="r1",
            node="a",
            epoch=2,
            seq=9,
            at=1,
            phase="running",
            entrants=(topics.ProgressLine(entrant=1, state="racing", home=3, moves=7),),
        ),
    ),
    "standings": said(
        topics.STANDINGS,
        topics.STANDINGS.at(race="r1"),
        topics.Standings(
            race="r1",
            epoch=2,
            seq=9,
            phase="over",
            standings=(
                Standing(entrant=1, name="Ann", state="finished", home=52, moves=9, place=1),
            ),
        ),
    ),
    "watch": said(
        topics.WATCH,
        topics.WATCH.at(race="r1"),
        topics.Watch(race="r1", epoch=2, seq=9, frames=(b"\x80", b"\x81")),
    ),
    "table": said(
        topics.TABLE,
        topics.TABLE.at(tournament="cup-1"),
        topics.Table(
            tournament="cup-1",
            name="Friday",
            epoch=2,
            seq=9,
            at=1,
            head=TournamentHead(phase="running", round=1),
            final=False,
            places=(topics.Place(place=1, player=1, name="Ann", marks=("points 1½",)),),
        ),
    ),
    "pairings": said(
        topics.PAIRINGS,
        topics.PAIRINGS.at(tournament="cup-1"),
        topics.Pairings(
            tournament="cup-1", epoch=2, seq=9, at=1, matches=(MATCH,), players=PLAYERS
        ),
    ),
    "results": said(
        topics.RESULTS,
        topics.RESULTS.at(tournament="cup-1"),
        topics.Results(tournament="cup-1", epoch=2, seq=9, at=1, matches=(MATCH,), players=PLAYERS),
    ),
    "news": said(
        topics.NEWS,
        topics.NEWS.at(tournament="cup-1", node="a"),
        topics.News(tournament="cup-1", node="a", epoch=2, seq=9),
    ),
    "log": said(
        topics.LOG,
        topics.LOG.at(race="r1", node="a"),
        topics.LogLines(race="r1", node="a", epoch=2, first=8, lines=(b"{}", b"{}")),
    ),
    "status": said(
        topics.STATUS,
        topics.STATUS.at(node="a"),
        topics.NodeStatus(node="a", status="up", at=1, incarnation="x"),
    ),
    "command": said(
        topics.COMMAND,
        topics.COMMAND.at(to="b", node="a"),
        topics.Command(
            id=1, race="r1", node="a", incarnation="x", expires_at=1, kind="play", body=b"\xc0"
        ),
    ),
    "reply": said(
        topics.REPLY,
        topics.REPLY.at(to="a", node="b"),
        topics.Reply(id=1, race="r1", node="b", incarnation="x", body=b"\xc0"),
    ),
}


@pytest.fixture(params=MESSAGES)
def message(request: pytest.FixtureRequest) -> Said:
    return MESSAGES[request.param]


def refusal(message: Said, topic: str, payload: bytes) -> str:
    with pytest.raises(topics.BadMessage) as caught:
        message.kind.decode(topic, payload)
    return str(caught.value)


def test_every_kind_of_topic_is_tested() -> None:
    assert {id(each.kind) for each in MESSAGES.values()} == {id(each) for each in topics.TOPICS}


def test_what_is_said_comes_back(message: Said) -> None:
    encoded = message.kind.encode(message.payload)
    assert message.kind.decode(message.topic, encoded) == message.payload


def test_retained_topics_are_json_for_anybody(message: Said) -> None:
    assert message.kind.is_json or not message.kind.is_retained
    encoded = message.kind.encode(message.payload)
    assert encoded.startswith(b"{") == message.kind.is_json


@given(garbage=st.binary(max_size=200))
def test_garbage_is_refused(garbage: bytes) -> None:
    for message in MESSAGES.values():
        assert refusal(message, message.topic, garbage)


def test_deep_nesting_is_refused(message: Said) -> None:
    deep = b"[" * 100_000 if message.kind.is_json else b"\x91" * 100_000
    assert refusal(message, message.topic, deep)


def test_too_much_is_refused(message: Said) -> None:
    padded = message.kind.encode(message.payload) + b" " * topics.PAYLOAD_BYTES
    assert "too many" in refusal(message, message.topic, padded)


def test_another_kind_of_topic_is_refused(message: Said) -> None:
    encoded = message.kind.encode(message.payload)
    for other in MESSAGES.values():
        if other is not message:
            assert "is not" in refusal(message, other.topic, encoded)


def test_a_message_that_says_another_race_than_its_topic_is_refused(message: Said) -> None:
    if "{race}" not in message.kind.path:
        return
    encoded = message.kind.encode(message.payload)
    elsewhere = message.topic.replace("/r1/", "/r2/")
    assert "another race" in refusal(message, elsewhere, encoded)


@pytest.mark.parametrize("name", ["table", "pairings", "results", "news"])
def test_a_message_that_says_another_tournament_than_its_topic_is_refused(name: str) -> None:
    message = MESSAGES[name]
    elsewhere = message.topic.replace("/cup-1/", "/cup-2/")
    encoded = message.kind.encode(message.payload)
    assert "another tournament" in refusal(message, elsewhere, encoded)


@pytest.mark.parametrize("name", ["log", "news", "status", "command", "reply"])
def test_a_message_that_says_another_sender_than_its_topic_is_refused(name: str) -> None:
    message = MESSAGES[name]
    forged = msgspec.structs.replace(message.payload, node="mallory")
    assert "another node" in refusal(message, message.topic, message.kind.encode(forged))


@pytest.mark.parametrize("race", ["", "a/b", "+", "r 1", "r" * 33, "r\n"])
def test_a_name_that_is_no_name_is_refused(race: str) -> None:
    message = MESSAGES["log"]
    forged = message.kind.encode(msgspec.structs.replace(message.payload, race=race))
    assert refusal(message, message.topic, forged)
    assert refusal(message, topics.LOG.at(race=race, node="a"), forged)


def test_numbers_below_zero_are_refused() -> None:
    message = MESSAGES["log"]
    assert refusal(
        message,
        message.topic,
        message.kind.encode(msgspec.structs.replace(message.payload, first=0)),
    )


def test_patterns_cover_all_of_a_kind() -> None:
    assert topics.COMMAND.pattern == "samedeal/v1/nodes/+/cmd/+"
    assert topics.PROGRESS.pattern == "samedeal/v1/races/+/progress"


def test_an_older_epoch_is_no_news_whatever_its_seq() -> None:
    owner = topics.Owner(race="r1", node="a", epoch=2, seq=9)
    assert topics.is_news(owner, epoch=1, seq=100)
    assert topics.is_news(owner, epoch=2, seq=8)
    assert not topics.is_news(owner, epoch=2, seq=9)
    assert not topics.is_news(owner, epoch=3, seq=1)


def test_log_lines_know_their_last_seq() -> None:
    lines = topics.LogLines(race="r1", node="a", epoch=1, first=8, lines=(b"a", b"b"))
    assert lines.last == 9
