"""A real browser before a real server, for tests of the browser client.

    site     a server in this event loop, over a clock that the test moves; override `world` or
             `tree` in a test module for another deal or other files
    page     a visitor's page, blank: `await page.goto(site.url + "/games")`
    visitor  opens more of them, each of somebody else, with Playwright's options for a context
    faults   what went wrong in any page. It has to be empty at the end of a test: one that expects
             something to go wrong takes it from there
    axe      fails with what keeps people with disabilities from using a page

One browser serves all tests of a worker; every visitor has storage of their own. Tests and fixtures
share one event loop, in which the browser lives.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import (  # type: ignore[import-untyped]
    Axe,
)
from playwright.async_api import Browser, Page, async_playwright, expect

from samedeal_server.app import node
from samedeal_server.gateway.web import Tree, client_folder, read_tree
from support.brokers import program
from support.nodes import Fakes, fakes, settings
from support.patience import PATIENCE_S
from web.visiting import Look, Site, Visitor, watched

HERE: Final = Path(__file__).parent
FLAGS: Final = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PATIENCE_MS: Final = 1000 * PATIENCE_S
"""How long a page may take for anything: machines are slow at times."""
STANDARDS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs the tests of this folder in the loop of the browser."""
    shared = pytest.mark.asyncio(loop_scope="session")
    for item in items:
        if item.path.is_relative_to(HERE) and pytest_asyncio.is_async_test(item):
            item.add_marker(shared, append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """The worker's browser; without one the test is skipped, which is a failure in CI."""
    chromium = program("chromium")
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        await launched.close()


@pytest.fixture
def world() -> Fakes:
    """What the server lives in."""
    return fakes()


@pytest.fixture(scope="session")
def tree() -> Tree:
    """The browser client's files."""
    found = read_tree(client_folder())
    assert found is not None, "the browser client is part of the project"
    return found


@pytest_asyncio.fixture(loop_scope="session")
async def site(world: Fakes, tree: Tree) -> AsyncIterator[Site]:
    """A server in this event loop."""
    async with node(settings(), world.adapters(), tree=tree) as up:
        yield Site(up, world)


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """What went wrong in any page of the test."""
    found: list[str] = []
    yield found
    assert found == [], "what a page complained of"


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(browser: Browser, faults: list[str]) -> AsyncIterator[Visitor]:
    """Opens pages, and closes them all at the end."""
    async with AsyncExitStack() as stack:

        async def open_page(**options: Any) -> Page:
            given = {"locale": "en-GB", "viewport": {"width": 1280, "height": 800}, **options}
            context = await browser.new_context(**given)
            stack.push_async_callback(context.close)
            context.set_default_timeout(PATIENCE_MS)
            page = await context.new_page()
            watched(page, faults)
            return page

        yield open_page


@pytest_asyncio.fixture(loop_scope="session")
async def page(visitor: Visitor) -> Page:
    """The page of one visitor."""
    return await visitor()


@pytest.fixture
def axe() -> Look:
    """Looks at a page as it is now for what is against WCAG 2.2, levels A and AA."""

    async def look(page: Page) -> None:
        options = {"runOnly": STANDARDS, "resultTypes": ["violations"]}
        results = await Axe().run(page, options=options)
        assert results.violations_count == 0, results.generate_report()

    return look
