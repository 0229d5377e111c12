"""A race in more than one window, pages that are left early, and who looks on beside the table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest
from playwright.async_api import Page, WebSocketRoute, expect

from samedeal_client import connect
from samedeal_protocol.requests import Chat
from samedeal_protocol.terms import Sight, Terms
from web.racing import board, entered, message, opened, practised, started, way_home
from web.visiting import Site, Visitor


async def another(page: Page, address: str) -> Page:
    """Opens one more window of the same visitor."""
    window = await page.context.new_page()
    await window.goto(address)
    return window


def link_is(state: str) -> str:
    """Selects the document while its connection is so."""
    return f"html[data-link={state}]"


async def test_the_newer_window_has_the_race_until_the_older_takes_it_back_and_no_overlay_does(
    site: Site, visitor: Visitor
) -> None:
    ada, bob = await visitor(), await visitor()
    race = await opened(site)
    await started(site, [ada, bob], race)
    newer = await another(ada, ada.url)
    await expect(newer.locator(".playing")).to_be_visible()
    await expect(ada.locator(".banner", has_text="in another window")).to_be_visible()
    await newer.keyboard.type(way_home()[0].lower().replace("-", " "))
    await newer.keyboard.press("Enter")
    await expect(newer.locator(".playing")).to_have_attribute("data-number", "1")

    await ada.get_by_role("button", name="Play here").click()
    await expect(ada.locator(".playing")).to_have_attribute("data-number", "1")
    await expect(newer.locator(link_is("ended"))).to_be_attached()
    assert await board(ada) == await board(newer)

    for layout in ("lanes", "board", "nonsense <b>"):
        overlay = await another(ada, f"{site.url}/overlay/r/{race}?layout={layout}&bg=url(x)")
        await expect(overlay.locator(".overlay .clock")).to_have_text("0:00")
    await expect(ada.locator(link_is("up"))).to_be_attached()


@pytest.mark.parametrize("lends", [True, False], ids=["with locks", "without locks"])
async def test_two_first_windows_become_one_guest(
    site: Site, visitor: Visitor, lends: bool
) -> None:
    page = await visitor()
    window = await page.context.new_page()
    hellos: list[bool] = []  # whether each had a token
    routes: list[WebSocketRoute] = []
    held: list[Callable[[], None]] = []

    def together(route: WebSocketRoute) -> None:
        """Answers nobody before both are there."""
        routes.append(route)
        server = route.connect_to_server()

        def on_message(text: str | bytes) -> None:
            said = json.loads(text)
            if said["type"] == "hello":
                hellos.append("token" in said)
            server.send(text)

        def on_answer(text: str | bytes) -> None:
            if len(routes) < 2:
                held.append(lambda: route.send(text))
            else:
                route.send(text)

        route.on_message(on_message)
        server.on_message(on_answer)
        if len(routes) == 2:
            for send in held:
                send()

    if not lends:  # as over plain http from another machine
        await page.context.add_init_script("delete Navigator.prototype.locks")
    await page.context.route_web_socket("**/*", together)
    race = await opened(site)
    await asyncio.gather(page.goto(f"{site.url}/r/{race}"), window.goto(f"{site.url}/r/{race}"))
    for each in (page, window):
        await expect(each.locator(link_is("up"))).to_be_attached()
    await page.get_by_role("button", name="Join the race").click()
    await page.get_by_role("button", name="I am ready").wait_for()
    await window.reload()
    await expect(window.get_by_role("button", name="I am ready")).to_be_visible()
    assert await page.locator(".who").inner_text() == await window.locator(".who").inner_text()
    if lends:
        assert hellos.count(False) == 1


async def test_what_was_said_is_there_after_a_reload(site: Site, visitor: Visitor) -> None:
    ada, bob = await visitor(), await visitor()
    race = await opened(site)
    await entered(site, ada, race)
    await ada.locator(".chat summary").click()
    for text in ("good <b>luck</b>", "all of you"):
        await ada.locator(".chat input").fill(text)
        await ada.keyboard.press("Enter")
    await expect(ada.locator(".chat li")).to_have_count(2)
    said = await ada.locator(".chat li").all_inner_texts()
    assert said[0].endswith("good <b>luck</b>")
    await ada.reload()
    await entered(site, bob, race)  # who comes later
    for page in (ada, bob):
        await page.locator(".chat summary", has_text="Chat (2)").click()
        await expect(page.locator(".chat li")).to_have_text(said)


async def test_a_chat_shows_its_newest_line_when_it_opens_and_on_the_next_page_until_one_scrolls_up(
    site: Site, visitor: Visitor
) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    ada, bob, eve = await visitor(**phone), await visitor(), await visitor(**phone)
    race = await opened(site)
    async with connect(f"ws://{site.node.address}", name="Carl") as hall, hall.watch(race):

        async def say(text: str) -> None:
            site.pass_time(60_000)
            await hall.ask(lambda id: Chat(id=id, race=race, text=text))

        for number in range(30):
            await say(f"this is line {number}")
        for page in (ada, bob):
            await entered(site, page, race)
            await page.locator(".chat summary").click()
            await expect(page.locator(".chat li").last).to_be_in_viewport()
            await expect(page.get_by_placeholder("Say something")).to_be_in_viewport(ratio=0.9)
        for page in (ada, bob):
            await page.get_by_role("button", name="I am ready").click()
        await ada.locator(".countdown .count").wait_for()
        site.pass_time(3000)
        await eve.goto(f"{site.url}/r/{race}/watch")
        await eve.locator(".chat summary").click()
        for page in (ada, bob, eve):
            await expect(page.locator(".playing, .watch")).to_be_visible()
            await expect(page.locator(".chat li").last).to_be_in_viewport()

        first = eve.locator(".chat li").first
        await first.scroll_into_view_if_needed()
        await say("what comes now")
        await expect(eve.locator(".chat li")).to_have_count(31)
        await expect(first).to_be_in_viewport()


async def test_a_page_that_was_left_while_it_loaded_takes_nobody_along(
    site: Site, visitor: Visitor
) -> None:
    ada, bob, eve = await visitor(), await visitor(), await visitor()
    race = await opened(site)
    await started(site, [ada, bob], race)
    await eve.goto(f"{site.url}/games")
    await eve.locator("h1").wait_for()
    await eve.evaluate(
        """race => {
      for (const path of [`/r/${race}`, `/practice/opus`, `/r/${race}/watch`, '/leaderboards']) {
        const link = Object.assign(document.createElement('a'), {href: path});
        document.body.append(link);
        link.click();
        link.remove();
      }
    }""",
        race,
    )
    await expect(eve.get_by_role("heading", level=1)).to_have_text("Leaderboards")
    await eve.wait_for_load_state("networkidle")
    assert eve.url == f"{site.url}/leaderboards"
    await expect(eve.locator("html[data-table]")).to_have_count(0)


async def test_the_host_alone_can_disqualify_and_says_why(site: Site, visitor: Visitor) -> None:
    host, bob = await visitor(), await visitor()
    async with connect(f"ws://{site.node.address}", name="Hostess") as hall:
        race = await hall.create(Terms(game="opus", countdown=3))
        await host.add_init_script(f"localStorage.setItem('samedeal.token', '{hall.token}')")
    await started(site, [host, bob], race)
    await expect(bob.get_by_role("button", name="Disqualify")).to_have_count(0)
    await host.get_by_role("button", name="Disqualify").click()
    asked = host.get_by_role("dialog")
    await expect(asked.get_by_label("Who").locator("option")).to_have_count(1)  # not oneself
    await asked.get_by_label("Why").fill("two at one board")
    await asked.get_by_role("button", name="Disqualify").click()
    await expect(bob.locator(".done .lead")).to_have_text("You were disqualified: two at one board")
    await expect(host.locator(".lane", has_text="disqualified")).to_have_count(1)
    await expect(host.get_by_role("dialog")).to_have_count(0)
    await expect(host.get_by_role("button", name="Disqualify")).to_have_count(0)


async def test_a_race_without_spectators_says_so_and_shows_its_result_when_it_is_over(
    site: Site, visitor: Visitor
) -> None:
    ada, bob, eve = await visitor(), await visitor(), await visitor()
    race = await opened(site, spectators=Sight.NONE)
    await eve.goto(f"{site.url}/r/{race}")
    await expect(eve.locator(".lobby .lead")).to_contain_text("no spectators")
    await started(site, [ada, bob], race)
    await eve.reload()
    await expect(eve.locator(".lead")).to_contain_text("no spectators")
    for page in (ada, bob):
        await page.get_by_role("button", name="Give up").click()
        await page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    # The keys of the table went with it.
    await expect(ada.locator("table.standings")).to_be_visible()
    await ada.keyboard.press("?")
    await expect(ada.get_by_role("dialog")).to_have_count(0)
    await eve.reload()
    await expect(eve.locator("table.standings")).to_be_visible()
    # Nor is anybody called the first on a stream, where nobody came before the other.
    await eve.goto(f"{site.url}/overlay/r/{race}?layout=podium")
    await expect(eve.locator(".overlay")).to_contain_text("Nobody finished")
    await expect(eve.locator(".overlay .lane", has_text="gave up")).to_have_count(2)
    await expect(eve.locator(".overlay .podium")).to_have_count(0)


async def test_the_focus_is_never_lost_as_a_race_goes_on(site: Site, visitor: Visitor) -> None:
    ada, bob = await visitor(), await visitor()
    race = await opened(site)
    for page in (ada, bob):
        await entered(site, page, race)
    await ada.locator(".chat summary").click()
    await ada.locator(".chat input").fill("good lu")
    for page in (ada, bob):
        await page.get_by_role("button", name="I am ready").click()
    await ada.locator(".countdown .count").wait_for()
    await ada.locator(".chat input").focus()
    site.pass_time(3000)
    await expect(bob.locator(".playing .pile:focus")).to_be_attached()
    await expect(ada.locator(".playing .chat input:focus")).to_have_value("good lu")
    await ada.get_by_role("button", name="Give up").click()
    await ada.get_by_role("dialog").get_by_role("button", name="Give up").click()
    await expect(ada.locator(".done")).to_be_focused()
    others = ada.get_by_role("link", name="Watch the other")
    await others.focus()
    await bob.keyboard.type(way_home()[0].lower().replace("-", " "))
    await bob.keyboard.press("Enter")
    await expect(bob.locator(".playing")).to_have_attribute("data-number", "1")
    await expect(others).to_be_focused()
    await bob.get_by_role("button", name="Give up").click()
    await bob.get_by_role("dialog").get_by_role("button", name="Give up").click()
    await expect(bob.get_by_role("heading", level=1)).to_be_focused()


async def test_a_skip_link_leaves_the_page_as_it_is(site: Site, page: Page) -> None:
    await practised(site, page)
    await page.evaluate("document.querySelector('.playing').dataset.mark = 'same'")
    await page.locator(".skip").focus()
    await page.keyboard.press("Enter")
    await page.wait_for_url("**#main")
    await expect(page.locator(".playing")).to_have_attribute("data-mark", "same")


async def test_what_is_typed_in_the_chat_plays_nothing(site: Site, visitor: Visitor) -> None:
    ada, bob = await visitor(), await visitor()
    race = await opened(site, hints=True)
    await started(site, [ada, bob], race)
    await ada.keyboard.type(way_home()[0].lower().replace("-", " "))
    await ada.keyboard.press("Enter")
    await expect(ada.locator(".playing")).to_have_attribute("data-number", "1")

    await ada.locator(".chat summary").click()
    await ada.keyboard.type("u d")
    await expect(ada.locator(".chat input")).to_have_value("u d")
    for place in (".chat .said", ".chat summary", ".chat button"):
        await ada.locator(place).focus()
        await ada.keyboard.type("uhd21")
    await expect(ada.locator(".table-typed")).to_have_text("")
    await ada.locator(".chat input").press("Enter")
    await expect(ada.locator(".chat li")).to_have_count(1)
    await expect(ada.locator(".playing")).to_have_attribute("data-number", "1")
    await expect(message(ada)).to_be_hidden()

    await ada.keyboard.press("Escape")
    await expect(ada.locator(".chat")).not_to_have_attribute("open", "")
    await expect(ada.locator(".playing .pile:focus")).to_be_attached()
    await ada.keyboard.type("u")
    await expect(ada.locator(".playing")).to_have_attribute("data-number", "2")


CUT = """
() => {
    const strip = document.querySelector('.side').getBoundingClientRect();
    return [...document.querySelectorAll('.side :is(button, input, summary)')].filter((each) => {
        const { top, bottom, height } = each.getBoundingClientRect();
        return height > 0 && (top < strip.top || bottom > strip.bottom);
    }).map((each) => each.outerHTML);
}
"""
"""What one may touch in the strip above the table, and is not wholly seen."""


async def test_the_strip_above_the_table_of_a_phone_cuts_neither_button_nor_field(
    site: Site, visitor: Visitor
) -> None:
    ada = await visitor(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    bob = await visitor()
    await ada.goto(f"{site.url}/new")
    await ada.get_by_role("button", name="Open the race").click()
    await ada.wait_for_url("**/r/*")
    await entered(site, bob, ada.url.rsplit("/", 1)[1])
    for page in (bob, ada):
        await page.get_by_role("button", name="I am ready").click()
    await ada.locator(".countdown .count").wait_for()
    site.pass_time(10_000)
    await expect(ada.get_by_role("button", name="Disqualify")).to_be_visible()
    assert await ada.evaluate(CUT) == []
    await ada.locator(".chat summary").click()
    await expect(ada.get_by_placeholder("Say something")).to_be_visible()
    assert await ada.evaluate(CUT) == []
