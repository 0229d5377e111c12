"""Bots of the house that do nothing but sit where they were told, and who has them come."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from samedeal_protocol import messages
from samedeal_server.ports import Booking
from support.halls import Lobby, Person, lobby

__all__ = ["FakeHouse", "Hosted", "an_invitation", "code_of", "hosted", "invited"]


class FakeHouse:
    """Bots that do nothing but sit where they were told."""

    def __init__(self) -> None:
        self.bookings: list[Booking] = []

    def opens(self, url: str, door: str) -> Sequence[Booking]:
        raise AssertionError("a hall has no address")

    def seat(self, booking: Booking) -> None:
        self.bookings.append(booking)

    def leave(self, booking: Booking) -> None:
        booking.is_over = True

    async def enter(self, room: Lobby, booking: Booking) -> Person:
        """Has a bot come as it would, and take its seat."""
        bot = await room.person(bot=True)
        booking.player = bot.player
        await bot.join(booking.race, booking.phrase)
        return bot


@dataclass(frozen=True, slots=True)
class Hosted:
    """Ann's race, on a server that has a house."""

    room: Lobby
    house: FakeHouse
    ann: Person
    race: str

    async def comes(self) -> tuple[Booking, Person]:
        """Has the bot that was invited last come and take its seat."""
        booking = self.house.bookings[-1]
        return booking, await self.house.enter(self.room, booking)


@asynccontextmanager
async def hosted(**terms: object) -> AsyncIterator[Hosted]:
    house = FakeHouse()
    async with lobby(house=house) as room:
        ann = await room.person("Ann")
        yield Hosted(room, house, ann, await room.race(ann, **terms))


def an_invitation(of: Person, race: str, **more: object) -> messages.InviteBot:
    return messages.InviteBot(id=of.next_id(), race=race, **more)  # type: ignore[arg-type]


async def invited(by: Person, race: str, **more: object) -> None:
    assert await by.ask(an_invitation(by, race, **more)) is None


async def code_of(by: Person, race: str, **more: object) -> str:
    return await by.refusal(an_invitation(by, race, **more))
