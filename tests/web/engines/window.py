"""A window of a browser that Playwright does not drive, with a visitor's eyes and hands.

An engine says how to go somewhere, call a function, act and take a picture; all else is made of
these. Actions are those of W3C WebDriver, which WebDriver BiDi has as they are. What goes wrong in
a page is written down by `recorder.js`, which `recorded` puts before all other scripts of a client.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Final, Literal

from support.patience import PATIENCE_S

__all__ = ["Json", "Point", "Pointer", "Source", "Window", "recorded"]

Json = Any
"""What JSON can say."""
Source = dict[str, Json]
"""An input source and its actions."""
Action = dict[str, Json]
Point = tuple[float, float]
Pointer = Literal["mouse", "touch"]
POLL_S: Final = 0.02
RECORDER: Final = Path(__file__).with_name("recorder.js")
FAULTS: Final = """
const faults = JSON.parse(sessionStorage.getItem('faults') ?? '[]');
sessionStorage.removeItem('faults');
return faults;
"""
KEYS: Final = {
    "Backspace": "\ue003",
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Control": "\ue009",
    "Escape": "\ue00c",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Meta": "\ue03d",
}
"""Keys that write nothing, as WebDriver says them."""
FIND: Final = """
const found = (css, text = null) => [...document.querySelectorAll(css)].find((element) =>
  (text === null || element.textContent.trim() === text) && element.getClientRects().length > 0);
"""
CENTRE: Final = """
const element = found(...args);
if (!element || element.disabled) return null;
element.scrollIntoView({block: 'nearest', behavior: 'instant'});
const box = element.getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2];
"""


def recorded(client: Path, folder: Path) -> Path:
    """Copies a browser client into a folder, with a recorder of what goes wrong in its pages."""
    copy = shutil.copytree(client, folder / "web")
    shutil.copy(RECORDER, copy)
    page = copy / "index.html"
    script = '{{head}}\n<script src="{{base}}recorder.js"></script>'
    page.write_text(page.read_text("utf-8").replace("{{head}}", script), "utf-8")
    return copy


class Window(ABC):
    """A window, blank at first."""

    @abstractmethod
    async def goto(self, url: str) -> None:
        """Opens an address and waits for the document."""

    @abstractmethod
    async def reload(self) -> None:
        """Loads the page anew and waits for the document."""

    @abstractmethod
    async def resize(self, width: int, height: int) -> None:
        """Gives the page this many CSS pixels."""

    @abstractmethod
    async def picture(self) -> bytes:
        """Returns what is to be seen, as a PNG."""

    @abstractmethod
    async def act(self, source: Source) -> None:
        """Performs the actions of one input source."""

    @abstractmethod
    async def call(self, function: str) -> str:
        """Calls an async JavaScript function in the page; returns the text it resolves to."""

    # --- eyes ---

    async def run(self, body: str, *given: Json) -> Json:
        """Runs the body of an async function, which has what was given as `args`."""
        text = await self.call(
            f"async () => {{ const args = {json.dumps(given)}; {FIND}"
            f"const work = async () => {{ {body} }};"
            "return JSON.stringify(await work() ?? null) }"
        )
        return json.loads(text)

    async def until(self, body: str, *given: Json) -> Json:
        """Runs the body again and again until what it returns is something; returns that."""
        deadline = time.monotonic() + PATIENCE_S
        while not (said := await self.run(body, *given)):
            assert time.monotonic() < deadline, f"in vain: {body.strip()} {given}"
            await asyncio.sleep(POLL_S)
        return said

    async def sees(self, css: str, text: str | None = None) -> None:
        """Waits until something is shown, with exactly this text if one is given."""
        await self.until("return Boolean(found(...args))", css, text)

    async def text(self, css: str) -> str:
        """Waits for an element and returns its text."""
        return str(await self.until("return found(...args)?.textContent", css))

    async def faults(self) -> list[str]:
        """Returns what has gone wrong in the pages of this address since it was last asked."""
        return list(await self.run(FAULTS))

    # --- hands ---

    async def click(self, css: str, text: str | None = None) -> None:
        """Waits for an element that can be pressed, and presses it."""
        x, y = await self.until(CENTRE, css, text)
        await self.tap((x, y))

    async def tap(self, at: Point, *, by: Pointer = "mouse") -> None:
        """Presses one point."""
        await self._point(by, [_to(at), _DOWN, _UP])

    async def drag(self, start: Point, end: Point, *, by: Pointer = "mouse") -> None:
        """Takes what is at one point to another."""
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        await self._point(by, [_to(start), _DOWN, _to(middle, 40), _to(end, 40), _UP])

    async def type(self, text: str) -> None:
        """Writes text key by key."""
        await self.press(*text)

    async def press(self, *names: str, holding: str | None = None) -> None:
        """Presses keys one by one, perhaps while another is held."""
        strokes = [_key(what, name) for name in names for what in ("keyDown", "keyUp")]
        if holding is not None:
            strokes = [_key("keyDown", holding), *strokes, _key("keyUp", holding)]
        await self.act({"type": "key", "id": "keyboard", "actions": strokes})

    async def _point(self, by: Pointer, actions: list[Action]) -> None:
        kind = {"pointerType": by}
        await self.act({"type": "pointer", "id": by, "parameters": kind, "actions": actions})


_DOWN: Final[Action] = {"type": "pointerDown", "button": 0}
_UP: Final[Action] = {"type": "pointerUp", "button": 0}


def _to(at: Point, ms: int = 0) -> Action:
    x, y = at
    return {"type": "pointerMove", "x": round(x), "y": round(y), "duration": ms}


def _key(what: str, name: str) -> Action:
    return {"type": what, "value": KEYS.get(name, name)}
