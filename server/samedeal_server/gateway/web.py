"""The browser client's files, read once, when the server starts.

Every file has an address that names the content of them all, `/s/<hash>/...`, so that it can be
kept for ever and never meets one of another release. The addresses are a dict: there is no path to
walk, and an old one is not there. `index.html` is a template:

    {{base}}       `/s/<hash>/`
    {{head}}       what is said of the one page, and all the modules that it loads
    {{address}}    the server as `samedeal --server` takes it

The style sheets that it names are served as one, since over plain HTTP every request is waited for.
"""

from __future__ import annotations

import hashlib
import html
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from samedeal_server.gateway.answers import FRESH, Page, etag_of, packed
from samedeal_server.gateway.modules import needed, routes

__all__ = ["Route", "Tree", "client_folder", "client_tree", "read_tree"]

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
_SHEET: Final = re.compile(r'<link rel="stylesheet" href="\{\{base\}\}(style/[^"]+)">\n?')
_ALL_SHEETS: Final = "style/all.css"
_PRELOAD: Final = '<link rel="modulepreload" href="{}">'
_NO_PATH: Final = re.compile(r"(?!)")
_ALREADY_PACKED: Final = frozenset({".png", ".woff2"})
_FOR_EVER: Final = {"Cache-Control": "public, max-age=31536000, immutable"}


@dataclass(frozen=True, slots=True)
class Route:
    """The pages of one kind."""

    path: re.Pattern[str]
    """Of the whole path."""
    preloads: str
    """The elements that load all its modules at once, rather than each when another asks for it."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The files as they are served."""

    base: str
    """Where they are: `/s/<hash>/`."""
    files: Mapping[str, Page]
    """By path, with the leading slash."""
    template: str
    """The HTML of every page, but for the head of the one page and our address."""
    routes: tuple[Route, ...] = ()
    """Which paths are pages."""
    nowhere: Route = Route(_NO_PATH, "")
    """Where no other leads."""

    def route(self, path: str) -> Route:
        """Returns what kind of page a path is; `nowhere` if it is none."""
        return next((each for each in self.routes if each.path.fullmatch(path)), self.nowhere)

    def page(self, route: Route, said: str, *, address: str) -> bytes:
        """Returns the HTML of a page of which something is `said`: elements, escaped."""
        whole = self.template.replace("{{address}}", html.escape(address))
        return whole.replace("{{head}}", said + route.preloads).encode()


def client_folder() -> Path | None:
    """Returns where the client's files are, without loading the client; None where it is not."""
    spec = find_spec("samedeal_client")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "web"


@cache
def client_tree() -> Tree | None:
    """Returns the installed client's files, read once in a process; None where it is not."""
    return read_tree(client_folder())


def read_tree(folder: Path | None) -> Tree | None:
    """Reads the files; None where there is no client to serve."""
    if folder is None or not (folder / _TEMPLATE).is_file():
        return None
    served = sorted(path for path in folder.rglob("*") if path.suffix in _KINDS and path.is_file())
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in served}
    template = (folder / _TEMPLATE).read_text("utf-8")
    base = f"/s/{_hash({**contents, _TEMPLATE: template.encode()})}/"
    contents[_ALL_SHEETS] = b"".join([contents[name] for name in _SHEET.findall(template)])
    first, *others = _SHEET.split(template)[::2]
    one = f'<link rel="stylesheet" href="{{{{base}}}}{_ALL_SHEETS}">\n' if others else ""
    template = "".join((first, one, *others)).replace("{{base}}", base)

    def route(path: re.Pattern[str], *starts: str) -> Route:
        names = needed(contents, _START, *starts)
        return Route(path, "\n".join(_PRELOAD.format(base + name) for name in names))

    found = tuple(route(path, module) for path, module in routes(contents))
    files = {base + name: _file(name, body) for name, body in contents.items()}
    if _ICON in contents:
        # Browsers ask for it unbidden, whatever the page says.
        files["/favicon.ico"] = _file(_ICON, contents[_ICON], caching=FRESH)
    return Tree(base, files, template, found, nowhere=route(_NO_PATH))


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
