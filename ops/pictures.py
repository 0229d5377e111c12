"""Makes the pictures of the docs anew: `make pictures`.

Starts a server, lets bots race and a host set up a tournament, and photographs the pages as a
visitor sees them, so that the docs never show what the program no longer is.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, Page

from chromium import chromium
from samedeal_client import BOTS, TournamentTerms, connect, play_out, run_bot
from samedeal_client.testing import server
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament.formats import DoubleElimination

PICTURES: Final = Path(__file__).resolve().parents[1] / "docs" / "pictures"
PACE: Final = 0.25
"""Seconds before each of a bot's moves."""


class Visit:
    """A server to be looked at, and a browser to look with."""

    def __init__(self, browser: Browser, ws: str) -> None:
        self._browser = browser
        self.ws = ws
        self.http = ws.replace("ws://", "http://")

    async def page(self, path: str, **options: Any) -> Page:
        """Opens a page of somebody new."""
        given = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **options}
        context = await self._browser.new_context(**given)
        page = await context.new_page()
        await page.goto(self.http + path)
        return page

    async def keep(self, page: Page, name: str) -> None:
        """Photographs a page when its letters and cards are there."""
        await page.evaluate("document.fonts.ready")
        await page.wait_for_timeout(400)
        await page.screenshot(path=PICTURES / f"{name}.png")
        print(f"docs/pictures/{name}.png")


async def a_race(visit: Visit) -> None:
    """A race of a person against bots: table, spectators, replay."""
    async with connect(visit.ws, name="Hostess") as host:
        race = await host.create(
            Terms(game="forty-thieves", countdown=0, entrants_min=3, limit=60, hints=True),
            seed="friday-night",
        )
    ada = await visit.page("/settings")
    await ada.get_by_role("textbox", name="Name").fill("Ada")
    await ada.get_by_role("button", name="Take this name").click()
    await ada.locator(".who", has_text="Ada").wait_for()
    await ada.goto(f"{visit.http}/r/{race}")
    await ada.get_by_role("button", name="Join the race").click()

    async def enter(name: str, kind: str) -> None:
        async with connect(visit.ws, name=name, bot=True) as hall, hall.join(race) as run:
            await play_out(run, BOTS[kind]("pictures"), pace=PACE)
            await run.over()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(enter("Grace", "greedy"), name="bot Grace")
        tasks.create_task(enter("Edsger", "patient"), name="bot Edsger")
        await ada.get_by_role("button", name="I am ready").click()
        await ada.locator(".playing").wait_for()
        for number in range(1, 13):
            await ada.keyboard.press("h")
            await ada.locator(".message", has_text="Try ").wait_for()
            said = (await ada.locator(".message").inner_text()).removeprefix("Try ").rstrip(".")
            if "-" in said:
                await ada.keyboard.type(said.partition(":")[0].replace("-", " ").lower())
            else:
                await ada.keyboard.press("d")
            await ada.locator(f".playing[data-number='{number}']").wait_for()
        await ada.mouse.move(600, 700)
        await visit.keep(ada, "race")
        eve = await visit.page(f"/r/{race}/watch", color_scheme="dark")
        await eve.locator(".seat").nth(2).wait_for()
        await visit.keep(eve, "watch")
    await ada.locator("table.standings").wait_for()
    await visit.keep(ada, "result")
    await ada.goto(f"{visit.http}/r/{race}/replay#t=9")
    await ada.locator(".seat").first.wait_for()
    await visit.keep(ada, "replay")


async def a_cup(visit: Visit) -> None:
    """A knock-out cup of bots, while races are on."""
    plan = TournamentTerms(
        name="Cup of the pictures",
        format=DoubleElimination(),
        race=Terms(game="abandon-hope", countdown=0, limit=60),
    )
    names = "Ada Grace Edsger Alan Barbara Donald".split()
    async with connect(visit.ws, name="Hal") as hall, asyncio.TaskGroup() as tasks:
        code = await hall.announce(plan)
        bots = [
            tasks.create_task(
                run_bot(visit.ws, "greedy", tournament=code, name=f"{name} II", pace=PACE),
                name=f"bot {name}",
            )
            for name in names
        ]
        async with hall.tournament(code) as cup:
            async for _ in cup.changes():
                if len(cup.sheet.players) == len(names):
                    break
            await cup.start()
            page = await visit.page(f"/t/{code}", viewport={"width": 1280, "height": 900})
            await page.locator(".lane").nth(1).wait_for()
            under_way = page.locator(".lane", has_text=re.compile(r"\D[2-6]/13"))
            await under_way.nth(1).wait_for(timeout=120_000)
            await visit.keep(page, "tournament")
        for bot in bots:
            bot.cancel()


async def the_games(visit: Visit) -> None:
    """The first page, the games, and a table on a phone."""
    page = await visit.page("/")
    await page.wait_for_timeout(1000)
    await visit.keep(page, "home")
    await page.goto(f"{visit.http}/games")
    await page.locator(".table").nth(7).wait_for()
    await visit.keep(page, "games")
    phone = await visit.page(
        "/practice/st-helena?seed=friday-night",
        viewport={"width": 390, "height": 760},
        device_scale_factor=2,
        has_touch=True,
        is_mobile=True,
    )
    await phone.locator(".playing").wait_for()
    await visit.keep(phone, "phone")


PARTS: Final[tuple[Callable[[Visit], Awaitable[None]], ...]] = (a_race, a_cup, the_games)


async def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(server(arguments=("--log-level", "warning")))
        browser = await stack.enter_async_context(chromium())
        visit = Visit(browser, url)
        for part in PARTS:
            await part(visit)


if __name__ == "__main__":
    asyncio.run(main())
