"""A tournament whose players are bots: how whoever hosts it in a browser gets them."""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path

from playwright.async_api import Page, expect

from support.serving import environment
from web.visiting import Site

PATIENT = 20_000
HIDDEN = """
() => [...document.querySelectorAll('main button')].filter((each) => {
    const { left, right, top, bottom, width } = each.getBoundingClientRect();
    if (width === 0) return false;
    return document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest('.told');
}).map((each) => each.outerHTML)
"""
"""Buttons over which it is told what is done."""


async def test_a_bot_plays_by_the_command_that_the_console_has_to_copy(
    site: Site, page: Page, tmp_path: Path
) -> None:
    await page.goto(f"{site.url}/tournaments/new")
    await page.get_by_label("Name", exact=True).fill("Of bots")
    await page.get_by_role("button", name="Announce it").click()
    await page.wait_for_url("**/t/*/host")
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.get_by_role("button", name="Copy the command for a bot").click()
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    program, *words = shlex.split(await page.evaluate("navigator.clipboard.readText()"))
    assert program == "samedeal"
    bot = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "samedeal_client", *words), env=environment(tmp_path)
    )
    try:
        players = page.locator("[aria-labelledby=console-players] li")
        await expect(players).to_have_count(1, timeout=PATIENT)
    finally:
        bot.terminate()
        await bot.wait()
    # What is done is told where it hides no button.
    await page.get_by_role("button", name="Pause").click()
    asked = page.get_by_role("dialog")
    await asked.get_by_label("Reason").fill("nobody is here yet")
    await asked.get_by_role("button", name="Pause").click()
    await expect(page.locator(".told")).to_contain_text("It is paused.")
    assert await page.evaluate(HIDDEN) == []
