"""The commands leaderboard and rating: who is strong, who is fast, who comes every day."""

from __future__ import annotations

import asyncio

from samedeal_client.boards import board_lines, first_step, leaderboard, ratings, sheet_lines
from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_json,
    add_lines,
    add_server,
    game_of,
    in_full,
    number_to,
    open_hall,
    race_code,
    say_json,
)
from samedeal_protocol.boards import Board

__all__ = ["add_to"]


def add_to(commands: Group) -> None:
    """Adds the commands."""
    parser = commands.add(
        "leaderboard",
        _leaderboard,
        "show who is rated highest, who was fastest, who comes every day",
        examples=[
            "samedeal leaderboard                        the strongest in all games",
            "samedeal leaderboard --game opus            the strongest in one",
            "samedeal leaderboard fastest --game opus",
            "samedeal leaderboard fastest --deal RACE    on the deal of a past race",
            "samedeal leaderboard streaks --bots",
            "samedeal leaderboard --from 21 --top 20 --json",
        ],
    )
    parser.add_argument(
        "board",
        nargs="?",
        choices=[board.value for board in Board],
        default=Board.RATING.value,
        help="default: rating",
    )
    parser.add_argument("--game", metavar="KEY", help="of this game, or key:variant, only")
    parser.add_argument(
        "--deal", type=race_code, metavar="RACE", help="of the fastest: on the deal of this race"
    )
    parser.add_argument(
        "--from", dest="first", type=_first, default=1, metavar="N", help="the first line to show"
    )
    add_lines(parser)
    add_json(parser)
    add_server(parser)

    parser = commands.add(
        "rating",
        _rating,
        "tell a player's ratings, best times and streak, and how the ratings last changed",
        examples=[
            "samedeal rating                     your own",
            "samedeal rating Ada",
            "samedeal rating Ada --game opus --json",
        ],
    )
    parser.add_argument("player", nargs="?", metavar="NAME", help="whose (default: your own)")
    parser.add_argument("--game", metavar="KEY", help="in this game, or key:variant, only")
    add_json(parser)
    add_server(parser)


def _first(text: str) -> int:
    return number_to(text, 1_000_000)


def _leaderboard(context: Context) -> Exit:
    arguments = context.arguments
    board = Board(arguments.board)
    if board is Board.FASTEST and arguments.game is None and arguments.deal is None:
        raise Fault("the fastest are told by game or by deal: add --game or --deal", Exit.USAGE)
    if board is not Board.FASTEST and arguments.deal is not None:
        raise Fault(
            "--deal goes with fastest: samedeal leaderboard fastest --deal RACE", Exit.USAGE
        )
    if board is Board.STREAKS and arguments.game is not None:
        raise Fault("streaks are over all games: leave --game out", Exit.USAGE)
    return asyncio.run(_show_board(context, board))


async def _show_board(context: Context, board: Board) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    game = None if arguments.game is None else game_of(arguments.game).key
    async with open_hall(context) as hall:
        page = await leaderboard(
            hall,
            board,
            game=game,
            deal=arguments.deal,
            bots=arguments.bots,
            offset=arguments.first - 1,
            limit=arguments.top,
        )
    if arguments.json:
        say_json(terminal, in_full(page))
    else:
        terminal.say_all(board_lines(page))
        step = first_step(page) if page.total == 0 and not page.bots else None
        if step is not None:
            terminal.say_command("Be the first:", context.settings.command(*step))
    return Exit.DONE


def _rating(context: Context) -> Exit:
    return asyncio.run(_show_sheet(context))


async def _show_sheet(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    game = None if arguments.game is None else game_of(arguments.game).key
    async with open_hall(context) as hall:
        sheet = await ratings(hall, arguments.player, game=game)
    if arguments.json:
        say_json(terminal, in_full(sheet))
    else:
        terminal.say_all(sheet_lines(sheet, game=game))
    return Exit.DONE
