"""Every game in the browser: it opens, is dealt, fits the screen and plays its first moves."""

from __future__ import annotations

from playwright.async_api import Page, expect

from samedeal_client.local import LocalGame
from samedeal_rules import GAMES
from web.racing import board, practised
from web.visiting import Site

SEED = "friday-night"
SIZES = ((360, 640), (768, 1024), (1920, 1080))
OUTSIDE = """
() => {
  const table = document.querySelector('.playing .table').getBoundingClientRect();
  return [...document.querySelectorAll('.playing .table .card')].filter((card) => {
    const { left, right, top, bottom, width } = card.getBoundingClientRect();
    return width > 0 && (left < table.left - 1 || right > table.right + 1
      || top < table.top - 1 || bottom > table.bottom + 1);
  }).length;
}
"""


async def played(page: Page, move: str) -> None:
    """Plays by names that are written out, though a few letters may have been clear before."""
    if "-" not in move:
        await page.locator(f".bar-row [data-action={move}]").click()
        return
    await page.keyboard.type(move.replace("-", " ").lower())
    await page.keyboard.press("Enter")


async def test_every_game_opens_is_dealt_fits_and_plays_its_first_moves(
    site: Site, page: Page
) -> None:
    for at, game in enumerate(GAMES):
        width, height = SIZES[at % len(SIZES)]
        await page.set_viewport_size({"width": width, "height": height})
        await practised(site, page, game.key, SEED)
        assert len(await board(page)) == len(game.piles), game.key
        assert await page.evaluate(OUTSIDE) == 0, f"{game.key} at {width} x {height}"
        alone = LocalGame(game, SEED)
        for number in (1, 2):
            move = next(each for each in alone.legal() if ":" not in each)
            await played(page, move)
            await expect(page.locator(".playing")).to_have_attribute("data-number", str(number))
            alone.play(move)
            home = sum(
                len(pile)
                for name, pile in zip(game.piles, alone.view.position.piles, strict=True)
                if name[0] == "F"
            )
            if game.piles[0][0] == "F":
                await expect(page.locator(".playing .home")).to_contain_text(f"{home} of")
