"""Which URLs can be a hook's; what they stand for is looked at with every attempt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import urlsplit

from samedeal_server.adapters.webhooks.addresses import is_near, is_public

__all__ = ["PORTS", "URL_MAX", "BadUrl", "Target", "target_of"]

PORTS: Final = (443, 8443)
"""The ports that may be posted to: what else listens somewhere is not asked to talk to us."""
URL_MAX: Final = 500

_NAME: Final = re.compile(
    r"(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?",
)


class BadUrl(ValueError):
    """Nothing can be posted to this URL; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where to post. The path may hold a secret of the receiver's, so no `repr` shows it."""

    host: str
    """A name or an address, in lower case, an IPv6 address without brackets."""
    port: int
    path: str = field(repr=False)
    """With the query."""
    is_tls: bool = True

    @property
    def authority(self) -> str:
        """What the header Host says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = 443 if self.is_tls else 80
        return host if self.port == usual else f"{host}:{self.port}"


def target_of(url: str, *, may_be_near: bool = False) -> Target:
    """Returns where a URL leads; raises `BadUrl`.

    With `may_be_near`, which is for tests and trials, it may also lead to this machine and into its
    private networks, by http, to any port and by any name.
    """
    if len(url) > URL_MAX or not re.fullmatch(r"[!-\[\]-~]+", url):
        raise BadUrl(
            f"a URL is up to {URL_MAX} printable ASCII characters without spaces and backslashes: "
            "write others as %20, and a name with others as xn--..."
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadUrl("this is no URL: give one such as https://example.org/hook") from None
    if parts.scheme not in ("https", "http") or (parts.scheme == "http" and not may_be_near):
        raise BadUrl("the URL must begin with https://")
    if "@" in parts.netloc:
        raise BadUrl("leave user and password out of the URL: what we post is signed")
    if "#" in url:
        raise BadUrl("leave out the # and what follows it: no server is ever told of it")
    is_tls = parts.scheme == "https"
    if port is None:
        port = 443 if is_tls else 80
    if not may_be_near and port not in PORTS:
        raise BadUrl(f"the port must be {' or '.join(map(str, PORTS))}, not {port}")
    _check_host(host, may_be_near=may_be_near)
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    return Target(host, port, path, is_tls)


def _check_host(host: str, *, may_be_near: bool) -> None:
    if ":" in host:
        _check_ipv6(host)
    elif not _NAME.fullmatch(host):
        raise BadUrl("the URL has no host that could be one: give one such as https://example.org/")
    is_address = ":" in host or re.fullmatch(r"[0-9.]+", host) is not None
    if may_be_near and (is_near(host) or not is_address):
        return
    if "." not in host and not is_address:
        raise BadUrl(f"give the full name of the host, such as {host}.example.org")
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        raise BadUrl("the host must be one of the public internet")
    if is_address and not is_public(host):
        raise BadUrl("the host must be one of the public internet, with an address of it")


def _check_ipv6(host: str) -> None:
    try:
        address = IPv6Address(host)
    except ValueError:
        raise BadUrl("what stands in brackets is no IPv6 address") from None
    if address.scope_id is not None:
        raise BadUrl("leave the zone out of the IPv6 address")
