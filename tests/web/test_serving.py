"""The browser client in a browser: everything loads, under a policy that lets nothing else run."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page

from samedeal_server.gateway.web import Tree
from web.visiting import Site


async def test_every_module_loads(site: Site, page: Page, tree: Tree) -> None:
    modules = sorted(path for path in tree.files if path.endswith(".js"))
    await page.goto(f"{site.url}/settings")
    load = "urls => Promise.all(urls.map(url => import(url))).then(all => all.length)"
    assert await page.evaluate(load, modules) == len(modules) > 10


async def test_every_page_loads_at_once_what_it_needs_and_nothing_twice(
    site: Site, page: Page
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(f"{site.url}/settings", wait_until="networkidle")
    assert len(asked) == len(set(asked))
    assert all(url.startswith((f"{site.url}/", "data:")) for url in asked)


@pytest.mark.parametrize("path", ["/no/such/page", "/r/no-such-race"])
async def test_who_is_lost_is_told_so_on_a_page(
    site: Site, page: Page, faults: list[str], path: str
) -> None:
    answer = await page.goto(f"{site.url}{path}")
    assert answer is not None
    assert answer.status == 404
    heading = page.get_by_role("heading", level=1)
    await heading.wait_for()
    assert re.search(r"(?i)no such|no race|not", await heading.inner_text())
    assert faults, "the page itself was not found"
    assert all(fault.startswith("status 404: ") for fault in faults)
    faults.clear()


async def test_who_goes_on_after_the_server_was_renewed_gets_the_new_client(
    site: Site, page: Page, faults: list[str], tree: Tree
) -> None:
    gone = f"{site.url}{tree.base}pages/games.js"
    await page.goto(f"{site.url}/settings")
    await page.evaluate("window.isOld = true")
    await page.route(gone, lambda route: route.fulfill(status=404), times=1)
    await page.get_by_role("link", name="Games", exact=True).click()
    await page.wait_for_url(f"{site.url}/games")
    await page.get_by_role("heading", level=1, name="Games").wait_for()
    assert await page.evaluate("window.isOld") is None
    assert faults == [f"status 404: {gone}"]
    faults.clear()
