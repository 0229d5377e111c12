"""Sending safe cards home, hints one after the other, and keys of one's own, in a browser."""

from __future__ import annotations

from playwright.async_api import Page, expect

from web.racing import GAME, board, card_of, message, practised
from web.visiting import Site, Visitor

DEAL = ("forty-thieves", "friday-night")


async def number(page: Page, count: int) -> None:
    """Waits until so many things have been done to the board."""
    await expect(page.locator(".playing")).to_have_attribute("data-number", str(count))


async def home(page: Page, count: int) -> None:
    await expect(page.locator(".playing .home")).to_have_text(f"{count} of 104 home")


async def test_safe_cards_go_home_by_key_by_the_other_button_and_by_a_long_press(
    site: Site, page: Page
) -> None:
    await practised(site, page, *DEAL)
    dealt = await board(page)
    foundation = await card_of(page, "F1")

    async def pressed_long() -> None:
        await page.mouse.move(*foundation)
        await page.mouse.down()
        await expect(page.locator(".playing .home")).to_have_text("3 of 104 home")
        await page.mouse.up()

    deeds = (
        lambda: page.keyboard.press("a"),
        lambda: page.mouse.click(*foundation, button="right"),
        pressed_long,
    )
    for count, deed in enumerate(deeds):
        await deed()
        await number(page, 2 * count + 1)
        await home(page, 3)  # T7 ends in two Aces, T9 in one
        await page.keyboard.press("u")
        await number(page, 2 * count + 2)
        assert await board(page) == dealt
    await page.keyboard.press("a")
    await home(page, 3)
    await page.keyboard.press("a")
    await expect(message(page)).to_contain_text("card is safe to send home")


async def test_safe_cards_go_home_by_themselves_if_one_likes_but_not_after_an_undo(
    site: Site, page: Page
) -> None:
    await page.add_init_script("localStorage.setItem('samedeal.auto-home', 'on')")
    await practised(site, page, *DEAL)
    await page.keyboard.type("d")
    await number(page, 2)
    await home(page, 3)
    await page.keyboard.press("u")
    await number(page, 3)
    await page.keyboard.press("O")
    await home(page, 0)
    await number(page, 3)


async def test_hints_go_on_to_the_next_best_move_while_the_board_stays(
    site: Site, page: Page
) -> None:
    await practised(site, page, *DEAL)
    hints = []
    for _ in range(3):
        before = await message(page).text_content() or "nothing"
        await page.keyboard.press("h")
        await expect(message(page)).not_to_have_text(before)
        hints.append(await message(page).inner_text())
    assert len(set(hints)) == 3
    await page.keyboard.type("d")
    await number(page, 1)


async def test_keys_of_ones_own_are_used_shown_and_set_back(site: Site, visitor: Visitor) -> None:
    page = await visitor()
    await page.goto(f"{site.url}/settings")
    field = page.get_by_label("Take the last move back")
    await field.fill("h")
    await expect(page.get_by_role("alert").filter(has_text="taken already")).to_be_visible()
    await field.fill("3")
    await expect(page.get_by_role("alert").filter(has_text="moves cards")).to_be_visible()
    await field.fill("b")
    await practised(site, page, GAME)
    undo = page.get_by_role("button", name="Undo")
    await expect(undo).to_have_attribute("aria-keyshortcuts", "b")
    await page.keyboard.press("a")
    await number(page, 1)
    await page.keyboard.press("u")
    await page.keyboard.press("b")
    await number(page, 2)
    await page.keyboard.press("?")
    keys = page.get_by_role("dialog").locator(".keys div", has_text="take the last move back")
    await expect(keys.locator("kbd")).to_have_text("b")
    await page.goto(f"{site.url}/settings")
    await page.get_by_role("button", name="Keys as usual").click()
    await expect(page.get_by_label("Take the last move back")).to_have_value("u")
