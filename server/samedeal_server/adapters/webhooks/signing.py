"""Signatures and secrets as Standard Webhooks 1.0.0 has them (symmetric, `v1`)."""

from __future__ import annotations

import binascii
import hashlib
import hmac
import re
import secrets
from base64 import b64decode, b64encode
from typing import Final

__all__ = ["BadSecret", "key_of", "new_secret", "signature"]

_PREFIX: Final = "whsec_"
_KEY_BYTES: Final = range(24, 65)


class BadSecret(ValueError):
    """This is no secret of a hook."""


def new_secret() -> str:
    """Returns a secret of 256 random bits, as text that is shown to the host once."""
    return _PREFIX + b64encode(secrets.token_bytes(32)).decode()


def key_of(secret: str) -> bytes:
    """Returns the key that a secret stands for; raises `BadSecret`, which does not repeat it."""
    try:
        key = b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(_PREFIX) or len(key) not in _KEY_BYTES:
        raise BadSecret("a hook's secret is whsec_ and 24 to 64 bytes in base64")
    return key


def signature(secret: str, *, id: str, timestamp: int, body: bytes) -> str:
    """Returns the header `webhook-signature`; `timestamp` is the header's, in seconds.

    Raises `BadSecret`; and `ValueError` for an id that has other characters than letters, digits,
    `_` and `-`: with a full stop in it, what is signed would be ambiguous.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,128}", id):
        raise ValueError(f"{id!r} cannot be the id of what is posted")
    signed = b"%b.%d.%b" % (id.encode(), timestamp, body)
    digest = hmac.new(key_of(secret), signed, hashlib.sha256).digest()
    return f"v1,{b64encode(digest).decode()}"
