"""Who visits a site, what site it is, and what is noted of the visit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import ConsoleMessage, Page, Request, Response

from samedeal_server.app import Node
from support.nodes import Fakes

__all__ = ["Look", "Site", "Visitor", "watched"]

Visitor = Callable[..., Awaitable[Page]]
"""Opens a blank page of somebody new; takes what Playwright's `new_context` takes."""
Look = Callable[[Page], Awaitable[None]]
"""Looks at a page as it is now, and fails if it is not well."""


@dataclass(frozen=True, slots=True)
class Site:
    """A server that runs, and its world."""

    node: Node
    world: Fakes

    @property
    def url(self) -> str:
        """What a path is put behind."""
        return f"http://{self.node.address}"

    def pass_time(self, ms: int) -> None:
        """Lets milliseconds pass, and what is due then happen."""
        self.world.clock.advance(ms)
        self.node.hall.tick()


def watched(page: Page, faults: list[str]) -> None:
    """Notes all that goes wrong in a page: what it logs, throws, may not do, or cannot load."""

    def on_console(message: ConsoleMessage) -> None:
        # What cannot be loaded is told below, with its address.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            faults.append(f"console: {message.text}")

    def on_failed(request: Request) -> None:
        # A page that is left ends what it was loading.
        if request.failure != "net::ERR_ABORTED":
            faults.append(f"failed: {request.url} {request.failure}")

    def on_response(response: Response) -> None:
        if response.status >= 400:
            faults.append(f"status {response.status}: {response.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("requestfailed", on_failed)
    page.on("response", on_response)
