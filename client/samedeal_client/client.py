"""The hall: one player's connection to a server, kept alive underneath.

    async with samedeal_client.connect("ws://127.0.0.1:8642", name="Ada") as hall:
        race = await hall.create(Terms(game="forty-thieves", entrants_min=1))
        async with hall.join(race) as run: ...

All tasks live inside that `async with`: leaving it ends them and closes the connection. What the
session decides is in `samedeal_protocol.session`; here it is only given a wire and a clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

import msgspec

from samedeal_protocol import session as wire_session
from samedeal_protocol.codec import JSON, MSGPACK, Codec
from samedeal_protocol.errors import CloseCode, ErrorCode, Retry
from samedeal_protocol.messages import (
    ClientMessage,
    Create,
    Created,
    Error,
    Join,
    Leave,
    Limits,
    List,
    Listed,
    Mine,
    Notice,
    RaceCard,
    Rematch,
    Replay,
    ReplayPage,
    Reply,
    Results,
    ResultsSheet,
    Snapshot,
    Welcome,
)
from samedeal_protocol.messages import Watch as WatchRequest
from samedeal_protocol.session import Phase, Session
from samedeal_protocol.terms import Terms

from .bell import Bell
from .errors import ClientError, Closed, GaveUpConnecting, OutcomeUnknown, Replaced, refusal
from .errors import Refused as RefusedError
from .run import Run, Sight, Watch
from .transport import Dial, DialFailed, RealTiming, Timing, Wire, WireLost, ws_url

__all__ = ["DEFAULT_URL", "Hall", "Link", "connect"]

DEFAULT_URL: Final = "ws://127.0.0.1:8642"

_PASSING: Final = (ErrorCode.RATE_LIMITED.code, ErrorCode.STORE_UNAVAILABLE.code)
"""Refusals that the hall waits out by itself."""
_TRIES: Final = 6
_BACKOFF: Final = 0.25
"""Seconds: the first reconnect comes within this, then within twice as long, and so on."""
_BACKOFF_AFTER: Final = 1.0
"""The same, where the server asked for a pause."""
_BACKOFF_MAX: Final = 8.0
_PING_MS: Final = 20_000
"""How often to ping at least, until the server says how often it wants to hear something."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Link:
    """How the connection is: told to `on_link` at every change."""

    is_up: bool
    sentence: str
    """What to tell a person: "connected", "the connection was lost; trying again"."""
    again_in_ms: int | None = None


class Hall:
    """What a player can ask a server. Made by `connect`."""

    def __init__(
        self,
        url: str,
        session: Session,
        *,
        dial: Dial,
        timing: Timing,
        patience: float | None,
        first_patience: float,
        on_link: Callable[[Link], None] | None,
        on_notice: Callable[[Notice], None] | None,
    ) -> None:
        self.url = url
        self._session = session
        self._dial = dial
        self._timing = timing
        self._patience = patience
        self._first_patience = first_patience
        self._on_link = on_link
        self._on_notice = on_notice
        self._answers: dict[int, asyncio.Future[Reply | None]] = {}
        self._sights: dict[str, Sight] = {}
        self._joining: set[str] = set()
        self._to_send = Bell()
        self._greeted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._greeted.add_done_callback(_look_at)
        self._unwelcome: Error | None = None
        self._talk: asyncio.TaskGroup | None = None
        self._failure: ClientError | None = None
        self._heard = 0.0
        self._attempt = 0

    # --- who and where ----------------------------------------------------------------------

    @property
    def player(self) -> str:
        """The public player id."""
        return self._welcome.player

    @property
    def name(self) -> str:
        """The name that everybody sees."""
        return self._welcome.name

    @property
    def token(self) -> str:
        """The guest's secret: keep it, and give it to `connect` to be the same player again."""
        return self._session.token or ""

    @property
    def is_bot(self) -> bool:
        """Everybody is shown that a program plays."""
        return self._welcome.bot

    @property
    def server(self) -> str:
        """The server's program and version."""
        return self._welcome.server

    @property
    def limits(self) -> Limits:
        """What this server takes."""
        return self._welcome.limits

    @property
    def is_up(self) -> bool:
        """The connection stands at this moment."""
        return self._session.phase is Phase.OPEN

    @property
    def rtt_ms(self) -> int | None:
        """The shortest round trip on this connection, once a ping was answered."""
        return self._session.rtt_ms

    @property
    def _welcome(self) -> Welcome:
        if self._session.welcome is None:
            raise AssertionError("`connect` yields a hall only after the welcome")
        return self._session.welcome

    # --- what one can ask -------------------------------------------------------------------

    async def create(
        self, terms: Terms, *, seed: str | None = None, phrase: str | None = None
    ) -> str:
        """Opens a race and returns its code. The player is its host, not its entrant.

        Raises `Refused`, and `OutcomeUnknown` where the connection broke before the answer.
        """
        reply = await self.ask(lambda id: Create(id=id, terms=terms, seed=seed, phrase=phrase))
        return _expect(Created, reply).race

    async def list(self, game: str | None = None) -> tuple[RaceCard, ...]:
        """Returns the listed races that are not over."""
        return _expect(Listed, await self.ask(lambda id: List(id=id, game=game))).races

    async def mine(self) -> tuple[RaceCard, ...]:
        """Returns the player's own races, newest first."""
        return _expect(Listed, await self.ask(lambda id: Mine(id=id))).races

    @asynccontextmanager
    async def join(self, race: str, *, phrase: str | None = None) -> AsyncIterator[Run]:
        """Enters an open race, or takes the own place in a running one up again.

        Leaving the context does not withdraw: call `run.leave()` for that.
        """
        async with self._following(race):
            await self.ask(lambda id: Join(id=id, race=race, phrase=phrase))
            yield _expect(Run, self._sights.get(race))

    @asynccontextmanager
    async def watch(self, race: str, *, phrase: str | None = None) -> AsyncIterator[Watch]:
        """Watches a race as a spectator, until the context is left."""
        async with self._following(race):
            await self.ask(lambda id: WatchRequest(id=id, race=race, phrase=phrase))
            watch = _expect(Watch, self._sights.get(race))
            try:
                yield watch
            finally:
                # An entrant who also watches would withdraw by this.
                if self._failure is None and watch.you_are is None:
                    self._submit(Leave(id=self._session.new_id(), race=race))

    async def results(self, race: str) -> ResultsSheet:
        """Returns how a race stands or ended, as far as the player may know."""
        return _expect(ResultsSheet, await self.ask(lambda id: Results(id=id, race=race)))

    async def replay(self, race: str, *, phrase: str | None = None) -> bytes:
        """Returns the replay file of a race that is over: JSON lines, for `verify`."""
        header = {"samedeal": "replay/1", "race": race, "server": self.server}
        lines = [msgspec.json.encode(header)]
        while True:
            page = await self._replay_page(race, len(lines) - 1, phrase)
            lines += [line.encode() for line in page.lines]
            if not page.more or not page.lines:
                lines.append(msgspec.json.encode({"head": page.head}))
                return b"\n".join(lines) + b"\n"

    async def _replay_page(self, race: str, after: int, phrase: str | None) -> ReplayPage:
        reply = await self.ask(lambda id: Replay(id=id, race=race, after=after, phrase=phrase))
        return _expect(ReplayPage, reply)

    async def rematch(self, race: str) -> str:
        """Opens the rematch of a race, or finds the one that is open; returns its code."""
        return _expect(Created, await self.ask(lambda id: Rematch(id=id, race=race))).race

    # --- the port of a run ------------------------------------------------------------------

    def now_ms(self) -> float:
        """Returns milliseconds by a clock that never goes back."""
        return self._timing.now() * 1000

    async def ask(
        self,
        make: Callable[[int], ClientMessage],
        *,
        on_sent: Callable[[asyncio.Future[Reply | None]], None] | None = None,
    ) -> Reply | None:
        """Sends the request made from a fresh id and waits for its answer; see `run.Port`."""
        for tries_left in range(_TRIES - 1, -1, -1):
            answer = self._submit(make(self._session.new_id()))
            if on_sent is not None:
                on_sent(answer)
            try:
                return await asyncio.shield(answer)
            except RefusedError as refused:
                if refused.code not in _PASSING or not tries_left:
                    raise
                pause = (refused.after_ms or 1000) / 1000
            await self._timing.sleep(pause * (1 + self._timing.chance() / 4))
        raise AssertionError("the last try returns or raises")

    def refresh(self, race: str) -> None:
        """Asks for a snapshot of a race."""
        self._session.refresh(race)
        self._to_send.ring()

    # --- inside -----------------------------------------------------------------------------

    def _submit(self, request: ClientMessage) -> asyncio.Future[Reply | None]:
        if self._failure is not None:
            raise self._failure
        answer: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_look_at)
        self._answers[request.id] = answer
        self._session.ask(request)
        self._to_send.ring()
        return answer

    @asynccontextmanager
    async def _following(self, race: str) -> AsyncIterator[None]:
        if race in self._joining:
            raise ClientError(f"race {race} is joined or watched here already")
        self._joining.add(race)
        try:
            yield
        finally:
            self._joining.discard(race)
            self._session.forget(race)
            sight = self._sights.pop(race, None)
            if sight is not None:
                sight.left()

    async def serve(self) -> None:
        """Keeps a connection up until it is cancelled or the hall is closed for good."""
        try:
            loss: wire_session.Loss | None = None
            while True:
                wire = await self._connected(loss)
                try:
                    code = await self._conversed(wire)
                finally:
                    await wire.close()
                loss = self._session.lost(code)
                self._deal_out()
                if loss.retry is Retry.NEVER:
                    raise self._ended(loss)
        except ClientError as failure:
            self.close(failure)

    def close(self, failure: ClientError) -> None:
        """Ends everything that waits for the server, with that failure."""
        if self._failure is not None:
            return
        self._failure = failure
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(failure)
        self._answers.clear()
        for sight in self._sights.values():
            sight.failed(failure)
        if not self._greeted.done():
            self._greeted.set_exception(failure)

    async def greeted(self) -> None:
        """Waits for the first welcome. Raises why there is none."""
        await asyncio.shield(self._greeted)

    def _ended(self, loss: wire_session.Loss) -> ClientError:
        if self._unwelcome is not None:
            return refusal(self._unwelcome)
        if loss.code == CloseCode.REPLACED.number:
            return Replaced(loss.reason, code=loss.code)
        return Closed(loss.reason, code=loss.code)

    async def _connected(self, loss: wire_session.Loss | None) -> Wire:
        """Returns a new wire, after as many tries as patience allows."""
        is_first = self._session.welcome is None
        patience = self._first_patience if is_first else self._patience
        begun = self._timing.now()
        if loss is not None:
            await self._pause(loss)
        while True:
            try:
                return await self._dial(self.url, self._session.codec)
            except DialFailed as fault:
                waited = self._timing.now() - begun
                if not fault.may_pass or (patience is not None and waited >= patience):
                    raise GaveUpConnecting(str(fault)) from fault
                await self._pause(wire_session.Loss(Retry.NOW, str(fault), None))

    async def _pause(self, loss: wire_session.Loss) -> None:
        """Waits a random part of a span that doubles with every try, so that no herd comes back."""
        span = _BACKOFF_AFTER if loss.retry is Retry.AFTER else _BACKOFF
        seconds = self._timing.chance() * min(_BACKOFF_MAX, span * 2**self._attempt)
        if self._unwelcome is not None and self._unwelcome.after_ms is not None:
            seconds += self._unwelcome.after_ms / 1000
        self._attempt = min(self._attempt + 1, 10)
        self._tell_link(
            Link(False, f"{_told(loss)}; trying again", again_in_ms=round(seconds * 1000))
        )
        await self._timing.sleep(seconds)

    async def _conversed(self, wire: Wire) -> int | None:
        """Talks over the wire until it is lost; returns the close code."""
        code: int | None = None
        self._unwelcome = None
        self._heard = self._timing.now()
        self._session.opened()
        try:
            async with asyncio.TaskGroup() as group:
                self._talk = group
                group.create_task(self._read(wire), name=f"hall reads {self.url}")
                group.create_task(self._write(wire), name=f"hall writes {self.url}")
                group.create_task(self._keep_alive(), name=f"hall pings {self.url}")
        except* WireLost as lost:
            codes = [fault.code for fault in _leaves(lost)]
            code = next((known for known in codes if known is not None), None)
        return code

    async def _read(self, wire: Wire) -> None:
        while True:
            frame = await wire.receive()
            self._heard = self._timing.now()
            self._session.receive(frame, round(self.now_ms()))
            self._deal_out()
            self._to_send.ring()
            if self._unwelcome is not None:
                raise WireLost(CloseCode.NO_HELLO.number)

    async def _write(self, wire: Wire) -> None:
        while True:
            frames = self._session.take_frames()
            if frames:
                await wire.send(frames)
            else:
                await self._to_send.wait()

    async def _keep_alive(self) -> None:
        """Pings thrice as often as the server asks; a server that is silent so long is gone."""
        while True:
            welcome = self._session.welcome
            wanted = _PING_MS if welcome is None else welcome.limits.ping_ms
            await self._timing.sleep(wanted / 3000)
            if self._timing.now() - self._heard > wanted / 1000:
                raise WireLost
            self._session.ping(round(self.now_ms()))
            self._to_send.ring()

    async def _resume_later(self, race: str, after_ms: int) -> None:
        await self._timing.sleep(after_ms / 1000)
        self._session.resume(race)
        self._to_send.ring()

    def _deal_out(self) -> None:
        """Hands what happened to whoever waits for it."""
        for happening in self._session.take_happenings():
            match happening:
                case wire_session.Told(race, message):
                    if race in self._sights:
                        self._sights[race].told(message)
                case wire_session.Answered(request, result):
                    self._take_up(request, result)
                    self._answer(request, result)
                case wire_session.Declined(request, error):
                    self._answer(request, refusal(error))
                case wire_session.Unanswered(request):
                    what = type(request).__name__.lower()
                    self._answer(
                        request,
                        OutcomeUnknown(
                            f"the connection broke after `{what}`; look before retrying"
                        ),
                    )
                case wire_session.Greeted():
                    self._attempt = 0
                    if not self._greeted.done():
                        self._greeted.set_result(None)
                    self._tell_link(Link(True, "connected"))
                case wire_session.Unwelcome(error):
                    self._unwelcome = error
                case wire_session.Cut(race, error):
                    if race in self._sights:
                        self._sights[race].failed(refusal(error))
                case wire_session.Postponed(race, after_ms) if self._talk is not None:
                    again = self._resume_later(race, after_ms)
                    self._talk.create_task(again, name=f"hall resumes {race}")
                case wire_session.Postponed():
                    pass  # Without a connection there is nothing to wait for: a new one resumes.
                case wire_session.Noticed(notice):
                    if self._on_notice is not None:
                        self._on_notice(notice)
                case wire_session.Complained():
                    pass  # It answers nothing that anybody here still waits for.

    def _take_up(self, request: ClientMessage, result: Reply | None) -> None:
        """Follows a race from the very snapshot on that joined it, so that no event is missed."""
        if isinstance(result, Snapshot) and result.race in self._joining:
            match request:
                case Join():
                    self._sights[result.race] = Run(self, result)
                case WatchRequest():
                    self._sights[result.race] = Watch(self, result)
                case _:
                    pass

    def _answer(self, request: ClientMessage, answer: Reply | ClientError | None) -> None:
        waiting = self._answers.pop(request.id, None)
        if waiting is None or waiting.done():
            return
        if isinstance(answer, ClientError):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)

    def _tell_link(self, link: Link) -> None:
        if self._on_link is not None:
            self._on_link(link)


def _expect(kind: type[_T], reply: object) -> _T:
    if isinstance(reply, kind):
        return reply
    raise ClientError(f"the server answered with {type(reply).__name__}, not {kind.__name__}")


def _told(loss: wire_session.Loss) -> str:
    """Why the connection is gone, as a player reads it."""
    return "the server restarts" if loss.code == CloseCode.RESTARTING.number else loss.reason


def _look_at(answer: asyncio.Future[Reply | None] | asyncio.Future[None]) -> None:
    """Looks at the exception of an answer that nobody waits for, so that asyncio does not warn."""
    if not answer.cancelled():
        answer.exception()


def _leaves(group: BaseExceptionGroup[WireLost]) -> list[WireLost]:
    leaves: list[WireLost] = []
    for fault in group.exceptions:
        leaves += _leaves(fault) if isinstance(fault, BaseExceptionGroup) else [fault]
    return leaves


async def _dial_websocket(url: str, codec: Codec) -> Wire:
    # Here, because a command that never connects should not wait for this import.
    from .websocket import dial

    return await dial(url, codec)


def connect(
    url: str = DEFAULT_URL,
    *,
    name: str | None = None,
    token: str | None = None,
    bot: bool = False,
    legal: bool = False,
    client: str = "samedeal-python",
    json: bool = False,
    patience: float | None = 60.0,
    first_patience: float = 5.0,
    on_link: Callable[[Link], None] | None = None,
    on_notice: Callable[[Notice], None] | None = None,
    dial: Dial | None = None,
    timing: Timing | None = None,
) -> AbstractAsyncContextManager[Hall]:
    """Connects, says hello, and keeps the connection until the context is left.

    `url` may be ws://, wss://, http://, https:// or HOST:PORT. `legal` asks for the legal moves
    with every own view. `json` speaks JSON instead of MessagePack. `patience` is how many seconds
    an outage may last (None: for ever), `first_patience` how long the first connection may take.
    `dial` and `timing` are for tests.

    Raises:
        ValueError: `url` is no address.
        GaveUpConnecting: no server answered in time.
        Refused: the hello was refused (a name taken, an unknown token).
    """
    session = Session(JSON if json else MSGPACK, name, token, bot, legal, client)
    return _connect(
        ws_url(url),
        session,
        dial=dial or _dial_websocket,
        timing=timing or RealTiming(),
        patience=patience,
        first_patience=first_patience,
        on_link=on_link,
        on_notice=on_notice,
    )


@asynccontextmanager
async def _connect(
    url: str,
    session: Session,
    *,
    dial: Dial,
    timing: Timing,
    patience: float | None,
    first_patience: float,
    on_link: Callable[[Link], None] | None,
    on_notice: Callable[[Notice], None] | None,
) -> AsyncIterator[Hall]:
    hall = Hall(
        url,
        session,
        dial=dial,
        timing=timing,
        patience=patience,
        first_patience=first_patience,
        on_link=on_link,
        on_notice=on_notice,
    )
    failure: Exception | None = None
    async with asyncio.TaskGroup() as group:
        serving = group.create_task(hall.serve(), name=f"hall {url}")
        try:
            await hall.greeted()
            yield hall
        except Exception as fault:
            # Kept out of the group, so that a caller catches `Refused` and not a group of one.
            failure = fault
        finally:
            hall.close(Closed("the hall is closed"))
            serving.cancel()
    if failure is not None:
        raise failure
