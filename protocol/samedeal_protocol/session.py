"""One client's side of the wire, sans I/O, over as many connections as it takes.

The session numbers requests, matches replies, keeps every race's events in order without gap or
repeat, and knows what to say again on a new connection. It opens no socket and reads no clock.
Whoever owns the socket does four things and after each of them takes what came of it:

    opened()              a connection is there        then  take_frames() and write them, in order
    receive(frame, now)   a frame has come             then  take_frames(), take_happenings()
    lost(code, now)       the connection is gone       then  take_happenings(); the answer says
                                                             whether to come back
    ask(request)          the player wants something   then  take_frames()

Laws: a request is answered at most once (`Answered`, `Declined` or `Unanswered`); a request that
would count twice if it were sent twice is never sent twice; a race's seqs are told 1 by 1, and a
snapshot replaces whatever was told before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import msgspec

from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.codec import JSON, MSGPACK, Codec
from samedeal_protocol.errors import CloseCode, ErrorCode, Malformed, Retry
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
    TournamentTold,
    Unanswered,
    Unwelcome,
)
from samedeal_protocol.losses import Loss, loss
from samedeal_protocol.messages import (
    Begin,
    Cancel,
    Chat,
    ClientMessage,
    Create,
    Disqualify,
    Error,
    GiveUp,
    Hello,
    InviteBot,
    Join,
    Notice,
    Ok,
    Ping,
    Played,
    Pong,
    RaceEvent,
    Ready,
    Resume,
    Resumed,
    Skip,
    Snapshot,
    Start,
    TournamentChanged,
    Unready,
    Watch,
    Welcome,
)
from samedeal_protocol.tournament.requests import AnnounceTournament

__all__ = ["ONCE", "SHADOW_MS", "Phase", "Session"]

SHADOW_MS: Final = 10_000
"""For how long after one came back the connection of before may be heard late."""

ONCE: Final = (
    Create,
    Ready,
    Unready,
    Start,
    Begin,
    GiveUp,
    Cancel,
    Disqualify,
    InviteBot,
    Chat,
    AnnounceTournament,
)
"""Requests that are never sent twice: if the connection breaks after one, its outcome is unknown.

All others are safe to repeat. Plays, undos and finishes carry a number that makes them so.
"""


class Phase(Enum):
    """How far the session is."""

    OFFLINE = "offline"
    """No connection; requests wait."""
    GREETING = "greeting"
    """Hello is said and not answered; requests wait."""
    OPEN = "open"
    """Welcome; requests go out at once."""
    ENDED = "ended"
    """The server said that coming back is of no use."""


@dataclass(slots=True)
class _Asked:
    """A request that has no answer yet."""

    request: ClientMessage
    is_sent: bool = False


@dataclass(slots=True)
class _Feed:
    """A race that is followed: the last seq told, and the resume that is under way."""

    seq: int
    phrase: str | None
    resume: int | None = None
    """The id of the resume under way; while there is one, a gap asks for no other."""
    is_doubted: bool = False
    """The next resume asks for a snapshot."""


class _Glimpse(msgspec.Struct):
    """As much of a message of a newer server as keeps a race's order."""

    id: int | None = None
    race: str | None = None
    seq: int | None = None
    at: int = 0


_GLIMPSES: Final[dict[str, msgspec.msgpack.Decoder[_Glimpse] | msgspec.json.Decoder[_Glimpse]]] = {
    MSGPACK.subprotocol: msgspec.msgpack.Decoder(_Glimpse),
    JSON.subprotocol: msgspec.json.Decoder(_Glimpse),
}


@dataclass(slots=True)
class Session:
    """One player's session with a server. See the module for how to drive it."""

    codec: Codec = MSGPACK
    name: str | None = None
    token: str | None = None
    bot: bool = False
    legal: bool = False
    client: str = ""
    phase: Phase = field(default=Phase.OFFLINE, init=False)
    welcome: Welcome | None = field(default=None, init=False)
    """The last welcome."""
    rtt_ms: int | None = field(default=None, init=False)
    """The shortest round trip of this connection's pings."""
    offset_ms: int | None = field(default=None, init=False)
    """The server's clock less the client's, from the ping of the shortest round trip."""
    repeats: int = field(default=0, init=False)
    """Events that came a second time and were dropped."""
    gaps: int = field(default=0, init=False)
    """How often an event came too early and the race was resumed."""

    _last_id: int = field(default=0, init=False)
    _asked: dict[int, _Asked] = field(default_factory=dict, init=False)
    _feeds: dict[str, _Feed] = field(default_factory=dict, init=False)
    _frames: list[bytes] = field(default_factory=list, init=False)
    _happenings: list[Happening] = field(default_factory=list, init=False)
    _hello: int | None = field(default=None, init=False)
    _refused: Error | None = field(default=None, init=False)
    _back_at: int | None = field(default=None, init=False)
    """When the connection came back, if that explains that it is replaced soon after."""
    _was_shadowed: bool = field(default=False, init=False)
    """Whether it came back from being replaced, which is not explained so again."""

    # --- what the player wants --------------------------------------------------------------

    def new_id(self) -> int:
        """Returns an id for the next request; none is used twice, on any connection."""
        self._last_id += 1
        return self._last_id

    def ask(self, request: ClientMessage) -> None:
        """Sends the request now, or when there is a connection; `take_frames` afterwards.

        Its `id` comes from `new_id`. Races are followed from the answer to a join or watch on.
        """
        self._asked[request.id] = _Asked(request)
        if self.phase is Phase.OPEN:
            self._send(self._asked[request.id])

    def ping(self, now: int) -> None:
        """Asks for a sign of life, if there is a connection. `now` is the client's own clock."""
        if self.phase is Phase.OPEN:
            self.ask(Ping(id=self.new_id(), sent=now))

    def refresh(self, race: str) -> None:
        """Asks for the whole of a followed race again, now or when there is a connection.

        What happens in the race meanwhile is told as ever.
        """
        feed = self._feeds.get(race)
        if feed is not None and not feed.is_doubted:
            feed.is_doubted = True
            if self.phase is Phase.OPEN:
                self._resume(race, feed)

    def resume(self, race: str) -> None:
        """Asks again to take a followed race up, after `Postponed`."""
        feed = self._feeds.get(race)
        if feed is not None and self.phase is Phase.OPEN:
            self._resume(race, feed)

    def forget(self, race: str) -> None:
        """Follows a race no more; what still comes of it is dropped."""
        self._feeds.pop(race, None)

    def seq(self, race: str) -> int | None:
        """Returns the last seq told of a followed race."""
        feed = self._feeds.get(race)
        return None if feed is None else feed.seq

    @property
    def waiting(self) -> int:
        """How many requests have no answer yet."""
        return len(self._asked)

    # --- what the connection does -----------------------------------------------------------

    def opened(self) -> None:
        """Says hello on a new connection; `take_frames` afterwards."""
        self.phase = Phase.GREETING
        self.rtt_ms = self.offset_ms = None
        self._frames.clear()
        self._hello = self.new_id()
        is_known = self.token is not None and self.welcome is not None
        hello = Hello(
            id=self._hello,
            client=self.client,
            name=None if is_known else self.name,
            token=self.token,
            bot=self.bot,
            legal=self.legal,
        )
        self._frames.append(self.codec.encode.encode(hello))

    def receive(self, frame: bytes, now: int) -> None:
        """Takes a frame in; `take_happenings` and `take_frames` afterwards.

        `now` is the client's own clock in milliseconds; it never goes back.
        """
        try:
            message = self.codec.read_server(frame)
        except Malformed as fault:
            self._unreadable(frame, fault)
            return
        match message:
            case Ok():
                self._answered(message, now)
            case Error():
                self._declined(message)
            case Notice():
                self._happenings.append(Noticed(message))
            case Snapshot():
                self._snapshot(message)
            case TournamentChanged():
                self._happenings.append(TournamentTold(message))
            case _:
                self._event(message)

    def lost(self, code: int | None, now: int) -> Loss:
        """Takes note that the connection is gone; `take_happenings` afterwards.

        What is safe to repeat is kept for the next connection. After `Retry.NEVER` nothing is.

        `now` is the clock of `receive`. Who had just come back may have been replaced by their own
        connection of before, of which a server that stood still heard too late: they come back once
        more, and only once.
        """
        verdict = loss(code)
        self._was_shadowed = (
            code == CloseCode.REPLACED.number
            and self._back_at is not None
            and now - self._back_at < SHADOW_MS
        )
        if self._was_shadowed:
            verdict = Loss(Retry.NOW, "an older connection of the player was heard late", code)
        if self._refused is not None:
            retry = Retry.AFTER if self._refused.retry == Retry.AFTER.value else Retry.NEVER
            verdict = Loss(retry, self._refused.message, code)
            self._refused = None
        self.phase = Phase.ENDED if verdict.retry is Retry.NEVER else Phase.OFFLINE
        self._frames.clear()
        self._hello = None
        for asked in list(self._asked.values()):
            if not asked.is_sent:
                continue
            if isinstance(asked.request, ONCE):
                del self._asked[asked.request.id]
                self._happenings.append(Unanswered(asked.request))
            elif isinstance(asked.request, (Ping, Resume)):
                del self._asked[asked.request.id]
            else:
                asked.is_sent = False
        for feed in self._feeds.values():
            feed.resume = None
        return verdict

    # --- what came of it --------------------------------------------------------------------

    def take_frames(self) -> list[bytes]:
        """Returns the frames to write now, in order; they count as sent."""
        frames, self._frames = self._frames, []
        return frames

    def take_happenings(self) -> list[Happening]:
        """Returns what has happened since the last call, in order."""
        happenings, self._happenings = self._happenings, []
        return happenings

    # --- inside -----------------------------------------------------------------------------

    def _send(self, asked: _Asked) -> None:
        asked.is_sent = True
        self._frames.append(self.codec.encode.encode(asked.request))

    def _answered(self, ok: Ok, now: int) -> None:
        if ok.id == self._hello and isinstance(ok.result, Welcome):
            self._greeted(ok.result, now)
            return
        asked = self._asked.pop(ok.id, None)
        if asked is None:
            return
        match ok.result:
            case Pong() as pong:
                self._pong(pong, now)
            case Snapshot() as snapshot:
                if isinstance(asked.request, (Join, Watch)):
                    self._feeds[snapshot.race] = _Feed(snapshot.seq, asked.request.phrase)
                self._snapshot(snapshot)
            case Resumed() as resumed:
                self._resumed(resumed)
            case Played() as played:
                self._event(played)
        self._happenings.append(Answered(asked.request, ok.result))

    def _greeted(self, welcome: Welcome, now: int) -> None:
        again = self.welcome is not None
        self._back_at = now if again and not self._was_shadowed else None
        self.welcome = welcome
        self.token = welcome.token or self.token
        self.phase = Phase.OPEN
        self._hello = None
        self._happenings.append(Greeted(welcome, again))
        # Races first: what is asked again may be about them, and their events come in order.
        for race, feed in self._feeds.items():
            self._resume(race, feed)
        for asked in self._asked.values():
            if not asked.is_sent:
                self._send(asked)

    def _declined(self, error: Error) -> None:
        if error.id is not None and error.id == self._hello:
            self._refused = error
            self._happenings.append(Unwelcome(error))
            return
        asked = None if error.id is None else self._asked.pop(error.id, None)
        if asked is None:
            self._happenings.append(Complained(error))
            return
        for race, feed in list(self._feeds.items()):
            if feed.resume == error.id and error.retry == Retry.NEVER.value:
                del self._feeds[race]
                self._happenings.append(Cut(race, error))
                return
            if feed.resume == error.id:
                # It stays the resume under way, so that a gap asks for no other meanwhile.
                self._happenings.append(Postponed(race, error.after_ms or 0))
                return
        self._happenings.append(Declined(asked.request, error))

    def _unreadable(self, frame: bytes, fault: Malformed) -> None:
        """Keeps going with what a newer server says: a race's order must not break on it."""
        try:
            glimpse = _GLIMPSES[self.codec.subprotocol].decode(frame)
        except UNREADABLE:
            glimpse = _Glimpse()
        complaint = Error(
            id=glimpse.id,
            code=ErrorCode.MALFORMED.code,
            message=f"the server's answer cannot be read: {fault.sentence}",
            retry=Retry.NEVER.value,
        )
        if glimpse.id is not None:
            self._declined(complaint)
        elif glimpse.race is not None and glimpse.seq is not None:
            self._event(Skip(race=glimpse.race, seq=glimpse.seq, at=glimpse.at))
        else:
            self._happenings.append(Complained(complaint))

    def _pong(self, pong: Pong, now: int) -> None:
        rtt = max(0, now - pong.sent)
        if self.rtt_ms is None or rtt <= self.rtt_ms:
            self.rtt_ms = rtt
            self.offset_ms = pong.at - (pong.sent + rtt // 2)

    # --- the order of a race ----------------------------------------------------------------

    def _resume(self, race: str, feed: _Feed) -> None:
        after = None if feed.is_doubted else feed.seq
        request = Resume(id=self.new_id(), race=race, after=after, phrase=feed.phrase)
        feed.resume = request.id
        self.ask(request)

    def _snapshot(self, snapshot: Snapshot) -> None:
        feed = self._feeds.get(snapshot.race)
        if feed is None:
            return
        feed.seq = snapshot.seq
        feed.resume = None
        feed.is_doubted = False
        self._happenings.append(Told(snapshot.race, snapshot))

    def _resumed(self, resumed: Resumed) -> None:
        feed = self._feeds.get(resumed.race)
        if feed is not None:
            feed.resume = None

    def _event(self, event: RaceEvent | Played) -> None:
        feed = self._feeds.get(event.race)
        if feed is None:
            return
        if event.seq <= feed.seq:
            self.repeats += 1
        elif event.seq == feed.seq + 1:
            feed.seq = event.seq
            self._happenings.append(Told(event.race, event))
        elif feed.resume is None:
            self.gaps += 1
            self._resume(event.race, feed)
