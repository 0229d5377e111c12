"""Who may have a bot of the house come to a race, how many there may be, and how long they stay.

The bots are players like any other: what is booked here only keeps count of them until they have
entered, and of the seats that they take up while they play. A seat is kept for as long as somebody
is at its race: see `attendance`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import InviteBot
from samedeal_server.ports import Booking, HouseBots
from samedeal_server.racing.commands import Enter
from samedeal_server.racing.race import Race, Refused, decide
from samedeal_server.rooms.attendance import Attendance
from samedeal_server.rooms.phrases import is_phrase
from samedeal_server.rooms.room import Room
from samedeal_server.rooms.viewers import Who

__all__ = ["EACH_PLAYER", "EACH_RACE", "SEAT_MS", "Invitations"]

EACH_RACE: Final = 3
"""Bots of the house in one race, at most."""
EACH_PLAYER: Final = 4
"""Bots that one player may have asked for and that still play."""
SEAT_MS: Final = 10_000
"""When to ask again after all seats were taken."""

_A_BOT: Final = Enter("", "a bot of the house", bot=True)
"""Nobody yet: whether a race would take them is all that is asked."""


class Invitations:
    """The seats of a server's house."""

    def __init__(
        self, bots: HouseBots | None, room: Callable[[str], Room | None], *, seats: int
    ) -> None:
        """`seats` is how many bots may play at once, in all races together.

        `room` finds a race that is in memory, by its code.
        """
        self._bots = bots
        self._room = room
        self._seats = 0 if bots is None else seats
        self._bookings: dict[Booking, Attendance] = {}
        """Those whose seat is taken, and who was seen at their races."""

    @property
    def each_race(self) -> int:
        """How many bots one race may have; 0 where there is no house."""
        return min(EACH_RACE, self._seats)

    @property
    def each_address(self) -> int:
        """How many seats may be taken from one address, as names are free: half, or the only."""
        return max(1, self._seats // 2)

    @property
    def taken(self) -> int:
        """How many seats are taken now."""
        for each in [each for each in self._bookings if each.is_over]:
            del self._bookings[each]
        return len(self._bookings)

    def invite(self, room: Room, message: InviteBot, who: Who, now: int, *, address: str) -> None:
        """Has a bot come to a race, as `who` asks, who is at `address`; it enters in a moment.

        Raises:
            Refused: no-house-bots, not-entered, wrong-phrase, house-full, or whatever the race
                would say to the bot.
        """
        race = room.race
        if self._bots is None or not self._seats:
            raise Refused(ErrorCode.NO_HOUSE_BOTS, ErrorCode.NO_HOUSE_BOTS.meaning)
        if who.player not in race.by_player and who.player != race.host:
            raise Refused(ErrorCode.NOT_ENTERED, "its host and its entrants invite bots to a race")
        if not is_phrase(message.phrase, room.phrase_hash):
            raise Refused(ErrorCode.WRONG_PHRASE, "say the race's pass phrase for the bot")
        decide(race, _A_BOT, now)
        taken = self.taken
        self._check_room(race)
        self._check_seats(race, who, address, taken)
        booking = Booking(
            by=who.player,
            address=address,
            bot=message.bot.value,
            pace_ms=message.pace_ms,
            phrase=message.phrase,
            race=race.id,
        )
        self._bookings[booking] = Attendance(now)
        self._bots.seat(booking)

    def come_back(self, bookings: Iterable[Booking], now: int) -> None:
        """Counts the bots that sat already when the server was killed."""
        self._bookings.update((booking, Attendance(now)) for booking in bookings)

    def go_on(self, race: str, rematch: str) -> None:
        """Has the bots of a race that is over count among those on their way to its rematch."""
        for each in self._bookings:
            if each.race == race:
                each.race = rematch

    def expects(self, player: str, race: str) -> bool:
        """Says whether the player is a bot that goes on into this race from the one before.

        It was let into that one, and who was asked for its pass phrase then knows this one's.
        """
        return any(
            each.player == player and not each.is_over and self._is_bound_for(each, race)
            for each in self._bookings
        )

    def look(self, now: int) -> None:
        """Has those bots leave at whose races nobody is any more."""
        house = {each.player for each in self._bookings if each.player is not None}
        for booking, attendance in tuple(self._bookings.items()):
            attendance.look(self._room(booking.race), now, house=house)
            if self._bots is not None and now >= attendance.due and not booking.is_over:
                self._bots.leave(booking)

    def _is_bound_for(self, booking: Booking, race: str) -> bool:
        before = self._room(booking.race)
        return booking.race == race or (before is not None and before.race.rematch == race)

    def _check_room(self, race: Race) -> None:
        """Raises `Refused` if those on their way take what room the race still has."""
        coming = sum(
            each.race == race.id and each.player not in race.by_player for each in self._bookings
        )
        if len(race.by_player) + coming >= race.terms.entrants_max:
            raise Refused(ErrorCode.RACE_FULL, "the bots that are on their way fill the race")

    def _check_seats(self, race: Race, who: Who, address: str, taken: int) -> None:
        there = sum(each.race == race.id for each in self._bookings)
        asked = sum(each.by == who.player and not each.waits for each in self._bookings)
        near = sum(each.address == address for each in self._bookings)
        later = "ask again when one of their races is over"
        if there >= EACH_RACE:
            sentence = f"a race has at most {EACH_RACE} bots of the house"
        elif asked >= EACH_PLAYER:
            sentence = f"{asked} bots that you have asked for are still playing: {later}"
        elif taken >= self._seats:
            sentence = (
                f"all {self._seats} bots of the house are playing: ask again in "
                f"{SEAT_MS // 1000} seconds; they leave races at which nobody is"
            )
        elif near >= self.each_address:
            sentence = f"{near} bots that were asked for from your address have not left: {later}"
        else:
            return
        raise Refused(ErrorCode.HOUSE_FULL, sentence)
