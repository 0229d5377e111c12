"""Tournaments, the deal of the day, the league and leaderboards on a full screen."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from samedeal_client import TournamentTerms, View, connect, run_bot
from samedeal_client.tui.announcing import NewCupScreen
from samedeal_client.tui.app import Opening
from samedeal_client.tui.boardview import BoardView
from samedeal_client.tui.cup import CupScreen
from samedeal_client.tui.cuplist import CupListScreen
from samedeal_client.tui.days import LeagueScreen
from samedeal_client.tui.lobby import LobbyScreen
from samedeal_client.tui.pages import Confirm, Page
from samedeal_client.tui.race import RaceScreen
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament.formats import Length, SingleElimination

from .stage import press, running, shows, until

RACE = Terms(game="forty-thieves", countdown=0, limit=60)  # every deal of it can be begun
ONCE = SingleElimination(length=Length(replays=0))


async def typed(pilot: Pilot[int], line: str) -> None:
    """Types a line behind a colon."""
    await press(pilot, "colon")
    await until(pilot, lambda: isinstance(pilot.app.focused, Input))
    await press(pilot, *line, "enter")


def nothing(view: View) -> None:
    """A bot that gives up at once: whoever does the same is level with it, whatever the deal."""


async def test_a_tournament_is_found_entered_played_and_looked_at(url: str, tmp_path: Path) -> None:
    terms = TournamentTerms(name="Friday cup", format=ONCE, race=RACE)
    async with (
        connect(url, name="Hanna") as hall,
        hall.tournament(await hall.announce(terms)) as cup,
        running(tmp_path, url=url, name="Olga") as (app, pilot),
        asyncio.TaskGroup() as tasks,
    ):
        await shows(pilot, "t tournaments")
        await press(pilot, "t")
        await until(pilot, lambda: isinstance(app.screen, CupListScreen))
        await shows(pilot, "Friday cup", "announced")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, CupScreen))
        await shows(pilot, "Friday cup: single elimination", "r register")
        await press(pilot, "r")
        await shows(pilot, "You are registered.", "x withdraw")
        tasks.create_task(run_bot(url, nothing, tournament=cup.code, name="Pim"))
        await press(pilot, "p")
        await shows(pilot, "Olga", "Pim (bot)")
        await press(pilot, "b")

        # Who is called is brought into the race, and back to the tournament after it.
        await cup.start()
        await until(pilot, lambda: isinstance(app.screen, RaceScreen))
        await shows(pilot, "[ ] Olga (you)", "Space ready")
        await press(pilot, "space")
        await shows(pilot, "g give up")
        await press(pilot, "g")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await press(pilot, "y")
        await cup.over()
        await shows(pilot, "gave up")
        await press(pilot, "q")
        await until(pilot, lambda: isinstance(app.screen, CupScreen))
        await shows(pilot, "The champion is Olga.", "▸1 Olga drawn")
        await press(pilot, "s")
        await shows(pilot, "reached", "2  Pim (bot)")
        assert isinstance(app.screen, CupScreen)
        await press(pilot, "y")
        assert app.clipboard.endswith(f"/t/{cup.code}")
        await press(pilot, "q")
        await until(pilot, lambda: isinstance(app.screen, CupListScreen))


async def test_who_announces_a_tournament_starts_it(url: str, tmp_path: Path) -> None:
    async with running(tmp_path, url=url, name="Hugo", size=(100, 30)) as (app, pilot):
        await shows(pilot, "t tournaments")
        await press(pilot, "t")
        await until(pilot, lambda: isinstance(app.screen, CupListScreen))
        await shows(pilot, "n announce")
        await press(pilot, "n")
        await until(pilot, lambda: isinstance(app.screen, NewCupScreen))
        assert isinstance(app.screen, NewCupScreen)
        await shows(pilot, "--format swiss")
        app.screen.fill("cup: who loses is out")
        await shows(pilot, "samedeal tournament new --game small-billee --format single-elimin")
        await press(pilot, "f7")
        await until(pilot, lambda: isinstance(app.screen, CupScreen))
        await shows(pilot, "Single elimination of", "third place", "r register", "n start")
        await press(pilot, "n")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await press(pilot, "y")
        await shows(pilot, "No: it needs 2 players to start, and 0 have registered")


async def test_staff_types_what_it_types_in_the_plain_client(url: str, tmp_path: Path) -> None:
    async with connect(url, name="Ines") as hall:
        code = await hall.announce(TournamentTerms(name="Noon cup", format=ONCE, race=RACE))
        async with (
            hall.tournament(code) as cup,
            running(tmp_path, Opening(tournament=code), url=url, name="Rex") as (app, pilot),
        ):
            await until(pilot, lambda: isinstance(app.screen, CupScreen))
            await cup.appoint("Rex", "co-host")
            await shows(pilot, "You are a co-host.")
            await typed(pilot, "halt 'fire alarm'")
            await shows(pilot, "Paused: fire alarm")
            await typed(pilot, "start")
            await shows(pilot, "No: ")
            await typed(pilot, "help")
            await until(pilot, lambda: isinstance(app.screen, Page))
            await shows(pilot, "hosts:", "let-in")


async def test_the_deal_of_the_day_is_told_and_played_on_the_own_clock(
    url: str, tmp_path: Path
) -> None:
    async with running(tmp_path, url=url, name="Ida") as (app, pilot):
        await shows(pilot, "d day")
        await press(pilot, "d")
        await shows(pilot, "You have not played it yet.", "Space play it")
        await press(pilot, "left")
        await shows(pilot, "It is over")
        await press(pilot, "right")
        await shows(pilot, "Space play it")
        await press(pilot, "l")
        await until(pilot, lambda: isinstance(app.screen, LeagueScreen))
        await shows(pilot, "of 7 days are over.")
        await press(pilot, "left")
        await shows(pilot, "It is over.")
        await press(pilot, "q")
        await shows(pilot, "Space play it")
        await press(pilot, "space")
        await shows(pilot, "Space open the deal")
        await press(pilot, "space")
        await until(pilot, lambda: isinstance(app.focused, BoardView))
        await shows(pilot, "[0:0", "u undo")
        await press(pilot, "q")
        await shows(pilot, "You are playing it, and your clock runs.")
        await press(pilot, "q")
        await until(pilot, lambda: isinstance(app.screen, LobbyScreen))


async def test_leaderboards_are_turned_over_and_told_of_one_player(
    url: str, tmp_path: Path
) -> None:
    async with running(tmp_path, url=url, name="Jan") as (app, pilot):
        await shows(pilot, "l leaders")
        await press(pilot, "l")
        await shows(pilot, "Ratings of people in all games")
        await press(pilot, "b")
        await shows(pilot, "Ratings of bots")
        await press(pilot, "2")
        await until(pilot, lambda: isinstance(app.focused, OptionList))
        await press(pilot, "enter")
        await shows(pilot, "The fastest bots in small-billee")
        await press(pilot, "3")
        await shows(pilot, "Days in a row on which bots finished a race")
        await press(pilot, "i")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await press(pilot, *"Jan", "enter")
        await shows(pilot, "Jan, by ", "Not rated")
