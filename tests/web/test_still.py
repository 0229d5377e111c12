"""What is said around a table, or lies over it: nothing moves or is covered under a finger."""

from __future__ import annotations

from playwright.async_api import Page, expect

from samedeal_client.house import KINDS
from samedeal_client.tui.hosting import BOTS
from web.racing import card_of, entered, message, opened, started
from web.test_windows import another, link_is
from web.visiting import Site, Visitor

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
COVERED = """
(selector) => [...document.querySelectorAll(selector)].filter((each) => {
    const { left, right, top, bottom, width } = each.getBoundingClientRect();
    if (width === 0) return false;
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return there?.closest(':is(.banner, .news)');
}).map((each) => each.outerHTML)
"""
"""Controls of the selector over which a banner lies."""
STILL = 8
"""Looks in a row, 50 ms apart, at which what stays where it is has settled."""


async def settled(page: Page) -> float:
    """Returns how far down the page the first pile lies, once nothing moves it any more."""
    pile = page.locator(".playing .pile[data-pile=T1]")
    lies: list[float] = []
    while len(lies) < STILL or len(set(lies[-STILL:])) > 1:
        lies.append(await pile.evaluate("each => each.getBoundingClientRect().top + scrollY"))
        await page.evaluate("() => new Promise((drawn) => setTimeout(drawn, 50))")
    return lies[-1]


async def given_up(page: Page) -> None:
    await page.get_by_role("button", name="Give up").click()
    await page.get_by_role("dialog").get_by_role("button", name="Give up").click()


async def test_no_card_moves_on_a_phone_whatever_is_said_above_the_table(
    site: Site, visitor: Visitor
) -> None:
    ada, bob = await visitor(**PHONE), await visitor()
    await started(site, [ada, bob], await opened(site))
    await expect(ada.locator(".gap")).to_have_text("level with the leader")
    before = await card_of(ada, "T1")
    await ada.keyboard.type("1 2")
    await ada.keyboard.press("Enter")
    await expect(message(ada)).to_be_visible()
    assert await card_of(ada, "T1") == before
    line = ada.locator(".top")
    height = await line.evaluate("each => each.clientHeight")
    # The longest sentence lies over the felt, and lets every touch through to it.
    await message(ada).evaluate(
        "(each) => { each.textContent = 'No card can go there. '.repeat(9) }"
    )
    assert await card_of(ada, "T1") == before
    assert await line.evaluate("each => each.clientHeight") == height


async def test_whoever_has_done_the_daily_deal_is_led_to_its_board_and_to_no_others_table(
    site: Site, visitor: Visitor
) -> None:
    ada, bob = await visitor(**PHONE), await visitor()
    for page in (bob, ada):
        await page.goto(f"{site.url}/daily")
        await page.get_by_role("button", name="Play today’s deal").click()
        await page.get_by_role("button", name="Open the deal and start my clock").click()
        await expect(page.locator(".playing")).to_be_visible()
    await ada.locator(".playing .pile").first.focus()
    await ada.keyboard.type("1")
    await expect(ada.locator(".table-typed")).to_have_text("1")
    await given_up(ada)
    done = ada.locator(".done")
    await expect(done.get_by_role("link", name="Watch")).to_have_count(0)
    await expect(ada.locator(".table-typed")).to_be_hidden()
    await ada.keyboard.type("1")
    await expect(ada.locator(".table .chip:visible, .table-typed:visible")).to_have_count(0)
    await done.get_by_role("link", name="See today’s board").click()
    await expect(ada.locator("table")).to_contain_text("gave up")


async def test_a_banner_covers_nothing_that_one_may_press_and_what_is_played_elsewhere_looks_so(
    site: Site, visitor: Visitor
) -> None:
    ada, bob = await visitor(**PHONE), await visitor()
    race = await opened(site)
    await started(site, [ada, bob], race)
    await expect(ada.locator(".gap")).to_have_text("level with the leader")
    before = await settled(ada)
    newer = await another(ada, ada.url)
    await expect(newer.locator(".playing")).to_be_visible()
    await expect(ada.locator(link_is("ended"))).to_be_attached()
    await expect(ada.locator(".race-body")).to_have_attribute("inert", "")
    assert await ada.evaluate(COVERED, ".side :is(summary, button), .bar-row button") == []
    await ada.keyboard.type("1")
    await expect(ada.locator(".table-typed")).to_be_hidden()
    await ada.get_by_role("button", name="Play here").click()
    await expect(ada.locator(".race-body[inert]")).to_have_count(0)
    assert await settled(ada) == before


async def test_a_letter_that_no_pile_has_is_said_to_have_none(site: Site, visitor: Visitor) -> None:
    ada, bob = await visitor(), await visitor()
    await started(site, [ada, bob], await opened(site))
    await ada.keyboard.type("xx")
    await expect(message(ada)).to_have_text("There is no pile X here.")


async def test_a_replay_that_is_asked_for_too_early_leads_to_its_race(
    site: Site, page: Page, faults: list[str]
) -> None:
    race = await opened(site)
    await entered(site, page, race)
    await page.goto(f"{site.url}/r/{race}/replay")
    await expect(page.get_by_role("heading", name="Not over yet")).to_be_visible()
    await expect(page.get_by_role("link", name="Watch it")).to_have_attribute(
        "href", f"/r/{race}/watch"
    )
    await page.get_by_role("link", name="To the race").click()
    await expect(page.get_by_role("button", name="I am ready")).to_be_visible()
    assert all("409" in fault or "404" in fault for fault in faults)
    faults.clear()


async def test_bots_are_called_the_same_wherever_people_meet_them(site: Site, page: Page) -> None:
    await page.goto(site.url)
    rivals = page.get_by_label("Rival").locator("option")
    await expect(rivals).to_have_count(len(BOTS))
    said = [text.lower() for text in await rivals.all_inner_texts()]
    assert said == [words for _, words in BOTS]
    assert [f"House {words.split(':')[0].capitalize()}" for words in said] == [
        kind.title for kind in KINDS.values()
    ]


async def test_the_game_that_was_chosen_last_is_whole_in_the_strip_of_a_phone(
    site: Site, visitor: Visitor
) -> None:
    ada = await visitor(**PHONE)
    for game in ("small-billee", "fortress", "box-kite"):
        await ada.goto(f"{site.url}/new?game={game}")
        chosen = ada.locator(".pick:has(:checked)")
        await expect(chosen).to_be_in_viewport(ratio=1)
