"""The browser client in Chromium: its first load, and how long a move takes to be seen.

Everything runs on this machine, so the network costs nothing: what is measured is the client. A
load is measured as well as if every answer came from afar, which shows what waits for what. A
move is measured in the page, from the pointer's release to the frame that shows the card in its
new place, and to the frame after the server's answer.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from playwright.async_api import Browser, CDPSession, Page

from chromium import chromium
from samedeal_client.testing import server

__all__ = ["report"]

_GAME = "fortress"
_SEED = "friday-night"
_AFAR_MS = 100
"""How long every answer takes besides, for a load from afar."""

_WATCH = """
window.moves = [];
addEventListener('pointerup', (event) => {
  const begun = event.timeStamp;
  const table = document.querySelector('.playing');
  const before = table?.dataset.number;
  requestAnimationFrame(() => requestAnimationFrame((shown) => {
    const moved = {shown: shown - begun, answered: null};
    window.moves.push(moved);
    const look = (now) => {
      if (table.dataset.number !== before) moved.answered = now - begun;
      else requestAnimationFrame(look);
    };
    look(shown);
  }));
}, true);
"""


@dataclass(frozen=True, slots=True)
class _Load:
    """A load of a page with an empty cache."""

    requests: int
    bytes: int
    """On the wire, headers included."""
    ready_ms: float
    """Until the table can be played."""


async def _loaded(browser: Browser, url: str, *, latency_ms: int = 0) -> _Load:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    page = await context.new_page()
    wire = await _wire(page, latency_ms)
    await page.goto(f"{url}/practice/{_GAME}?seed={_SEED}")
    await page.locator(".playing .pile[data-pile=T1]").wait_for()
    ready = await page.evaluate("performance.now()")
    found = _Load(len(wire), sum(wire.values()), float(ready))
    await context.close()
    return found


async def _wire(page: Page, latency_ms: int) -> dict[str, int]:
    """Returns what every request brought, filled while the page loads."""
    session: CDPSession = await page.context.new_cdp_session(page)
    brought: dict[str, int] = {}

    def finished(said: dict[str, object]) -> None:
        brought[str(said["requestId"])] = int(float(str(said["encodedDataLength"])))

    session.on("Network.loadingFinished", finished)
    await session.send("Network.enable")
    if latency_ms:
        far = {"offline": False, "latency": latency_ms, "downloadThroughput": -1}
        await session.send("Network.emulateNetworkConditions", {**far, "uploadThroughput": -1})
    return brought


async def _moves(browser: Browser, url: str, count: int) -> list[dict[str, float]]:
    """Plays moves and takes them back, and returns how long each play took to be seen."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    page = await context.new_page()
    await page.add_init_script(_WATCH)
    await page.goto(f"{url}/practice/{_GAME}?seed={_SEED}")
    table = page.locator(".playing")
    await table.wait_for()
    for number in range(count):
        await page.keyboard.press("h")
        await page.locator(".message", has_text="Try ").wait_for()
        said = await page.locator(".message").inner_text()
        source, _, target = said.removeprefix("Try ").rstrip(".").partition("-")
        for pile in (source, target.partition(":")[0]):
            box = await page.locator(f".pile[data-pile={pile}]").bounding_box()
            assert box is not None
            await page.mouse.click(box["x"] + box["width"] - 6, box["y"] + box["height"] / 2)
        await page.locator(f".playing[data-number='{2 * number + 1}']").wait_for()
        await page.keyboard.press("u")
        await page.locator(f".playing[data-number='{2 * number + 2}']").wait_for()
    found: list[dict[str, float]] = await page.evaluate("window.moves")
    await context.close()
    # The first of two releases chose the card and moved nothing.
    return found[1::2]


def _line(words: str, values: Iterable[float]) -> str:
    ordered = sorted(values)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return f"{words:34} median {statistics.median(ordered):6.1f} ms   p95 {p95:6.1f} ms"


async def _measure(rounds: int, moves: int) -> None:
    async with server(arguments=("--log-level", "warning")) as url, chromium() as browser:
        http = url.replace("ws://", "http://")
        loads = [await _loaded(browser, http) for _ in range(rounds)]
        afar = [await _loaded(browser, http, latency_ms=_AFAR_MS) for _ in range(rounds)]
        first = loads[0]
        print(f"\nA first load of a table in Chromium ({_GAME})")
        print(f"{first.requests} requests, {first.bytes / 1024:.0f} KiB")
        print(_line("until the table can be played", [each.ready_ms for each in loads]))
        print(_line(f"... {_AFAR_MS} ms away", [each.ready_ms for each in afar]))
        played = await _moves(browser, http, moves)
        print(f"{len(played)} moves")
        print(_line("from release to the card's place", [each["shown"] for each in played]))
        print(_line("... and to the server's answer", [each["answered"] for each in played]))


def report(rounds: int, *, moves: int = 40) -> None:
    """Prints what the browser client costs: `rounds` loads, and so many moves."""
    asyncio.run(_measure(rounds, moves))
