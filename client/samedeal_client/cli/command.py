"""The command `samedeal`: what there is, and what every way to end comes to."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Final, NoReturn

from samedeal_client.cli.codes import joined
from samedeal_client.cli.parts import Context, Exit, Fault, Group, Parser
from samedeal_client.errors import ClientError, Closed
from samedeal_client.settings import Settings, as_run
from samedeal_client.terminal import CannotWrite, Terminal
from samedeal_rules import RulesError

__all__ = ["COMMANDS", "guarded", "main", "parser"]

COMMANDS: Final[Mapping[str, str]] = {
    "play": "playing",
    "tui": "fullscreen",
    "daily": "daily",
    "league": "daily",
    "race": "races",
    "results": "races",
    "tournament": "tournaments",
    "leaderboard": "boards",
    "rating": "boards",
    "watch": "watching",
    "bot": "machines",
    "replay": "records",
    "verify": "records",
    "games": "rulebook",
    "rules": "rulebook",
    "deal": "rulebook",
    "perft": "rulebook",
    "engine": "rulebook",
}
"""Every command, as `--help` lists them, and the module that has it. Only that one is loaded."""

_EPILOG = """\
a race, in two terminals:
  samedeal-server serve                                     serve at 127.0.0.1:8642
  samedeal race new forty-thieves --seed friday-night --join
  samedeal bot greedy RACE                                  somebody to race against

exit codes: 0 done, 1 refused or not verified, 2 wrong usage, 3 no server, 130 interrupted
environment: SAMEDEAL_SERVER, SAMEDEAL_NAME, SAMEDEAL_HOME (tokens), NO_COLOR
"""

_COMMAND: Final = re.compile(r"`[^`]+`")
"""What a fault tells to type."""


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Returns the parser of one command's module, or of all of them."""
    top = Parser(
        prog="samedeal",
        description="Solitaire races: everyone gets the same deal, the server judges every move.",
        epilog=as_run(_EPILOG, sys.argv[0]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action=_ShowVersion, help="show which version this is")
    top.set_defaults(parser=top)
    commands = Group(top)
    wanted = COMMANDS.values() if command is None else (COMMANDS[command],)
    for name in dict.fromkeys(wanted):
        import_module(f"samedeal_client.cli.{name}").add_to(commands)
    return top


class _ShowVersion(argparse.Action):
    """Looks the version up only for whoever asks: that takes a tenth of a start."""

    def __init__(self, option_strings: Sequence[str], dest: str, *, help: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *given: object) -> NoReturn:
        metadata = import_module("importlib.metadata")
        try:
            found = metadata.version("samedeal")
        except metadata.PackageNotFoundError:
            found = "(not installed)"
        sys.stdout.write(f"samedeal {found}\n")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code; says a fault in one line."""
    given = [_as_typed(word) for word in (sys.argv[1:] if argv is None else argv)]
    return guarded(lambda: _run(given))


def _as_typed(word: str) -> str:
    """What the shell passed on: players write UTF-8, whatever the locale makes of it."""
    return os.fsencode(word).decode("utf-8", "replace")


def _run(given: Sequence[str]) -> int:
    first = next((word for word in given if not word.startswith("-")), None)
    grammar = parser(first if first in COMMANDS else None)
    arguments, unknown = grammar.parse_known_args(joined(given))
    if unknown:
        arguments.parser.refuse(unknown[0])
    is_terminal = sys.stdout.isatty()
    settings = Settings.of(
        os.environ,
        server=getattr(arguments, "server", None),
        name=getattr(arguments, "name", None),
        is_terminal=is_terminal,
        program=sys.argv[0],
    )
    context = Context(
        arguments=arguments,
        settings=settings,
        terminal=Terminal.standard(has_colour=settings.has_colour),
        is_quiet=not (is_terminal and sys.stdin is not None and sys.stdin.isatty()),
    )
    code: int = arguments.handler(context)
    return code


def guarded(run: Callable[[], int]) -> int:
    """Runs a program and returns its exit code; every fault a person can mend is one line."""
    try:
        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _fail("interrupted", Exit.INTERRUPTED)
    except BrokenPipeError:
        return _broken_pipe()
    except CannotWrite as fault:
        return _cannot_write(fault)
    except Fault as fault:
        return _fail(str(fault), fault.code)
    except (ClientError, RulesError) as fault:
        return _fail(str(fault), _exit_of(fault))
    except BaseExceptionGroup as group:
        return _end_of_group(group)
    return code


def _end_of_group(group: BaseExceptionGroup[BaseException]) -> int:
    """What happened in tasks side by side comes to the gravest of it."""
    interrupted, rest = group.split(KeyboardInterrupt)
    if interrupted is not None:
        return _fail("interrupted", Exit.INTERRUPTED)
    for kind in (BrokenPipeError, CannotWrite, Fault, ClientError):
        found, others = group.split(kind)
        if found is None or others is not None:
            continue
        fault = _first(found)
        if isinstance(fault, BrokenPipeError):
            return _broken_pipe()
        if isinstance(fault, CannotWrite):
            return _cannot_write(fault)
        code = fault.code if isinstance(fault, Fault) else _exit_of(fault)
        return _fail(str(fault), code)
    raise group if rest is None else rest


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    fault: BaseException = group
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return fault


def _exit_of(fault: BaseException) -> Exit:
    return Exit.UNREACHABLE if isinstance(fault, Closed) else Exit.REFUSED


def _fail(sentence: str, code: Exit) -> int:
    """Says a fault in one line on standard error, after all that was printed before it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _broken_pipe()
    line = " ".join(sentence.split())
    start = "\n" if code is Exit.INTERRUPTED and sys.stderr.isatty() else ""
    said = _COMMAND.sub(lambda found: as_run(found[0], sys.argv[0]), line)
    sys.stderr.write(f"{start}samedeal: {said}\n")
    return code


def _broken_pipe() -> int:
    """Nobody reads any more."""
    _write_no_more()
    return Exit.BROKEN_PIPE


def _cannot_write(fault: CannotWrite) -> int:
    _write_no_more()
    return _fail(str(fault), Exit.REFUSED)


def _write_no_more() -> None:
    """Sees to it that what is still buffered is no second fault at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
