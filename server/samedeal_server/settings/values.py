"""The settings as the server has them, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Address", "BadSettings", "Broker", "Settings"]


class BadSettings(Exception):
    """A setting cannot be used; the message is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen; port 0 lets the system choose."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def reached(self) -> Address:
        """Where this machine's own programs reach what listens here."""
        return Address({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host), self.port)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """An MQTT broker, and who we are there. As text it has no password, nor has its `repr`."""

    at: Address
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    is_tls: bool = False
    ca: Path | None = None
    """Certificates of those who may sign the broker's; None means those of the system."""
    cert: Path | None = None
    """Our own certificate, if the broker asks for one."""
    key: Path | None = None
    version: str = "auto"
    """Of MQTT: 5, 3.1.1, or auto, which tries 5 first."""

    def __str__(self) -> str:
        scheme = "mqtts" if self.is_tls else "mqtt"
        return f"{scheme}://{f'{self.user}@' if self.user else ''}{self.at}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that is set, with its default. Units and meanings stand in `SETTINGS`."""

    # Where things are.
    node: str = "local"
    listen: Address = Address("127.0.0.1", 8642)
    bus: Broker | str = "local"
    data: Path = Path("data")
    store: str = field(default="sqlite", repr=False)
    metrics_listen: Address | None = None
    log_level: str = "info"
    transport: str = "fast"
    # Coming and going.
    drain: float = 30.0
    close_timeout: float = 5.0
    hello_timeout: float = 5.0
    page_timeout: float = 20.0
    idle_timeout: float = 60.0
    ping_ms: int = 20_000
    # Who may come, and how many.
    origins: tuple[str, ...] = ()
    address_header: str | None = None
    max_connections: int | None = None
    connections_per_address: int = 200
    max_races: int = 10_000
    races_per_player: int = 20
    webhooks: str = "public"
    house_bots: int = 16
    # How much one connection may ask.
    frame_bytes: int = 16_384
    max_faults: int = 10
    rate: float = 50.0
    burst: int = 100
    flood_factor: float = 10.0
    chat_per_minute: int = 20
    # How much may wait.
    send_buffer: int = 32_768
    outbox_high: int = 32_768
    outbox_limit: int = 196_608
    slow_timeout: float = 10.0
    pending_limit: int = 10_000
    ring: int = 512
