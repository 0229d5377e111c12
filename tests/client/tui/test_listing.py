"""Lists of races and tournaments: what all of them do."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import DataTable, Input

from samedeal_client import Terms, TournamentTerms
from samedeal_client.tui.cuplist import CupListScreen
from samedeal_protocol.tournament.formats import Swiss

from .stage import press, running, seen, shows, until

_WHILE_S = 0.5


async def test_escape_in_the_field_for_a_code_goes_back_to_the_list(tmp_path: Path) -> None:
    """Where escape leaves the list as well, it did both at once."""
    async with running(tmp_path) as (app, pilot):
        app.push_screen(CupListScreen(app))
        await until(pilot, lambda: isinstance(app.focused, DataTable) and len(app.screen_stack) > 2)
        await press(pilot, "c")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(app.focused, DataTable))
        assert isinstance(app.screen, CupListScreen)


async def test_a_list_looks_for_a_server_that_is_gone_at_its_own_pace(tmp_path: Path) -> None:
    """The list of tournaments tried again as soon as it heard that there is none, for ever."""
    knocks = 0

    async def nobody(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal knocks
        knocks += 1
        writer.close()

    async with await asyncio.start_server(nobody, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        async with running(tmp_path, url=f"ws://{host}:{port}") as (app, pilot):
            app.push_screen(CupListScreen(app))
            await until(pilot, lambda: knocks)
            await pilot.pause(_WHILE_S)
            assert knocks <= 3, "once when the program begins, once for each list that comes"


async def enter_code(pilot: Pilot[int], code: str) -> None:
    await press(pilot, "c")
    await until(pilot, lambda: isinstance(pilot.app.focused, Input))
    await press(pilot, *code, "enter")


async def test_what_was_said_goes_when_what_it_was_about_is_gone(url: str, tmp_path: Path) -> None:
    """That a mistyped race is none stood under one's own races as well."""
    async with running(tmp_path, url=url, name="Wim") as (app, pilot):
        await shows(pilot, "c code")
        await enter_code(pilot, "zzzz")
        await shows(pilot, "No: no race has this code")
        await press(pilot, "m")
        await shows(pilot, "your races")
        assert "no race has this code" not in seen(app)
        await enter_code(pilot, "zzzz")
        await shows(pilot, "No: no race has this code")
        await press(pilot, "c")
        await until(pilot, lambda: "no race has this code" not in seen(app))


async def test_a_list_without_tournaments_says_how_many_are_over(url: str, tmp_path: Path) -> None:
    terms = TournamentTerms(name="Gone cup", format=Swiss(rounds=1), race=Terms(game="opus"))
    async with running(tmp_path, url=url, name="Hulda") as (app, pilot):
        await until(pilot, lambda: app.hall is not None)
        app.push_screen(CupListScreen(app))
        await shows(pilot, "m mine")
        await press(pilot, "m")
        await shows(pilot, "You are in no tournament.")
        assert app.hall is not None
        async with app.hall.tournament(await app.hall.announce(terms)) as cup:
            await cup.call_off("Nobody came.")
        await shows(pilot, "You are in no tournament, but 1 is over: v shows it.")
        await press(pilot, "v")
        await shows(pilot, "Gone cup")


async def test_commands_are_named_as_the_program_was_started(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, _):
        app.context = replace(
            app.context, settings=replace(app.context.settings, program=".venv/bin/samedeal")
        )
        screen = CupListScreen(app)
        assert screen.program.command("tournament", "new").startswith(".venv/bin/samedeal tour")
        assert any(".venv/bin/samedeal tournament new" in line for line in screen.help_page()[1])
