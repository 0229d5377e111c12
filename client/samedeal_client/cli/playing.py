"""The command play: a race on a server, practice offline, or the choice between them."""

from __future__ import annotations

import argparse
import asyncio
import secrets

from samedeal_client.bots import BOTS
from samedeal_client.cli.codes import race_word
from samedeal_client.cli.machines import accompany
from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_phrase,
    add_server,
    game_of,
    open_hall,
    race_code,
)
from samedeal_client.client import Hall
from samedeal_client.errors import Refused
from samedeal_client.practice import practise
from samedeal_client.sitting import play_race
from samedeal_client.telling import terms_text
from samedeal_client.terminal import Lines
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.terms import Terms, Visibility
from samedeal_rules import GAMES, BadSeed, Game, meant
from samedeal_rules.shuffle import check_seed

__all__ = ["add_join_options", "add_to", "enter_and_play", "play_on"]


def add_to(commands: Group) -> None:
    """Adds the command."""
    parser = commands.add(
        "play",
        _play,
        "play a race in the terminal, or practise offline",
        examples=[
            "samedeal play                       choose from what there is",
            "samedeal play RACE                  enter a race",
            "samedeal play --game forty-thieves  practise alone, without a server",
            "samedeal play --game opus --seed friday-night",
            "samedeal play --game opus --against greedy     race a bot, on the server",
            "samedeal play RACE --against greedy            come back to it, with the bot",
            "",
            "While you play, type help. Through a pipe it reads the same lines:",
            r"  printf 'ready\n3f\nwait\n' | samedeal play RACE",
        ],
    )
    parser.add_argument("race", nargs="?", type=race_word, metavar="RACE", help="the race's code")
    parser.add_argument("--game", metavar="KEY", help="practise this game offline")
    parser.add_argument("--seed", help="the deal to practise (default: a new one)")
    parser.add_argument(
        "--against",
        choices=sorted(BOTS),
        help="race a bot, on the server, at once; it leaves with you, and comes back with you",
    )
    add_join_options(parser)
    add_server(parser)


def add_join_options(parser: argparse.ArgumentParser) -> None:
    """Adds what goes with entering a race."""
    add_phrase(parser)
    parser.add_argument("--ready", action="store_true", help="be ready at once")


def _play(context: Context) -> Exit:
    arguments = context.arguments
    if arguments.race is not None and (arguments.game, arguments.seed) != (None, None):
        raise Fault("name a race to enter or a game to practise, not both", Exit.USAGE)
    if arguments.against is not None:
        return asyncio.run(_race_a_bot(context))
    if arguments.race is not None:
        return asyncio.run(enter_and_play(context))
    if arguments.game is not None or arguments.seed is not None:
        game = _no_game() if arguments.game is None else game_of(arguments.game)
        return asyncio.run(_practise(context, game, arguments.seed))
    return asyncio.run(_choose(context))


def _no_game() -> Game:
    raise Fault(
        "--seed and --against go with --game KEY (`samedeal games` lists the keys)", Exit.USAGE
    )


async def enter_and_play(context: Context) -> Exit:
    """Enters the race that was typed, and plays in it."""
    async with open_hall(context) as hall:
        await play_on(context, hall, context.arguments.race)
    return Exit.DONE


async def _race_a_bot(context: Context) -> Exit:
    """Enters a race, or opens one for two, and has the bot keep the player company in it."""
    rival = context.arguments.against
    async with open_hall(context) as hall, asyncio.TaskGroup() as tasks:
        race = context.arguments.race or await _opened_for_two(context, hall)
        company = tasks.create_task(accompany(context, rival, race), name="company")
        await play_on(context, hall, race, is_ready=True, rival=rival)
        company.cancel()
    return Exit.DONE


async def _opened_for_two(context: Context, hall: Hall) -> str:
    arguments = context.arguments
    game = _no_game() if arguments.game is None else game_of(arguments.game)
    terms = Terms(game=game.key, entrants_max=2, visibility=Visibility.UNLISTED)
    return await hall.create(terms, seed=arguments.seed)


async def play_on(
    context: Context,
    hall: Hall,
    race: str,
    lines: Lines | None = None,
    *,
    is_ready: bool = False,
    rival: str | None = None,
) -> None:
    """Plays a race, and then the rematches for as long as the player asks for them.

    `rival` is the bot that this program has brought along: it leaves with the player.
    """
    lines = lines or Lines()
    following: str | None = race
    while following is not None:
        race = following
        try:
            following = await play_race(
                context.terminal,
                hall,
                race,
                lines,
                is_quiet=context.is_quiet,
                phrase=context.arguments.phrase,
                is_ready=is_ready or context.arguments.ready,
                rival=rival,
                settings=context.settings,
            )
        except Refused as refusal:
            if refusal.code in (ErrorCode.NOT_OPEN.code, ErrorCode.RACE_FULL.code):
                watch = context.settings.command("race", "watch", race)
                raise Fault(f"{refusal}: watch it with `{watch}`") from refusal
            raise


async def _practise(
    context: Context, game: Game, seed: str | None, lines: Lines | None = None
) -> Exit:
    try:
        seed = check_seed(secrets.token_hex(4) if seed is None else seed)
    except BadSeed as refusal:
        raise Fault(str(refusal)) from refusal
    await practise(
        context.terminal,
        game,
        seed,
        lines or Lines(),
        is_quiet=context.is_quiet,
        settings=context.settings,
    )
    return Exit.DONE


async def _choose(context: Context) -> Exit:
    """Shows what there is to play, and takes the first line as the choice."""
    lines = Lines()
    try:
        async with open_hall(context) as hall:
            return await _choose_in(context, hall, lines)
    except Fault as fault:
        if fault.code is not Exit.UNREACHABLE:
            raise
        context.terminal.say(f"Offline: {fault}.")
    return await _choose_game(context, lines)


async def _choose_in(context: Context, hall: Hall, lines: Lines) -> Exit:
    terminal = context.terminal
    cards = [card for card in await hall.list() if card.phase in ("open", "countdown")]
    terminal.say(f"You are {hall.name}, on {context.settings.server}.")
    for card in cards:
        entered = ", ".join(card.entrants) or "nobody yet"
        terminal.say(f"  {card.race}  {terms_text(card.terms)}; entered: {entered}")
    terminal.say(
        "Type a race's code to enter it, new GAME to open one, or GAME to practise alone; "
        "games lists them."
    )
    while (line := await lines.next()) is not None:
        word, _, rest = line.strip().partition(" ")
        match word.lower():
            case "":
                continue
            case "quit" | "q" | "exit":
                return Exit.DONE
            case "games":
                _tell_games(context)
            case "new" if (game := meant(rest)) is not None:
                race = await hall.create(Terms(game=game.key))
                enter = context.settings.command_for_others("play", race)
                terminal.say_command(f"Opened {race}. A rival enters with:", enter)
                if hall.limits.house_bots:
                    terminal.say("Or a bot of the server's: type bot greedy.")
                else:
                    bot = context.settings.command_for_others("bot", "greedy", race)
                    terminal.say_command("Or a bot, from another terminal:", bot)
                await play_on(context, hall, race, lines)
                return Exit.DONE
            case "new":
                terminal.say(f"{rest.strip()[:40]!r} is no game: games lists them")
            case _ if (game := meant(line)) is not None:
                return await _practise(context, game, None, lines)
            case _:
                try:
                    await play_on(context, hall, race_code(line), lines)
                except (Fault, Refused) as refusal:
                    terminal.say(f"No: {refusal}")
                    continue
                return Exit.DONE
    return Exit.DONE


async def _choose_game(context: Context, lines: Lines) -> Exit:
    context.terminal.say("Type a game to practise alone; games lists them.")
    while (line := await lines.next()) is not None:
        word = line.strip().lower()
        game = meant(word)
        if game is not None:
            return await _practise(context, game, None, lines)
        if word in ("quit", "q", "exit"):
            return Exit.DONE
        if word == "games":
            _tell_games(context)
        elif word:
            context.terminal.say(f"{word[:40]!r} is no game: games lists them")
    return Exit.DONE


def _tell_games(context: Context) -> None:
    context.terminal.say_all(f"  {game.key:20}  {game.name}" for game in GAMES)
