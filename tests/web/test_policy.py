"""What a page may not do, it cannot: a browser client that tries everything that is forbidden."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page

from samedeal_server.gateway.web import Tree, read_tree
from support.trees import FILES, planted
from web.visiting import Look, Site

TRIES = """
window.done = [];
const tried = (what) => window.done.push(what);
try { eval('tried("eval")') } catch {}
const node = document.createElement('div');
node.setAttribute('style', 'color: red');
if (node.style.color === 'red') tried('style attribute');
node.innerHTML = '<img src=x onerror="tried(1)">';
const script = document.createElement('script');
script.textContent = 'window.done.push("inline script")';
document.body.append(script);
const frame = document.createElement('iframe');
frame.src = '/embed/r/race-1';
document.body.append(frame);
node.style.setProperty('margin', '1px');
document.body.append(node);
if (node.style.margin === '1px') tried('style by script');
const socket = new WebSocket(`ws://${location.host}/`, 'samedeal.v1.json');
socket.onopen = () => { tried('our socket'); document.body.dataset.done = window.done.join() };
fetch('http://127.0.0.2:1/').catch(() => {});
"""


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    folder: Path = tmp_path_factory.mktemp("web")
    page = FILES["index.html"].replace(
        "</body>", "<main><h1>t</h1><script>document.title = 'inline'</script></main></body>"
    )
    found = read_tree(planted(folder, **{"app.js": TRIES, "index.html": page}))
    assert found is not None
    return found


async def test_only_what_is_ours_runs_and_connects(
    site: Site, page: Page, faults: list[str]
) -> None:
    await page.goto(f"{site.url}/")
    await page.wait_for_selector("body[data-done]")
    done = await page.get_attribute("body", "data-done")
    assert done == "style by script,our socket"
    assert await page.title() == "t"
    refused = "\n".join(faults)
    for directive in ("script-src", "style-src", "default-src", "connect-src"):
        assert directive in refused
    faults.clear()


@asynccontextmanager
async def elsewhere(framed: str) -> AsyncIterator[str]:
    """Another site, whose one page shows something of ours; yields its address."""
    body = f"<!doctype html><title>o</title><iframe title=ours src='{framed}'></iframe>"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}"
        writer.write(f"{head}\r\nConnection: close\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


@pytest.mark.parametrize(("path", "is_shown"), [("/embed/r/race-1", True), ("/r/race-1", False)])
async def test_pages_of_others_show_what_was_made_for_that_and_nothing_else(
    site: Site, page: Page, faults: list[str], path: str, is_shown: bool
) -> None:
    async with elsewhere(f"{site.url}{path}") as other:
        await page.goto(other)
        ours = page.main_frame.child_frames[0]
        assert (await ours.title() == "t") == is_shown
    assert any("frame-ancestors 'none'" in fault for fault in faults) != is_shown
    faults.clear()


async def test_the_harness_sees_what_is_wrong_with_a_page(
    site: Site, page: Page, faults: list[str], axe: Look
) -> None:
    await page.goto(f"{site.url}/")
    await page.evaluate("document.body.innerHTML = '<img src=/missing.png>'")
    await page.wait_for_event("response", lambda response: response.status == 404)
    with pytest.raises(AssertionError, match="image-alt"):
        await axe(page)
    await page.evaluate("setTimeout(() => { throw new Error('thrown') })")
    await page.evaluate("console.error('logged')")
    seen = "\n".join(faults)
    assert "status 404" in seen
    assert "error: thrown" in seen
    assert "console: logged" in seen
    faults.clear()
