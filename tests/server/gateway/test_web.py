"""The browser client as it is served: kept for ever, never from elsewhere, never another's."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from urllib.request import urlopen
from xml.etree import ElementTree

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from samedeal_protocol.terms import Visibility
from samedeal_server.app import Node, node
from samedeal_server.gateway.answers import Origin, Page, origin_of, sent
from samedeal_server.gateway.pages import page
from samedeal_server.gateway.web import Tree, client_folder, read_tree
from support.halls import Lobby, lobby
from support.nodes import fakes, settings
from support.serving import ROOT, serving
from support.trees import FILES, planted

ROUTES = """
/ /new /r/race-1 /r/race-1/watch /r/race-1/replay /games /games/opus /games/opus:no-wrap
/games/opus%3Ano-wrap /practice/opus /players/Zo%C3%AB /leaderboards /daily /daily/20261130 /league
/league/2026-W49 /tournaments /tournaments/new /settings /overlay/r/race-1 /embed/r/race-1
""".split()
FRAMED = {"/overlay/r/race-1", "/embed/r/race-1"}


def tree_of(folder: Path, **changes: str) -> Tree:
    tree = read_tree(planted(folder, **changes))
    assert tree is not None
    return tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return tree_of(tmp_path)


@pytest.fixture
async def hall() -> AsyncIterator[Lobby]:
    """A hall with one open race, race-1."""
    async with lobby() as up:
        await up.race(await up.person("Ada"))
        yield up


async def get(path: str, tree: Tree, hall: Lobby, host: str = "h.example:8642") -> Page:
    return await page("GET", path, hall.hall, origin=Origin(host), tree=tree)


async def answer(
    asked: Page, method: str = "GET", headers: tuple[tuple[str, str], ...] = ()
) -> Response:
    return await sent(asked, Request("/", Headers(headers), method))


# --- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("app.js", "text/javascript; charset=utf-8"),
        ("net/link.js", "text/javascript; charset=utf-8"),
        ("style/base.css", "text/css; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
        ("manifest.webmanifest", "application/manifest+json"),
    ],
)
async def test_a_file_is_kept_for_ever_under_the_hash_of_all(
    tree: Tree, hall: Lobby, name: str, kind: str
) -> None:
    assert re.fullmatch(r"/s/[0-9a-f]{12}/", tree.base)
    file = await answer(await get(f"{tree.base}{name}", tree, hall))
    assert file.status_code == HTTPStatus.OK
    assert file.headers["Content-Type"] == kind
    assert file.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert file.headers["X-Content-Type-Options"] == "nosniff"
    assert file.body.decode() == FILES[name]


async def test_any_change_changes_every_address_and_the_old_ones_are_gone(
    tree: Tree, hall: Lobby, tmp_path: Path
) -> None:
    later = tree_of(tmp_path / "later", **{"pages/home.js": "export const open = () => 2;\n"})
    assert later.base != tree.base
    assert tree_of(tmp_path / "again").base == tree.base
    gone = await get(f"{tree.base}app.js", later, hall)
    assert (gone.status, gone.kind) == (HTTPStatus.NOT_FOUND, "application/json")
    assert gone.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "name",
    [
        "jsconfig.json",
        "notes.md",
        "index.html",
        "",
        "../app.js",
        "%2e%2e/app.js",
        "net/../app.js",
        "../../../../../../etc/passwd",
        "net\\link.js",
        "net",
    ],
)
async def test_nothing_else_is_there(tree: Tree, hall: Lobby, name: str) -> None:
    assert (await get(f"{tree.base}{name}", tree, hall)).status is HTTPStatus.NOT_FOUND


async def test_browsers_that_ask_for_an_icon_unbidden_get_ours(tree: Tree, hall: Lobby) -> None:
    icon = await get("/favicon.ico", tree, hall)
    assert (icon.kind, icon.headers["Cache-Control"]) == ("image/svg+xml", "no-cache")


def test_the_client_is_found_but_not_loaded() -> None:
    assert client_folder() == ROOT / "client" / "samedeal_client" / "web"
    code = (
        "import sys\n"
        "from samedeal_server.gateway.web import client_folder\n"
        "assert client_folder() is not None\n"
        "print('samedeal_client' in sys.modules)"
    )
    paths = ":".join(str(ROOT / part) for part in ("rules", "protocol", "server", "client"))
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "False\n"


def test_without_a_client_there_is_nothing_to_serve(tmp_path: Path) -> None:
    assert read_tree(None) is None
    assert read_tree(tmp_path / "nowhere") is None


# --- the way ------------------------------------------------------------------------------------


async def test_who_understands_gzip_gets_it_and_others_the_same_content(
    tree: Tree, hall: Lobby
) -> None:
    file = await get(f"{tree.base}words.js", tree, hall)
    plain = await answer(file)
    for offer in ("gzip", "br, GZIP;q=0.5", "*"):
        whole = await answer(file, headers=(("Accept-Encoding", offer),))
        assert whole.headers["Content-Encoding"] == "gzip"
        assert whole.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
        assert int(whole.headers["Content-Length"]) == len(whole.body) < len(plain.body)
        assert gzip.decompress(whole.body) == plain.body
    for offer in ("", "br", "gzip;q=0", "gzipped"):
        whole = await answer(file, headers=(("Accept-Encoding", offer),))
        assert "Content-Encoding" not in whole.headers
        assert whole.body == plain.body


async def test_an_answer_of_the_api_is_compressed_if_it_is_long(tree: Tree, hall: Lobby) -> None:
    gzips = (("Accept-Encoding", "gzip"),)
    games = await get("/api/v1/games", tree, hall)
    long, short = (
        await answer(games, headers=gzips),
        await answer(await get("/version", tree, hall), headers=gzips),
    )
    assert gzip.decompress(long.body) == games.body
    assert "Content-Encoding" not in short.headers


@pytest.mark.parametrize("path", ["/", "/api/v1/games", "/api/v1/games/opus", "/version"])
async def test_what_the_visitor_has_is_not_sent_again(tree: Tree, hall: Lobby, path: str) -> None:
    asked = await get(path, tree, hall)
    etag = (await answer(asked)).headers["ETag"]
    known = await answer(asked, headers=(("If-None-Match", f'"x", {etag}'),))
    assert (known.status_code, known.body) == (HTTPStatus.NOT_MODIFIED, b"")
    assert known.headers["ETag"] == etag
    other = await answer(asked, headers=(("If-None-Match", '"x"'),))
    assert other.status_code == HTTPStatus.OK


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_health_has_no_name_to_be_known_by(tree: Tree, hall: Lobby, path: str) -> None:
    assert "ETag" not in (await answer(await get(path, tree, hall))).headers


async def test_head_is_told_what_get_would_be_sent(tree: Tree, hall: Lobby) -> None:
    file = await get(f"{tree.base}words.js", tree, hall)
    gzips = (("Accept-Encoding", "gzip"),)
    whole, head = await answer(file, headers=gzips), await answer(file, "HEAD", gzips)
    assert dict(head.headers) == dict(whole.headers)
    assert head.body == b""


# --- pages -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client() -> Tree:
    """The browser client that there is."""
    tree = read_tree(client_folder())
    assert tree is not None
    return tree


@pytest.mark.parametrize("path", ROUTES)
async def test_every_page_is_the_client_and_runs_nothing_else(
    client: Tree, hall: Lobby, path: str
) -> None:
    shown = await get(path, client, hall)
    assert (shown.status, shown.kind) == (HTTPStatus.OK, "text/html; charset=utf-8")
    assert shown.headers["Cache-Control"] == "no-cache"
    policy = shown.headers["Content-Security-Policy"].split("; ")
    framers = "*" if path in FRAMED else "'none'"
    assert policy == [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self' ws://h.example:8642 wss://h.example:8642",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        f"frame-ancestors {framers}",
    ]
    opener = shown.headers.get("Cross-Origin-Opener-Policy")
    assert opener == (None if path in FRAMED else "same-origin")
    assert f'<script type="module" src="{client.base}app.js">' in shown.body.decode()


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/", ["pages/home.js"]),
        ("/r/race-1", ["pages/race.js", "table/board.js", "table/cards.js"]),
        ("/nowhere", []),
    ],
)
async def test_a_page_loads_all_its_modules_at_once_and_no_other_page_s(
    tree: Tree, hall: Lobby, path: str, own: list[str]
) -> None:
    text = (await get(path, tree, hall)).body.decode()
    loaded = re.findall(f'<link rel="modulepreload" href="{tree.base}([^"]+)">', text)
    shared = ["app.js", "dom.js", "net/link.js", "router.js", "style.js", "words.js"]
    assert sorted(loaded) == sorted(shared + own)
    assert "{{" not in text
    assert "<noscript>ws://h.example:8642</noscript>" in text


async def test_a_page_loads_its_style_sheets_as_one_in_their_order(tree: Tree, hall: Lobby) -> None:
    text = (await get("/", tree, hall)).body.decode()
    (sheet,) = re.findall('<link rel="stylesheet" href="([^"]+)">', text)
    file = await answer(await get(sheet, tree, hall))
    assert file.headers["Content-Type"] == "text/css; charset=utf-8"
    assert file.body.decode() == "body { margin: 0 }\nbody { margin: 1px }\n"


@pytest.mark.parametrize(
    "path", ["/x", "/r", "/r/a/b", "/games/A", "/r/no such", "/embed/t/x", "/r/race-2", "/t/cup-2"]
)
async def test_people_get_a_page_where_there_is_none(client: Tree, hall: Lobby, path: str) -> None:
    lost = await get(path, client, hall)
    assert (lost.status, lost.kind) == (HTTPStatus.NOT_FOUND, "text/html; charset=utf-8")
    assert client.base.encode() in lost.body


@pytest.mark.parametrize("path", ["/api", "/api/v1/x", "/s/000000000000/app.js"])
async def test_programs_get_json_where_there_is_none(tree: Tree, hall: Lobby, path: str) -> None:
    lost = await get(path, tree, hall)
    assert (lost.status, lost.kind) == (HTTPStatus.NOT_FOUND, "application/json")


@pytest.mark.parametrize("host", ["[::1]:8642", "a; script-src *", "a b", "", "x" * 300])
async def test_a_strange_host_does_not_come_into_the_policy(
    tree: Tree, hall: Lobby, host: str
) -> None:
    shown = await get("/r/race-1", tree, hall, host=host)
    assert "connect-src 'self';" in shown.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ([("Host", "a.example")], "ws://a.example"),
        ([("Host", "a.example"), ("Host", "b.example")], "ws://HOST:PORT"),
        ([("Host", "a.example"), ("X-Forwarded-Proto", "https")], "wss://a.example"),
        ([("Host", "a.example"), ("X-Forwarded-Proto", "https, http")], "ws://a.example"),
        (
            [("Host", "a.example"), ("X-Forwarded-Proto", "http"), ("X-Forwarded-Proto", "HTTPS")],
            "wss://a.example",
        ),
        ([], "ws://HOST:PORT"),
    ],
)
def test_headers_that_are_said_twice_are_read_all_the_same(
    headers: list[tuple[str, str]], address: str
) -> None:
    said = Headers()
    for name, value in headers:
        said[name] = value  # adds to those of the name
    assert origin_of(Request("/", said)).address == address


async def test_a_page_says_of_its_race_what_a_stranger_may_know(tree: Tree, hall: Lobby) -> None:
    text = (await get("/r/race-1", tree, hall)).body.decode()
    assert re.search('property="og:title" content="A race of [^"]+, open to enter"', text)
    assert '<link rel="canonical" href="http://h.example:8642/r/race-1">' in text


async def test_a_page_of_a_race_behind_a_phrase_does_not_say_even_the_game(
    tree: Tree, hall: Lobby
) -> None:
    host = await hall.person("Grace")
    code = await hall.race(host, visibility=Visibility.PHRASE, phrase="open sesame")
    shown = await get(f"/r/{code}", tree, hall)
    assert shown.status is HTTPStatus.OK
    assert 'property="og:title" content="samedeal"' in shown.body.decode()


# --- the client itself -------------------------------------------------------------------------


def test_what_pages_and_manifest_name_is_there(client: Tree) -> None:
    folder = ROOT / "client" / "samedeal_client" / "web"
    assert all("pages/" in route.preloads for route in client.routes)
    named = [
        name
        for route in (*client.routes, client.nowhere)
        for name in re.findall(
            f'(?:href|src)="({client.base}[^"]+)"', client.page(route, "", address="").decode()
        )
    ]
    manifest = json.loads((folder / "manifest.webmanifest").read_text("utf-8"))
    named += [client.base + icon["src"] for icon in manifest["icons"]]
    assert len(named) > 10
    assert [path for path in named if path not in client.files] == []


def test_the_icon_is_a_picture() -> None:
    icon = ElementTree.parse(ROOT / "client" / "samedeal_client" / "web" / "icon.svg")
    assert icon.getroot().tag == "{http://www.w3.org/2000/svg}svg"


# --- over a socket -------------------------------------------------------------------------------


@pytest.fixture
async def up(tree: Tree) -> AsyncIterator[Node]:
    async with node(settings(), fakes().adapters(), tree=tree) as running:
        yield running


def test_the_command_serves_the_client_that_is_installed(tmp_path: Path) -> None:
    with serving(tmp_path) as address, urlopen(f"http{address.removeprefix('ws')}/") as page:
        text = page.read().decode()
        start = re.search('<script type="module" src="(/s/[0-9a-f]{12}/app.js)">', text)
        assert start is not None
        with urlopen(f"http{address.removeprefix('ws')}{start[1]}") as module:
            assert module.read() == (ROOT / "client/samedeal_client/web/app.js").read_bytes()


async def test_a_server_sends_the_client_through_its_socket(up: Node, tree: Tree) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", up.address.port)
    request = f"GET {tree.base}words.js HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n"
    writer.write(request.encode())
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    assert b"Content-Encoding: gzip" in head
    assert gzip.decompress(body).decode() == FILES["words.js"]
