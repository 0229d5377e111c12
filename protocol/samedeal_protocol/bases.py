"""What every message is made from."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import DecodeError, Meta, Struct

from samedeal_protocol.tags import tag

__all__ = ["UNREADABLE", "Limit", "Message", "Offset", "Part", "Request", "RequestId", "whole"]

UNREADABLE: Final = (DecodeError, UnicodeDecodeError, RecursionError)
"""What reading strangers' bytes may raise: they are no such thing, no text, or nested too deep."""

RequestId = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Offset = Annotated[int, Meta(ge=0, le=1_000_000)]
Limit = Annotated[int, Meta(ge=1, le=100)]


def whole(pattern: str) -> Meta:
    """Bounds a text to what a regular expression matches from its beginning to its very end.

    In Python `$` alone would let a line end in; `\\Z` means nothing in the schema's dialect.
    """
    return Meta(pattern=rf"^(?:{pattern})(?![\s\S])")


class Request(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=tag):
    """What a client asks for."""

    id: RequestId


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=tag):
    """What the server says."""


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value inside a message."""
