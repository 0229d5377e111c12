"""What the commands share: options, exit codes, faults of one line, and the way into a hall."""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
import textwrap
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NoReturn, Protocol

import msgspec

from samedeal_client.cli.codes import race_code, race_word
from samedeal_client.client import Hall, Link, connect
from samedeal_client.errors import GaveUpConnecting, Refused
from samedeal_client.settings import Settings, as_run
from samedeal_client.terminal import Terminal
from samedeal_client.tokens import Tokens
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import Notice
from samedeal_rules import GAMES, Game, UnknownGame, find, meant

__all__ = [
    "Context",
    "Exit",
    "Fault",
    "Group",
    "Parser",
    "add_json",
    "add_lines",
    "add_phrase",
    "add_race",
    "add_server",
    "add_tournament",
    "game_of",
    "in_full",
    "number_to",
    "open_hall",
    "pass_phrase",
    "race_code",
    "say_json",
]


_WIDE: Final = 78
"""How wide help may be, so that it fits any terminal."""


class Exit(IntEnum):
    """What the command's exit code says."""

    DONE = 0
    REFUSED = 1
    """Something was refused, or a check failed."""
    USAGE = 2
    """The command line could not be understood."""
    UNREACHABLE = 3
    """No server answered, or it went away for good."""
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class Fault(Exception):
    """The command cannot go on; `sentence` is one line that says what to do."""

    def __init__(self, sentence: str, code: Exit = Exit.REFUSED) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True, slots=True)
class Context:
    """What a command is given: its arguments, the settings, where to write."""

    arguments: argparse.Namespace
    settings: Settings
    terminal: Terminal
    is_quiet: bool
    """Nobody types at a screen: input or output is a pipe."""


class Handler(Protocol):
    """One command."""

    def __call__(self, context: Context) -> Exit: ...


class Group:
    """A parser's subcommands; each has a line of help and examples."""

    def __init__(self, parser: argparse.ArgumentParser, *, metavar: str = "COMMAND") -> None:
        self._parsers = parser.add_subparsers(metavar=metavar)
        parser.set_defaults(handler=lambda context: _help(parser))

    def add(
        self, name: str, handler: Handler | None, sentence: str, *, examples: Sequence[str]
    ) -> argparse.ArgumentParser:
        """Adds a command; without a handler it is a group itself."""
        parser = self._parsers.add_parser(
            name,
            help=sentence,
            description=textwrap.fill(f"{sentence[0].upper()}{sentence[1:]}.", _WIDE),
            epilog=textwrap.indent(_as_run("\n".join(["examples:", *examples])), "  ").lstrip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.set_defaults(parser=parser)
        if handler is not None:
            parser.set_defaults(handler=handler)
        return parser


def _as_run(text: str) -> str:
    return as_run(text, sys.argv[0])


def _help(parser: argparse.ArgumentParser) -> Exit:
    """Shows what there is to whoever named a group and none of its commands."""
    sys.stderr.write(parser.format_help())
    return Exit.USAGE


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with a command line, and the nearest that there is."""

    see = "{prog} --help"
    """What to type to learn more."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if wrong is not None:
            choices = [choice.strip("' ") for choice in wrong[2].split(",")]
            near = difflib.get_close_matches(wrong[1], choices, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(choices)}"
            message = f"{wrong[1][:40]!r} is not understood: {hint}"
        see = " See" if message.endswith("?") else "; see"
        raise Fault(f"{message}{see} `{self.see.format(prog=self.prog)}`", Exit.USAGE)

    def refuse(self, word: str) -> NoReturn:
        """Says that a word is not understood, and which option may have been meant: one that is
        spelt like it, or that is about it."""
        option = word.partition("=")[0]
        if not option.startswith("-"):
            self.error(f"{word[:40]!r} is a word too many")
        about = re.compile(rf"\b{re.escape(option.lstrip('-'))}\b")
        flags = [flag for action in self._actions for flag in action.option_strings]
        near = difflib.get_close_matches(option, flags, n=1, cutoff=0.7) or [
            action.option_strings[-1]
            for action in self._actions
            if action.option_strings and about.search(action.help or "")
        ]
        hint = f": did you mean {' or '.join(near)}?" if near else ""
        self.error(f"{option[:40]!r} is no option of {self.prog}{hint}")


def add_server(parser: argparse.ArgumentParser) -> None:
    """Adds --server and --name."""
    parser.add_argument(
        "--server",
        type=_named,
        metavar="URL",
        help="ws://HOST:PORT of the server (else $SAMEDEAL_SERVER, else ws://127.0.0.1:8642)",
    )
    parser.add_argument(
        "--name",
        type=_named,
        metavar="NAME",
        help="the name to play under (else $SAMEDEAL_NAME, else the guest you were before)",
    )


def _named(text: str) -> str:
    """What an option names. Nothing is no name, and does not mean the usual one."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty: leave the option out, or name something")
    return text


def add_race(parser: argparse.ArgumentParser) -> None:
    """Adds the code of a race."""
    parser.add_argument("race", type=race_word, metavar="RACE", help="the race's code")


def add_tournament(parser: argparse.ArgumentParser) -> None:
    """Adds the code of a tournament."""
    parser.add_argument("tournament", type=race_code, metavar="CODE", help="the tournament's code")


def add_lines(parser: argparse.ArgumentParser) -> None:
    """Adds whose lines of a board, and how many."""
    parser.add_argument("--bots", action="store_true", help="the bots, who are ranked apart")
    parser.add_argument(
        "--top", type=_top, default=20, metavar="N", help="lines to show, 1-100 (default 20)"
    )


def number_to(text: str, most: int) -> int:
    """A number from 1 to so many, as it is typed."""
    if text.isascii() and text.isdigit() and len(text) <= 7 and 1 <= int(text) <= most:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number from 1 to {most}")


def _top(text: str) -> int:
    return number_to(text, 100)


def add_phrase(parser: argparse.ArgumentParser) -> None:
    """Adds --phrase."""
    parser.add_argument(
        "--phrase", type=pass_phrase, metavar="WORDS", help="the race's pass phrase, if it has one"
    )


def pass_phrase(text: str) -> str:
    """A pass phrase, which is never empty."""
    if not text:
        raise argparse.ArgumentTypeError("a pass phrase has at least one character")
    return text


def add_json(parser: argparse.ArgumentParser) -> None:
    """Adds --json."""
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")


def game_of(text: str) -> Game:
    """Returns the game of that key or name; an unknown one is a fault that names the nearest."""
    try:
        return meant(text) or find(text)
    except UnknownGame as refusal:
        raise Fault(f"{refusal} (`samedeal games` lists all {len(GAMES)})") from refusal


def say_json(terminal: Terminal, value: object) -> None:
    """Prints a value as JSON."""
    for_screen = terminal.is_live  # there, what others wrote must not take hold of the terminal
    terminal.write(json.dumps(value, indent=2, ensure_ascii=for_screen) + "\n")


def in_full(value: object) -> object:
    """Returns a message as JSON's own kinds, with the fields that the wire leaves out as usual."""
    if isinstance(value, msgspec.Struct):
        return {name: in_full(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, list | tuple):
        return [in_full(each) for each in value]
    return msgspec.to_builtins(value)


@asynccontextmanager
async def open_hall(
    context: Context,
    *,
    bot: bool = False,
    name: str | None = None,
    token: str | None = None,
    is_silent: bool = False,
    patience: float = 60.0,
    say: Callable[[str], None] | None = None,
) -> AsyncIterator[Hall]:
    """Connects as the player that the settings name, with the token that was kept for them.

    A bot is a new guest each time, under `name`, unless it has a `token`. What becomes of the
    connection is told, unless somebody else tells it: then this one is silent. `say` tells it
    elsewhere than on the terminal. `patience` is how many seconds an outage may last.
    """
    say = say or context.terminal.say
    settings = context.settings
    tokens = Tokens(settings.home, settings.server)
    wanted = name if bot else settings.name
    token = token if bot else tokens.of(wanted)
    was_there = False
    while True:
        try:
            connecting = connect(
                settings.server,
                name=wanted,
                token=token,
                bot=bot,
                legal=not bot,
                client="samedeal",
                patience=patience,
                first_patience=0.0,
                on_link=None if is_silent else _link_teller(say),
                on_notice=None if is_silent else _notice_teller(say),
            )
        except ValueError as refusal:
            raise Fault(f"--server: {refusal}", Exit.USAGE) from refusal
        try:
            async with connecting as hall:
                was_there = True
                if not bot:
                    tokens.keep(wanted, hall.token)
                yield hall
                return
        except GaveUpConnecting as refusal:
            if was_there:
                raise
            raise Fault(
                f"no server answers at {settings.server}: start one with `samedeal-server serve`, "
                "or name another with --server",
                Exit.UNREACHABLE,
            ) from refusal
        except Refused as refusal:
            if was_there or token is None or refusal.code != ErrorCode.BAD_TOKEN.code:
                hint = None if bot else _hint(refusal, context.arguments)
                if hint is None:
                    raise
                raise Fault(hint) from refusal
            if not bot:
                tokens.forget(wanted)
            token = None


def _hint(refusal: Refused, arguments: argparse.Namespace) -> str | None:
    """The refusal with what would have helped, where the command line has it."""
    race = getattr(arguments, "race", None)
    match refusal.code:
        case ErrorCode.NAME_TAKEN.code:
            return f"{refusal} with --name"
        case ErrorCode.NO_SUCH_RACE.code if race and race.startswith("cup-"):
            return f"{race[:40]!r} is a tournament: see `samedeal tournament --help`"
        case ErrorCode.NO_SUCH_RACE.code if race:
            return f"{refusal}, {race[:40]!r}: `samedeal race list` shows those that are open"
        case ErrorCode.NO_SUCH_TOURNAMENT.code:
            return f"{refusal}: `samedeal tournament list` shows those that there are"
        case ErrorCode.WRONG_PHRASE.code if hasattr(arguments, "tournament"):
            return "to register one needs the pass phrase: give it with --phrase"
        case ErrorCode.WRONG_PHRASE.code if getattr(arguments, "phrase", None) is None:
            return "the race has a pass phrase: give it with --phrase"
        case _:
            return None


def _link_teller(say: Callable[[str], None]) -> Callable[[Link], None]:
    """Tells once when a connection is lost, and when one has come back."""
    was_up = is_lost = False

    def tell(link: Link) -> None:
        nonlocal was_up, is_lost
        if was_up and link.is_up == is_lost:
            say(f"* {link.sentence}")
        was_up = was_up or link.is_up
        is_lost = not link.is_up

    return tell


def _notice_teller(say: Callable[[str], None]) -> Callable[[Notice], None]:
    return lambda notice: say(f"* {notice.message}")
