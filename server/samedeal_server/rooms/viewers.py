"""Who is told about a race, over which connection, and in what state their stream is.

A viewer is one connection's interest in one race. What they may see is decided by who they are,
never by the connection. Players are told everything; a spectator who does not read is spared the
events, and told where things stand once they read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from samedeal_protocol.errors import CloseCode, ErrorCode
from samedeal_protocol.messages import Ok, Reply, ServerMessage
from samedeal_server.batch import Batch
from samedeal_server.racing.audience import Sight
from samedeal_server.refusals import refusal

__all__ = ["RETRY_MS", "Asker", "Peer", "Told", "Viewer", "Visitor", "Who"]

RETRY_MS = 500
"""When to ask again after the log has failed."""


class Gathering(Protocol):
    """What gathers for many viewers until it is given to them."""

    def tell(self, frame: bytes) -> None:
        """Tells all of them an event's frame."""
        ...

    def draw(self, viewer: Viewer) -> list[bytes]:
        """Returns what has still to be given to the viewer, who has been given it by that."""
        ...


class Berth(Protocol):
    """A connection's way out, as far as viewers who are told together know it."""

    def put_off(self, batch: Batch) -> None:
        """Has something leave when there is time."""
        ...

    def draws_from(self, draw: Callable[[], Sequence[bytes]]) -> None:
        """Has `draw` called before anything else is sent: what it returns goes first."""
        ...

    def draws_no_more_from(self, draw: Callable[[], Sequence[bytes]]) -> None: ...

    @property
    def offer_all(self) -> Callable[[Sequence[bytes], bytes], bool]:
        """Sends frames unless the peer leaves its frames unread; says whether it did.

        It is given them one by one and all in one piece. Straight, since nothing is done so often.
        """
        ...


class Peer(Protocol):
    """A connection, as far as rooms know it."""

    @property
    def wire(self) -> Callable[[ServerMessage], bytes]:
        """Turns a message into a frame; one and the same for all peers of an encoding."""
        ...

    legal: bool
    """Whether the client wants the legal moves with its views."""

    @property
    def is_open(self) -> bool: ...

    def send(self, frame: bytes) -> None: ...

    def offer(self, frame: bytes) -> bool:
        """Sends a frame unless the peer leaves its frames unread; says whether it did."""
        ...

    @property
    def berth(self) -> Berth | None:
        """Where what gathers for many is handed in; None for a peer who is told all at once."""
        ...

    def say(self, message: ServerMessage) -> None: ...

    def close(self, code: CloseCode) -> None: ...


class Visitor(Peer, Protocol):
    """A connection to this node, which asks for things."""

    @property
    def address(self) -> str:
        """Where it comes from, so that one place does not take what is there for all."""
        ...


@dataclass(frozen=True, slots=True)
class Who:
    """A player who has said hello."""

    player: str
    name: str
    bot: bool


class Viewer:
    """One connection's interest in one race; its identity is the fence for a late teardown.

    `tell` takes an event's frame. It is what is to be done with one at present: send it, offer it
    to a spectator who may not be reading, keep it back, or drop it. `tell_all` does so with several
    events' frames, which it takes one by one and all in one piece.
    """

    __slots__ = (
        "_draw", "_gathering", "_held", "_offers", "is_afar", "is_attached", "is_holder",
        "is_stale", "peer", "seat", "sight", "since", "tell", "tell_all", "who", "wire",
    )  # fmt: skip

    def __init__(self, peer: Peer, who: Who) -> None:
        self.peer = peer
        self.who = who
        self.wire = peer.wire
        self.sight: Sight | None = None
        """What the viewer was last known to be allowed to see."""
        self.is_attached = True
        self.is_holder = False
        """This is the connection by which an entrant is there."""
        self.is_stale = False
        """Has missed events, and must be told where things stand."""
        self.is_afar = False
        """The connection is another node's, which tells its player by itself."""
        self.since = 0
        """When the player asked for their place, in ms; the newest connection holds it."""
        self.seat = 0
        """By what number the owner of a race that lives on another node knows this place in it."""
        self._held: list[bytes] | None = None
        self._gathering: Gathering | None = None
        self._draw: Callable[[], Sequence[bytes]] | None = None
        self._offers: Callable[[Sequence[bytes], bytes], bool] | None = None
        self.tell: Callable[[bytes], object] = self._offer
        self.tell_all: Callable[[Sequence[bytes], bytes], object] = self._tell_each

    @property
    def is_spectator(self) -> bool:
        """Whether somebody here watches who is no entrant."""
        return not self.is_holder and not self.is_afar

    def sit(self) -> None:
        """Makes this the connection by which its player is there: it is spared nothing."""
        self.is_holder = True
        self._choose()

    def detach(self) -> None:
        """Ends the interest: nothing is told any more."""
        self.pour()
        berth = self.peer.berth
        if self._draw is not None and berth is not None:
            berth.draws_no_more_from(self._draw)
        self._gathering = self._draw = None
        self.is_attached = False
        self._choose()

    def miss(self) -> None:
        """Notes that events were missed: nothing is told until `catch_up`."""
        self.is_stale = True
        self._choose()

    def catch_up(self, snapshot: bytes | None) -> None:
        """Tells where things stand, and goes on from there; None if that has been told."""
        if self.is_stale and self.is_attached:
            if self._gathering is not None:
                # The snapshot stands for what has gathered meanwhile.
                self._gathering.draw(self)
            self.is_stale = False
            self._choose()
            if snapshot is not None:
                self.tell(snapshot)

    def hold(self) -> None:
        """Keeps events back while those before them are looked up."""
        self._held = []
        self._choose()

    def let_go(self) -> None:
        """Sends what was kept back."""
        self.pour()
        held, self._held = self._held or (), None
        self._choose()
        if self.is_attached:
            for frame in held:
                self.peer.send(frame)

    # --- being told together with others ---

    def gathers(self, gathering: Gathering) -> None:
        """Notes where events gather for this viewer and others."""
        berth = self.peer.berth
        if berth is not None:
            self.pour()
            self._gathering = gathering
            if self._draw is None:
                self._draw = self._drawn
                berth.draws_from(self._draw)
            self._offers = berth.offer_all
            self._choose()

    def pour(self) -> None:
        """Tells at once what has gathered for this viewer."""
        if self._gathering is not None:
            for frame in self._gathering.draw(self):
                self.tell(frame)

    def _drawn(self) -> Sequence[bytes]:
        """Returns what the connection has to send before anything else."""
        gathering = self._gathering
        frames = () if gathering is None else gathering.draw(self)
        if self._is_plain:
            return frames
        for frame in frames:
            self.tell(frame)
        return ()

    @property
    def _is_plain(self) -> bool:
        """Whether an event's frame is just offered to the peer at present."""
        return self.is_attached and not self.is_stale and self._held is None and not self.is_holder

    def _choose(self) -> None:
        if not self.is_attached or self.is_stale:
            self.tell = _drop
        elif self._held is not None:
            self.tell = self._held.append
        elif self.is_holder:
            self.tell = self.peer.send
        else:
            self.tell = self._offer
        is_offered = self._is_plain and self._offers is not None
        self.tell_all = self._offer_all if is_offered else self._tell_each

    def _offer(self, frame: bytes) -> None:
        if not self.peer.offer(frame):
            self.miss()

    def _offer_all(self, frames: Sequence[bytes], together: bytes) -> None:
        if self._offers is not None and not self._offers(frames, together):
            self.miss()

    def _tell_each(self, frames: Sequence[bytes], together: bytes) -> None:
        for frame in frames:
            self.tell(frame)


def _tell(audience: Audience, frame: bytes) -> None:
    if isinstance(audience, tuple):
        for viewer in audience:
            viewer.tell(frame)
    else:
        audience.tell(frame)


def _drop(frame: bytes) -> None:
    """Does nothing with a frame."""


Audience = tuple[Viewer, ...] | Gathering
"""Viewers who are told one by one, or together."""


class Told:
    """What leaves a race once it is durable: frames for viewers in order."""

    __slots__ = ("_posts",)

    def __init__(self) -> None:
        self._posts: list[tuple[Audience | None, bytes]] = []

    def post(self, audience: Audience, frame: bytes) -> None:
        """Adds an event's frame for some viewers."""
        self._posts.append((audience, frame))

    def frames(self) -> list[bytes]:
        """Returns the frames that were added, in order."""
        return [frame for _, frame in self._posts]

    def run(self) -> None:
        for audience, frame in self._posts:
            if audience is not None:
                _tell(audience, frame)

    def fail(self) -> None:
        """Tells nobody: whoever watches is told when the race has been read again."""


class Asker(Told):
    """A request, and what leaves with its one reply."""

    __slots__ = ("on_fail", "peer", "request")

    def __init__(self, peer: Peer, request: int) -> None:
        self._posts = []
        self.peer = peer
        self.request = request
        self.on_fail: Callable[[], None] | None = None
        """What has to be undone if nothing of it was stored."""

    def parted(self) -> Told:
        """Returns what was said so far, without the asker, whose reply comes later."""
        told = Told()
        told._posts, self._posts = self._posts, []
        return told

    def ok(self, result: Reply | None = None) -> None:
        """Adds the reply that it was carried out, in its place among the events."""
        self._posts.append((None, self.peer.wire(Ok(id=self.request, result=result))))

    def error(
        self,
        code: ErrorCode,
        sentence: str | None = None,
        *,
        reason: str | None = None,
        after_ms: int | None = None,
    ) -> None:
        """Adds the reply that it was refused."""
        error = refusal(code, sentence, request=self.request, reason=reason, after_ms=after_ms)
        self._posts.append((None, self.peer.wire(error)))

    def run(self) -> None:
        for audience, frame in self._posts:
            if audience is None:
                self.peer.send(frame)
            else:
                _tell(audience, frame)

    def fail(self) -> None:
        if self.on_fail is not None:
            self.on_fail()
        self._posts = []
        self.error(ErrorCode.STORE_UNAVAILABLE, after_ms=RETRY_MS)
        self.run()
