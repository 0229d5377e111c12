"""The card table in a browser: what hands, keys and settings do to it."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from samedeal_rules import deal, find, move_text
from web.racing import card_of, practised
from web.visiting import Look, Site, Visitor

GAME = "tuxedo"
SEED = "board"
LEGAL = [move_text(find(GAME), move) for move in deal(find(GAME), SEED).legal()]
"""At the start of this deal all cells are empty, so that every top card may go there."""

OUTSIDE = """button => {
  const edge = button.getBoundingClientRect();
  return [...button.children].filter((word) => {
    const { left, right, top, bottom } = word.getBoundingClientRect();
    return left < edge.left || right > edge.right || top < edge.top || bottom > edge.bottom;
  }).map((word) => word.textContent);
}"""
"""The words on a button that run over its edges."""


async def set_before(page: Page, **settings: str) -> None:
    """Opens the pages to come with these settings."""
    for name, value in settings.items():
        await page.add_init_script(f"localStorage.setItem('samedeal.{name}', '{value}')")


async def lying(page: Page) -> list[str]:
    """Where every card lies."""
    script = "cards => cards.map((card) => `${card.dataset.look} ${card.style.transform}`).sort()"
    return list(await page.locator(".playing .card").evaluate_all(script))


async def marked(page: Page, kind: str) -> list[str]:
    """The piles that bear a mark."""
    return await page.locator(f".playing .mark[data-{kind}] .chip").all_text_contents()


def targets(source: str) -> set[str]:
    """Where the rules let the top card of a pile go at the start."""
    return {move.partition("-")[2] for move in LEGAL if move.startswith(f"{source}-")}


async def test_the_piles_are_told_before_the_table_has_a_size(site: Site, page: Page) -> None:
    await page.add_init_script("ResizeObserver.prototype.observe = () => {}")
    await page.goto(f"{site.url}/practice/{GAME}?seed={SEED}")
    await expect(page.locator(".playing")).to_have_attribute("data-number", "0")
    told = await page.locator(".playing .spoken li").all_text_contents()
    assert len(told) == len(find(GAME).piles)
    assert all(re.fullmatch(r".+: .+", line) for line in told)
    await expect(page.locator(".playing .card")).to_have_count(0)


async def test_carried_cards_return_when_the_system_takes_the_pointer_away(
    site: Site, page: Page
) -> None:
    await practised(site, page, GAME, SEED)
    before = await lying(page)
    await page.mouse.move(*await card_of(page, "T1"))
    await page.mouse.down()
    await page.mouse.move(*await card_of(page, "C1"), steps=3)
    assert await lying(page) != before
    await page.locator(".playing .table").dispatch_event("pointercancel")
    assert await lying(page) == before
    await page.mouse.up()
    assert await lying(page) == before
    await expect(page.locator(".playing")).to_have_attribute("data-number", "0")


async def test_a_press_that_hardly_moves_is_a_tap(site: Site, page: Page) -> None:
    await practised(site, page, GAME, SEED)
    x, y = await card_of(page, "T1")
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 3, y + 3)
    await page.mouse.up()
    assert set(await marked(page, "target")) == targets("T1")


async def test_arrows_lead_from_pile_to_pile_and_enter_chooses_and_plays(
    site: Site, page: Page
) -> None:
    await practised(site, page, GAME, SEED)
    await expect(page.locator(".pile:focus")).to_be_attached()  # from the beginning
    await page.locator(".pile[data-pile=T1]").focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(":focus")).to_have_attribute("data-pile", "T2")
    await page.keyboard.press("Enter")
    await expect(page.locator(":focus")).to_have_attribute("aria-pressed", "true")
    await page.keyboard.press("ArrowDown")
    await expect(page.locator(":focus")).to_have_attribute("aria-label", "Cell 2: empty")
    await page.keyboard.press("Enter")
    await expect(page.locator(".playing")).to_have_attribute("data-number", "1")
    await expect(page.locator(".playing .pile[tabindex='0']")).to_have_count(1)


@pytest.mark.parametrize("shown", ["off", "always"])
async def test_targets_are_shown_as_the_setting_says(site: Site, page: Page, shown: str) -> None:
    await set_before(page, targets=shown)
    await practised(site, page, GAME, SEED)
    sources = {move.partition("-")[0] for move in LEGAL}
    assert set(await marked(page, "movable")) == (sources if shown == "always" else set())
    await page.mouse.click(*await card_of(page, "T1"))
    assert set(await marked(page, "target")) == (set() if shown == "off" else targets("T1"))


@pytest.mark.parametrize(
    ("motion", "animation", "ms"),
    [("no-preference", "normal", "120ms"), ("reduce", "normal", "0ms")],
)
async def test_cards_move_only_for_those_who_want_it(
    site: Site, visitor: Visitor, motion: str, animation: str, ms: str
) -> None:
    page = await visitor(reduced_motion=motion)
    await set_before(page, animation=animation)
    await practised(site, page, GAME, SEED)
    await page.keyboard.type("1c")
    await expect(page.locator(".playing")).to_have_attribute("data-number", "1")
    told = await page.locator(".table-cards").evaluate(
        "cards => cards.style.getPropertyValue('--card-ms')"
    )
    assert told == ms


LOOKS = """
async () => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const found = [];
  const card = document.querySelector('.playing .card');
  for (const faces of ['light', 'dark'])
    for (const palette of ['classic', 'paired', 'poker'])
      for (const contrast of ['normal', 'high'])
        for (const suit of 'CDHS') {
          Object.assign(document.documentElement.dataset, { faces, palette, contrast });
          card.dataset.suit = suit;
          const { color, backgroundColor } = getComputedStyle(card);
          found.push([`${faces} ${palette} ${contrast} ${suit}`, rgb(color), rgb(backgroundColor)]);
        }
  return found;
}
"""


def brightness(rgb: list[int]) -> float:
    """The relative luminance of WCAG 2.2."""
    shares = [part / 255 for part in rgb]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in shares
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


async def test_every_suit_of_every_palette_can_be_read(site: Site, page: Page) -> None:
    await practised(site, page, GAME, SEED)
    for look, ink, face in await page.evaluate(LOOKS):
        dark, bright = sorted((brightness(ink), brightness(face)))
        assert (bright + 0.05) / (dark + 0.05) >= (7 if "high" in look else 4.5), look


async def test_empty_places_are_seen_in_the_colours_of_the_system(
    site: Site, visitor: Visitor
) -> None:
    page = await visitor(forced_colors="active")
    await practised(site, page, GAME, SEED)
    edges = await page.locator(".playing .pile[data-cards='0']").evaluate_all(
        "all => all.map((each) => getComputedStyle(each, '::before').borderTopColor)"
    )
    text = await page.evaluate("getComputedStyle(document.body).color")
    assert set(edges) == {text}


async def test_a_redeal_without_a_stock_has_a_button_on_the_table(site: Site, page: Page) -> None:
    await practised(site, page, "st-helena", SEED)
    await page.get_by_role("group", name="St. Helena").get_by_role("button", name="Redeal").click()
    await expect(page.locator(".playing")).to_have_attribute("data-number", "1")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (1280, 720)])
async def test_what_the_button_of_redeals_says_stays_within_it(
    site: Site, page: Page, width: int, height: int
) -> None:
    await page.set_viewport_size({"width": width, "height": height})
    for game, left in (("small-billee", 3), ("st-helena", 2)):
        await practised(site, page, game, SEED)
        button = page.locator(".table-redeal")
        await expect(button).to_have_text(f"Redeal{left} left")
        assert await button.evaluate(OUTSIDE) == []
        await button.click()
        await expect(button).to_have_text(f"Redeal{left - 1} left")


async def test_letters_play_whatever_button_was_pressed_before(site: Site, page: Page) -> None:
    await practised(site, page, GAME, SEED)
    await page.get_by_role("button", name="Hint").click()
    await page.keyboard.type("1c")
    await expect(page.locator(".playing")).to_have_attribute("data-number", "1")


async def test_single_keys_do_nothing_where_they_are_switched_off(site: Site, page: Page) -> None:
    await set_before(page, shortcuts="off")
    await practised(site, page, GAME, SEED)
    await page.keyboard.type("1c")
    assert await page.locator(".table-typed").inner_text() == ""
    await expect(page.locator(".playing")).to_have_attribute("data-number", "0")


async def test_whole_moves_are_taken_from_a_field_where_no_single_key_is(
    site: Site, page: Page, axe: Look
) -> None:
    await set_before(page, shortcuts="off")
    await practised(site, page, GAME, SEED)
    field = page.get_by_label("Type a move")
    assert await field.evaluate("each => each.form.getBoundingClientRect().width") <= 1
    await field.focus()
    await expect(field).to_be_in_viewport(ratio=0.9)
    await axe(page)
    for typed, number in (("1 c", "1"), ("T2-C2", "2")):
        await field.fill(typed)
        await page.keyboard.press("Enter")
        await expect(page.locator(".playing")).to_have_attribute("data-number", number)
        await expect(field).to_have_value("")
    for wrong, told in (("hello", "hello is no move"), ("c1 t99", "c1 t99 is no move"), ("d", "d")):
        await field.fill(wrong)
        await page.keyboard.press("Enter")
        await expect(page.locator(".playing .message")).to_contain_text(told)
    await expect(page.locator(".playing")).to_have_attribute("data-number", "2")
