"""One race in memory: what is asked of it, who watches it, and what leaves it when it is durable.

A request is decided and folded at once. Its events and all that is said of them go to the
committer, which lets the words out when the events are stored; what rests on no event of its own
waits for those before it. Only the hall and its callers use a room, from the event loop, and
nothing here awaits.

An entrant is there by the connection that joined or resumed last, the holder. Whoever held before
is closed as replaced, and what becomes of their connection later means nothing any more.

A fault in a race ends that race: the event that breaks it off follows the last one that was handed
over. What the faulty step had brought forth is forgotten, and so is this room.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import ClassVar, Final, Protocol

from samedeal_protocol import messages
from samedeal_protocol.errors import CloseCode, ErrorCode
from samedeal_protocol.events import Cancelled, Entered, Event, to_line
from samedeal_protocol.messages import ServerMessage
from samedeal_protocol.terms import Sight
from samedeal_server.ports import Clock, Entry, Meter
from samedeal_server.racing import audience
from samedeal_server.racing.commands import (
    Begin,
    BoardCommand,
    Cancel,
    Command,
    Drop,
    Enter,
    OpenRematch,
    Return,
    Start,
    Stop,
    Tick,
)
from samedeal_server.racing.race import Race, Refused, step
from samedeal_server.refusals import fault_text
from samedeal_server.rooms.committer import Committer
from samedeal_server.rooms.crowd import Crowd
from samedeal_server.rooms.delayed import Delayed
from samedeal_server.rooms.effects import Parted, Refreshed, Stored, Then, Timed
from samedeal_server.rooms.viewers import Asker, Told, Viewer, Who

__all__ = ["House", "Own", "Room", "being_read_again"]

_log = logging.getLogger(__name__)

Own = Cancel | Drop | Return | Start | Stop | Tick | OpenRematch
"""What the server itself asks of a race."""
SKEW_MS: Final = 250
"""By how much the clocks of nodes may differ."""
TIMED: Final = 16
"""One move in so many has its time taken."""
BROKEN_OFF: Final = "the server failed in this race, so it is broken off"


def being_read_again() -> Refused:
    """Returns what is answered while there is no room to answer from."""
    return Refused(ErrorCode.STORE_UNAVAILABLE, "the race is being read again; try once more")


class House(Protocol):
    """What a room needs of the hall around it."""

    @property
    def committer(self) -> Committer: ...

    @property
    def meter(self) -> Meter: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def is_shared(self) -> bool:
        """Whether other nodes may follow the races of this one."""
        ...

    def happened(self, room: Room, events: Iterable[Event]) -> None:
        """The race has gone on, and may need the clock at another time."""
        ...

    def feed(self, room: Room, entries: Sequence[Entry]) -> None:
        """These have become durable: whoever follows the race elsewhere is to get them."""
        ...

    def broke(self, room: Room) -> None:
        """The room must not be used any more: the log is to be read again."""
        ...


class Room:
    """A race of this node's and everybody who watches it.

    `phrase_hash` is the pass phrase's, if it has one; `epoch` that of the claim to the race.
    """

    is_owned: ClassVar[bool] = True
    """Whether the race lives on this node."""

    def __init__(
        self, race: Race, house: House, *, phrase_hash: bytes | None, epoch: int = 1
    ) -> None:
        self.race = race
        self.id = race.id
        self.phrase_hash = phrase_hash
        self.epoch = epoch
        self.crowd = Crowd(race)
        self.delayed: Delayed | None = None
        self._house = house
        self._holders: dict[str, Viewer] = {}
        self._seq = race.seq
        self._at = race.at
        self._was_final = race.is_final
        self._fresh: list[Event] | None = None
        self._fresh_after = 0
        self._rememberers = 0
        self.is_lost = False
        """What memory has of this race may not be true: nothing comes of it any more."""

    @property
    def due(self) -> int | None:
        """When the room next needs a tick."""
        own = self.race.due
        later = self.delayed.due if self.delayed is not None else None
        if own is None or later is None:
            return own if later is None else later
        return min(own, later)

    @property
    def is_watched(self) -> bool:
        return bool(len(self.crowd)) or (self.delayed is not None and bool(len(self.delayed.crowd)))

    @property
    def is_needed(self) -> bool:
        """Whether the room must stay in memory for somebody."""
        return self.is_watched or (self.is_owned and not self.race.is_final)

    def viewers(self) -> Iterator[Viewer]:
        """Yields everybody who watches."""
        yield from self.crowd
        if self.delayed is not None:
            yield from self.delayed.crowd

    def seats_afar(self) -> list[Viewer]:
        """Returns the places that entrants have on other nodes."""
        return [viewer for viewer in self._holders.values() if viewer.is_afar]

    def give_up(self) -> None:
        """Notes that the race is to be read again, or is not in memory any more."""
        self.is_lost = True

    # --- what is asked -------------------------------------------------------------------------

    def ask(self, command: Command, now: int, asker: Asker) -> bool:
        """Carries out a command whose reply says no more than that it was done.

        Returns whether it was; otherwise it was refused.
        """
        return self._carry_out(command, now, asker, last=asker.ok)

    def act(self, command: BoardCommand, now: int, asker: Asker, viewer: Viewer | None) -> bool:
        """Does something to the asker's board; the reply stands in for its event.

        Returns False when the number was used for the same before, but not last: nothing has
        happened then, and the old answer has to be looked up.
        """
        race, crowd = self.race, self.crowd
        entries: list[Entry] = []
        events: list[Event] = []
        is_answered = False
        try:
            try:
                for event in step(race, command, now):
                    seq = race.seq
                    entries.append(Entry(self.id, seq, to_line(event), self.epoch))
                    events.append(event)
                    if not is_answered:
                        entrant = race.by_player.get(command.player)
                        # What falls due before a command touches no board.
                        if entrant is not None and entrant.last_seq == seq:
                            is_answered = True
                            asker.ok(audience.played(race, entrant, legal=asker.peer.legal))
                            crowd.tell(event, asker, but=viewer)
                            continue
                    crowd.tell(event, asker)
                if not is_answered:
                    entrant = race.by_player[command.player]
                    if entrant.last == command.number:
                        is_answered = True
                        asker.ok(audience.played(race, entrant, legal=asker.peer.legal))
            except Refused as refused:
                is_answered = True
                self._refuse(refused, asker)
            parted = self._look_again(asker, now)
        except Exception as fault:
            self._break_off(fault, now, asker)
            return True
        self._hand_over(entries, events, asker if is_answered else asker.parted())
        if parted:
            self._house.committer.after(self.id, Parted(parted))
        if entries:
            meter = self._house.meter
            meter.count("moves_played")
            if command.number % TIMED == 0:
                timed = Timed(meter, self._house.clock, now)
                self._house.committer.after(self.id, timed)
        return is_answered

    def begin(self, command: Begin, now: int, asker: Asker, viewer: Viewer | None) -> None:
        """Opens the deal of an async race; the reply is a snapshot that stands for the events."""

        def shown() -> None:
            legal = asker.peer.legal
            asker.ok(audience.snapshot(self.race, command.player, now, legal=legal))

        self._carry_out(command, now, asker, last=shown, hidden=viewer)

    def enter(self, viewer: Viewer, now: int, asker: Asker, *, before: Viewer | None) -> bool:
        """Enters the viewer's player, or takes up their place again; the reply is a snapshot.

        `before` is what the same connection was to this race; it ends if the player is let in.
        Returns whether they are.
        """
        who = viewer.who
        viewer.since = now
        is_new = who.player not in self.race.by_player

        def shown() -> None:
            if before is not None:
                self.leave(before)
            self._seat(viewer)
            asker.ok(self.crowd.snapshot(viewer, now))

        command = Enter(who.player, who.name, who.bot) if is_new else Return(who.player)
        asker.on_fail = lambda: self.leave(viewer)
        entered = who.player if is_new else None
        return self._carry_out(command, now, asker, last=shown, hidden=before, entered=entered)

    def watch(self, viewer: Viewer, now: int, asker: Asker) -> None:
        """Lets the viewer watch; the reply is a snapshot. A delayed one needs `delayed` first."""
        crowd, then = self._place(viewer, now)
        asker.ok(crowd.snapshot(viewer, then))
        if crowd is self.crowd:
            self.answer(asker)
        else:
            # What is shown from behind is durable, and its next event waits for nothing.
            asker.run()

    def show(self, viewer: Viewer, now: int) -> None:
        """Lets a viewer watch who asks for nothing; a delayed one needs `delayed` first."""
        crowd, then = self._place(viewer, now)
        viewer.tell(viewer.wire(crowd.snapshot(viewer, then)))

    def take_up(self, viewer: Viewer, now: int, asker: Asker, *, after: int) -> None:
        """Goes on telling the viewer from seq `after`, which is the last one there is."""
        viewer.since = now
        self._settle_in(viewer)
        asker.ok(messages.Resumed(race=self.id, after=after, seq=self.race.seq))
        self.answer(asker)
        self._is_back(viewer, now)

    def seat(self, viewer: Viewer, now: int) -> int:
        """Seats a viewer who is told what they missed later; returns the last seq before that.

        The viewer's frames are held back until `Viewer.let_go`.
        """
        viewer.hold()
        viewer.since = now
        self._settle_in(viewer)
        seq = self.race.seq
        self._is_back(viewer, now)
        return seq

    def answer(self, asker: Asker) -> None:
        """Sends the asker's reply when all that it may rest on is durable."""
        self._house.committer.after(self.id, asker)

    def command(self, command: Own, now: int) -> None:
        """Carries out what the server itself asks."""
        self._carry_out(command, now, None)

    # --- what other nodes ask ------------------------------------------------------------------

    def order(self, command: Command, now: int, asker: Asker, seat: Viewer | None) -> None:
        """Carries out what a player on another node asks; `seat` is their place there."""
        entered: str | None = None
        if isinstance(command, Enter):
            if command.player in self.race.by_player:
                command = Return(command.player)
            else:
                entered = command.player
        elif isinstance(command, Drop) and seat is not None:
            holder = self._holders.get(command.player)
            if holder is not None and holder.peer == seat.peer:
                self.leave(holder)
            elif holder is not None:
                # They are there by another connection: what becomes of this one means nothing.
                asker.ok()
                self.answer(asker)
                return

        def done() -> None:
            if seat is not None and isinstance(command, Enter | Return):
                self._hold(seat)
            asker.ok()

        self._carry_out(command, now, asker, last=done, entered=entered)

    # --- who is there --------------------------------------------------------------------------

    def leave(self, viewer: Viewer) -> None:
        """Stops telling the viewer. Their player stays an entrant."""
        viewer.detach()
        self.crowd.remove(viewer)
        if self.delayed is not None:
            self.delayed.crowd.remove(viewer)
            if not len(self.delayed.crowd):
                self.delayed = None
        player = viewer.who.player
        if self._holders.get(player) is viewer:
            del self._holders[player]

    def gone(self, viewer: Viewer, now: int) -> None:
        """The viewer's connection has ended; an entrant whose holder it was is away."""
        was_holder = self._holders.get(viewer.who.player) is viewer
        self.leave(viewer)
        if was_holder and not self.race.is_final:
            self._is_away(viewer, now)

    def adopt(self, viewers: Iterable[Viewer], now: int) -> None:
        """Takes over the viewers of a room that was lost, and tells them where things stand."""
        self._take_over(viewers, now)
        for entrant in self.race.entered():
            # Connections may have come and gone while the race was being read.
            is_here = entrant.player in self._holders
            self.command(Return(entrant.player) if is_here else Drop(entrant.player), now)

    def _take_over(self, viewers: Iterable[Viewer], now: int) -> None:
        for viewer in viewers:
            if not viewer.is_attached or not viewer.peer.is_open:
                continue
            if viewer.is_holder and viewer.who.player in self.race.by_player:
                self._holders[viewer.who.player] = viewer
            if viewer.is_afar:
                continue
            viewer.miss()
            self._place(viewer, now)
            self.refresh(viewer, now)

    def refresh(self, viewer: Viewer, now: int) -> None:
        """Tells a viewer who has missed events where things stand."""
        if not viewer.is_stale or not viewer.is_attached:
            return
        delayed = self.delayed
        if delayed is not None and viewer in delayed.crowd:
            viewer.catch_up(viewer.wire(delayed.crowd.snapshot(viewer, delayed.then(now))))
            return
        self._house.committer.after(
            self.id, Refreshed(viewer, viewer.wire(self.crowd.snapshot(viewer, now)))
        )

    # --- those who are kept behind -------------------------------------------------------------

    def is_behind(self, who: Who) -> bool:
        """Whether the player is kept behind as the terms say."""
        seen = audience.sight(self.race, who.player)
        return audience.lag_ms(self.race, seen) > 0

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Keeps what becomes durable meanwhile, so that `keep_behind` can join it to the log."""
        if self._fresh is None:
            self._fresh = []
            self._fresh_after = self.race.seq
        self._rememberers += 1
        try:
            yield
        finally:
            self._rememberers -= 1
            if not self._rememberers:
                self._fresh = None

    def keep_behind(self, log: list[Event], now: int) -> None:
        """Sets up the view of those who are kept behind, from the log as it was just read."""
        fresh = self._fresh or []
        if self.delayed is not None:
            return
        known = max(0, len(log) - self._fresh_after)
        lag = self.race.terms.delay * 1000
        self.delayed = Delayed([*log, *fresh[known:]], lag=lag, now=now)
        self._house.happened(self, ())

    def stored(self, seq: int, event: Event) -> None:
        """Notes that an event has become durable, for those who are kept behind."""
        if self.delayed is None:
            if self._fresh is not None:
                self._fresh.append(event)
        elif seq > self.delayed.seq:
            # Otherwise it was read from the log before we heard that it is there.
            self.delayed.add(event)
            self._house.happened(self, ())

    def tick(self, now: int) -> None:
        """Does what time demands."""
        if self.race.due is not None and self.race.due <= now:
            self.command(Tick(), now)
        if self.delayed is not None:
            self.delayed.advance(now)

    # --- within --------------------------------------------------------------------------------

    def _seat(self, viewer: Viewer) -> None:
        """Makes the viewer their player's holder; whoever held before is replaced."""
        player = viewer.who.player
        if self.delayed is not None:
            # They may have watched from behind before they entered.
            for other in tuple(self.delayed.crowd):
                if other.who.player == player:
                    self.leave(other)
        self._hold(viewer)
        self.crowd.remove(viewer)
        self.crowd.add(viewer)

    def _hold(self, viewer: Viewer) -> None:
        """Makes the viewer their player's holder in the place of whoever was.

        What an older connection asked may come later than what a newer one did, over another node.
        """
        player = viewer.who.player
        before = self._holders.get(player)
        if before is not None and before.since - viewer.since > SKEW_MS:
            viewer.peer.close(CloseCode.REPLACED)
            return
        if before is not None and before is not viewer:
            self.leave(before)
            if before.peer != viewer.peer:
                before.peer.close(CloseCode.REPLACED)
        viewer.sit()
        self._holders[player] = viewer

    def _is_back(self, viewer: Viewer, now: int) -> None:
        """The viewer's player is there again."""
        self.command(Return(viewer.who.player), now)

    def _is_away(self, viewer: Viewer, now: int) -> None:
        """The connection by which the viewer's player was there has ended."""
        self.command(Drop(viewer.who.player), now)

    def _settle_in(self, viewer: Viewer) -> None:
        """Seats an entrant; anybody else just watches."""
        if viewer.who.player in self.race.by_player:
            self._seat(viewer)
        else:
            self.crowd.add(viewer)

    def _place(self, viewer: Viewer, now: int) -> tuple[Crowd, int]:
        """Puts the viewer where they may watch from; returns that crowd and what it sees as now."""
        self.crowd.remove(viewer)
        if self.is_behind(viewer.who):
            assert self.delayed is not None, "whoever is kept behind has a view to be put into"
            self.delayed.crowd.remove(viewer)
            self.delayed.welcome(viewer, now)
            return self.delayed.crowd, self.delayed.then(now)
        self.crowd.add(viewer)
        return self.crowd, now

    def _carry_out(
        self,
        command: Command,
        now: int,
        asker: Asker | None,
        *,
        last: Callable[[], None] | None = None,
        hidden: Viewer | None = None,
        entered: str | None = None,
    ) -> bool:
        """Decides, folds, puts into words and hands over; False if it was refused.

        `last` adds the reply when all has been folded; for `hidden` it stands for all events.
        """
        race, crowd = self.race, self.crowd
        told = Told() if asker is None else asker
        entries: list[Entry] = []
        events: list[Event] = []
        is_done = True
        try:
            try:
                for event in step(race, command, now):
                    entries.append(Entry(self.id, race.seq, to_line(event), self.epoch))
                    events.append(event)
                    crowd.tell(event, told, but=hidden)
            except Refused as refused:
                is_done = False
                if asker is not None:
                    self._refuse(refused, asker)
            else:
                if last is not None:
                    last()
            parted = self._look_again(told, now, but=hidden)
        except Exception as fault:
            self._break_off(fault, now, asker)
            return True
        if entered is not None and not any(isinstance(event, Entered) for event in events):
            entered = None
        self._hand_over(entries, events, told, entered=entered)
        if parted:
            self._house.committer.after(self.id, Parted(parted))
        return is_done

    def _look_again(self, told: Told, now: int, *, but: Viewer | None = None) -> list[Viewer]:
        """Tells those whose sight has changed; returns those who may not stay.

        Who has withdrawn is a spectator, over whichever connection they were told: here is no
        place for them if spectators are kept behind, or are none.
        """
        crowd, race = self.crowd, self.race
        if not crowd.has_changed:
            return []
        parted: list[Viewer] = []
        if race.terms.delay or race.terms.spectators is Sight.NONE:
            for viewer in tuple(crowd):
                who = viewer.who
                if self.is_behind(who) or not audience.may_watch(race, who.player):
                    crowd.remove(viewer)
                    if self._holders.get(who.player) is viewer:
                        del self._holders[who.player]
                    parted.append(viewer)
        crowd.look_again(told, now, but=but)
        return parted

    def _refuse(self, refused: Refused, asker: Asker) -> None:
        self._house.meter.count("requests_refused")
        asker.error(refused.code, refused.sentence, reason=refused.reason)

    def _hand_over(
        self,
        entries: list[Entry],
        events: list[Event],
        told: Told,
        *,
        entered: str | None = None,
    ) -> None:
        """Gives what has happened to the committer, and what is said of it."""
        house = self._house
        if self.is_lost:
            told.fail()
            return
        if not entries:
            house.committer.after(self.id, told)
            return
        race = self.race
        self._seq = race.seq
        self._at = race.at
        is_final = race.ended_at is not None
        is_over, self._was_final = is_final and not self._was_final, is_final
        is_kept = self.delayed is not None or self._fresh is not None
        effect = Stored(self, events, told, first=entries[0].seq) if is_kept else told
        house.committer.add(self.id, entries, effect, is_over=is_over, entered=entered)
        if house.is_shared:
            self._feed(entries)
        house.happened(self, events)

    def _feed(self, entries: Sequence[Entry]) -> None:
        """Lets those get the events, once they are durable, who follow the race elsewhere."""
        self._house.committer.after(self.id, Then(partial(self._house.feed, self, entries)))

    def _break_off(self, fault: Exception, now: int, asker: Asker | None) -> None:
        """Ends the race after a fault of ours, whatever state the fold was left in."""
        _log.error("race failed race=%s fault=%s", self.id, fault_text(fault))
        self._house.meter.count("races_aborted")
        told = Told()
        if asker is not None:
            # Not with what the faulty step had said before.
            told = asker = Asker(asker.peer, asker.request)
            asker.error(ErrorCode.INTERNAL, BROKEN_OFF)
        if self._was_final:
            self._house.committer.after(self.id, told)
        else:
            event = Cancelled(at=max(now, self._at), reason=BROKEN_OFF)
            self._seq += 1
            message = messages.Cancelled(
                race=self.id, seq=self._seq, at=event.at, reason=event.reason
            )
            frames: dict[Callable[[ServerMessage], bytes], bytes] = {}
            for viewer in self.crowd:
                frame = frames.setdefault(viewer.wire, viewer.wire(message))
                told.post((viewer,), frame)
            entry = Entry(self.id, self._seq, to_line(event), self.epoch)
            self._house.committer.add(self.id, (entry,), told, is_over=True)
            if self._house.is_shared:
                self._feed((entry,))
        self._house.broke(self)
