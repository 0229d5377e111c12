"""The commands daily and league: one deal a day for everybody, and the week's table."""

from __future__ import annotations

import argparse
import asyncio
import re
import time

from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_json,
    add_lines,
    add_server,
    in_full,
    open_hall,
    say_json,
)
from samedeal_client.cli.playing import play_on
from samedeal_client.client import Hall
from samedeal_client.days import (
    board_lines,
    daily,
    day_text,
    league,
    league_lines,
    sheet_lines,
    spelt,
    take_place,
)
from samedeal_client.errors import Refused
from samedeal_client.terminal import Lines
from samedeal_protocol.daily import Attempt, DailySheet
from samedeal_protocol.errors import ErrorCode

__all__ = ["add_to"]


def add_to(commands: Group) -> None:
    """Adds the commands."""
    parser = commands.add(
        "daily",
        _daily,
        "play the deal of the day, the same for everybody, one attempt each",
        examples=[
            "samedeal daily                         what it is today, and how far you are",
            "samedeal daily play                    play it (type begin to open the deal)",
            "samedeal daily board                   who did how, once you have played",
            "samedeal daily board --day yesterday",
            "samedeal daily show --day 2026-11-30 --json",
        ],
    )
    parser.add_argument(
        "what", nargs="?", choices=["show", "play", "board"], default="show", help="default: show"
    )
    parser.add_argument(
        "--day", type=_day, metavar="DAY", help="2026-11-30, today or yesterday; by UTC"
    )
    add_lines(parser)
    add_json(parser)
    add_server(parser)
    # A room of the day is entered like any race, and has no pass phrase.
    parser.set_defaults(phrase=None, ready=False)

    parser = commands.add(
        "league",
        _league,
        "show the league of a week: points for places on its seven daily deals",
        examples=["samedeal league", "samedeal league --week 2026-W49", "samedeal league --json"],
    )
    parser.add_argument(
        "--week", type=_week, metavar="WEEK", help="an ISO week, 2026-W49 (default: this week)"
    )
    add_lines(parser)
    add_json(parser)
    add_server(parser)


def _day(text: str) -> str:
    try:
        return day_text(text, now=time.time())
    except ValueError as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from refusal


def _week(text: str) -> str:
    typed = text.strip().upper()
    if re.fullmatch(r"\d{4}-W\d{2}", typed, re.ASCII) is None:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no week: write 2026-W49")
    return typed


def _daily(context: Context) -> Exit:
    if context.arguments.what != "play":
        return asyncio.run(_show(context))
    if context.arguments.json:
        raise Fault("--json goes with show and board, not with play", Exit.USAGE)
    return asyncio.run(_play(context))


async def _show(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    async with open_hall(context) as hall:
        sheet = await daily(hall, arguments.day, bots=arguments.bots, limit=arguments.top)
    if arguments.json:
        say_json(terminal, in_full(sheet))
    elif arguments.what == "board":
        terminal.say_all([*sheet_lines(sheet)[:1], *board_lines(sheet)])
        if sheet.attempt is not Attempt.PLAYED and sheet.closes_in_ms is not None:
            terminal.say_command("Play it:", context.settings.command("daily", "play"))
    else:
        terminal.say_all(sheet_lines(sheet))
        if sheet.attempt is not Attempt.PLAYED and sheet.closes_in_ms is not None:
            terminal.say_command("Play it:", context.settings.command("daily", "play"))
        elif not sheet.is_hidden:
            day = () if arguments.day is None else ("--day", spelt(sheet.day))
            terminal.say_command("Who did how:", context.settings.command("daily", "board", *day))
    return Exit.DONE


async def _play(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    async with open_hall(context) as hall:
        lines = Lines()
        if context.is_quiet and await lines.has_ended():
            await _keep_out(hall, arguments.day)
        sheet = await _enter(hall, arguments.day)
        if sheet.attempt is Attempt.PLAYED:
            raise Fault(
                "you have played today's deal, and there is one attempt: see who did how with "
                f"`{context.settings.command('daily', 'board')}`"
            )
        if sheet.race is None:
            raise AssertionError("who asks to join is told where")
        terminal.say_all(sheet_lines(sheet))
        await play_on(context, hall, sheet.race, lines)
        sheet = await daily(hall, sheet.day, bots=arguments.bots, limit=arguments.top)
        if sheet.attempt is Attempt.PLAYED:
            terminal.say_all([*sheet_lines(sheet), *board_lines(sheet)])
    return Exit.DONE


async def _keep_out(hall: Hall, day: str | None) -> None:
    """Takes no place for nobody: there is one attempt. Whoever has one already keeps it."""
    sheet = await daily(hall, day)
    if sheet.attempt is Attempt.NONE and sheet.closes_in_ms is not None:
        raise Fault("nobody is there to play: play at a terminal, or send the lines through a pipe")


async def _enter(hall: Hall, day: str | None) -> DailySheet:
    try:
        return await take_place(hall, day)
    except Refused as refusal:
        if refusal.code != ErrorCode.RACE_FULL.code:
            raise
        raise Fault(
            "so many want to play at this moment that no place is to be had: try once more"
        ) from refusal


def _league(context: Context) -> Exit:
    return asyncio.run(_tell_league(context))


async def _tell_league(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    async with open_hall(context) as hall:
        table = await league(hall, arguments.week, bots=arguments.bots, limit=arguments.top)
    if arguments.json:
        say_json(terminal, in_full(table))
    else:
        terminal.say_all(league_lines(table))
        if not table.lines and not table.is_over:
            terminal.say_command("Play today's deal:", context.settings.command("daily", "play"))
    return Exit.DONE
