"""The commands that act in a tournament: one word each, or a console that takes them in lines."""

from __future__ import annotations

import asyncio
from functools import partial

from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_json,
    add_server,
    add_tournament,
    in_full,
    open_hall,
    say_json,
)
from samedeal_client.cups.console import Console, done_lines
from samedeal_client.cups.deeds import DEEDS, BadDeed, Deed
from samedeal_client.terminal import Lines

__all__ = ["add_to"]


def add_to(group: Group) -> None:
    """Adds the console, and a command for every deed."""
    parser = group.add(
        "host",
        _host,
        "run a tournament from a console: a line a command, and news as they come",
        examples=[
            "samedeal tournament host CODE",
            r"printf 'open\nstart\n' | samedeal tournament host CODE",
            "",
            "What can be typed there, among others:",
            *(f"  {deed.word:10} {deed.sentence}" for deed in DEEDS.values()),
        ],
    )
    add_tournament(parser)
    add_server(parser)
    for deed in DEEDS.values():
        whose = "" if deed.whose == "players" else f" ({deed.whose})"
        example = f"samedeal tournament {deed.word} CODE {deed.example}".rstrip()
        parser = group.add(
            deed.word, partial(_deed, deed), f"{deed.sentence}{whose}", examples=[example]
        )
        add_tournament(parser)
        deed.takes(parser)
        add_json(parser)
        add_server(parser)


def _deed(deed: Deed, context: Context) -> Exit:
    return asyncio.run(_do(deed, context))


async def _do(deed: Deed, context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    async with open_hall(context) as hall, hall.tournament(arguments.tournament) as cup:
        try:
            act = deed.makes(arguments, cup.sheet)
        except BadDeed as refusal:
            raise Fault(str(refusal)) from refusal
        added = await cup.act(act)
        if arguments.json:
            said: dict[str, object] = {"tournament": cup.code, "act": in_full(act)}
            say_json(terminal, said if added is None else {**said, "secret": added.secret})
        else:
            terminal.say_all(done_lines(deed, cup, added))
    return Exit.DONE


def _host(context: Context) -> Exit:
    return asyncio.run(_sit(context))


async def _sit(context: Context) -> Exit:
    """Takes lines until they end or one quits. Through a pipe, the first that is refused is the
    last."""
    terminal = context.terminal
    async with open_hall(context) as hall, hall.tournament(context.arguments.tournament) as cup:
        console = Console(terminal, cup)
        console.enter()
        if cup.sheet.role is None:
            terminal.say("You do not run it: you may look, and do what players do.")
        lines = Lines()

        async def hear() -> None:
            async for news in cup.events():
                console.hear(news, is_player=False)

        async with asyncio.TaskGroup() as tasks:
            hearing = tasks.create_task(hear(), name="what happens")
            while not console.is_leaving and (line := await lines.next()) is not None:
                if not await console.take(line) and context.is_quiet:
                    raise Fault("stopped at the line that was refused; those before it are done")
            hearing.cancel()
    return Exit.DONE
