"""Every page there is: it opens, complains of nothing, keeps nobody out, and fits a phone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import pytest
import pytest_asyncio
from playwright.async_api import Page, ViewportSize

from samedeal_protocol import messages
from samedeal_protocol.terms import Terms, Undo
from samedeal_protocol.tournament import requests, views
from samedeal_protocol.tournament.formats import SingleElimination
from samedeal_server.gateway.web import Tree
from support.nodes import Fakes, fakes
from support.races import WIN, WIN_GAME, WinningSeeds
from support.stage import terms_of
from support.voices import greeted
from web.visiting import Look, Site

OVER = "race-1"
OPEN = "race-2"
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
ADDRESSES = f"""
/ /new /r/{OVER} /r/{OPEN} /r/{OPEN}/watch /r/{OVER}/replay /games /games/opus /practice/opus
/players/Ada /leaderboards /daily /league /tournaments /tournaments/new /settings
/overlay/r/{OPEN} /embed/r/{OPEN}
""".split()
LATE = """
() => {
  const named = [...document.querySelectorAll('link[rel=modulepreload]')].map(link => link.href);
  return performance.getEntriesByType('resource').map(each => each.name)
    .filter(name => name.endsWith('.js') && !named.includes(name));
}
"""
"""The modules that were not known to be needed before others had come."""
TOO_WIDE = """
() => document.documentElement.scrollWidth <= innerWidth ? '' :
    [...document.querySelectorAll('body *')]
        .filter(node => node.getBoundingClientRect().right > innerWidth + 1)
        .slice(0, 3).map(node => node.outerHTML.slice(0, 120)).join(' | ')
"""


@pytest.fixture
def world() -> Fakes:
    return replace(fakes(), seeds=WinningSeeds())


@pytest_asyncio.fixture(loop_scope="session")
async def addresses(site: Site) -> AsyncIterator[list[str]]:
    """Addresses of all pages. Ada has won a race against Grace, another is open, and a tournament
    is announced."""
    async with (
        greeted(site.node.address, "Ada") as ada,
        greeted(site.node.address, "Grace") as grace,
    ):
        terms = Terms(game=WIN_GAME, countdown=0, undo=Undo.FREE)
        code = (
            await ada.get(messages.Created, messages.Create(id=ada.next_id(), terms=terms))
        ).race
        assert code == OVER
        for each in (ada, grace):
            await each.join(code)
            await each.ready(code)
        site.pass_time(0)
        await ada.hear(messages.Started)
        for number, move in enumerate(WIN, 1):
            site.pass_time(1000)
            await ada.play(code, number, move)
        await ada.ask(messages.Finish(id=ada.next_id(), race=code, number=len(WIN) + 1))
        await grace.ask(messages.GiveUp(id=grace.next_id(), race=code))
        await ada.ask(messages.Create(id=ada.next_id(), terms=Terms(game="opus")))
        announced = await ada.get(
            views.TournamentAnnounced,
            requests.AnnounceTournament(id=ada.next_id(), terms=terms_of(SingleElimination())),
        )
        await site.node.hall.boards.keeper.look()
        cup = f"/t/{announced.tournament}"
        yield [*ADDRESSES, cup, f"{cup}/host"]


async def settled(page: Page) -> None:
    """Returns when the page shows what it is to show."""
    await page.wait_for_load_state("networkidle")
    await page.wait_for_selector("main:not(:has(.loading)):not(:empty)")


@pytest.mark.timeout(300)  # it is one look at twenty pages
async def test_every_page_opens_is_open_to_all_and_fits_a_phone(
    site: Site, tree: Tree, page: Page, faults: list[str], axe: Look, addresses: list[str]
) -> None:
    assert {tree.route(path) for path in addresses} == set(tree.routes)
    wrong: list[str] = []
    titles: dict[str, str] = {}
    await page.set_viewport_size(PHONE)
    for path in addresses:
        await page.goto(f"{site.url}{path}")
        await settled(page)
        titles[path] = await page.title()
        wrong += [f"{path}: {fault}" for fault in faults]
        faults.clear()
        if late := await page.evaluate(LATE):
            wrong.append(f"{path}: loads late: {late}")
        if wide := await page.evaluate(TOO_WIDE):
            wrong.append(f"{path}: wider than a phone: {wide}")
        try:
            await axe(page)
        except AssertionError as fault:
            wrong.append(f"{path}: {fault}")
    assert wrong == []
    assert not {"", "Not to be shown", "No such page"} & {
        title.removesuffix(" · samedeal") for title in titles.values()
    }, titles
