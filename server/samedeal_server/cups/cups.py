"""All tournaments of a node: the hall's annex, and what connections and pages ask of it."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from samedeal_protocol import topics
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Visibility
from samedeal_protocol.tournament.events import Announced, TournamentEvent, to_line
from samedeal_protocol.tournament.terms import Seeding, TournamentTerms
from samedeal_protocol.tournament.views import TournamentCard, TournamentSheet, TournamentTable
from samedeal_server.cups.cup import Cup
from samedeal_server.cups.desk import Desk
from samedeal_server.cups.herald import Herald
from samedeal_server.cups.postman import Postman
from samedeal_server.cups.relay import Relay
from samedeal_server.cups.run import Office, Run
from samedeal_server.cups.shelf import Shelf
from samedeal_server.cups.turns import Turns
from samedeal_server.hosting import view
from samedeal_server.hosting.codes import new_code
from samedeal_server.hosting.commands import Did, Person
from samedeal_server.hosting.state import Phase, State
from samedeal_server.hosting.tournament import announce, is_large
from samedeal_server.ports import Claim, Entry, Hooks, LogConflict, LogUnavailable, RaceRow
from samedeal_server.racing.race import Refused
from samedeal_server.ratings.book import Pool
from samedeal_server.rooms.hall import Hall
from samedeal_server.rooms.home import Ties
from samedeal_server.rooms.outcomes import Answer, Order
from samedeal_server.rooms.phrases import hashed_phrase
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import Peer

__all__ = ["Cups"]

_log = logging.getLogger(__name__)

LISTED: Final = 100
"""Tournaments in a list at most, the newest."""
ALL: Final = 1_000_000
"""More tournaments than anybody is in."""
HOSTED: Final = 20
"""Tournaments that one player may host at a time."""
SHOWN: Final = 1_000
"""Cards of tournaments that are over are kept, so many."""
FRESH_MS: Final = 1_000
"""For how long a card of another node's tournament is good."""


class Cups:
    """The tournaments of one node; see `rooms.annex.Annex`."""

    def __init__(self, hall: Hall, ties: Ties, *, hooks: Hooks) -> None:
        self._hall = hall
        self._hooks = hooks
        self.clock = hall.clock
        self.log = hall.log
        self.meter = hall.meter
        self.guesses = hall.players.guesses
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
        self._shelf = Shelf(hall, office, took_up=self._took_up, lost=self._lost)
        self._relay = Relay(hall, ties, self._shelf)
        self._spawn = ties.spawn
        self._announcing = Turns()
        """By host, who would else pass the limit with several at a time."""
        self._cards: OrderedDict[str, tuple[int, TournamentCard]] = OrderedDict()
        """Of those that are not run here, and until when they are good."""

    # --- the hall's annex ----------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether a tournament of this node's runs."""
        return any(run.cup.state.phase is Phase.RUNNING for run in self._shelf.runs.values())

    def guest(self, peer: Peer) -> Desk:
        """Returns what speaks for a new connection."""
        return Desk(self, peer)

    def held(self) -> Mapping[str, int]:
        """Returns the tournaments that are run here, with the epochs of their claims."""
        return {code: run.epoch for code, run in self._shelf.runs.items()}

    async def take_up(self, claim: Claim) -> None:
        """Has a tournament that was claimed go on here."""
        await self._shelf.take_up(claim)

    def lose(self, codes: set[str]) -> None:
        """Runs these no more before it is known again how they stand and whose they are."""
        self._shelf.lose(codes)

    def heard(self, room: Room) -> None:
        """A race has gone on that is a tournament's."""
        run = self._shelf.runs.get(room.race.opened.tournament or "")
        if run is not None:
            run.heard(room.race)

    def tick(self, code: str) -> None:
        """Does what time demands of a tournament."""
        run = self._shelf.runs.get(code)
        if run is not None:
            run.tick()

    def flush(self) -> None:
        """Tells followers, the world and other nodes what has become durable."""
        now = self.clock.now()
        for cup in self._shelf.cups.values():
            if len(cup.crowd):
                cup.crowd.flush(cup.state, now)
        self._herald.flush()
        self._postman.flush(self._shelf.runs)
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
        self._shelf.stop_all()
        self._relay.close()

    async def listed(self, *, over: bool) -> tuple[TournamentCard, ...]:
        """Returns the listed tournaments, those that are over or those that are not."""
        return await self.cards(of=None, over=over)

    async def sheet(self, code: str) -> TournamentSheet:
        """Returns all of a tournament as a stranger may see it; raises `Refused`."""
        return await self.sheet_of((await self.newest(code)).state, "")

    async def table(self, code: str) -> TournamentTable:
        """Returns the standings; raises `Refused`."""
        return await self.table_of(await self.newest(code))

    # --- what desks ask ------------------------------------------------------------------------

    @property
    def is_full(self) -> bool:
        """Whether so much waits for the log that nothing more is taken."""
        return self._hall.committer.is_full

    def in_memory(self, code: str) -> Cup | None:
        """Returns a tournament if it is in memory."""
        return self._shelf.cups.get(code)

    async def find(self, code: str) -> Cup:
        """Returns a tournament; raises `Refused` and `LogUnavailable`."""
        return await self._shelf.find(code)

    async def newest(self, code: str) -> Cup:
        """Returns a tournament as it stands now; raises `Refused` and `LogUnavailable`.

        The player may have seen more of it over another node.
        """
        cup = await self._shelf.find(code)
        await self._shelf.catch_up(cup)
        return cup

    def rest(self, cup: Cup) -> None:
        """Lets a tournament that nobody needs go from memory in time."""
        self._shelf.rest(cup)

    async def carry(self, cup: Cup, did: Did) -> int:
        """Returns the tournament's seq when somebody's act has been carried out.

        Raises `Refused` and `LogUnavailable`.
        """
        return await self._relay.carry(cup, did)

    async def announce(self, host: Person, terms: TournamentTerms, *, phrase: str | None) -> str:
        """Announces a tournament; returns its code. Durable when this returns.

        Raises:
            Refused: with the reason.
            LogUnavailable: it is unknown whether it was stored.
        """
        hall, seeds = self._hall, self._hall.seeds
        if hall.is_draining:
            raise Refused(ErrorCode.DRAINING, "the server is about to restart: try again soon")
        async with self._announcing.of(host.id):
            await self._check_hosting(host)
            kept = ""
            if phrase is not None:
                kept = hashed_phrase(phrase, bytes.fromhex(seeds.salt())).hex()
            announced = announce(
                tournament=new_code(seeds.salt()),
                terms=terms,
                seed=seeds.seed(),
                salt=seeds.salt(),
                host=host,
                phrase_hash=kept,
                now=self.clock.now(),
            )
            await self._store(announced)
        await self._shelf.find(announced.tournament)
        return announced.tournament

    async def cards(self, *, of: str | None, over: bool) -> tuple[TournamentCard, ...]:
        """Returns those that are over or those that are not: of a player, or the listed ones.

        Raises `LogUnavailable`.
        """
        if of is None:
            rows = await self.log.cups(over=over, limit=LISTED)
        else:
            rows = await self.log.cups_of(of, over=over, limit=LISTED)
        cards = [await self._card(row) for row in rows]
        return tuple(card for card in cards if card is not None)

    async def sheet_of(self, state: State, viewer: str) -> TournamentSheet:
        """Returns all of a tournament as the player of that id may see it."""
        now = self.clock.now()
        if is_large(state):
            return await asyncio.to_thread(view.sheet, state, viewer, now)
        return view.sheet(state, viewer, now)

    async def table_of(self, cup: Cup) -> TournamentTable:
        """Returns the standings of a tournament, once it is over with the chain's end of its log.

        Raises `LogUnavailable`.
        """
        reckon = cup.table
        if cup.state.is_final:
            lines = () if cup.is_sealed else await self.log.read(cup.id)
            reckon = partial(cup.sealed, lines)
        return await asyncio.to_thread(reckon) if is_large(cup.state) else reckon()

    async def named(self, name: str) -> Person | None:
        """Returns who has a name, if anybody does; raises `LogUnavailable`."""
        found = await self.log.player_by_name(name)
        return None if found is None else Person(found.player, found.name, found.bot)

    def hook_fault(self, url: str) -> str | None:
        """Says why nothing can be posted to a URL, or None."""
        return self._hooks.fault(url)

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
        run = self._shelf.runs.get(code)
        if run is not None:
            run.close_if_done()

    def _closed(self, run: Run) -> None:
        self._herald.flush()
        self._shelf.closed(run)

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

    # --- within --------------------------------------------------------------------------------

    async def _announce_once(self, announced: Announced) -> None:
        """Has the next of a series announced, unless it is."""
        with suppress(LogConflict):
            await self._store(announced)
        await self._shelf.find(announced.tournament)

    async def _store(self, announced: Announced) -> None:
        code = announced.tournament
        people = (announced.host, *(id for id, _, _ in announced.staff))
        await asyncio.gather(
            self.log.open_race(
                Entry(code, 1, to_line(announced)),
                opened_at=announced.at,
                is_listed=announced.terms.visibility is Visibility.PUBLIC,
                phrase_hash=None,
            ),
            *(self.log.enter(player, code) for player in people),
        )
        _log.info("tournament announced code=%s host=%s", code, announced.host)

    async def _check_hosting(self, host: Person) -> None:
        """Raises `Refused` if somebody hosts too many tournaments that are not over."""
        hosted = 0
        for row in await self.log.cups_of(host.id, over=False, limit=ALL):
            cup = await self._shelf.find(row.race)
            hosted += cup.state.announced.host == host.id and not cup.state.is_final
        if hosted >= HOSTED:
            raise Refused(
                ErrorCode.TOO_MANY_TOURNAMENTS,
                f"you host {hosted} tournaments that are not over: call one off first",
            )

    async def _card(self, row: RaceRow) -> TournamentCard | None:
        """Returns a tournament as one of a list; None if it cannot be read now."""
        code, now = row.race, self.clock.now()
        if code in self._shelf.runs:
            return view.card(self._shelf.runs[code].cup.state)
        until, card = self._cards.get(code, (0, None))
        if card is not None and now < until:
            return card
        try:
            cup = await self.newest(code)
        except Refused:
            return None
        card = view.card(cup.state)
        if code not in self._shelf.runs:
            self._cards[code] = (_FOR_EVER if row.is_over else now + FRESH_MS), card
            self._cards.move_to_end(code)
            while len(self._cards) > SHOWN:
                self._cards.popitem(last=False)
        return card

    async def _tell_standings(self, runs: Sequence[Run]) -> None:
        for run in runs:
            try:
                table = await self.table_of(run.cup)
            except LogUnavailable:
                table = run.cup.table()
            self._herald.stand(run, table)


_FOR_EVER: Final = 2**63
