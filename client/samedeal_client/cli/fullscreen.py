"""The command tui: the full-screen client. Textual is loaded by nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from samedeal_client.cli.codes import race_word
from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_phrase,
    add_server,
    game_of,
    race_code,
)
from samedeal_client.screen import forget_typed
from samedeal_rules import BadSeed
from samedeal_rules.shuffle import check_seed

if TYPE_CHECKING:
    from samedeal_client.tui.app import Opening

__all__ = ["add_to"]


def add_to(commands: Group) -> None:
    """Adds the command."""
    parser = commands.add(
        "tui",
        _tui,
        "play, watch and replay on a full screen, with mouse and keys",
        examples=[
            "samedeal tui                          the lobby",
            "samedeal tui RACE                     enter a race",
            "samedeal tui RACE --watch             watch it",
            "samedeal tui --tournament CODE        a tournament, and your races in it",
            "samedeal tui --game opus --seed 7     practise, without a server",
            "samedeal tui --replay friday.jsonl    step through a replay",
            "",
            "It needs Textual: pip install 'samedeal[tui]'. `samedeal play` needs nothing.",
        ],
    )
    parser.add_argument("race", nargs="?", type=race_word, metavar="RACE", help="the race's code")
    parser.add_argument("--watch", action="store_true", help="watch the race")
    parser.add_argument("--tournament", type=race_code, metavar="CODE", help="go to this one")
    parser.add_argument("--game", metavar="KEY", help="practise this game")
    parser.add_argument("--seed", help="the deal to practise (default: a new one)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="show this replay")
    add_phrase(parser)
    add_server(parser)


def _tui(context: Context) -> Exit:
    if find_spec("textual") is None:
        raise Fault(
            "the full-screen client needs Textual, which is not installed: "
            "pip install 'samedeal[tui]' (`samedeal play` does without)",
            Exit.USAGE,
        )
    with _starting(context):
        opening = _opening(context)
    if context.is_quiet:
        raise Fault(
            "the full-screen client needs a terminal; `samedeal play` takes lines through pipes",
            Exit.USAGE,
        )

    from samedeal_client.tui.app import Samedeal

    Samedeal(context, opening).run()
    return Exit.DONE


@contextmanager
def _starting(context: Context) -> Iterator[None]:
    """Says on a terminal that it starts while Textual is loaded; forgets what is typed then."""
    if context.is_quiet:
        yield
        return
    context.terminal.write("samedeal is starting ...")
    try:
        yield
    finally:
        context.terminal.write("\r\x1b[K")
        forget_typed()


def _opening(context: Context) -> Opening:
    """What the command line asks to be opened. Raises `Fault` where that cannot be."""
    from samedeal_client.tui.app import Opening

    arguments = context.arguments
    practised = arguments.game or arguments.seed
    asked = [arguments.race, arguments.tournament, practised, arguments.replay]
    if sum(each is not None for each in asked) > 1:
        raise Fault(
            "name a race, a tournament, a game to practise or a replay, and one of them only",
            Exit.USAGE,
        )
    if (arguments.watch or arguments.phrase is not None) and arguments.race is None:
        raise Fault("--watch and --phrase go with a race's code", Exit.USAGE)
    if arguments.seed is not None and arguments.game is None:
        raise Fault("--seed goes with --game KEY (`samedeal games` lists the keys)", Exit.USAGE)
    try:
        return Opening(
            race=arguments.race,
            tournament=arguments.tournament,
            phrase=arguments.phrase,
            watches=arguments.watch,
            game=None if arguments.game is None else game_of(arguments.game),
            seed=None if arguments.seed is None else check_seed(arguments.seed),
            replay=None if arguments.replay is None else arguments.replay.read_bytes(),
        )
    except BadSeed as refusal:
        raise Fault(str(refusal)) from refusal
    except OSError as refusal:
        raise Fault(f"cannot read {arguments.replay}: {refusal.strerror}") from refusal
