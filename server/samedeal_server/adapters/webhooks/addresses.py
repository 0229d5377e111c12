"""Which addresses are public, and thus may be connected to because somebody named them; which near.

The tables are the IANA registries of special-purpose addresses, IPv4 and IPv6; the standard library
follows them in part, and differently from one version to the next. Of IPv6 only what is assigned
for global unicast (2000::/3) is public at all: that leaves out loopback, private, link-local,
multicast, and IPv4 in IPv6 (mapped, compatible, NAT64).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

__all__ = ["is_near", "is_public"]

_SPECIAL_4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by the customers of a provider
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # what Azure tells its machines, at an address that looks public
            "169.254.0.0/16",  # link-local, and what other clouds tell their machines
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # AMT
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
_UNICAST_6: Final = IPv6Network("2000::/3")
_SPECIAL_6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, ORCHID, AMT, ...
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: an IPv4 address inside
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)

_NEAR_4: Final = tuple(
    map(IPv4Network, ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
)
_NEAR_6: Final = tuple(map(IPv6Network, ("::1/128", "fd00::/8")))
_CLOUDS_6: Final = tuple(map(IPv6Address, ("fd00:ec2::254", "fd20:ce::254")))
"""What Amazon and Google tell their machines."""


def is_public(address: str) -> bool:
    """Whether the address is an ordinary one of the public internet; False for what is none."""
    match _parsed(address):
        case IPv4Address() as v4:
            return not any(v4 in each for each in _SPECIAL_4)
        case IPv6Address() as v6:
            return v6 in _UNICAST_6 and not any(v6 in each for each in _SPECIAL_6)
        case None:
            return False


def is_near(address: str) -> bool:
    """Whether the address is of this machine or of a private network; False for what is none.

    What clouds tell their machines is never near, though some tell it at a private address.
    """
    match _parsed(address):
        case IPv4Address() as v4:
            return any(v4 in each for each in _NEAR_4)
        case IPv6Address() as v6:
            return v6 not in _CLOUDS_6 and any(v6 in each for each in _NEAR_6)
        case None:
            return False


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(address)
    except ValueError:
        return None
