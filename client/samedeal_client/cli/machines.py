"""The command bot: an honest bot that enters a race like anybody else."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial

import msgspec

from samedeal_client.bots import BOTS, play_out, play_tournament
from samedeal_client.cli.codes import race_word
from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_json,
    add_phrase,
    add_server,
    game_of,
    in_full,
    open_hall,
    race_code,
    say_json,
)
from samedeal_client.client import Hall
from samedeal_client.cups.tables import standings_lines
from samedeal_client.cups.touring import enter
from samedeal_client.entrance import named_alike, opened
from samedeal_client.errors import Refused
from samedeal_client.run import Run
from samedeal_client.telling import standings_table
from samedeal_client.tokens import Tokens
from samedeal_protocol.messages import Standing
from samedeal_protocol.terms import Mode, Terms

__all__ = ["accompany", "add_to"]

_COMPANION_PACE = 1.0
"""Seconds that a bot takes for a move when it keeps a person company."""
_HURRY = 0.05
"""When nobody waits for its moves; well within what a server takes."""


def add_to(commands: Group) -> None:
    """Adds the command."""
    parser = commands.add(
        "bot",
        _bot,
        "let a bot enter a race and play it",
        examples=[
            "samedeal bot greedy RACE",
            "samedeal bot patient RACE --pace 0.5",
            "samedeal bot random --new forty-thieves     opens a race and waits for a rival",
            "samedeal bot patient --tournament CODE      plays a whole tournament",
        ],
    )
    parser.add_argument("bot", choices=sorted(BOTS), help="how it plays")
    parser.add_argument("race", nargs="?", type=race_word, metavar="RACE", help="the race's code")
    parser.add_argument("--new", metavar="GAME", help="open a race of this game instead")
    parser.add_argument(
        "--tournament", type=race_code, metavar="CODE", help="play a whole tournament instead"
    )
    parser.add_argument(
        "--pace", type=float, default=0.0, metavar="SECONDS", help="before every move, default 0"
    )
    parser.add_argument("--luck", metavar="TEXT", help="the seed of the bot's own choices")
    add_phrase(parser)
    add_json(parser)
    add_server(parser)


def _bot(context: Context) -> Exit:
    arguments = context.arguments
    if [arguments.race, arguments.new, arguments.tournament].count(None) != 2:
        raise Fault(
            "name the race that the bot enters, a game with --new, or a --tournament", Exit.USAGE
        )
    if not 0 <= arguments.pace <= 3600:
        raise Fault("--pace is in seconds, from 0 to 3600", Exit.USAGE)
    return asyncio.run(_let_play(context) if arguments.tournament is None else _let_tour(context))


async def _let_tour(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    seed = arguments.luck or secrets.token_hex(8)
    async with (
        _hall_of_bot(context, context.settings.name or arguments.bot) as hall,
        hall.tournament(arguments.tournament) as cup,
    ):
        await enter(cup, phrase=arguments.phrase)
        if not arguments.json:
            terminal.say(f"{hall.name} plays {cup.terms.name}.")
        await play_tournament(hall, cup, arguments.bot, pace=arguments.pace, seed=seed)
        table, sheet = await cup.standings(), cup.sheet
    if arguments.json:
        say_json(terminal, in_full(table))
    else:
        terminal.say_all(standings_lines(table, sheet, width=terminal.width))
    return Exit.DONE


async def _let_play(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    async with _hall_of_bot(context, context.settings.name or arguments.bot) as hall:
        if arguments.race is None:
            async with opened(hall, Terms(game=game_of(arguments.new).key)) as race:
                enter_it = context.settings.command_for_others("play", race)
                terminal.say_command(f"{hall.name} waits in {race}. Enter with:", enter_it)
                goal, standings = await _play_race(context, hall, race)
        else:
            goal, standings = await _play_race(context, hall, arguments.race)
    if arguments.json:
        say_json(terminal, msgspec.to_builtins(standings))
    else:
        terminal.say_all(standings_table(standings, goal))
    return Exit.DONE


async def _play_race(context: Context, hall: Hall, race: str) -> tuple[int, tuple[Standing, ...]]:
    """Plays the race out; returns how many cards there are to bring home, and the standings."""
    arguments = context.arguments
    bot = BOTS[arguments.bot](arguments.luck or secrets.token_hex(8))
    async with hall.join(race, phrase=arguments.phrase) as run:
        goal = game_of(run.terms.game).goal
        if not arguments.json:
            context.terminal.say(f"{hall.name} has entered {race}.")
        await play_out(run, bot, pace=arguments.pace)
        if run.terms.mode is Mode.LIVE:
            return goal, await run.over()
        return goal, (await hall.results(race)).standings


async def accompany(context: Context, bot: str, race: str) -> None:
    """Plays a race, and every rematch that is asked for, until it is cancelled.

    Its token is kept until the race is over, so that it comes back to its place with its player.
    """
    kept = Tokens(context.settings.home / "rivals", context.settings.server)
    async with _hall_of_bot(context, bot, token=kept.of(race), is_silent=True) as hall:
        while True:
            kept.keep(race, hall.token)
            async with _entered(context, hall, bot, race) as run:
                try:
                    await play_out(run, BOTS[bot](race), pace=partial(_companion_pace, run))
                    again = await _rematch(run)
                finally:
                    if run.is_over:
                        kept.forget(race)
            race = again


@asynccontextmanager
async def _entered(context: Context, hall: Hall, bot: str, race: str) -> AsyncIterator[Run]:
    async with AsyncExitStack() as stack:
        try:
            run = await stack.enter_async_context(hall.join(race, phrase=context.arguments.phrase))
        except Refused as refusal:
            alone = context.settings.command("play", race)
            raise Fault(
                f"{bot} cannot enter {race}: {refusal}; play on without it: `{alone}`"
            ) from refusal
        yield run


async def _rematch(run: Run) -> str:
    """Waits for the rematch of a race that is over, and returns its code."""
    async for _ in run.changes():
        if run.rematch_race is not None:
            return run.rematch_race
    raise AssertionError("a race is followed until its hall is closed")


def _companion_pace(run: Run) -> float:
    """Nobody has to wait for a bot that has only bots to race against."""
    racing = (each for each in run.entrants.values() if each.state in ("racing", "hidden"))
    return _COMPANION_PACE if any(not each.bot for each in racing) else _HURRY


def _hall_of_bot(
    context: Context, base: str, *, token: str | None = None, is_silent: bool = False
) -> AbstractAsyncContextManager[Hall]:
    """Connects as the bot that has the token, else under `base` or the next name that is free."""
    if token is not None:
        return open_hall(context, bot=True, token=token, is_silent=is_silent)
    return named_alike(
        base, lambda name: open_hall(context, bot=True, name=name, is_silent=is_silent)
    )
