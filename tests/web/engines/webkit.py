"""WebKitGTK, which has Safari's engine, driven by W3C WebDriver on a screen that nobody sees."""

from __future__ import annotations

import asyncio
import base64
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

import msgspec

from support.brokers import free_port, program
from support.patience import PATIENCE_S
from web.engines.window import Json, Source, Window

__all__ = ["webkit"]

SETTLING_S: Final = 0.1
"""How long a page has for following its window, before it is looked at again."""
NARROW: Final = "* { min-width: 0; margin: 0; padding: 0; border-width: 0 }"
"""Makes the browser's own buttons so small that its window can be as narrow as a phone."""


class WebKit(Window):
    """A window of WebKitGTK."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._session = ""

    async def begin(self) -> None:
        """Begins a session, for which the driver opens a window of its own browser."""
        said = await self.ask("POST", "/session", capabilities={})
        self._session = f"/session/{said['sessionId']}"

    async def ask(self, method: str, path: str, **said: Json) -> Json:
        """Sends a command and returns its result."""
        return await asyncio.to_thread(self._send, method, f"{self._session}{path}", said)

    def _send(self, method: str, path: str, said: Json) -> Json:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=3 * PATIENCE_S)
        try:
            body = msgspec.json.encode(said) if method == "POST" else None
            connection.request(method, path, body)
            response = connection.getresponse()
            heard = msgspec.json.decode(response.read())["value"]
        finally:
            connection.close()
        assert response.status == 200, f"{method} {path}: {heard}"
        return heard

    async def goto(self, url: str) -> None:
        await self.ask("POST", "/url", url=url)

    async def reload(self) -> None:
        await self.ask("POST", "/refresh")

    async def resize(self, width: int, height: int) -> None:
        """Sizes the page. Its frame is what the window has more; a page follows its window late."""
        frame, before = [0, 0], [0, 0]
        deadline = time.monotonic() + PATIENCE_S
        while True:
            sizes = {"width": width + frame[0], "height": height + frame[1]}
            outer = await self.ask("POST", "/window/rect", **sizes)
            await asyncio.sleep(SETTLING_S)
            inner = await self.run("return [innerWidth, innerHeight]")
            if inner == [width, height]:
                return
            assert time.monotonic() < deadline, f"the page is {inner} in {outer}"
            if inner == before:
                frame = [outer["width"] - inner[0], outer["height"] - inner[1]]
            before = inner

    async def picture(self) -> bytes:
        return base64.b64decode(await self.ask("GET", "/screenshot"))

    async def act(self, source: Source) -> None:
        await self.ask("POST", "/actions", actions=[source])

    async def call(self, function: str) -> str:
        told = "(text) => tell([true, text]), (fault) => tell([false, String(fault)])"
        script = f"const [tell] = arguments; ({function})().then({told});"
        is_well, said = await self.ask("POST", "/execute/async", script=script, args=[])
        assert is_well, said
        return str(said)


@asynccontextmanager
async def webkit(driver: str, folder: Path) -> AsyncIterator[Window]:
    """Runs WebKitGTK, at home in the folder."""
    style = folder / ".config" / "gtk-3.0" / "gtk.css"
    style.parent.mkdir(parents=True)
    style.write_text(NARROW)
    port = free_port()
    async with screen() as display:
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config")}
        running = await asyncio.create_subprocess_exec(
            *(driver, f"--port={port}"),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **home, "DISPLAY": display, "GDK_BACKEND": "x11"},
        )
        try:
            await _listening(port)
            window = WebKit(port)
            await window.begin()
            yield window
            await window.ask("DELETE", "")
        finally:
            running.terminate()
            await running.wait()


async def _listening(port: int) -> None:
    """Returns when somebody listens on the port."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                await writer.wait_closed()
                return


@asynccontextmanager
async def screen() -> AsyncIterator[str]:
    """Runs an X server in memory, and yields the display that it found free."""
    told, said = os.pipe()
    running = await asyncio.create_subprocess_exec(
        *(program("Xvfb"), "-displayfd", str(said), "-screen", "0", "1600x1200x24"),
        *("-nolisten", "tcp"),
        pass_fds=[said],
        stderr=asyncio.subprocess.DEVNULL,
    )
    os.close(said)
    try:
        with os.fdopen(told) as lines:
            number = await asyncio.to_thread(lines.readline)
        assert number, "Xvfb found no display"
        yield f":{number.strip()}"
    finally:
        running.terminate()
        await running.wait()
