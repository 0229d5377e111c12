"""From text to value: each of these raises `ValueError` with what it wants instead."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from samedeal_server.settings.values import Address, Broker

__all__ = [
    "address",
    "bus",
    "decimal",
    "folder",
    "header",
    "loopback",
    "node",
    "one_of",
    "or_auto",
    "origins",
    "store",
    "whole",
]


def whole(least: int, most: int) -> Callable[[str], int]:
    """Returns what reads a whole number within bounds."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,18}(_[0-9]+)*", text):
            raise ValueError("a whole number")
        value = int(text)
        if not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most}")
        return value

    return parse


def or_auto(parse: Callable[[str], int]) -> Callable[[str], int | None]:
    """Returns what reads the same, or `auto` as None."""

    def parse_or_leave(text: str) -> int | None:
        return None if text in ("", "auto") else parse(text)

    return parse_or_leave


def decimal(least: float, most: float) -> Callable[[str], float]:
    """Returns what reads a number within bounds."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise ValueError(f"a number from {least:g} to {most:g}") from None
        if not least <= value <= most:
            raise ValueError(f"a number from {least:g} to {most:g}")
        return value

    return parse


def address(text: str) -> Address:
    """Reads HOST:PORT, an IPv6 host in brackets."""
    host, colon, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError("HOST:PORT with an IPv6 address in brackets, such as [::1]:8642")
    if not colon or not host or not re.fullmatch("[0-9]{1,5}", port) or int(port) > 65_535:
        raise ValueError("HOST:PORT, such as 127.0.0.1:8642")
    return Address(host, int(port))


def loopback(text: str) -> Address | None:
    """Reads an address of this machine only, or `off` as None."""
    if text in ("", "off"):
        return None
    wanted = address(text)
    try:
        is_loopback = ipaddress.ip_address(wanted.host).is_loopback
    except ValueError:
        is_loopback = wanted.host == "localhost"
    if not is_loopback:
        raise ValueError("off, or an address of this machine only, such as 127.0.0.1:8643")
    return wanted


def one_of(*names: str) -> Callable[[str], str]:
    """Returns what reads one of these words."""

    def parse(text: str) -> str:
        if text not in names:
            raise ValueError(" or ".join(names))
        return text

    return parse


def folder(text: str) -> Path:
    """Reads a folder; `~` is a home."""
    if not text.strip() or "\0" in text:
        raise ValueError("a folder")
    return Path(text).expanduser()


def origins(text: str) -> tuple[str, ...]:
    """Reads web origins between commas; `*` stands for all."""
    origins = tuple(each.strip().rstrip("/") for each in text.split(",") if each.strip())
    for origin in origins:
        if origin != "*" and not re.fullmatch(r"https?://[^/\s,]+", origin):
            raise ValueError("origins such as https://play.example.org, between commas, or *")
    return origins


def node(text: str) -> str:
    """Reads a node's name, which is a level of the bus's topics."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", text):
        raise ValueError("a name of up to 32 letters, digits, - and _")
    return text


_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
_VERSIONS: Final = ("auto", "5", "3.1.1")
_FILES: Final = ("ca", "cert", "key")


def bus(text: str) -> Broker | str:
    """Reads `local`, or a broker's URL with what it is asked with."""
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


def store(text: str) -> str:
    """Reads `sqlite`, or a PostgreSQL's URL."""
    if text != "sqlite" and not re.fullmatch(r"postgres(ql)?://[^/\s]*/\S+", text):
        raise ValueError("sqlite, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
    return text


def header(text: str) -> str | None:
    """Reads a header's name, or `off` as None."""
    if text in ("", "off"):
        return None
    if not re.fullmatch(r"[A-Za-z0-9-]{1,64}", text):
        raise ValueError("off, or a header's name, such as X-Forwarded-For")
    return text
