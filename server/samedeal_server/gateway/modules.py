"""What the browser client's modules need, read from their own text.

The table of routes is the client's, in `router.js`: which addresses are pages, and which module is
loaded for each, is read from there, so that the server knows no page that the client does not.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["needed", "routes"]

_ROUTER: Final = "router.js"
_ROUTE: Final = re.compile(r"\{ path: /(\S+)/, load: \(\) => import\('([^']+)'\)")
_IMPORT: Final = re.compile(
    r"""^(?:import|export)\b(?:[^'"();]*?\bfrom)?\s*['"](\.{1,2}/[^'"]+)['"]""", re.MULTILINE
)
"""A static import; a dynamic one has parentheses, and is loaded when its page is opened."""


def routes(contents: Mapping[str, bytes]) -> list[tuple[re.Pattern[str], str]]:
    """Returns which paths are pages, and the module of each, in the router's order."""
    table = contents.get(_ROUTER, b"").decode()
    return [
        (re.compile(path, re.ASCII), _named(module, by=_ROUTER))
        for path, module in _ROUTE.findall(table)
    ]


def needed(contents: Mapping[str, bytes], *starts: str) -> list[str]:
    """Returns the modules that are loaded with these: themselves, and all imported statically."""
    found: dict[str, None] = {}
    waiting = list(starts)
    while waiting:
        name = waiting.pop(0)
        if name in contents and name not in found:
            found[name] = None
            waiting += _imported(name, contents[name].decode())
    return list(found)


def _imported(name: str, module: str) -> Iterator[str]:
    return (_named(path, by=name) for path in _IMPORT.findall(module))


def _named(path: str, *, by: str) -> str:
    """Returns the module that another calls by a path from itself."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(by), path))
