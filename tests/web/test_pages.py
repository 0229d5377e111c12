"""Every page there is: it opens, complains of nothing, keeps nobody out, and fits a phone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import pytest
import pytest_asyncio
from playwright.async_api import Page, ViewportSize, expect

from samedeal_server.gateway.web import Tree
from support.nodes import Fakes, fakes
from support.races import WinningSeeds
from web.addresses import NOT_SHOWN, OVER, TOO_WIDE, every_address
from web.visiting import Look, Site

PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
LATE = """
() => {
  const named = [...document.querySelectorAll('link[rel=modulepreload]')].map(link => link.href);
  return performance.getEntriesByType('resource').map(each => each.name)
    .filter(name => name.endsWith('.js') && !named.includes(name));
}
"""
"""The modules that were not known to be needed before others had come."""


@pytest.fixture
def world() -> Fakes:
    return replace(fakes(), seeds=WinningSeeds())


@pytest_asyncio.fixture(loop_scope="session")
async def addresses(site: Site) -> AsyncIterator[list[str]]:
    async with every_address(site) as found:
        yield found


async def settled(page: Page) -> None:
    """Returns when the page shows what it is to show."""
    await page.wait_for_load_state("networkidle")
    await page.wait_for_selector("main:not(:has(.loading)):not(:empty)")


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
        if wide := await page.evaluate(f"() => {TOO_WIDE}"):
            wrong.append(f"{path}: wider than a phone: {wide}")
        try:
            await axe(page)
        except AssertionError as fault:
            wrong.append(f"{path}: {fault}")
    assert wrong == []
    assert not NOT_SHOWN & set(titles.values()), titles


async def test_what_there_is_not_is_not_found_and_a_way_leads_onward(
    site: Site, page: Page, faults: list[str]
) -> None:
    for path, words, onward in (
        ("/r/aaaa-aaaa-aaaa", "no race", "/new"),
        ("/r/aaaa-aaaa-aaaa/watch", "no race", "/new"),
        ("/r/aaaa-aaaa-aaaa/replay", "no race", "/new"),
        ("/players/Nobody", "no player", "/leaderboards"),
        ("/t/cup-aaaaaaaaaa", "no tournament", "/tournaments"),
        ("/games/patience", "no game", "/games"),
    ):
        await page.goto(f"{site.url}{path}")
        await expect(page.locator("h1")).to_have_text("Not found")
        await expect(page.locator("main")).to_contain_text(words)
        ways = page.locator("main .button")
        assert [await way.get_attribute("href") for way in await ways.all()] == [onward, "/"]
        await expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    assert all("404" in fault for fault in faults)
    faults.clear()


async def test_who_did_not_finish_has_a_result_and_a_rank_but_neither_time_nor_medal(
    site: Site, page: Page, addresses: list[str]
) -> None:
    await page.goto(f"{site.url}/r/{OVER}")
    lines = page.locator("table.standings tr")
    await expect(lines.nth(0)).to_contain_text("Result")
    await expect(lines.nth(0)).not_to_contain_text("Time")
    await expect(lines.nth(2)).to_contain_text("gave up")
    first, second = await page.locator(".podium li").all()
    await expect(first.locator(".rank")).to_have_text("1")
    await expect(second.locator(".rank")).to_have_text("2")
    await expect(first).to_have_class("medal-1")
    assert await second.get_attribute("class") is None
