"""What stands behind the `?` of a page's address: nothing that the page does not know."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl

from samedeal_protocol.errors import ErrorCode
from samedeal_server.racing.race import Refused

__all__ = ["given", "is_wanted"]

_WORDS: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def given(query: str, *taken: str) -> dict[str, str]:
    """Returns the fields of a query; raises `Refused` for one that is not among those taken."""
    fields = dict(parse_qsl(query, keep_blank_values=True))
    for name in fields:
        if name not in taken:
            known = ", ".join(sorted(taken)) or "nothing"
            sentence = f"{name[:32]!r} is not understood; this page takes {known}"
            raise Refused(ErrorCode.MALFORMED, sentence)
    return fields


def is_wanted(query: str, name: str) -> bool:
    """Says whether the only field of a query is set, if it is there; raises `Refused`."""
    word = given(query, name).get(name, "no")
    if word not in _WORDS:
        raise Refused(ErrorCode.MALFORMED, f"{name} is yes or no, not {word[:32]!r}")
    return _WORDS[word]
