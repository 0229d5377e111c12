"""The browser client in the engines of Firefox and of Safari: each kind of thing it does, once.

Everything else is looked at in Chromium alone. A page that writes to its console, or is refused
something by its own policy, fails its test.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import pytest
import pytest_asyncio

from samedeal_client import connect
from samedeal_protocol import messages
from samedeal_protocol.terms import Sight, Terms
from samedeal_server.gateway.web import Tree, client_folder, read_tree
from support.brokers import program
from support.nodes import Fakes, fakes
from support.races import WinningSeeds
from support.voices import greeted
from web.addresses import NOT_SHOWN, TOO_WIDE, every_address
from web.engines.firefox import firefox
from web.engines.webkit import webkit
from web.engines.window import Pointer, Window, recorded
from web.racing import GAME, SEED, way_home
from web.visiting import Site

ENGINES: Final = {"firefox": (firefox, "firefox"), "webkit": (webkit, "WebKitWebDriver")}
DESKTOP: Final = (1280, 800)
PHONE: Final = (390, 800)
LOADED: Final = "return document.querySelector('main:not(:has(.loading)):not(:empty)') !== null"
NUMBER: Final = "return document.querySelector('.playing')?.dataset.number === args[0]"
BOARD: Final = (
    "return [...document.querySelectorAll('.playing .table > ul > li')].map(pile => pile.innerText)"
)
FOCUSED: Final = "return document.querySelector('.pile:focus')?.dataset.pile"
COLOURS: Final = """
const bytes = Uint8Array.from(atob(args[0]), (letter) => letter.charCodeAt(0));
const image = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
canvas.drawImage(image, 0, 0);
const box = document.querySelector('.playing .pile[data-pile=T1]').getBoundingClientRect();
const { data } = canvas.getImageData(box.x, box.y, box.width, box.height);
const shares = {};
for (let at = 0; at < data.length; at += 4) {
  const [red, green, blue] = data.slice(at, at + 3);
  const colour = Math.min(red, green, blue) > 230 ? 'white'
    : red > 2 * Math.max(green, blue) ? 'red' : 'other';
  shares[colour] = (shares[colour] ?? 0) + 4 / data.length;
}
return shares;
"""
"""How much of the picture of the first pile is of which colour."""
TOP_CARD: Final = """
const box = document.querySelector(`.playing .pile[data-pile=${args[0]}]`).getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2];
"""
"""Where the only card of a pile lies, or would lie."""


@pytest.fixture
def world() -> Fakes:
    return replace(fakes(), seeds=WinningSeeds())


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    client = client_folder()
    assert client is not None
    found = read_tree(recorded(client, tmp_path_factory.mktemp("recorded")))
    assert found is not None
    return found


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=ENGINES)
async def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Window]:
    """A browser; where there is none the test is skipped, which is a failure in CI."""
    run, name = ENGINES[request.param]
    async with run(program(name), tmp_path_factory.mktemp(request.param)) as window:
        yield window


@pytest_asyncio.fixture(loop_scope="session")
async def window(engine: Window, site: Site) -> AsyncIterator[Window]:
    """A window of somebody new on the site, in which nothing has gone wrong at the end."""
    await engine.resize(*DESKTOP)
    yield engine
    wrong = await engine.faults()
    await engine.goto("about:blank")
    assert wrong == []


async def test_what_goes_wrong_in_a_page_or_is_refused_by_its_policy_is_seen(
    site: Site, window: Window
) -> None:
    await window.goto(f"{site.url}/settings")
    await window.run("""
        document.body.setAttribute('style', 'color: red');
        document.body.append(Object.assign(document.createElement('img'), {src: '/missing.png'}));
        setTimeout(() => { throw new Error('thrown') });
        Promise.reject(new Error('rejected'));
        console.error('logged');
    """)
    faults = ["policy: style-src", "missing.png", "thrown", "rejected", "logged"]
    await window.until(
        "return args[0].every((each) => sessionStorage.faults?.includes(each))", faults
    )
    assert await window.run("return document.body.style.color") == ""
    assert len(await window.faults()) == len(faults)


async def test_every_page_opens_and_fits_a_phone(site: Site, tree: Tree, window: Window) -> None:
    await window.resize(*PHONE)
    wrong: list[str] = []
    async with every_address(site) as addresses:
        assert {tree.route(path) for path in addresses} == set(tree.routes)
        for path in addresses:
            await window.goto(f"{site.url}{path}")
            await window.until(LOADED)
            title, wide = await window.run(f"return [document.title, {TOO_WIDE}]")
            faults = [*await window.faults(), *([f"wider than a phone: {wide}"] if wide else [])]
            if title in NOT_SHOWN:
                faults.append(f"not shown: {title}")
            wrong += [f"{path}: {fault}" for fault in faults]
    assert wrong == []


async def dragged(window: Window, move: str, by: Pointer) -> None:
    source, _, target = move.partition("-")
    await window.drag(await window.run(TOP_CARD, source), await window.run(TOP_CARD, target), by=by)


async def tapped(window: Window, move: str, by: Pointer) -> None:
    for pile in move.split("-"):
        await window.tap(await window.run(TOP_CARD, pile), by=by)


async def played(site: Site, window: Window, race: str) -> list[str]:
    """Returns the moves of the visitor as the server has written them down."""
    text = await window.run("return (await fetch(args[0])).text()", f"/api/v1/races/{race}/replay")
    events = [json.loads(line) for line in text.splitlines()[1:]]
    return [event["move"] for event in events if event.get("event") == "played"]


async def test_a_race_is_run_by_every_kind_of_input_and_survives_a_reload(
    site: Site, window: Window
) -> None:
    way = way_home()
    assert way == [*"T22-W T20-W T18-W T17-W T12-W T11-W T6-W T2-W".split(), "redeal"]
    async with connect(f"ws://{site.node.address}", name="Hostess") as hall:
        race = await hall.create(Terms(game=GAME, countdown=3), seed=SEED)
    async with greeted(site.node.address, "Rival") as rival:
        await rival.join(race)
        await rival.ready(race)
        await window.goto(f"{site.url}/r/{race}")
        await window.click("button", "Join the race")
        await window.click("button", "I am ready")
        await window.sees(".countdown .count")
        site.pass_time(3000)
        await window.sees(".playing .card")

        await dragged(window, way[0], "mouse")
        await window.until(NUMBER, "1")
        await dragged(window, way[1], "touch")
        await window.until(NUMBER, "2")
        await tapped(window, way[2], "mouse")
        await window.until(NUMBER, "3")
        await tapped(window, way[3], "touch")
        await window.until(NUMBER, "4")

        before = await window.run(BOARD)
        await window.reload()
        await window.until(NUMBER, "4")
        assert await window.until(BOARD) == before
        await window.until(f"{FOCUSED} === 'T1'")

        await window.press(*["ArrowRight"] * 5, "ArrowDown", "Enter", "ArrowRight", "Enter")
        await window.until(NUMBER, "5")
        await window.press("ArrowLeft", "ArrowLeft", " ", "ArrowRight", "ArrowRight", " ")
        await window.until(NUMBER, "6")
        await window.type("t6 w")
        await window.press("Enter")
        await window.until(NUMBER, "7")
        await window.type("2w")
        await window.until(NUMBER, "8")
        await window.press("u")
        await window.until(NUMBER, "9")
        await window.press("z", holding="Meta")
        await window.until(NUMBER, "10")
        await window.type("6w")
        await window.until(NUMBER, "11")
        await window.type("2w")
        await window.until(NUMBER, "12")
        await window.type("d")
        asked = "A redeal cannot be taken back here, and 3 are left. Once more to redeal."
        await window.sees(".playing .message", asked)
        await window.type("d")
        await window.until(NUMBER, "13")

        await window.click(".bar-row button", "All home")
        await window.until("return document.activeElement.className === 'done'")
        await rival.ask(messages.GiveUp(id=rival.next_id(), race=race))
        await window.sees("table.standings")
        assert await window.text("h1") == "1st in 0:00"
        assert await played(site, window, race) == [*way[:8], *way[6:]]


async def test_a_dialog_asks_before_one_gives_up_and_a_practice_has_its_keys_at_once(
    site: Site, window: Window
) -> None:
    await window.goto(f"{site.url}/practice/{GAME}?seed={SEED}")
    await window.until(f"{FOCUSED} === 'T1'")
    await window.press("ArrowDown", "ArrowRight")
    assert await window.run(FOCUSED) == "T8"
    await window.press("?")
    await window.sees("dialog[open] h2")
    await window.press("Escape")
    await window.until("return !document.querySelector('dialog[open]')")
    await window.click("button", "Give up")
    await window.sees("dialog[open]")
    await window.click("dialog[open] button", "No, go on")
    await window.until("return !document.querySelector('dialog[open]')")
    await window.type("22w")
    await window.until(NUMBER, "1")
    await window.click("button", "Give up")
    await window.click("dialog[open] button", "Give up")
    await window.sees(".done .lead", "That was it.")


async def test_the_five_of_hearts_is_seen_in_red_on_white(site: Site, window: Window) -> None:
    await window.goto(f"{site.url}/practice/{GAME}?seed={SEED}")
    await window.sees(".pile[data-pile=T1][aria-label$='5 of hearts']")
    shares = await window.run(COLOURS, base64.b64encode(await window.picture()).decode())
    assert 0.05 < shares["red"] < 0.4, shares
    assert shares["white"] > 0.5, shares


async def test_one_watches_a_race_and_scrubs_its_replay(site: Site, window: Window) -> None:
    async with (
        greeted(site.node.address, "Ada") as ada,
        greeted(site.node.address, "Grace") as grace,
    ):
        terms = Terms(game=GAME, countdown=0, spectators=Sight.BOARDS)
        async with connect(f"ws://{site.node.address}", name="Hostess") as hall:
            race = await hall.create(terms, seed=SEED)
        for each in (ada, grace):
            await each.join(race)
            await each.ready(race)
        site.pass_time(0)
        await window.goto(f"{site.url}/r/{race}/watch")
        await window.until("return document.querySelectorAll('.seat .card').length > 50")
        for number, move in enumerate(way_home(), 1):
            site.pass_time(1000)
            await ada.play(race, number, move)
        await window.sees(".lane .tail", "8/13")
        for each in (ada, grace):
            await each.ask(messages.GiveUp(id=each.next_id(), race=race))
        await window.sees("table.standings")

    await window.click("a", "Replay")
    await window.until("return document.querySelectorAll('.seat .card').length > 50")
    await window.run("document.querySelector('input[type=range]').focus()")
    await window.press(*["ArrowRight"] * 31)
    await window.until("return location.hash.startsWith('#t=3.1')")
    home = "return [...document.querySelectorAll('.seat .number')].map(each => each.innerText)"
    assert await window.run(home) == ["3/13", "0/13"]
    await window.reload()
    await window.until(f"{home}.join() === '3/13,0/13'")
    await window.click("button[aria-label='One move back']")
    await window.until("return location.hash.startsWith('#t=3.000')")


async def test_settings_hold_at_once_and_for_the_pages_to_come(site: Site, window: Window) -> None:
    look = "return getComputedStyle(document.body).backgroundColor"
    await window.goto(f"{site.url}/settings")
    await window.until(LOADED)
    light = await window.run(look)
    await window.run("document.querySelector('select[name=theme]').focus()")
    await window.press("ArrowDown", "ArrowDown")
    await window.until("return document.documentElement.dataset.theme === 'dark'")
    dark = await window.run(look)
    assert dark != light
    await window.goto(f"{site.url}/games")
    await window.until(LOADED)
    assert await window.run(look) == dark
