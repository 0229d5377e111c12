"""What an operator can set, and where it is read from.

A setting comes from its flag, else from the environment, else from the TOML file named by
`--config`, else it has its default. Every setting is declared once, in `SETTINGS`; flags, help,
environment names and the file's keys follow from it. An unknown name or a bad value is refused
with one line that says what to do.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

__all__ = [
    "ENVIRONMENT",
    "SETTINGS",
    "Address",
    "BadSettings",
    "Broker",
    "Setting",
    "Settings",
    "gather",
]

ENVIRONMENT: Final = "SAMEDEAL_"
"""What the environment's names begin with: `SAMEDEAL_LISTEN` sets `listen`."""


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


# --- from text to values -----------------------------------------------------------------------


def _whole(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,18}(_[0-9]+)*", text):
            raise ValueError("a whole number")
        value = int(text)
        if not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return value

    return parse


def _or_auto(parse: Callable[[str], int]) -> Callable[[str], int | None]:
    def parse_or_leave(text: str) -> int | None:
        return None if text in ("", "auto") else parse(text)

    return parse_or_leave


def _decimal(least: float, most: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise ValueError(f"a number from {least:g} to {most:g}") from None
        if not least <= value <= most:
            raise ValueError(f"a number from {least:g} to {most:g}")
        return value

    return parse


def _address(text: str) -> Address:
    host, colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError("HOST:PORT with an IPv6 address in brackets, such as [::1]:8642")
    if not colon or not host or not re.fullmatch("[0-9]{1,5}", port) or int(port) > 65_535:
        raise ValueError("HOST:PORT, such as 127.0.0.1:8642")
    return Address(host, int(port))


def _loopback(text: str) -> Address | None:
    if text in ("", "off"):
        return None
    address = _address(text)
    try:
        is_loopback = ipaddress.ip_address(address.host).is_loopback
    except ValueError:
        is_loopback = address.host == "localhost"
    if not is_loopback:
        raise ValueError("off, or an address of this machine only, such as 127.0.0.1:8643")
    return address


def _one_of(*names: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in names:
            raise ValueError(" or ".join(names))
        return text

    return parse


def _folder(text: str) -> Path:
    if not text.strip() or "\0" in text:
        raise ValueError("a folder")
    return Path(text).expanduser()


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(each.strip().rstrip("/") for each in text.split(",") if each.strip())
    for origin in origins:
        if origin != "*" and not re.fullmatch(r"https?://[^/\s,]+", origin):
            raise ValueError("origins such as https://play.example.org, between commas, or *")
    return origins


def _node(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", text):
        raise ValueError("a name of up to 32 letters, digits, - and _")
    return text


_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
_VERSIONS: Final = ("auto", "5", "3.1.1")
_FILES: Final = ("ca", "cert", "key")


def _bus(text: str) -> Broker | str:
    if text == "local":
        return text
    try:
        url = urlsplit(text)
        usual = _PORTS[url.scheme]
        port = usual if url.port is None else url.port
        asked = dict(parse_qsl(url.query, keep_blank_values=True, strict_parsing=bool(url.query)))
        if not url.hostname or url.path not in ("", "/") or url.fragment:
            raise ValueError
    except (KeyError, ValueError):
        raise ValueError("local, mqtt://USER:PASSWORD@HOST:PORT, or the same with mqtts") from None
    version = asked.pop("version", "auto")
    files = {name: Path(asked.pop(name)).expanduser() for name in tuple(asked) if name in _FILES}
    if asked or version not in _VERSIONS:
        raise ValueError(f"a URL with ?version={'|'.join(_VERSIONS)}, ca, cert and key only")
    if files and url.scheme != "mqtts":
        raise ValueError("mqtts://, as ca, cert and key ask for")
    if ("cert" in files) != ("key" in files):
        raise ValueError("a URL with both of cert and key")
    return Broker(
        at=Address(url.hostname, port),
        user=None if url.username is None else unquote(url.username),
        password=None if url.password is None else unquote(url.password),
        is_tls=url.scheme == "mqtts",
        version=version,
        **files,
    )


def _store(text: str) -> str:
    if text != "sqlite" and not re.fullmatch(r"postgres(ql)?://[^/\s]*/\S+", text):
        raise ValueError("sqlite, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
    return text


def _header(text: str) -> str | None:
    if text in ("", "off"):
        return None
    if not re.fullmatch(r"[A-Za-z0-9-]{1,64}", text):
        raise ValueError("off, or a header's name, such as X-Forwarded-For")
    return text


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


_seconds = _decimal(0, 86_400)
_bytes = _whole(1_024, 2**30)

SETTINGS: Final[tuple[Setting, ...]] = (
    Setting("node", "NAME", _node,
        "this server's name among those that share a bus and a store",
        "node-a"),
    Setting("listen", "HOST:PORT", _address,
        "where players connect, over http and ws; port 0 lets the system choose",
        "0.0.0.0:8642"),
    Setting("bus", "URL", _bus,
        "the MQTT broker that carries news of races to other nodes and to spectators' programs; "
        "or local, for none",
        "mqtt://alpha:password@10.0.0.5:1883",
        is_secret=True),
    Setting("data", "DIR", _folder,
        "the folder that keeps races and players; made when it is missing",
        "/var/lib/samedeal"),
    Setting("store", "URL", _store,
        "where races and players are kept: sqlite, a file in --data; or a PostgreSQL, which "
        "several servers may share",
        "postgresql://samedeal:password@10.0.0.6:5432/samedeal",
        is_secret=True),
    Setting("metrics_listen", "HOST:PORT", _loopback,
        "where /metrics is served to Prometheus, on this machine only; or off",
        "127.0.0.1:8643"),
    Setting("log_level", "LEVEL", _one_of("debug", "info", "warning", "error"),
        "what is written to standard error: debug, info, warning or error",
        "warning"),
    Setting("transport", "KIND", _one_of("fast", "plain"),
        "how frames are written: fast, or plain by the documented calls of websockets alone",
        "plain"),
    Setting("drain", "SECONDS", _seconds,
        "how long running races may go on after SIGTERM",
        "120"),
    Setting("close_timeout", "SECONDS", _seconds,
        "how long a closed connection may take to answer the close",
        "2"),
    Setting("hello_timeout", "SECONDS", _decimal(0.05, 3_600),
        "how long a new connection may take to say hello",
        "5"),
    Setting("page_timeout", "SECONDS", _decimal(0.05, 3_600),
        "how long a visitor may take nothing of a page that is on its way",
        "60"),
    Setting("idle_timeout", "SECONDS", _decimal(0.05, 86_400),
        "how long a connection may say nothing, not even ping",
        "90"),
    Setting("ping_ms", "MS", _whole(10, 3_600_000),
        "how often clients are told to ping, in milliseconds; well below --idle-timeout",
        "20000"),
    Setting("origins", "LIST", _origins,
        "web pages that may connect besides our own, between commas; * lets all in",
        "https://play.example.org,https://stream.example.org"),
    Setting("address_header", "NAME", _header,
        "the header in which a proxy in front of us names the client's address; or off",
        "X-Forwarded-For"),
    Setting("max_connections", "N", _or_auto(_whole(1, 10_000_000)),
        "how many connections may be open; auto is as many as the system lets us, up to 20000",
        "5000",
        none="auto"),
    Setting("connections_per_address", "N", _whole(1, 10_000_000),
        "how many of them may come from one address",
        "20"),
    Setting("max_races", "N", _whole(1, 10_000_000),
        "how many races may be unfinished",
        "1000"),
    Setting("races_per_player", "N", _whole(1, 100_000),
        "how many unfinished races one player may be in",
        "5"),
    Setting("webhooks", "WHERE", _one_of("public", "private"),
        "where tournaments' hosts may have results posted: public, or private: also to this "
        "machine and private networks, for trials among people you trust",
        "private"),
    Setting("house_bots", "N", _whole(0, 1_000),
        "how many bots of the server's own may play at once, for players who want a rival; 0: none",
        "4"),
    Setting("frame_bytes", "BYTES", _whole(1_024, 2**20),
        "the largest frame that is taken from a client",
        "16384"),
    Setting("max_faults", "N", _whole(1, 1_000_000),
        "how many malformed messages end a connection",
        "3"),
    Setting("rate", "PER-SECOND", _decimal(0.01, 1_000_000),
        "how many requests a second a connection may send in the long run",
        "20"),
    Setting("burst", "N", _whole(1, 1_000_000),
        "how many it may send at once",
        "50"),
    Setting("flood_factor", "TIMES", _decimal(1, 1_000_000),
        "how many times the burst, refused in a row, ends the connection",
        "5"),
    Setting("chat_per_minute", "N", _whole(1, 1_000_000),
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
    Setting("slow_timeout", "SECONDS", _decimal(0.05, 3_600),
        "how long a connection may stay above --outbox-high before it is closed",
        "30"),
    Setting("pending_limit", "N", _whole(1, 10_000_000),
        "how many events may wait for the disk before requests are refused",
        "1000"),
    Setting("ring", "N", _whole(1, 1_000_000),
        "how many missed events a player who resumes is told one by one; above it, the whole race",
        "100"),
)  # fmt: skip
"""Every setting, in the order of the help."""

_BY_NAME: Final = {setting.name: setting for setting in SETTINGS}

_NOT_OURS: Final = re.compile("SAMEDEAL_(SOAK|TEST_.*|CLIENT_.*|URL|NAME|TOKEN|HOME|SERVER)")
"""The same prefix serves the client and the tests; their names are left alone."""


def default_of(setting: Setting) -> object:
    """Returns what the setting is when nobody sets it."""
    for each in fields(Settings):
        if each.name == setting.name and each.default is not MISSING:
            return each.default
    raise AssertionError(f"{setting.name} has no default in Settings")


def gather(
    flags: Mapping[str, str], *, environment: Mapping[str, str], config: Path | None = None
) -> Settings:
    """Returns the settings; `flags` has the text of every flag that was given, by setting name.

    Raises `BadSettings`.
    """
    values: dict[str, object] = {}
    if config is not None:
        values |= _from_file(config)
    values |= _from_environment(environment)
    for name, text in flags.items():
        setting = _BY_NAME[name]
        values[name] = setting.read(text, source=setting.flag)
    settings = _settings(values)
    if settings.outbox_high > settings.outbox_limit:
        raise BadSettings("--outbox-high is above --outbox-limit; lower the one or raise the other")
    if settings.ping_ms >= settings.idle_timeout * 1000:
        raise BadSettings("--ping-ms is not below --idle-timeout; clients would be closed as idle")
    return settings


def _settings(values: Mapping[str, object]) -> Settings:
    # Every value was made by the parser of its own setting.
    return Settings(**values)  # type: ignore[arg-type]


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for variable, text in environment.items():
        if not variable.startswith(ENVIRONMENT):
            continue
        setting = _BY_NAME.get(variable.removeprefix(ENVIRONMENT).lower())
        if setting is not None and variable == setting.variable:
            values[setting.name] = setting.read(text, source=variable)
        elif variable != f"{ENVIRONMENT}CONFIG" and not _NOT_OURS.fullmatch(variable):
            raise BadSettings(
                f"the environment's {variable} is no setting{_nearest(variable, _variables())}"
            )
    return values


def _from_file(config: Path) -> dict[str, object]:
    try:
        table = tomllib.loads(config.read_text("utf-8"))
    except OSError as fault:
        raise BadSettings(
            f"{config} cannot be read ({fault.strerror}); name a TOML file with --config"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise BadSettings(f"{config} is no TOML file: {fault}") from None
    values: dict[str, object] = {}
    for key, given in table.items():
        setting = _BY_NAME.get(key.replace("-", "_"))
        source = f"{config}: {key}"
        if setting is None:
            raise BadSettings(f"{source} is no setting{_nearest(key, list(_BY_NAME))}")
        values[setting.name] = setting.read(_text(given, source), source=source)
    return values


def _text(given: object, source: str) -> str:
    match given:
        case bool() | dict():
            raise BadSettings(f"{source} must be a text, a number or a list of texts")
        case str():
            return given
        case int() | float():
            return f"{given}"
        case list() if all(isinstance(each, str) for each in given):
            return ",".join(given)
        case _:
            raise BadSettings(f"{source} must be a text, a number or a list of texts")


def _variables() -> list[str]:
    return [setting.variable for setting in SETTINGS]


def _nearest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return (
        f"; did you mean {near[0]}?" if near else "; `samedeal-server serve --help` lists them all"
    )
