"""What the server counts, and its page for Prometheus on a listener of its own.

Every name is declared here, with what it means; counting under another name is a fault. The page
holds totals only: no race, player or address ever stands in it.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_left
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, cast

__all__ = ["COUNTERS", "DISTRIBUTIONS", "GAUGES", "PrometheusMeter", "serve_metrics"]

_log = logging.getLogger(__name__)

COUNTERS: Final = {
    "connections_opened": "Connections that said hello.",
    "connections_refused": "Connections that were turned away before hello.",
    "requests": "Requests received.",
    "requests_refused": "Requests answered with an error.",
    "requests_limited": "Requests refused because they came too fast.",
    "requests_malformed": "Frames that were no message.",
    "frames_sent": "Frames handed to the network.",
    "bytes_sent": "Bytes handed to the network.",
    "slow_readers_closed": "Connections closed because they did not read.",
    "slow_readers_skipped": "Times a spectator who did not read was spared the rest.",
    "pages_served": "Pages served over plain HTTP.",
    "races_opened": "Races opened.",
    "races_over": "Races that ended with a ranking.",
    "races_cancelled": "Races called off.",
    "races_aborted": "Races ended by a fault of the server.",
    "moves_played": "Moves, undos and finishes accepted.",
    "events_appended": "Events that are durable.",
    "appends_failed": "Groups of events that the store did not take.",
    "players_added": "Players who came for the first time.",
    "bus_reconnects": "Times the broker was reached again after it was lost.",
    "bus_dropped": "Messages that the broker never got: too many waited, or it was lost.",
    "bus_refused": "Messages and subscriptions that the broker would not have.",
    "bus_forged": "Messages that are none, or not from whom they say.",
    "bus_stale": "Messages of former owners of a race, or that came too late.",
    "bus_gaps": "Times that lines of a race were missing, and were read from the log.",
    "hooks_delivered": "Messages that a host's URL has taken.",
    "hooks_failed": "Attempts to post to a host's URL that came to nothing.",
    "hooks_given_up": "Messages that a host's URL has not taken, and that are tried no more.",
    "hooks_turned_away": "Messages for hosts' URLs that found too many waiting.",
}
"""They only grow; on the page each is `samedeal_NAME_total`."""

GAUGES: Final = {
    "connections": "Connections open now.",
    "races": "Races in memory now.",
    "races_running": "Races running now.",
    "spectators": "Connections that watch now, those of racing players left out.",
    "bus_connected": "1 while the broker is reached, else 0; 0 as well without a broker.",
}
"""They go up and down: count with -1 for down. On the page each is `samedeal_NAME`."""

_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_SIZES: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)

DISTRIBUTIONS: Final = {
    "append_seconds": ("How long the store took for one group of events.", _SECONDS),
    "append_events": ("How many events one group had.", _SIZES),
    "move_seconds": ("From a move's arrival until its answer was handed over.", _SECONDS),
    "loop_lag_seconds": ("How late the event loop's timers were.", _SECONDS),
    "recovery_seconds": ("How long it took to read all unfinished races.", _SECONDS),
}
"""Each with the upper bounds of its buckets; on the page a histogram, `samedeal_NAME`."""


class _Distribution:
    __slots__ = ("bounds", "buckets", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.buckets = [0] * (len(bounds) + 1)
        self.total = 0.0


class PrometheusMeter:
    """Counts in plain dicts; `page` writes them in Prometheus' text form."""

    def __init__(self) -> None:
        self._totals = dict.fromkeys((*COUNTERS, *GAUGES), 0)
        self._distributions = {
            name: _Distribution(bounds) for name, (_, bounds) in DISTRIBUTIONS.items()
        }

    def count(self, name: str, amount: int = 1) -> None:
        """Adds to a counter or gauge; raises `KeyError` for a name that is not declared."""
        self._totals[name] += amount

    def observe(self, name: str, value: float) -> None:
        """Adds a value to a distribution; raises `KeyError` for a name that is not declared."""
        distribution = self._distributions[name]
        distribution.buckets[bisect_left(distribution.bounds, value)] += 1
        distribution.total += value

    def page(self) -> str:
        """Returns everything in Prometheus' text exposition format 0.0.4."""
        lines: list[str] = []
        for name, meaning in COUNTERS.items():
            full = f"samedeal_{name}_total"
            lines += (f"# HELP {full} {meaning}", f"# TYPE {full} counter")
            lines.append(f"{full} {self._totals[name]}")
        for name, meaning in GAUGES.items():
            full = f"samedeal_{name}"
            lines += (f"# HELP {full} {meaning}", f"# TYPE {full} gauge")
            lines.append(f"{full} {self._totals[name]}")
        for name, (meaning, bounds) in DISTRIBUTIONS.items():
            full = f"samedeal_{name}"
            distribution = self._distributions[name]
            lines += (f"# HELP {full} {meaning}", f"# TYPE {full} histogram")
            below = 0
            for bound, amount in zip((*bounds, "+Inf"), distribution.buckets, strict=True):
                below += amount
                lines.append(f'{full}_bucket{{le="{bound}"}} {below}')
            lines.append(f"{full}_sum {distribution.total}")
            lines.append(f"{full}_count {below}")
        return "\n".join(lines) + "\n"


class _Scrape(asyncio.Protocol):
    """One plain request and one answer, without a task of its own."""

    def __init__(self, meter: PrometheusMeter, *, patience: float) -> None:
        self._meter = meter
        self._patience = patience
        self._asked = bytearray()
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A stream server hands out stream transports; those of uvloop do not inherit from it.
        self._transport = transport = cast("asyncio.Transport", transport)
        self._timer = asyncio.get_running_loop().call_later(self._patience, transport.abort)

    def data_received(self, data: bytes) -> None:
        self._asked += data
        if b"\r\n\r\n" in self._asked or len(self._asked) > 8192:
            self._answer()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _answer(self) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        method, _, rest = bytes(self._asked).partition(b" ")
        path = rest.split(b" ", 1)[0].split(b"?", 1)[0]
        if method not in (b"GET", b"HEAD"):
            status, body = "405 Method Not Allowed", "GET /metrics is all there is.\n"
        elif path != b"/metrics":
            status, body = "404 Not Found", "GET /metrics is all there is.\n"
        else:
            status, body = "200 OK", self._meter.page()
        raw = body.encode()
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
            f"Content-Length: {len(raw)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        )
        transport.write(head.encode() + (b"" if method == b"HEAD" else raw))
        transport.close()


@asynccontextmanager
async def serve_metrics(
    meter: PrometheusMeter, *, host: str, port: int, patience: float = 5.0
) -> AsyncIterator[int | None]:
    """Serves `/metrics` for as long as the block lasts; yields the port.

    A listener that cannot be opened (somebody else has the port) is a warning and yields None: no
    race is lost for a page of numbers. `patience` is in seconds, for a scraper that does not ask.
    """
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(lambda: _Scrape(meter, patience=patience), host, port)
    except OSError as fault:
        _log.warning(
            "metrics are off: %s:%d cannot be listened on; choose another --metrics-listen (%s)",
            host, port, fault.strerror or fault,
        )  # fmt: skip
        yield None
        return
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()
