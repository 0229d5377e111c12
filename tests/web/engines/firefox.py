"""Firefox, which speaks WebDriver BiDi by itself."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from support.patience import PATIENCE_S
from web.engines.window import Json, Source, Window

__all__ = ["firefox"]

ARGUMENTS: Final = (
    *("--headless", "--no-remote", "--remote-debugging-port=0"),
    "data:,",  # with a blank page, keys would go to where addresses are typed
)


class Firefox(Window):
    """A window of Firefox: each command is answered before the next."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._asked = 0
        self._context = ""

    async def begin(self) -> None:
        """Begins a session with the window that is open already."""
        await self.ask("session.new", capabilities={})
        tree = await self.ask("browsingContext.getTree")
        self._context = tree["contexts"][0]["context"]

    async def ask(self, method: str, **params: Json) -> Json:
        """Sends a command and returns its result."""
        self._asked += 1
        said = {"id": self._asked, "method": method, "params": params}
        async with asyncio.timeout(3 * PATIENCE_S):
            await self._socket.send(msgspec.json.encode(said).decode())
            heard = msgspec.json.decode(await self._socket.recv())
        assert heard["type"] == "success", f"{method}: {heard}"
        return heard["result"]

    async def goto(self, url: str) -> None:
        await self.ask("browsingContext.navigate", context=self._context, url=url, wait="complete")

    async def reload(self) -> None:
        await self.ask("browsingContext.reload", context=self._context, wait="complete")

    async def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        await self.ask("browsingContext.setViewport", context=self._context, viewport=size)

    async def picture(self) -> bytes:
        shot = await self.ask("browsingContext.captureScreenshot", context=self._context)
        return base64.b64decode(shot["data"])

    async def act(self, source: Source) -> None:
        await self.ask("input.performActions", context=self._context, actions=[source])

    async def call(self, function: str) -> str:
        answer = await self.ask(
            "script.callFunction",
            functionDeclaration=function,
            awaitPromise=True,
            target={"context": self._context},
        )
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return str(answer["result"]["value"])


@asynccontextmanager
async def firefox(program: str, folder: Path) -> AsyncIterator[Window]:
    """Runs Firefox without a screen, with a new profile in the folder."""
    profile = folder / "profile"
    profile.mkdir()
    running = await asyncio.create_subprocess_exec(
        program,
        *("--profile", str(profile), *ARGUMENTS),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert running.stderr is not None
    try:
        async with asyncio.timeout(3 * PATIENCE_S):
            async for line in running.stderr:
                if found := re.search(rb"listening on (ws://\S+)", line):
                    break
            else:
                raise AssertionError("Firefox ended before it listened")
        async with connect(f"{found[1].decode()}/session", max_size=None) as socket:
            window = Firefox(socket)
            await window.begin()
            yield window
            await window.ask("browser.close")
    finally:
        if running.returncode is None:
            running.terminate()
        await running.communicate()
