"""Each setting as people meet it, declared once: name, from text to value, meaning, example."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Final

from samedeal_server.settings.texts import (
    address,
    bus,
    decimal,
    folder,
    header,
    loopback,
    node,
    one_of,
    or_auto,
    origins,
    store,
    whole,
)
from samedeal_server.settings.values import BadSettings, Settings

__all__ = ["ENVIRONMENT", "SETTINGS", "Setting", "default_of"]

ENVIRONMENT: Final = "SAMEDEAL_"
"""What the environment's names begin with: `SAMEDEAL_LISTEN` sets `listen`."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as people meet it. `parse` raises `ValueError` with what it wants instead."""

    name: str
    shape: str
    """What stands for the value in help: HOST:PORT, SECONDS, ..."""
    parse: Callable[[str], object]
    meaning: str
    example: str
    is_secret: bool = False
    """Whether it may hold a password, and so is never shown."""
    none: str = "off"
    """How one types that it is None, where it may be."""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return ENVIRONMENT + self.name.upper()

    def read(self, text: str, *, source: str) -> object:
        """Returns the value; raises `BadSettings`, naming where the text came from."""
        try:
            return self.parse(text)
        except ValueError as wanted:
            shown = "what is given" if self.is_secret else repr(text)
            raise BadSettings(f"{source}: {shown} is not {wanted}") from None


_seconds = decimal(0, 86_400)
_bytes = whole(1_024, 2**30)

SETTINGS: Final[tuple[Setting, ...]] = (
    Setting("node", "NAME", node,
        "this server's name among those that share a bus and a store",
        "node-a"),
    Setting("listen", "HOST:PORT", address,
        "where players connect, over http and ws; port 0 lets the system choose",
        "0.0.0.0:8642"),
    Setting("bus", "URL", bus,
        "the MQTT broker that carries news of races to other nodes and to spectators' programs; "
        "or local, for none",
        "mqtt://alpha:password@10.0.0.5:1883",
        is_secret=True),
    Setting("data", "DIR", folder,
        "the folder that keeps races and players; made when it is missing",
        "/var/lib/samedeal"),
    Setting("store", "URL", store,
        "where races and players are kept: sqlite, a file in --data; or a PostgreSQL, which "
        "several servers may share",
        "postgresql://samedeal:password@10.0.0.6:5432/samedeal",
        is_secret=True),
    Setting("metrics_listen", "HOST:PORT", loopback,
        "where /metrics is served to Prometheus, on this machine only; or off",
        "127.0.0.1:8643"),
    Setting("log_level", "LEVEL", one_of("debug", "info", "warning", "error"),
        "what is written to standard error: debug, info, warning or error",
        "warning"),
    Setting("transport", "KIND", one_of("fast", "plain"),
        "how frames are written: fast, or plain by the documented calls of websockets alone",
        "plain"),
    Setting("drain", "SECONDS", _seconds,
        "how long running races may go on after SIGTERM",
        "120"),
    Setting("close_timeout", "SECONDS", _seconds,
        "how long a closed connection may take to answer the close",
        "2"),
    Setting("hello_timeout", "SECONDS", decimal(0.05, 3_600),
        "how long a new connection may take to say hello",
        "5"),
    Setting("page_timeout", "SECONDS", decimal(0.05, 3_600),
        "how long a visitor may take nothing of a page that is on its way",
        "60"),
    Setting("idle_timeout", "SECONDS", decimal(0.05, 86_400),
        "how long a connection may say nothing, not even ping",
        "90"),
    Setting("ping_ms", "MS", whole(10, 3_600_000),
        "how often clients are told to ping, in milliseconds; well below --idle-timeout",
        "20000"),
    Setting("origins", "LIST", origins,
        "web pages that may connect besides our own, between commas; * lets all in",
        "https://play.example.org,https://stream.example.org"),
    Setting("address_header", "NAME", header,
        "the header in which a proxy in front of us names the client's address; or off",
        "X-Forwarded-For"),
    Setting("max_connections", "N", or_auto(whole(1, 10_000_000)),
        "how many connections may be open; auto is as many as the system lets us, up to 20000",
        "5000",
        none="auto"),
    Setting("connections_per_address", "N", whole(1, 10_000_000),
        "how many of them may come from one address",
        "20"),
    Setting("max_races", "N", whole(1, 10_000_000),
        "how many races may be unfinished",
        "1000"),
    Setting("races_per_player", "N", whole(1, 100_000),
        "how many unfinished races one player may be in",
        "5"),
    Setting("webhooks", "WHERE", one_of("public", "private"),
        "where tournaments' hosts may have results posted: public, or private: also to this "
        "machine and private networks, for trials among people you trust",
        "private"),
    Setting("house_bots", "N", whole(0, 1_000),
        "how many bots of the server's own may play at once, for players who want a rival; 0: none",
        "4"),
    Setting("frame_bytes", "BYTES", whole(1_024, 2**20),
        "the largest frame that is taken from a client",
        "16384"),
    Setting("max_faults", "N", whole(1, 1_000_000),
        "how many malformed messages end a connection",
        "3"),
    Setting("rate", "PER-SECOND", decimal(0.01, 1_000_000),
        "how many requests a second a connection may send in the long run",
        "20"),
    Setting("burst", "N", whole(1, 1_000_000),
        "how many it may send at once",
        "50"),
    Setting("flood_factor", "TIMES", decimal(1, 1_000_000),
        "how many times the burst, refused in a row, ends the connection",
        "5"),
    Setting("chat_per_minute", "N", whole(1, 1_000_000),
        "how many chat lines a minute a player may send",
        "10"),
    Setting("send_buffer", "BYTES", _bytes,
        "how much the system may hold for one connection (SO_SNDBUF)",
        "65536"),
    Setting("outbox_high", "BYTES", _bytes,
        "from how much unsent on a spectator is sent only the newest state",
        "65536"),
    Setting("outbox_limit", "BYTES", _bytes,
        "how much may wait unsent for one connection before it is closed",
        "1000000"),
    Setting("slow_timeout", "SECONDS", decimal(0.05, 3_600),
        "how long a connection may stay above --outbox-high before it is closed",
        "30"),
    Setting("pending_limit", "N", whole(1, 10_000_000),
        "how many events may wait for the disk before requests are refused",
        "1000"),
    Setting("ring", "N", whole(1, 1_000_000),
        "how many missed events a player who resumes is told one by one; above it, the whole race",
        "100"),
)  # fmt: skip
"""Every setting, in the order of the help."""


def default_of(setting: Setting) -> object:
    """Returns what the setting is when nobody sets it."""
    for each in fields(Settings):
        if each.name == setting.name and each.default is not MISSING:
            return each.default
    raise AssertionError(f"{setting.name} has no default in Settings")
