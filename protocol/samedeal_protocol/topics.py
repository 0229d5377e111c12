"""The bus's topics under `samedeal/v1/`, and what each of them carries.

The bus may lose, repeat and delay anything; the log alone is the truth. So every message about a
race carries the owner's `epoch` and the race's `seq`: what is not after what one knows is dropped
(`is_news`), and whoever misses something asks the owner. What nodes say to each other carries its
sender, id and expiry in the payload, so that any broker of MQTT 3.1.1 serves.

Anybody may have written what comes from a bus. `Topic.decode` refuses what is no such message, and
what says another race or sender than its topic does; a broker's access rules see to the topics.

Public topics tell nothing that a stranger who watches the race or the tournament may not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct

from samedeal_protocol.bases import UNREADABLE, whole
from samedeal_protocol.messages import RaceCard, Standing
from samedeal_protocol.tournament.views import MatchView, PlayerView, TournamentHead

__all__ = [
    "COMMAND",
    "LOG",
    "NEWS",
    "OWNER",
    "PAIRINGS",
    "PAYLOAD_BYTES",
    "PROGRESS",
    "REPLY",
    "RESULTS",
    "ROOT",
    "STANDINGS",
    "STATUS",
    "TABLE",
    "TOPICS",
    "WATCH",
    "BadMessage",
    "Command",
    "LogLines",
    "News",
    "NodeStatus",
    "Owner",
    "Pairings",
    "Payload",
    "Place",
    "Progress",
    "ProgressLine",
    "Reply",
    "Results",
    "Standings",
    "Table",
    "Topic",
    "Watch",
    "is_news",
]

ROOT: Final = "samedeal/v1"
PAYLOAD_BYTES: Final = 512 * 1024
"""The most that a message may hold; brokers take at least so much unless told otherwise."""

_Name = Annotated[str, whole("[A-Za-z0-9_-]{1,32}")]
_Count = Annotated[int, Meta(ge=0)]


class BadMessage(Exception):
    """A message that is not what its topic says: garbage, too large, or forged."""


# --- payloads ----------------------------------------------------------------------------------


class Payload(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a topic carries."""


class Owner(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """The node that holds a race; emptied when the race is over."""

    race: _Name
    node: _Name
    epoch: _Count
    seq: _Count = 0
    """Of the race's last event when this was said."""
    card: RaceCard | None = None
    """The race as the lobby lists it, if it does."""


class ProgressLine(Payload, frozen=True, kw_only=True, array_like=True):
    """How one entrant's board goes."""

    entrant: _Count
    state: str
    home: _Count
    moves: _Count


class Progress(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """How all boards go at `seq`, at most ten times a second; replaces what came before."""

    race: _Name
    node: str = ""
    """The node that holds the race."""
    epoch: _Count
    """One more each time another node takes the race over."""
    seq: _Count
    """Of the race's last event."""
    at: int
    """Milliseconds of UTC by the server's clock."""
    phase: str
    """running; what comes before and after it is in the standings."""
    entrants: tuple[ProgressLine, ...]


class Watch(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """What happened on the boards, as spectators may see it, and as late as the terms say."""

    race: _Name
    node: str = ""
    """The node that holds the race."""
    epoch: _Count
    """One more each time another node takes the race over."""
    seq: _Count
    """Of the last event in `frames`."""
    frames: tuple[bytes, ...]
    """Events, as a spectator who watches over a WebSocket gets them: MessagePack in MessagePack."""


class Standings(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """How a race stands, at most once a second, or ended; emptied some time after the end."""

    race: _Name
    node: str = ""
    """The node that holds the race."""
    epoch: _Count
    """One more each time another node takes the race over."""
    seq: _Count
    """Of the race's last event."""
    phase: str
    """running, over, cancelled."""
    standings: tuple[Standing, ...]


class Place(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where one player of a tournament stands; equals share a place."""

    place: _Count
    player: _Count
    name: str
    marks: tuple[str, ...] = ()
    """What counted, in the order in which it did, as `points 2½`; the server has the arithmetic."""


class _OfTournament(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """What is said of a tournament in public."""

    tournament: _Name
    node: str = ""
    """The node that holds the tournament."""
    epoch: _Count
    """One more each time another node takes the tournament over."""
    seq: _Count
    """Of the tournament's last event."""
    at: int
    """Milliseconds of UTC by the server's clock."""


class _OfMatches(_OfTournament, frozen=True, kw_only=True, omit_defaults=True):
    """What is said of some of its matches."""

    matches: tuple[MatchView, ...]
    players: tuple[PlayerView, ...]
    """Those who are in them."""


class Table(_OfTournament, frozen=True, kw_only=True, omit_defaults=True):
    """How a tournament stands, at most once a second, or ended; emptied some time after."""

    name: str
    head: TournamentHead
    final: bool
    places: tuple[Place, ...]
    chain: str | None = None
    """Once it is over: the end of the hash chain over its log up to `seq`, as in the standings."""


class Pairings(_OfMatches, frozen=True, kw_only=True, omit_defaults=True):
    """Matches of a tournament that were paired, or whose next race was called; or taken back."""

    gone: tuple[str, ...] = ()
    """Matches that were taken back."""


class Results(_OfMatches, frozen=True, kw_only=True, omit_defaults=True):
    """Matches of a tournament that have ended, or ended otherwise than was said before."""


class News(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """A tournament has gone on: whoever follows it reads its log up to `seq`."""

    tournament: _Name
    node: _Name
    epoch: _Count
    seq: _Count


class LogLines(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """Lines of a race's log that have become durable."""

    race: _Name
    node: _Name
    epoch: _Count
    first: Annotated[int, Meta(ge=1)]
    """The seq of the first line; the others follow without a gap."""
    lines: tuple[bytes, ...]

    @property
    def last(self) -> int:
        """The seq of the last line."""
        return self.first + len(self.lines) - 1


class NodeStatus(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """How a node is. It is a hint: leases say who lives."""

    node: _Name
    status: str
    """up, draining or down; gone, if the broker says it in the node's place."""
    at: int
    """Milliseconds of UTC; of `gone`, when the node came."""
    races: _Count = 0
    incarnation: str = ""
    """Another one each time the node starts."""


class Command(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """What a node asks a race's owner to do for a player."""

    id: _Count
    """Chosen by the sender; a repeat has the same, and is answered alike."""
    race: _Name
    node: _Name
    """Who asks, and where the answer goes."""
    incarnation: str
    """Of the sender: ids count from 1 in each."""
    expires_at: int
    """Milliseconds of UTC by the store's clock; what comes later is dropped."""
    kind: str
    body: bytes = b""
    """What it takes, in MessagePack."""


class Reply(Payload, frozen=True, kw_only=True, omit_defaults=True):
    """What a node says to a command."""

    id: _Count
    """That of the command."""
    race: _Name
    node: _Name
    """Who answers."""
    incarnation: str
    """That of the command: what an earlier incarnation asked is nobody's."""
    body: bytes = b""
    """What came of it, in MessagePack."""


def is_news(
    message: Owner | Progress | Watch | Standings | Table | Pairings | Results,
    *,
    epoch: int,
    seq: int,
) -> bool:
    """Says whether a message is after what is known: of a later epoch, or of the same and later."""
    return (message.epoch, message.seq) > (epoch, seq)


# --- topics ------------------------------------------------------------------------------------

P = TypeVar("P", bound=Payload)


class Topic(Generic[P]):
    """One kind of topic: its name, what it carries and who may see it.

    `path` is its name below `ROOT`, with fields in braces: `{race}` and `{node}` are those of the
    payload, and `decode` holds the payload to them.
    """

    def __init__(
        self, path: str, payload: type[P], *, is_public: bool, is_retained: bool, is_json: bool
    ) -> None:
        self.path = path
        self.payload = payload
        self.is_public = is_public
        """Whether outsiders may read it."""
        self.is_retained = is_retained
        """Whether the broker keeps the newest for those who come later."""
        self.is_json = is_json
        self.pattern = f"{ROOT}/{re.sub('{[a-z]+}', '+', path)}"
        """What to subscribe to for all of them."""
        levels = re.sub(r"{([a-z]+)}", r"(?P<\1>[A-Za-z0-9_-]{1,32})", path)
        self._name = re.compile(f"{re.escape(ROOT)}/{levels}")
        self._encoder = msgspec.json.Encoder() if is_json else msgspec.msgpack.Encoder()
        self._decoder: msgspec.json.Decoder[P] | msgspec.msgpack.Decoder[P] = (
            msgspec.json.Decoder(payload) if is_json else msgspec.msgpack.Decoder(payload)
        )

    def at(self, **levels: str) -> str:
        """Returns the name with its fields filled in."""
        return f"{ROOT}/{self.path.format(**levels)}"

    def levels(self, topic: str) -> Mapping[str, str] | None:
        """Returns the fields of a topic's name; None if it is not of this kind."""
        found = self._name.fullmatch(topic)
        return None if found is None else found.groupdict()

    def encode(self, payload: P) -> bytes:
        """Returns what is published of a payload."""
        return self._encoder.encode(payload)

    def decode(self, topic: str, message: bytes) -> P:
        """Returns what came on a topic; raises `BadMessage`.

        The empty message that clears a retained topic is no payload: look for it before.
        """
        named = self.levels(topic)
        if named is None:
            raise BadMessage(f"{topic[:80]!r} is not {self.path}")
        if len(message) > PAYLOAD_BYTES:
            raise BadMessage(f"{topic}: {len(message)} bytes are too many")
        try:
            payload = self._decoder.decode(message)
        except UNREADABLE as fault:
            raise BadMessage(f"{topic}: {fault}") from None
        for field, level in named.items():
            if getattr(payload, field, level) != level:
                raise BadMessage(f"{topic}: the message says another {field}")
        return payload


PROGRESS: Final = Topic(
    "races/{race}/progress", Progress, is_public=True, is_retained=False, is_json=False
)
WATCH: Final = Topic("races/{race}/watch", Watch, is_public=True, is_retained=False, is_json=False)
STANDINGS: Final = Topic(
    "races/{race}/standings", Standings, is_public=True, is_retained=True, is_json=True
)
OWNER: Final = Topic("races/{race}/owner", Owner, is_public=False, is_retained=True, is_json=True)
LOG: Final = Topic(
    "races/{race}/log/{node}", LogLines, is_public=False, is_retained=False, is_json=False
)
STATUS: Final = Topic(
    "nodes/{node}/status", NodeStatus, is_public=False, is_retained=True, is_json=True
)
COMMAND: Final = Topic(
    "nodes/{to}/cmd/{node}", Command, is_public=False, is_retained=False, is_json=False
)
REPLY: Final = Topic(
    "nodes/{to}/reply/{node}", Reply, is_public=False, is_retained=False, is_json=False
)

TABLE: Final = Topic(
    "tournaments/{tournament}/standings", Table, is_public=True, is_retained=True, is_json=True
)
PAIRINGS: Final = Topic(
    "tournaments/{tournament}/pairings", Pairings, is_public=True, is_retained=False, is_json=True
)
RESULTS: Final = Topic(
    "tournaments/{tournament}/results", Results, is_public=True, is_retained=False, is_json=True
)
NEWS: Final = Topic(
    "tournaments/{tournament}/news/{node}", News, is_public=False, is_retained=False, is_json=False
)

TOPICS: Final[tuple[Topic[Progress] | Topic[Watch] | Topic[Standings] | Topic[Table]
    | Topic[Pairings] | Topic[Results] | Topic[Owner] | Topic[LogLines] | Topic[News]
    | Topic[NodeStatus] | Topic[Command] | Topic[Reply], ...]] = (
    PROGRESS, WATCH, STANDINGS, TABLE, PAIRINGS, RESULTS,
    OWNER, LOG, NEWS, STATUS, COMMAND, REPLY,
)  # fmt: skip
"""Every kind, the public ones first."""
