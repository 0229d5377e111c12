"""The house as a process of its own, so that no bot's thinking holds up the server.

It starts with the first invitation, by its module's name: the server imports nothing of the client.
It ends with the server, however that ends, since its input ends then. When it dies, or answers no
more and is ended, it is started again, and its bots take up their places with the tokens that they
had; so they do when the server itself was killed, if it keeps its seats in a file.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec

from samedeal_protocol.bases import UNREADABLE
from samedeal_protocol.house import Beat, FromHouse, Go, Order, ToHouse
from samedeal_server.adapters.house_seats import Seats
from samedeal_server.ports import Booking

__all__ = ["COMMAND", "HouseProcess", "open_house_bots"]

_log = logging.getLogger(__name__)

COMMAND: Final = (sys.executable, "-P", "-m", "samedeal_client.house")
"""With -P: what lies in the folder that the server was started in is no part of it."""
REST_S: Final = 1.0
BEAT_S: Final = 20.0
"""How long the house has for the answer to a beat."""

_said: Final = msgspec.json.Decoder[FromHouse](FromHouse)


def _surroundings() -> Mapping[str, str]:
    """Returns our environment without our settings: the house has no business with passwords."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SAMEDEAL_")}


class HouseProcess:
    """Bots in a process, told what to do through its pipes."""

    def __init__(
        self,
        group: asyncio.TaskGroup,
        *,
        command: Sequence[str],
        rest: float,
        beat: Callable[[], Awaitable[None]],
        kept: Seats | None = None,
    ) -> None:
        """`rest` is how many seconds after its end the house is started again; `beat` returns when
        the house must have answered, and is to be asked again."""
        self._group = group
        self._command = command
        self._rest = rest
        self._beat = beat
        self._kept = kept
        self._url = ""
        self._door = ""
        self._seats: dict[int, Booking] = {}
        """By number, those that are taken."""
        self._tokens: dict[int, str] = {}
        self._last = 0
        self._is_heard = False
        """The house has said something since the last beat."""
        self._stdin: asyncio.StreamWriter | None = None
        self._keeping: asyncio.Task[None] | None = None

    def opens(self, url: str, door: str) -> Sequence[Booking]:
        """Takes where the server can be reached, and what lets somebody new of the house in;
        returns the seats of bots that come back."""
        self._url, self._door = url, door
        back = [] if self._kept is None else self._kept.read()
        for booking, token in back:
            self._sit(booking, token)
        return [booking for booking, _ in back]

    def seat(self, booking: Booking) -> None:
        """Sends a bot to a race; starts the house if it does not run."""
        self._sit(booking, None)

    def leave(self, booking: Booking) -> None:
        """Has a bot end its race and go; a house that does not run has nobody to be told."""
        number = next((each for each, taken in self._seats.items() if taken is booking), None)
        if number is None:
            return
        if self._stdin is None:
            self._free(number)
        else:
            self._tell(Go(seat=number))

    def _sit(self, booking: Booking, token: str | None) -> None:
        self._last += 1
        self._seats[self._last] = booking
        if token is not None:
            self._tokens[self._last] = token
        if self._keeping is None:
            self._keeping = self._group.create_task(self._keep(), name="house")
        else:
            self._order(self._last)

    def close(self) -> None:
        """Ends the house."""
        if self._keeping is not None:
            self._keeping.cancel()

    # --- within --------------------------------------------------------------------------------

    async def _keep(self) -> None:
        """Runs the house, again and again for as long as it has something to do."""
        while self._seats:
            if await self._run():
                _log.warning("the house has ended seats=%d", len(self._seats))
                await asyncio.sleep(self._rest)
            else:
                # It would do so again: better no bot than a process a second.
                _log.error("the house does not start command=%s", " ".join(self._command))
                for number in tuple(self._seats):
                    self._free(number)
        self._keeping = None

    async def _run(self) -> bool:
        """Runs the house until it ends; returns whether it ever said anything."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                self._url,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=_surroundings(),
                start_new_session=True,  # Ctrl-C is for us, who let races end
            )
        except OSError:
            return False
        if process.stdin is None or process.stdout is None:
            raise AssertionError("both are pipes")
        has_spoken = False
        self._stdin = process.stdin
        minding = self._group.create_task(self._mind(process), name="house's beat")
        try:
            for number in self._seats:
                self._order(number)
            async for line in process.stdout:
                has_spoken = True
                self._hear(line)
        except ValueError:
            _log.error("the house has said more than a report can be: it is ended")
        finally:
            self._stdin = None
            minding.cancel()
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        return has_spoken

    async def _mind(self, process: asyncio.subprocess.Process) -> None:
        """Ends a house that answers no more: its bots' races would wait for it."""
        self._is_heard = True
        while self._is_heard:
            self._is_heard = False
            self._tell(Beat())
            await self._beat()
        _log.error("the house answers no more: it is ended")
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    def _tell(self, message: ToHouse) -> None:
        """Tells the house; without one, the next will be told what matters."""
        if self._stdin is not None:
            self._stdin.write(msgspec.json.encode(message) + b"\n")

    def _order(self, number: int) -> None:
        """Has a bot sit down."""
        booking = self._seats[number]
        order = Order(
            seat=number,
            race=booking.race,
            bot=booking.bot,
            pace_ms=booking.pace_ms,
            phrase=booking.phrase,
            token=self._tokens.get(number),
            door=self._door,
        )
        self._tell(order)

    def _hear(self, line: bytes) -> None:
        self._is_heard = True
        try:
            report = _said.decode(line)
        except UNREADABLE:
            _log.error("the house has said what is no report")
            return
        if isinstance(report, Beat):
            return
        booking = self._seats.get(report.seat)
        if booking is None:
            return
        if report.token is not None:
            self._tokens[report.seat] = report.token
        booking.player = report.player or booking.player
        booking.race = report.race or booking.race
        booking.waits = report.waits
        if report.left is not None:
            _log.info("the house's seat is free race=%s reason=%s", booking.race, report.left)
            self._free(report.seat)
        elif report.token is not None or report.race is not None:
            self._keep_seats()

    def _keep_seats(self) -> None:
        if self._kept is not None:
            self._kept.write((self._seats[number], self._tokens[number]) for number in self._tokens)

    def _free(self, number: int) -> None:
        self._seats.pop(number).is_over = True
        self._tokens.pop(number, None)
        self._keep_seats()


async def _beat() -> None:
    await asyncio.sleep(BEAT_S)


@asynccontextmanager
async def open_house_bots(
    *,
    command: Sequence[str] = COMMAND,
    rest: float = REST_S,
    beat: Callable[[], Awaitable[None]] = _beat,
    kept: Path | None = None,
) -> AsyncIterator[HouseProcess]:
    """Has bots at hand for as long as the block lasts. `command` runs the house, given our URL.

    `kept` is the file by which they outlast the server; without it they do not.
    """
    async with asyncio.TaskGroup() as group:
        house = HouseProcess(
            group,
            command=command,
            rest=rest,
            beat=beat,
            kept=None if kept is None else Seats(kept),
        )
        try:
            yield house
        finally:
            house.close()
