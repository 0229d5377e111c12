"""Races in the browser: entered, played by every kind of input, watched, lost and found again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

from playwright.async_api import Page, WebSocketRoute, expect

from samedeal_client import connect
from samedeal_protocol.terms import Terms, Visibility
from samedeal_server.app import node
from samedeal_server.gateway.web import Tree
from samedeal_server.settings import Address
from support.nodes import Fakes, settings
from web.racing import (
    GAME,
    board,
    card_of,
    entered,
    message,
    opened,
    practised,
    started,
    way_home,
)
from web.visiting import Look, Site, Visitor

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}


async def dragged(page: Page, move: str) -> None:
    """Drags the top card of one pile onto another."""
    source, _, target = move.partition("-")
    await page.mouse.move(*await card_of(page, source))
    await page.mouse.down()
    await page.mouse.move(*await card_of(page, target), steps=4)
    await page.mouse.up()


async def tapped(page: Page, move: str) -> None:
    """Taps a card, and then where it shall go."""
    source, _, target = move.partition("-")
    await page.touchscreen.tap(*await card_of(page, source))
    await page.touchscreen.tap(*await card_of(page, target))


async def typed(page: Page, move: str) -> None:
    """Types the names of both piles."""
    source, _, target = move.partition("-")
    await page.keyboard.type(f"{source.lower()} {target.lower()}")
    await page.keyboard.press("Enter")


async def home(page: Page) -> str:
    return await page.locator(".playing .home").inner_text()


async def played(
    page: Page, by: Callable[[Page, str], Awaitable[None]], moves: list[str], *, since: int = 0
) -> None:
    """Plays moves one by one, each when the one before is answered; `since` were before them."""
    for number, move in enumerate(moves, since + 1):
        if move in ("redeal", "draw", "deal"):
            button = page.locator(f".bar-row [data-action={move}]")
            await button.click()
            if await message(page).is_visible():  # it is asked twice where nothing brings it back
                await button.click()
        else:
            await by(page, move)
        await expect(page.locator(".playing")).to_have_attribute("data-number", str(number))


async def test_three_race_to_the_finish_by_drag_by_tap_and_by_keyboard(
    site: Site, visitor: Visitor
) -> None:
    ada, bob, eve = await visitor(), await visitor(**PHONE), await visitor()
    race = await opened(site)
    await started(site, [ada, bob, eve], race)
    way = way_home()

    for page, by in ((ada, dragged), (bob, tapped), (eve, typed)):
        await played(page, by, way)
        site.pass_time(1000)
        await page.get_by_role("button", name="All home").click()

    for page, place in ((ada, "1st"), (bob, "2nd"), (eve, "3rd")):
        await expect(page.locator("h1")).to_contain_text(f"{place} in 0:0")
    assert await ada.locator("table.standings tbody tr").count() == 3


async def test_a_redeal_that_nothing_brings_back_takes_two_presses(
    site: Site, visitor: Visitor
) -> None:
    ada, bob = await visitor(), await visitor()
    await started(site, [ada, bob], await opened(site))
    await ada.keyboard.type("d")
    await expect(message(ada)).to_contain_text("3 are left. Once more to redeal")
    await expect(ada.locator(".playing")).to_have_attribute("data-number", "0")
    await ada.keyboard.type("d")
    await expect(ada.locator(".playing")).to_have_attribute("data-number", "1")
    await expect(ada.locator(".bar-row [data-action=redeal]")).to_have_text("Redeal (2 left)")
    await expect(message(ada)).to_be_hidden()


async def test_reload_and_a_restart_of_the_server_lead_back_to_the_same_board(
    world: Fakes, tree: Tree, page: Page, faults: list[str]
) -> None:
    here = Address("127.0.0.1", 0)
    async with node(settings(listen=here), world.adapters(), tree=tree) as up:
        site = Site(up, world)
        here = up.address
        await practised(site, page)
        await played(page, dragged, way_home()[:2])
        before = await board(page)
        await page.reload()
        await expect(page.locator(".playing")).to_have_attribute("data-number", "2")
        assert await board(page) == before

    await expect(page.locator(".banner")).to_contain_text("safe")
    async with node(settings(listen=here), world.adapters(), tree=tree):
        await expect(page.locator(".banner")).to_be_hidden()
        assert await board(page) == before
        await played(page, dragged, way_home()[2:3], since=2)
        await page.goto("about:blank")  # while there is a server, which it would miss otherwise
    # A browser says so when it cannot connect; the page has told its player.
    assert all("ERR_CONNECTION_REFUSED" in fault for fault in faults)
    faults.clear()


async def test_a_move_shows_at_once_and_the_next_is_kept_while_the_network_is_slow(
    site: Site, page: Page
) -> None:
    gate = asyncio.Event()
    gate.set()

    def slow(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        async def held(text: str | bytes) -> None:
            await gate.wait()
            route.send(text)

        server.on_message(lambda text: asyncio.ensure_future(held(text)))

    await page.route_web_socket("**/*", slow)
    await practised(site, page)
    first, second = way_home()[:2]
    dealt = await board(page)
    gate.clear()
    await dragged(page, first)
    guessed = await board(page)
    assert guessed != dealt
    await dragged(page, second)
    gate.set()
    await expect(page.locator(".playing")).to_have_attribute("data-number", "2")


async def test_a_refused_move_is_taken_back_and_told(site: Site, page: Page) -> None:
    def meddling(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def on_message(text: str | bytes) -> None:
            said = json.loads(text)
            if said["type"] == "play":
                said["move"] = "T1-T1"
            server.send(json.dumps(said))

        route.on_message(on_message)

    await page.route_web_socket("**/*", meddling)
    await practised(site, page)
    dealt = await board(page)
    await dragged(page, way_home()[0])
    await expect(message(page)).to_be_visible()
    assert await board(page) == dealt
    await expect(page.locator(".playing")).to_have_attribute("data-number", "0")


async def test_a_board_that_came_out_wrong_is_asked_for_anew(site: Site, page: Page) -> None:
    asked: list[dict[str, object]] = []

    def losing(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def on_message(text: str | bytes) -> None:
            asked.append(json.loads(text))
            server.send(text)

        def on_answer(text: str | bytes) -> None:
            told = json.loads(text)
            if told["type"] == "ok" and told["result"] and told["result"]["type"] == "played":
                told["result"]["steps"] = []
            route.send(json.dumps(told))

        route.on_message(on_message)
        server.on_message(on_answer)

    await page.route_web_socket("**/*", losing)
    await practised(site, page)
    dealt = await board(page)
    await typed(page, way_home()[0])
    await expect(page.locator(".playing")).to_have_attribute("data-number", "1")
    resumes = [each for each in asked if each["type"] == "resume"]
    assert [each.get("after") for each in resumes] == [None]
    played = await board(page)
    assert played != dealt
    await page.reload()
    await expect(page.locator(".playing")).to_have_attribute("data-number", "1")
    assert await board(page) == played


async def test_a_move_that_is_not_legal_is_answered_with_the_servers_reason(
    site: Site, page: Page
) -> None:
    await practised(site, page)
    dealt = await board(page)
    await dragged(page, "T1-W")  # the waste of Abandon Hope takes only what its rules say
    await expect(message(page)).to_be_visible()
    assert await board(page) == dealt
    await played(page, dragged, way_home()[:1])


async def test_undo_hint_and_finish_do_what_they_say(site: Site, page: Page) -> None:
    await practised(site, page)
    dealt = await board(page)
    way = way_home()
    await played(page, typed, way[:1])
    await page.keyboard.press("u")
    await expect(page.locator(".playing")).to_have_attribute("data-number", "2")
    assert await board(page) == dealt
    await page.keyboard.press("h")
    await expect(message(page)).to_contain_text("Try ")
    await page.keyboard.press("n")
    await expect(message(page)).to_contain_text("home")  # not yet: a sentence says why
    await expect(page.locator(".playing")).to_have_attribute("data-number", "2")


async def test_enter_after_a_typed_move_that_was_clear_before_plays_nothing_more(
    site: Site, page: Page
) -> None:
    await practised(site, page, "forty-thieves", "friday-night")
    await typed(page, "T7-F1")
    await page.keyboard.press("ArrowDown")
    await page.locator(".playing .pile[data-pile=T3]").focus()  # its top card could move, too
    await typed(page, "T9-F2")
    await page.keyboard.press("O")  # said when all that came before it is done
    await expect(page.locator(".playing")).to_have_attribute("data-number", "2")
    await expect(page.locator(".playing .home")).to_have_text("2 of 104 home")


async def test_a_spectator_is_as_far_behind_as_the_terms_say(site: Site, visitor: Visitor) -> None:
    ada, bob, eve = await visitor(), await visitor(), await visitor()
    race = await opened(site, delay=30)
    await eve.goto(f"{site.url}/r/{race}/watch")
    await started(site, [ada, bob], race)
    await expect(eve.locator(".seat")).to_have_count(0)
    site.pass_time(30_000)
    await expect(eve.locator(".seat")).to_have_count(2)
    await played(ada, dragged, way_home()[:1])
    tail = eve.locator(".lane", has_text="0/")
    await expect(tail).to_have_count(2)
    site.pass_time(30_000)
    await expect(eve.locator(".lane", has_text="0/")).to_have_count(1)


async def test_a_replay_is_scrubbed_and_its_address_names_the_moment(
    site: Site, visitor: Visitor
) -> None:
    page = await visitor()
    await practised(site, page)
    way = way_home()
    for number, move in enumerate(way, 1):
        site.pass_time(1000)
        await played(page, typed, [move], since=number - 1)
    await page.get_by_role("button", name="All home").click()
    await page.get_by_role("link", name="Replay").click()
    slider = page.get_by_role("slider", name="Time in the race")
    await expect(slider).to_have_attribute("max", str(1000 * len(way)))
    home = page.locator(".seat figcaption .number")
    dealt = await home.inner_text()
    await slider.fill("4000")
    await expect(home).not_to_have_text(dealt)
    scrubbed = await home.inner_text()
    await page.wait_for_url("**#t=4.000*")
    await page.reload()
    await expect(home).to_have_text(scrubbed)
    await page.get_by_role("button", name="One move back").click()
    await page.wait_for_url("**#t=3.000*")


async def test_a_replay_keeps_its_boards_where_they_are_whatever_it_says_of_a_moment(
    site: Site, visitor: Visitor
) -> None:
    """On a phone the words of a moment with many moves took lines from the board above."""
    page = await visitor(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    await practised(site, page)
    *together, last = way_home()
    await played(page, typed, together)
    site.pass_time(1000)
    await played(page, typed, [last], since=len(together))
    await page.get_by_role("button", name="All home").click()
    await page.get_by_role("link", name="Replay").click()
    said, board = page.locator(".replay .what"), page.locator(".replay .table")
    await expect(said).to_contain_text(", ".join(together))
    many = await board.bounding_box()
    await page.get_by_role("slider", name="Time in the race").fill("1000")
    await expect(said).to_contain_text("finishes")
    assert await board.bounding_box() == many


SAID = """
window.said = [];
new MutationObserver((changes) => {
  for (const { target } of changes) {
    const element = target.nodeType === 1 ? target : target.parentElement;
    const region = element?.closest('[data-region]');
    const text = region?.textContent.replace(/\\u00a0/g, '').trim();
    if (text) {
      window.said.push(`${region.dataset.region}: ${text}`);
    }
  }
}).observe(document, {subtree: true, childList: true, characterData: true});
"""


async def test_a_scripted_race_sounds_like_this_to_who_listens(
    site: Site, visitor: Visitor
) -> None:
    ada, bob = await visitor(), await visitor()
    await ada.add_init_script(SAID)
    race = await opened(site)
    await started(site, [ada, bob], race)
    rival = await bob.locator(".who").inner_text()
    way = way_home()
    await played(ada, typed, way[:1])
    for key in "LCOS":
        await ada.keyboard.press(key)
    await played(bob, typed, way)
    site.pass_time(61_000)
    await bob.get_by_role("button", name="All home").click()
    await expect(ada.locator(".lane", has_text="finished")).to_have_count(1)
    said = await ada.evaluate("window.said")
    assert said == [
        "urgent: 3",
        "urgent: Go!",
        "polite: Queen of clubs to Waste.",
        "polite: Queen of clubs to Waste.",  # L: the last move
        "polite: Your clock: 0:00",  # C
        f"polite: {rival}: 0 home",  # O
        "polite: 28 cards in the stock, 3 redeals left",  # S
        f"polite: {rival} finished in 1:01.",
    ]


async def test_a_rematch_keeps_the_pass_phrase_and_takes_in_whoever_goes_there(
    site: Site, visitor: Visitor, faults: list[str]
) -> None:
    ada, bob = await visitor(), await visitor()
    async with connect(f"ws://{site.node.address}", name="Hostess") as hall:
        terms = Terms(game=GAME, visibility=Visibility.PHRASE, countdown=3)
        race = await hall.create(terms, phrase="two owls")
    for page in (ada, bob):
        await page.goto(f"{site.url}/r/{race}")
        await page.get_by_label("Pass phrase").fill("two owls")
        await page.get_by_role("button", name="Go in").click()
        await page.get_by_role("button", name="Join the race").click()
        await page.get_by_role("button", name="I am ready").click()
    await ada.locator(".countdown .count").wait_for()
    site.pass_time(3000)
    for page in (ada, bob):
        await page.get_by_role("button", name="Give up").click()
        await page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    await expect(ada.locator("h1")).to_contain_text("Nobody finished")
    await expect(ada.locator(".podium")).to_have_count(0)

    await ada.get_by_role("button", name="Rematch on a fresh deal").click()
    await expect(ada.locator("main")).to_contain_text("The pass phrase: two owls")
    await bob.get_by_role("button", name="Join it").click()
    await bob.get_by_role("button", name="I am ready").click()
    await ada.get_by_role("button", name="I am ready").click()
    await ada.locator(".countdown .count").wait_for()
    # The pages asked whether a stranger may look, who may not.
    assert all("403" in fault for fault in faults)
    faults.clear()


async def test_what_one_sees_of_a_race_keeps_nobody_out(
    site: Site, visitor: Visitor, axe: Look
) -> None:
    ada, bob = await visitor(), await visitor(color_scheme="dark")
    race = await opened(site)
    for page in (ada, bob):
        await entered(site, page, race)
        await axe(page)
        await page.get_by_role("button", name="I am ready").click()
    site.pass_time(3000)
    for page in (ada, bob):
        await expect(page.locator(".playing")).to_be_visible()
        await axe(page)
    await ada.keyboard.press("?")
    await axe(ada)
    await ada.keyboard.press("Escape")
    eve = await visitor()
    await eve.goto(f"{site.url}/r/{race}/watch")
    await expect(eve.locator(".seat")).to_have_count(2)
    await axe(eve)
    for page in (ada, bob):
        await page.get_by_role("button", name="Give up").click()
        await page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    await expect(bob.locator("table.standings")).to_be_visible()
    await axe(bob)
    await ada.goto(f"{site.url}/r/{race}/replay")
    await expect(ada.locator(".seat")).to_have_count(2)
    await axe(ada)
