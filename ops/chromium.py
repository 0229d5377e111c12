"""The system's Chromium, driven by Playwright: to measure the browser client and to picture it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from playwright.async_api import Browser, async_playwright

__all__ = ["chromium"]

_FLAGS: Final = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Runs Chromium for as long as the block lasts. Raises SystemExit where there is none."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise SystemExit("There is no Chromium here: apt-get install chromium fonts-dejavu-core")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=_FLAGS)
        try:
            yield browser
        finally:
            await browser.close()
