"""The tournaments of a node put together: the hall's annex, and what their runs report."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from samedeal_protocol import topics
from samedeal_protocol.tournament.events import Announced, TournamentEvent
from samedeal_protocol.tournament.terms import Seeding
from samedeal_protocol.tournament.views import TournamentCard, TournamentSheet, TournamentTable
from samedeal_server.cups.announcer import Announcer
from samedeal_server.cups.desk import Desk
from samedeal_server.cups.herald import Herald
from samedeal_server.cups.postman import Postman
from samedeal_server.cups.reader import Reader
from samedeal_server.cups.relay import Relay
from samedeal_server.cups.run import Office, Run
from samedeal_server.cups.shelf import Shelf
from samedeal_server.hosting.state import Phase, State
from samedeal_server.ports import Claim, Hooks, LogUnavailable
from samedeal_server.ratings.book import Pool
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.home import Ties
from samedeal_server.rooms.outcomes import Answer, Order
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import Peer

__all__ = ["Cups"]

_log = logging.getLogger(__name__)


class Cups:
    """The tournaments of one node; see `rooms.annex.Annex`."""

    def __init__(self, hall: Hall, ties: Ties, *, hooks: Hooks) -> None:
        self._hall = hall
        self._hooks = hooks
        self._spawn = ties.spawn
        self._herald = Herald(
            ties.bus,
            ties.clock,
            node=ties.leases.node,
            is_shared=hall.is_shared,
            has_audience=hall.has_audience,
        )
        self._postman = Postman(hooks, ties.clock, quiet=self._became_quiet)
        office = Office(
            hall=hall,
            ties=ties,
            went_on=self._went_on,
            announce=self._announce_once,
            is_quiet=self._postman.is_quiet,
            closed=self._closed,
            ratings=self._ratings,
        )
        self.shelf = Shelf(hall, office, took_up=self._took_up, lost=self._lost)
        self.announcer = Announcer(hall, self.shelf)
        self._reader = Reader(hall, self.shelf)
        self._relay = Relay(hall, ties, self.shelf)

    # --- the hall's annex ----------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether a tournament of this node's runs."""
        return any(run.cup.state.phase is Phase.RUNNING for run in self.shelf.runs.values())

    def guest(self, peer: Peer) -> Desk:
        """Returns what speaks for a new connection."""
        return Desk(
            peer,
            hall=self._hall,
            hooks=self._hooks,
            shelf=self.shelf,
            reader=self._reader,
            relay=self._relay,
            announcer=self.announcer,
        )

    def held(self) -> Mapping[str, int]:
        """Returns the tournaments that are run here, with the epochs of their claims."""
        return {code: run.epoch for code, run in self.shelf.runs.items()}

    async def take_up(self, claim: Claim) -> None:
        """Has a tournament that was claimed go on here."""
        await self.shelf.take_up(claim)

    def lose(self, codes: set[str]) -> None:
        """Runs these no more before it is known again how they stand and whose they are."""
        self.shelf.lose(codes)

    def heard(self, room: Room) -> None:
        """A race has gone on that is a tournament's."""
        run = self.shelf.runs.get(room.race.opened.tournament or "")
        if run is not None:
            run.heard(room.race)

    def tick(self, code: str) -> None:
        """Does what time demands of a tournament."""
        run = self.shelf.runs.get(code)
        if run is not None:
            run.tick()

    def flush(self) -> None:
        """Tells followers, the world and other nodes what has become durable."""
        now = self._hall.clock.now()
        for cup in self.shelf.cups.values():
            if len(cup.crowd):
                cup.crowd.flush(cup.state, now)
        self._herald.flush()
        self._postman.flush(self.shelf.runs)
        standing = self._herald.due()
        if standing:
            self._spawn(self._tell_standings(standing), "standings of tournaments")

    async def look(self) -> None:
        """Reads on in followed tournaments of other nodes, whatever the bus has lost."""
        try:
            await self._relay.look()
        except LogUnavailable as fault:
            _log.warning("tournaments not read fault=%s", fault)

    def serve(self, command: topics.Command, order: Order, answer: Answer) -> None:
        """Carries out what another node asks of a tournament."""
        self._relay.serve(command, order, answer)

    async def close(self) -> None:
        """Ends what is under way; nothing is begun from here on."""
        self.shelf.stop_all()
        self._relay.close()

    async def listed(self, *, over: bool) -> tuple[TournamentCard, ...]:
        """Returns the listed tournaments, those that are over or those that are not."""
        return await self._reader.cards(of=None, over=over)

    async def sheet(self, code: str) -> TournamentSheet:
        """Returns all of a tournament as a stranger may see it; raises `Refused`."""
        return await self._reader.sheet((await self._reader.newest(code)).state, "")

    async def table(self, code: str) -> TournamentTable:
        """Returns the standings; raises `Refused`."""
        return await self._reader.table(await self._reader.newest(code))

    # --- what runs tell ------------------------------------------------------------------------

    def _took_up(self, run: Run, log: Sequence[TournamentEvent]) -> None:
        """A tournament has come to be this node's."""
        self._herald.went_on(run, ())
        self._postman.take_up(run, log)

    def _went_on(self, run: Run, before: State, happened: Sequence[TournamentEvent]) -> None:
        for event in happened:
            _log.info("tournament code=%s event=%s", run.cup.id, type(event).__name__)
        self._herald.went_on(run, happened)
        self._postman.went_on(run, before, happened)

    def _lost(self, code: str) -> None:
        """A tournament is not run here any more; what has become durable is told by others."""
        self._herald.forget(code)
        self._postman.forget(code)

    def _became_quiet(self, code: str) -> None:
        run = self.shelf.runs.get(code)
        if run is not None:
            run.close_if_done()

    def _closed(self, run: Run) -> None:
        self._herald.flush()
        self.shelf.closed(run)

    async def _announce_once(self, announced: Announced) -> None:
        await self.announcer.announce_once(announced)

    def _ratings(self, state: State) -> Mapping[str, float]:
        if state.terms.seeding is not Seeding.RATING or state.phase is Phase.RUNNING:
            return {}
        ledger = self._hall.boards.keeper.ledger
        if ledger is None:
            return {}
        game = state.terms.race.game
        people, bots = (ledger.book.pools.get(Pool(bots, game), {}) for bots in (False, True))
        rated = {
            entry.id: people.get(entry.id) or bots.get(entry.id) for entry in state.players.values()
        }
        return {player: rating.mu for player, rating in rated.items() if rating is not None}

    async def _tell_standings(self, runs: Sequence[Run]) -> None:
        for run in runs:
            try:
                table = await self._reader.table(run.cup)
            except LogUnavailable:
                table = run.cup.table()
            self._herald.stand(run, table)
