"""A tournament in the browser: announced, hosted from the console, played to its champion."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import Locator, Page, expect

from samedeal_client import View, run_bot
from samedeal_client.cups.audit import audit
from web.visiting import Look, Site, Visitor

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
PATIENT = 10_000


def gives_up(view: View) -> str | None:
    """A bot that does not even try."""
    return None


async def announced(site: Site, page: Page, axe: Look) -> str:
    """Announces a cup from a preset; returns its code. What is wrong is said beside the field."""
    await page.goto(f"{site.url}/tournaments/new")
    await page.get_by_role("radio", name=re.compile("^Cup")).check()
    await page.get_by_label("Name", exact=True).fill("Friday cup")
    for group in ("Format", "Races"):
        await page.locator("summary", has_text=re.compile(f"^{group}$")).click()
    await page.get_by_label("The final is best of").fill("1")
    await page.get_by_label("Drawn races are played again").fill("0")
    await page.get_by_label("Countdown").fill("soon")
    await page.get_by_role("button", name="Announce it").click()
    wrong = page.locator('[data-field="countdown"]')
    await expect(wrong.locator(".fault")).to_contain_text("no duration")
    await expect(wrong.locator("input")).to_be_focused()
    await wrong.locator("input").fill("0s")
    await axe(page)
    # What only the server knows stands beside its field, too.
    await page.get_by_label("Races of a match: best of").fill("2")
    await page.get_by_role("button", name="Announce it").click()
    await expect(page.locator('[data-field="best_of"] .fault')).to_contain_text("odd number")
    await page.get_by_label("Races of a match: best of").fill("1")
    await page.get_by_role("button", name="Announce it").click()
    await page.wait_for_url("**/t/*/host")
    return page.url.split("/")[-2]


async def called_by_name(page: Page) -> str:
    """Returns what the visitor of a page is called."""
    await expect(page.locator(".who")).not_to_have_text("You")
    return await page.locator(".who").inner_text()


async def done(page: Page, deed: str, *, within: Locator | None = None, **fields: str) -> None:
    """Does a deed in the console: its button, what it asks for, and yes."""
    await (within or page.locator(".now")).get_by_role("button", name=deed).click()
    dialog = page.get_by_role("dialog")
    if not fields:  # what is seldom asked for is folded away
        await expect(dialog.get_by_role("button", name=deed)).to_be_focused()
    for label, said in fields.items():
        if label == "result":
            await dialog.get_by_label(said).check()
        else:
            await dialog.get_by_label(label.capitalize()).fill(said)
    await dialog.get_by_role("button", name=deed).click()
    await expect(dialog).to_be_hidden()


async def given_up(*pages: Page) -> None:
    """Gives the race up that the pages show, and goes back to its tournament."""
    for page in pages:
        await page.get_by_role("button", name="Give up").click()
        await page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    for page in pages:
        await expect(page.locator(".onward")).to_contain_text("match")
        await page.get_by_role("link", name="Back to the tournament").click()


async def test_a_cup_is_hosted_and_played_to_its_champion(
    site: Site, visitor: Visitor, axe: Look
) -> None:
    ada, bo, eve = await visitor(), await visitor(**PHONE), await visitor(**PHONE)
    cup = await announced(site, ada, axe)
    await axe(ada)
    await ada.get_by_role("link", name="The tournament’s page").click()
    await ada.get_by_role("button", name="Register").click()
    await expect(ada.locator(".now")).to_contain_text("You are registered.")
    await bo.goto(f"{site.url}/tournaments")
    await axe(bo)
    await bo.get_by_role("link", name="Friday cup").click()
    await bo.get_by_role("button", name="Register").click()
    await expect(bo.locator(".now")).to_contain_text("2 players so far")
    names = [await called_by_name(page) for page in (ada, bo)]

    async with asyncio.TaskGroup() as bots:
        for number, name in enumerate(("Hal", "Ivy"), 3):
            server = f"ws://{site.node.address}"
            bots.create_task(run_bot(server, gives_up, tournament=cup, name=name))
            await expect(ada.locator(".cup-players li")).to_have_count(number)
        await ada.get_by_role("link", name="Host console").click()
        await done(ada, "Start")
        await expect(ada.locator(".now")).to_contain_text("Round 1 of 2")

        # Whose race is called is brought there: Bo is, by waiting.
        await bo.wait_for_url("**/r/*", timeout=PATIENT)
        final = await final_by_ruling(ada, bo_name=names[1])
        await ada.get_by_role("link", name="The tournament’s page").click()
        first = ada.locator(".cup > div").first.locator(":scope > *").first
        await expect(first).to_contain_text("Be there and ready within")  # above all else
        await axe(ada)
        await ada.get_by_role("button", name="To your race").click()
        await ada.get_by_role("button", name="I am ready").click()
        site.pass_time(100)
        await given_up(ada)

        # Somebody who does not play reads along, on a phone.
        await eve.goto(f"{site.url}/t/{cup}")
        await expect(eve.locator(final)).to_contain_text(names[0], timeout=PATIENT)
        assert await eve.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await axe(eve)
        looked = eve.locator(f"{final} button")
        await looked.focus()

        await bo.goto(f"{site.url}/t/{cup}")
        for page in (ada, bo):
            await page.wait_for_url("**/r/*", timeout=PATIENT)
            await page.get_by_role("button", name="I am ready").click()
        site.pass_time(100)
        await given_up(bo, ada)
        for page in (ada, bo, eve):
            await expect(page.locator(".state-line")).to_have_text(f"★ {names[0]} has won.")

    await expect(looked).to_be_focused()  # however much has changed around it
    await looked_at(ada, names)
    await checked(eve)
    await axe(ada)
    await axe(eve)


async def final_by_ruling(host: Page, *, bo_name: str) -> str:
    """Lets Bo win the semi-final by a ruling, in a pause; returns where the final is drawn."""
    await done(host, "Pause", reason="a cable is broken")
    await expect(host.locator(".now")).to_contain_text("Paused: a cable is broken.")
    match = host.locator('[data-key="W1.2"]')
    await done(host, "Override", within=match, result=f"{bo_name} has won", reason="Hal is cut off")
    await expect(match).to_contain_text("ruled: Hal is cut off")
    await done(host, "Continue")
    return '.bracket [data-key="F"]'


async def looked_at(page: Page, names: list[str]) -> None:
    """Looks at standings, their arithmetic, a match and the log of a cup that is over."""
    lines = page.locator(".standings tbody tr[data-do]")
    await expect(lines).to_have_count(4)
    await expect(lines.first).to_contain_text(names[0])
    await page.get_by_role("button", name=f"Why {names[0]} stands here").click()
    await expect(page.locator(".arithmetic")).to_contain_text(f"won the final against {names[1]}")
    await page.locator('.bracket [data-key="W1.2"] button').click()
    await expect(page.get_by_role("dialog")).to_contain_text("ruled: Hal is cut off")
    await page.get_by_role("button", name="Close").click()
    await page.get_by_text("Rulings, and everything else").click()
    rulings = page.locator(".cup-log table").first
    await expect(rulings).to_contain_text("Hal is cut off")
    await expect(rulings).to_contain_text(names[0])


async def checked(page: Page) -> None:
    """Takes the log of a cup that is over along, and checks it as the page says."""
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.locator("summary", has_text="How to check that it was fair").click()
    await page.get_by_role("button", name="Copy the command").click()
    command = (await page.evaluate("navigator.clipboard.readText()")).split()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Save the log").click()
    saved = await download.value
    shown = page.get_by_role("region", name="The command")
    assert (await shown.inner_text()).split() == command
    await shown.scroll_into_view_if_needed()
    await expect(shown).to_be_in_viewport(ratio=0.9)
    *told, end = command
    assert told == ["samedeal", "verify", saved.suggested_filename, "--head"]
    log = (await saved.path()).read_bytes()
    found = await asyncio.to_thread(audit, log, head=end)
    assert found.passed, found
    assert any("ends the chain as it was published" in line for line in found.found), found
