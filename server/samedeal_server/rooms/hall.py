"""All the races of this node: opening, waking at their instants, deciding, resting.

How a race that is not in memory comes to be there is told in `readings`.

The hall is used from the event loop only. What needs the store is a coroutine, an errand of the
connection that asked; whatever is in memory is answered without one. A race that is over stays in
memory while somebody watches it, and a little longer.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import (
    Event,
    Played,
    parse_line,
    to_line,
)
from samedeal_protocol.messages import Limits, RaceCard
from samedeal_protocol.terms import Terms, Visibility
from samedeal_rules import RULES_VERSION
from samedeal_server.boards.answers import Boards
from samedeal_server.boards.keeper import Keeper
from samedeal_server.hosting.codes import is_cup
from samedeal_server.ports import (
    Bus,
    Claim,
    Clock,
    HouseBots,
    Leases,
    Log,
    LogUnavailable,
    Meter,
    Seeds,
)
from samedeal_server.racing import audience
from samedeal_server.racing.decisions import CHAT_CHARACTERS
from samedeal_server.racing.fold import begin
from samedeal_server.racing.race import Race, Refused, open_race
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.annex import Annex
from samedeal_server.rooms.books import Books
from samedeal_server.rooms.committer import Committer
from samedeal_server.rooms.dailies import Dailies
from samedeal_server.rooms.deadlines import Deadlines
from samedeal_server.rooms.effects import Settled
from samedeal_server.rooms.federation import Federation
from samedeal_server.rooms.follower import Follower
from samedeal_server.rooms.home import Ties
from samedeal_server.rooms.invitations import Invitations
from samedeal_server.rooms.onlooker import STRANGER
from samedeal_server.rooms.opening import store_opened
from samedeal_server.rooms.phrases import hashed_phrase
from samedeal_server.rooms.players import Players
from samedeal_server.rooms.readings import Readings
from samedeal_server.rooms.records import Records
from samedeal_server.rooms.rematches import Rematches
from samedeal_server.rooms.replays import Replays
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import Asker, Who
from samedeal_server.rooms.world import World
from samedeal_server.settings import Settings
from samedeal_server.version import VERSION

__all__ = ["Hall"]

_log = logging.getLogger(__name__)

LISTED: Final = 100
"""Races in a list at most, the newest first."""
RESTING: Final = 64
"""Races that are over and not watched, but still in memory."""
TAKEN_UP: Final = 500
"""Races that are claimed at a time when the server starts."""


class Hall:
    """The races of one node."""

    def __init__(
        self,
        settings: Settings,
        *,
        log: Log,
        bus: Bus,
        clock: Clock,
        seeds: Seeds,
        meter: Meter,
        leases: Leases,
        spawn: Callable[[Coroutine[None, None, None], str], None],
        annex: Callable[[Hall, Ties], Annex],
        house_bots: HouseBots | None = None,
    ) -> None:
        """`annex` makes the tournaments that are beside this hall."""
        self.settings = settings
        self.log = log
        self.clock = clock
        self.seeds = seeds
        self.meter = meter
        self.leases = leases
        self.committer = Committer(
            log,
            meter,
            seconds=asyncio.get_running_loop().time,
            limit=settings.pending_limit,
            on_lost=self.lose,
        )
        self.players = Players(log, seeds, clock, meter)
        self.books = Books(meter, races_per_player=settings.races_per_player)
        self.world = World(
            bus,
            clock,
            self.committer,
            node=leases.node,
            incarnation=leases.incarnation,
            rest=self.rest,
        )
        self.name = f"samedeal {VERSION}"
        self.invitations = Invitations(house_bots, self.room, seats=settings.house_bots)
        self.limits = Limits(
            frame_bytes=settings.frame_bytes,
            requests_per_second=settings.rate,
            burst=settings.burst,
            chat_characters=CHAT_CHARACTERS,
            races_per_player=settings.races_per_player,
            ping_ms=settings.ping_ms,
            house_bots=self.invitations.each_race,
        )
        self.is_draining = False
        self.is_closed = False
        self._spawn = spawn
        self.rooms: dict[str, Room] = {}
        """The races in memory, by code."""
        ties = Ties(leases=leases, bus=bus, clock=clock, meter=meter, spawn=spawn)
        self.federation = Federation(self, ties)
        self.is_shared = leases.is_shared
        self.has_audience = settings.bus != "local"
        """Whether there is a broker, and so perhaps somebody who listens there."""
        self.feed = self.federation.feeds.feed
        self.catch_up = self.federation.feeds.catch_up
        self.ask_owner = self.federation.orders.ask_owner
        self.annex = annex(self, ties)
        self.announce = self.federation.orders.announce
        self._readings = Readings(self, tenure_of=self.federation.tenure.of, spawn=spawn)
        self.find = self._readings.find
        self.dailies = Dailies(self)
        self.rematches = Rematches(self)
        self.replays = Replays(log)
        self.records = Records(self)
        self.boards = Boards(Keeper(log, spawn), log, clock, door=self.records.told_of)
        self._resting: OrderedDict[str, None] = OrderedDict()
        self._deadlines = Deadlines()
        self._is_mute = False
        self._spectators = 0

    # --- finding -------------------------------------------------------------------------------

    @property
    def races(self) -> int:
        """How many races are in memory."""
        return len(self.rooms)

    @property
    def running(self) -> int:
        """How many races run."""
        return self.books.running

    def room(self, code: str) -> Room | None:
        """Returns the race's room if it is in memory."""
        return self.rooms.get(code)

    def listed(self) -> tuple[RaceCard, ...]:
        """Returns the listed races that are not over, the newest first; tournaments' after all."""
        own = [room.race for room in self.rooms.values() if room.is_owned]
        found = [race for race in own if not race.is_final and audience.is_listed(race.terms)]
        found.sort(key=lambda race: (race.opened.tournament is None, race.opened.at), reverse=True)
        cards = [audience.card(race) for race in found[:LISTED]] + self.federation.cards()
        cards.sort(key=lambda card: (card.tournament is None, card.opened_at), reverse=True)
        return tuple(cards[:LISTED])

    def unready(self) -> str | None:
        """Says why players should go elsewhere for now, or None."""
        if self.is_draining:
            return "the server is about to restart"
        tenure = self.federation.tenure
        if (
            self.committer.is_failing
            or self._readings.has_lost
            or self._is_mute
            or tenure.is_lapsed
        ):
            return "the log cannot be written"
        if tenure.is_alone:
            return "the other nodes cannot be reached"
        return None

    async def settled(self, race: str | None) -> None:
        """Returns when everything of the race is durable; raises `LogUnavailable` if it is lost."""
        waiting = Settled()
        self.committer.after(race, waiting)
        await waiting.future

    def answer(self, asker: Asker) -> None:
        """Sends a reply about many races when all that has happened is durable."""
        self.committer.after(None, asker)

    def held(self) -> dict[str, int]:
        """Returns the races and tournaments that are this node's, with the epochs of the claims."""
        own = {room.id: room.epoch for room in self.rooms.values() if room.is_owned}
        return {**own, **self.annex.held()}

    async def take_up(self, claim: Claim) -> None:
        """Makes a race or tournament that was claimed one of this node's."""
        if is_cup(claim.race):
            await self.annex.take_up(claim)
        else:
            await self._readings.take_up(claim)

    # --- opening -------------------------------------------------------------------------------

    async def open(
        self,
        who: Who,
        terms: Terms,
        *,
        seed: str | None = None,
        phrase: str | None = None,
        phrase_hash: bytes | None = None,
    ) -> Race:
        """Opens a race hosted by `who`; durable when this returns.

        Raises:
            Refused: with the reason.
            LogUnavailable: it is unknown whether the race was stored.
        """
        if self.is_draining:
            raise Refused(ErrorCode.DRAINING, "the server is about to restart: try again soon")
        if self.books.unfinished >= self.settings.max_races:
            raise Refused(ErrorCode.SERVER_FULL, "the server takes no more races for now")
        self.books.check(who.player)
        if (terms.visibility is Visibility.PHRASE) != (
            phrase is not None or phrase_hash is not None
        ):
            raise Refused(ErrorCode.BAD_TERMS, "`visibility: phrase` and a pass phrase go together")
        if phrase is not None:
            phrase_hash = hashed_phrase(phrase, bytes.fromhex(self.seeds.salt()))
        opened = open_race(
            race=self.seeds.race(),
            terms=terms,
            seed=self.seeds.seed() if seed is None else seed,
            salt=self.seeds.salt(),
            host=who.player,
            host_name=who.name,
            seeded=seed is not None,
            rules=RULES_VERSION,
            now=self.clock.now(),
        )
        await asyncio.gather(
            store_opened(opened, self.log, self.meter, phrase_hash=phrase_hash),
            self.log.enter(who.player, opened.race),
        )
        room = Room(begin(opened), self, phrase_hash=phrase_hash)
        return self.admit(room, [to_line(opened)]).race

    def check_engagements(self, player: str, *, beyond: str) -> None:
        """Raises `Refused` if the player is in too many races, as far as this node knows."""
        followed = sum(
            not room.is_owned
            and code != beyond
            and not room.race.is_final
            and (player in room.race.by_player or player == room.race.host)
            for code, room in self.rooms.items()
        )
        self.books.check(player, beyond=beyond, besides=followed)

    # --- what rooms tell -----------------------------------------------------------------------

    def happened(self, room: Room, events: Iterable[Event]) -> None:
        """Keeps the books after a race has gone on."""
        race = room.race
        if room.is_owned:
            for event in events:
                if type(event) is not Played:
                    self.books.note(race, event)
            self.world.changed[room.id] = race
        due = race.due if room.delayed is None and room.is_owned else room.due
        if due != self._deadlines.get(room.id):
            self._deadlines.set(room.id, due)
        if race.opened.tournament is not None:
            self.annex.heard(room)
        if race.ended_at is not None:
            self.rest(room)

    def say_again(self, room: Room) -> None:
        """Says once more whose a race of this node's is."""
        if not room.race.is_final:
            self.world.held(room.race, room.epoch)

    def lose(self, races: set[str]) -> None:
        """Forgets races of which memory may say what the log does not, and reads them again.

        Tournaments may be among them.
        """
        cups = {code for code in races if is_cup(code)}
        self.annex.lose(cups)
        self._readings.lose(races - cups)

    def wake(self, code: str, due: int | None) -> None:
        """Has a tournament ticked at an instant, in ms; None for never."""
        self._deadlines.set(code, due)

    def broke(self, room: Room) -> None:
        """Puts a room aside whose race has failed, and reads the race again."""
        self.lose({room.id})

    def rest(self, room: Room) -> None:
        """Lets a race that is over, or another node's, and not watched go from memory in time."""
        if room.is_needed or self.rooms.get(room.id) is not room:
            return
        self._resting[room.id] = None
        self._resting.move_to_end(room.id)
        while len(self._resting) > RESTING:
            code, _ = self._resting.popitem(last=False)
            resting = self.rooms[code]
            if not resting.is_needed:
                self.drop(resting)

    # --- time ----------------------------------------------------------------------------------

    def tick(self) -> None:
        """Does what is due by now."""
        now = self.clock.now()
        for code in self._deadlines.take(now):
            if is_cup(code):
                self.annex.tick(code)
                continue
            room = self.rooms[code]
            try:
                room.tick(now)
            except Exception as fault:
                _log.error("tick failed race=%s fault=%s", code, fault_text(fault))
                self.broke(room)
                continue
            if self.rooms.get(code) is room and self._deadlines.get(code) is None:
                self._deadlines.set(code, room.due)

    async def keep_time(self) -> None:
        """Ticks whenever a race needs it, until cancelled."""
        while True:
            await self._deadlines.sleep(self.clock.now())
            self.tick()

    async def beat(self) -> None:
        """Notes that the server lives, while there is anything to live for."""
        committer = self.committer
        is_busy = self.books.running or self.annex.is_busy
        if not (is_busy or committer.has_news or committer.is_failing or self._is_mute):
            return
        committer.has_news = False
        try:
            await self.log.alive(self.clock.now())
        except LogUnavailable as fault:
            if not self._is_mute:
                _log.warning("the log takes no sign of life fault=%s", type(fault).__name__)
            self._is_mute = True
        else:
            self._is_mute = committer.is_failing = False

    def census(self) -> None:
        """Counts who watches."""
        rooms = self.rooms.values()
        spectators = sum(viewer.is_spectator for room in rooms for viewer in room.viewers())
        self.meter.count("spectators", spectators - self._spectators)
        self._spectators = spectators

    def look_after_house(self) -> None:
        """Has the bots of the house leave races at which nobody is any more."""
        self.invitations.look(self.clock.now())

    # --- the server's own life -----------------------------------------------------------------

    async def recover(self) -> int:
        """Takes up the races that are not over; returns how many."""
        await self.federation.tenure.join()
        count = 0
        while claims := await self.leases.claim_orphans(limit=TAKEN_UP):
            for claim in claims:
                await self.take_up(claim)
            count += len(claims)
        await self.committer.flush()
        return count

    async def drain(self) -> None:
        """Opens nothing new; returns when nobody races any more, or others take the races over."""
        self.is_draining = True
        if self.is_shared and await self.federation.tenure.has_heirs():
            await self.committer.flush()
            return
        await self.books.quiet.wait()

    async def close(self) -> None:
        """Makes everything durable; nothing is told to rooms from here on."""
        self.is_draining = True
        self.is_closed = True
        await self.annex.close()
        await self.committer.flush()
        try:
            await self.log.alive(self.clock.now())
            await self.federation.tenure.leave()
        except LogUnavailable as fault:
            _log.warning("the log takes no last sign of life fault=%s", type(fault).__name__)
        self.federation.close()

    # --- within --------------------------------------------------------------------------------

    def admit(self, room: Room, lines: Sequence[bytes]) -> Room:
        """Puts a room on the books, whose race's log these lines are."""
        self.rooms[room.id] = room
        if room.race.opened.tournament is not None:
            self.annex.heard(room)
        if isinstance(room, Follower):
            self.federation.feeds.follow(room)
        else:
            self.books.add(room.race)
            if not room.race.is_final:
                self.world.held(room.race, room.epoch)
                if self.has_audience and audience.is_public(room.race.terms):
                    self._show_world(room, lines)
        self._deadlines.set(room.id, room.due)
        return room

    def _show_world(self, room: Room, lines: Sequence[bytes]) -> None:
        """Lets the world watch a race as any stranger may."""
        if audience.may_watch(room.race, STRANGER.player) and not room.race.terms.blind:
            if room.is_behind(STRANGER):
                room.keep_behind(list(map(parse_line, lines)), self.clock.now())
            self.world.watch(room)

    def drop(self, room: Room) -> None:
        """Takes a room off the books."""
        if self.rooms.get(room.id) is not room:
            return
        del self.rooms[room.id]
        self._resting.pop(room.id, None)
        self._deadlines.set(room.id, None)
        if isinstance(room, Follower):
            room.give_up()
            self.federation.feeds.unfollow(room)
        else:
            self.world.forget(room.id)
            self.books.remove(room.race)
