"""The browser client's files, read once, when the server starts.

Every file has an address that names the content of them all, `/s/<hash>/...`, so that it can be
kept for ever and never meets one of another release. The addresses are a dict: there is no path to
walk, and an old one is not there. `index.html` is a template:

    {{base}}       `/s/<hash>/`
    {{head}}       what is said of the one page, and the modules that every page loads
    {{address}}    the server as `samedeal --server` takes it
"""

from __future__ import annotations

import hashlib
import html
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from samedeal_server.gateway.answers import FRESH, Page, etag_of, packed

__all__ = ["Tree", "client_folder", "read_tree"]

_TEMPLATE: Final = "index.html"
_START: Final = "app.js"
_ICON: Final = "icon.svg"
_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""What is served; any other file is for those who work on the client."""
_ALREADY_PACKED: Final = frozenset({".png", ".woff2"})
_FOR_EVER: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
_IMPORT: Final = re.compile(
    r"""^(?:import|export)\b(?:[^'"();]*?\bfrom)?\s*['"](\.{1,2}/[^'"]+)['"]""", re.MULTILINE
)
"""A static import; a dynamic one has parentheses, and is loaded when its page is opened."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The files as they are served."""

    base: str
    """Where they are: `/s/<hash>/`."""
    files: Mapping[str, Page]
    """By path, with the leading slash."""
    template: str
    """The HTML of every page, but for what is said of the one page and our address."""

    def page(self, head: str, *, address: str) -> bytes:
        """Returns the HTML of a page of which `head` is said: elements, escaped."""
        whole = self.template.replace("{{address}}", html.escape(address))
        return whole.replace("{{head}}", head).encode()


def client_folder() -> Path | None:
    """Returns where the client's files are, without loading the client; None where it is not."""
    spec = find_spec("samedeal_client")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "web"


def read_tree(folder: Path | None) -> Tree | None:
    """Reads the files; None where there is no client to serve."""
    if folder is None or not (folder / _TEMPLATE).is_file():
        return None
    served = sorted(path for path in folder.rglob("*") if path.suffix in _KINDS and path.is_file())
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in served}
    template = (folder / _TEMPLATE).read_text("utf-8")
    base = f"/s/{_hash({**contents, _TEMPLATE: template.encode()})}/"
    preloads = [f'<link rel="modulepreload" href="{base}{name}">' for name in needed(contents)]
    template = template.replace("{{base}}", base)
    template = template.replace("{{head}}", "\n".join(("{{head}}", *preloads)))
    files = {base + name: _file(name, body) for name, body in contents.items()}
    if _ICON in contents:
        # Browsers ask for it unbidden, whatever the page says.
        files["/favicon.ico"] = _file(_ICON, contents[_ICON], caching=FRESH)
    return Tree(base, files, template)


def needed(contents: Mapping[str, bytes]) -> list[str]:
    """Returns the modules that every page loads: the first, and all that it imports statically."""
    found: dict[str, None] = {}
    waiting = [_START]
    while waiting:
        name = waiting.pop(0)
        if name in contents and name not in found:
            found[name] = None
            waiting += _imported(name, contents[name].decode())
    return list(found)


def _imported(name: str, module: str) -> Iterable[str]:
    folder = posixpath.dirname(name)
    return (posixpath.normpath(posixpath.join(folder, path)) for path in _IMPORT.findall(module))


def _hash(contents: Mapping[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name, body in sorted(contents.items()):
        whole.update(f"{name}\0{len(body)}\0".encode() + body)
    return whole.hexdigest()[:12]


def _file(name: str, body: bytes, *, caching: Mapping[str, str] = _FOR_EVER) -> Page:
    suffix = posixpath.splitext(name)[1]
    is_packed = suffix not in _ALREADY_PACKED
    return Page(
        HTTPStatus.OK,
        packed(body) if is_packed else body,
        _KINDS[suffix],
        caching,
        is_packed=is_packed,
        etag=etag_of(body),
    )
