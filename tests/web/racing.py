"""Races in the browser: what a player does at a table, and deals whose way home is known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from playwright.async_api import Locator, Page, expect

from samedeal_client import connect
from samedeal_client.local import LocalGame
from samedeal_client.planning import Planner
from samedeal_protocol.terms import Sight, Terms
from web.visiting import Site

__all__ = [
    "GAME",
    "SEED",
    "board",
    "card_of",
    "entered",
    "message",
    "opened",
    "practised",
    "started",
    "way_home",
]

GAME: Final = "abandon-hope"
SEED: Final = "seed-8"
"""After nine moves of this deal all cards go home by themselves."""


def way_home(game: str = GAME, seed: str = SEED, *, nodes: int = 3000) -> list[str]:
    """Returns moves after which `finish` wins, as a planner finds them with all cards known."""
    table = LocalGame(game, seed)
    planner = Planner(random.Random("x"), nodes=nodes)
    moves: list[str] = []
    for _ in range(300):
        if table.finish():
            return moves
        move = planner.next_move(table.view)
        assert move is not None, f"{game} {seed} is not won by this planner"
        table.play(move)
        moves.append(move)
    raise AssertionError(f"{game} {seed} takes too long")


async def opened(site: Site, **terms: object) -> str:
    """Opens a race on the known deal as a host who does not play; returns its code."""
    given = {"game": GAME, "countdown": 3, "spectators": Sight.BOARDS, **terms}
    async with connect(f"ws://{site.node.address}", name="Hostess") as hall:
        race = await hall.create(Terms(**given), seed=SEED)  # type: ignore[arg-type]
    return race


async def entered(site: Site, page: Page, race: str) -> None:
    """Opens the race's page and enters."""
    await page.goto(f"{site.url}/r/{race}")
    await page.get_by_role("button", name="Join the race").click()
    await page.get_by_role("button", name="I am ready").wait_for()


async def started(site: Site, pages: Sequence[Page], race: str) -> None:
    """Enters everybody, makes them ready and lets the countdown pass."""
    for page in pages:
        await entered(site, page, race)
    for page in pages:
        await page.get_by_role("button", name="I am ready").click()
    await pages[0].locator(".countdown .count").wait_for()
    site.pass_time(3000)
    for page in pages:
        await expect(page.locator(".playing")).to_be_visible()


async def practised(site: Site, page: Page, game: str = GAME, seed: str = SEED) -> None:
    """Opens a practice of the deal."""
    await page.goto(f"{site.url}/practice/{game}?seed={seed}")
    await expect(page.locator(".playing")).to_be_visible()


def message(page: Page) -> Locator:
    """Where the table says what was refused."""
    return page.locator(".playing .message")


async def card_of(page: Page, pile: str) -> tuple[float, float]:
    """Returns where the top card of a pile can be taken, or an empty pile be met."""
    spot = page.locator(f".playing .pile[data-pile={pile}]")
    box = await spot.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    match await spot.get_attribute("data-spread"):
        case "down":
            return x, box["y"] + box["height"] - 10
        case "right":
            return box["x"] + box["width"] - 8, y
        case _:
            return x, y


async def board(page: Page) -> list[str]:
    """Returns the table as a screen reader finds it, pile by pile."""
    return await page.locator(".playing .table > ul > li").all_inner_texts()
