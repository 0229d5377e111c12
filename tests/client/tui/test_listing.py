"""Lists of races and tournaments: what all of them do."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.widgets import DataTable, Input

from samedeal_client.tui.cuplist import CupListScreen

from .stage import press, running, until

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
