"""The hall: one player's connection to a server, kept alive underneath.

    async with samedeal_client.connect("ws://127.0.0.1:8642", name="Ada") as hall:
        race = await hall.create(Terms(game="forty-thieves", entrants_min=1))
        async with hall.join(race) as run: ...

All tasks live inside that `async with`: leaving it ends them and closes the connection. What
keeps the connection is in `lifeline`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

import msgspec

from samedeal_protocol import happenings
from samedeal_protocol.codec import JSON, MSGPACK, Codec
from samedeal_protocol.messages import (
    ClientMessage,
    Create,
    Created,
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
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_protocol.tournament.views import TournamentCard

from .beside import beside
from .cups.cup import Cup
from .cups.followed import Cups
from .errors import ClientError, Closed, expect, refusal
from .lifeline import Lifeline, Link, Waiting
from .run import Run
from .sight import Sight, Watch
from .transport import Dial, RealTiming, Timing, Wire, ws_url

__all__ = ["DEFAULT_URL", "Hall", "Link", "connect"]

DEFAULT_URL: Final = "ws://127.0.0.1:8642"


class Hall:
    """What a player can ask a server. Made by `connect`."""

    def __init__(
        self, url: str, session: Session, *, dial: Dial, timing: Timing, waiting: Waiting
    ) -> None:
        self.url = url
        self._session = session
        self._life = Lifeline(
            url,
            session,
            dial=dial,
            timing=timing,
            waiting=waiting,
            told=self._told,
            ended=self._ended,
        )
        self._sights: dict[str, Sight] = {}
        self._joining: set[str] = set()
        self._cups = Cups(self._life)

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
        return expect(Created, reply).race

    async def list(self, game: str | None = None) -> tuple[RaceCard, ...]:
        """Returns the listed races that are not over."""
        return expect(Listed, await self.ask(lambda id: List(id=id, game=game))).races

    async def mine(self) -> tuple[RaceCard, ...]:
        """Returns the player's own races, newest first."""
        return expect(Listed, await self.ask(lambda id: Mine(id=id))).races

    @asynccontextmanager
    async def join(self, race: str, *, phrase: str | None = None) -> AsyncIterator[Run]:
        """Enters an open race, or takes the own place in a running one up again.

        Leaving the context does not withdraw: call `run.leave()` for that.
        """
        async with self._following(race):
            await self.ask(lambda id: Join(id=id, race=race, phrase=phrase))
            yield expect(Run, self._sights.get(race))

    @asynccontextmanager
    async def watch(self, race: str, *, phrase: str | None = None) -> AsyncIterator[Watch]:
        """Watches a race as a spectator, until the context is left."""
        async with self._following(race):
            await self.ask(lambda id: WatchRequest(id=id, race=race, phrase=phrase))
            watch = expect(Watch, self._sights.get(race))
            try:
                yield watch
            finally:
                # An entrant who also watches would withdraw by this.
                if self._life.failure is None and watch.you_are is None:
                    self._life.submit(Leave(id=self._session.new_id(), race=race))

    async def results(self, race: str) -> ResultsSheet:
        """Returns how a race stands or ended, as far as the player may know."""
        return expect(ResultsSheet, await self.ask(lambda id: Results(id=id, race=race)))

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
        return expect(ReplayPage, reply)

    async def rematch(self, race: str) -> str:
        """Opens the rematch of a race, or finds the one that is open; returns its code."""
        return expect(Created, await self.ask(lambda id: Rematch(id=id, race=race))).race

    # --- tournaments ------------------------------------------------------------------------

    async def announce(self, terms: TournamentTerms, *, phrase: str | None = None) -> str:
        """Announces a tournament and returns its code; the player is its host.

        `phrase` is the pass phrase that lets register, where the terms ask for one. Raises
        `Refused`, and `OutcomeUnknown` where the connection broke before the answer.
        """
        return await self._cups.announce(terms, phrase=phrase)

    async def tournaments(
        self, *, mine: bool = False, over: bool = False
    ) -> tuple[TournamentCard, ...]:
        """Returns tournaments, those that go on first: all that are listed, or all that the player
        plays or helps to run; with those that are over, if wanted."""
        return await self._cups.list(mine=mine, over=over)

    def tournament(self, code: str) -> AbstractAsyncContextManager[Cup]:
        """Follows a tournament until the context is left, as a player, a host or a watcher."""
        return self._cups.followed(code)

    # --- the port of a run ------------------------------------------------------------------

    def now_ms(self) -> float:
        """Returns milliseconds by a clock that never goes back."""
        return self._life.now_ms()

    async def ask(
        self,
        make: Callable[[int], ClientMessage],
        *,
        on_sent: Callable[[asyncio.Future[Reply | None]], None] | None = None,
    ) -> Reply | None:
        """Sends the request made from a fresh id and waits for its answer; see `sight.Port`."""
        return await self._life.ask(make, on_sent=on_sent)

    def refresh(self, race: str) -> None:
        """Asks for a snapshot of a race."""
        self._session.refresh(race)
        self._life.ring()

    # --- for `connect` ----------------------------------------------------------------------

    async def serve(self) -> None:
        """Keeps a connection up until it is cancelled or the hall is closed for good."""
        await self._life.serve()

    def close(self, failure: ClientError) -> None:
        """Ends everything that waits for the server, with that failure."""
        self._life.close(failure)

    async def greeted(self) -> None:
        """Waits for the first welcome. Raises why there is none."""
        await self._life.greeted()

    # --- inside -----------------------------------------------------------------------------

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

    async def _resume_later(self, race: str, after_ms: int) -> None:
        await self._life.pause(after_ms / 1000)
        self._session.resume(race)
        self._life.ring()

    def _ended(self, failure: ClientError) -> None:
        for sight in self._sights.values():
            sight.failed(failure)
        self._cups.ended(failure)

    def _told(self, happening: happenings.Happening) -> None:
        """Hands on what happened to whom it is about."""
        self._cups.told(happening)
        match happening:
            case happenings.Told(race, message) if race in self._sights:
                self._sights[race].told(message)
            case happenings.Answered(request, result):
                self._take_up(request, result)
            case happenings.Cut(race, error) if race in self._sights:
                self._sights[race].failed(refusal(error))
            case happenings.Postponed(race, after_ms):
                # Without a connection there is nothing to wait for: a new one resumes.
                again = self._resume_later(race, after_ms)
                self._life.beside(again, name=f"hall resumes {race}")
            case _:
                pass

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
    waiting = Waiting(
        patience=patience, first_patience=first_patience, on_link=on_link, on_notice=on_notice
    )
    return _connect(
        ws_url(url),
        session,
        dial=dial or _dial_websocket,
        timing=timing or RealTiming(),
        waiting=waiting,
    )


@asynccontextmanager
async def _connect(
    url: str, session: Session, *, dial: Dial, timing: Timing, waiting: Waiting
) -> AsyncIterator[Hall]:
    hall = Hall(url, session, dial=dial, timing=timing, waiting=waiting)
    async with beside(hall.serve(), name=f"hall {url}"):
        try:
            await hall.greeted()
            yield hall
        finally:
            hall.close(Closed("the hall is closed"))
