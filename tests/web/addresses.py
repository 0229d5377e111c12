"""An address of each page there is, and something to see there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from samedeal_protocol import messages
from samedeal_protocol.terms import Terms, Undo
from samedeal_protocol.tournament import requests, views
from samedeal_protocol.tournament.formats import SingleElimination
from support.races import WIN, WIN_GAME
from support.stage import terms_of
from support.voices import greeted
from web.visiting import Site

__all__ = ["NOT_SHOWN", "OVER", "TOO_WIDE", "every_address"]

OVER: Final = "race-1"
OPEN: Final = "race-2"
ADDRESSES = f"""
/ /new /r/{OVER} /r/{OPEN} /r/{OPEN}/watch /r/{OVER}/replay /games /games/opus /practice/opus
/players/Ada /leaderboards /daily /league /tournaments /tournaments/new /settings
/overlay/r/{OPEN} /embed/r/{OPEN}
""".split()
TOO_WIDE = """
document.documentElement.scrollWidth <= innerWidth ? '' :
    [...document.querySelectorAll('body *')]
        .filter(node => node.getBoundingClientRect().right > innerWidth + 1)
        .slice(0, 3).map(node => node.outerHTML.slice(0, 120)).join(' | ')
"""
"""An expression for what is wider than the window; '' if nothing is."""
NOT_SHOWN: Final = {
    "",
    *(f"{title} · samedeal" for title in ("Not to be shown", "Not found", "No such page")),
}
"""Titles of pages that cannot be shown."""


@asynccontextmanager
async def every_address(site: Site) -> AsyncIterator[list[str]]:
    """Yields addresses of all pages. Ada has won a race against Grace (the site deals
    `WinningSeeds`), another is open, and a tournament is announced."""
    async with (
        greeted(site.node.address, "Ada") as ada,
        greeted(site.node.address, "Grace") as grace,
    ):
        terms = Terms(game=WIN_GAME, countdown=0, undo=Undo.FREE)
        code = (
            await ada.get(messages.Created, messages.Create(id=ada.next_id(), terms=terms))
        ).race
        assert code == OVER
        for each in (ada, grace):
            await each.join(code)
            await each.ready(code)
        site.pass_time(0)
        await ada.hear(messages.Started)
        for number, move in enumerate(WIN, 1):
            site.pass_time(1000)
            await ada.play(code, number, move)
        await ada.ask(messages.Finish(id=ada.next_id(), race=code, number=len(WIN) + 1))
        await grace.ask(messages.GiveUp(id=grace.next_id(), race=code))
        await ada.ask(messages.Create(id=ada.next_id(), terms=Terms(game="opus")))
        announced = await ada.get(
            views.TournamentAnnounced,
            requests.AnnounceTournament(id=ada.next_id(), terms=terms_of(SingleElimination())),
        )
        await site.node.hall.boards.keeper.look()
        cup = f"/t/{announced.tournament}"
        yield [*ADDRESSES, cup, f"{cup}/host"]
