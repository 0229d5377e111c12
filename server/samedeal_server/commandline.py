"""What may be typed behind samedeal-server, and how its help reads; it is carried out in `cli`."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn, TypeAlias

from samedeal_server.settings import ENVIRONMENT, SETTINGS, default_of
from samedeal_server.version import VERSION

__all__ = ["BadCommandLine", "parse"]

_EXAMPLES: Final = """\
examples:
  samedeal-server serve --listen 127.0.0.1:8642 --data data
  samedeal-server serve --listen 0.0.0.0:8642 --data /var/lib/samedeal --drain 120
  samedeal-server serve --config samedeal.toml
  samedeal-server migrate --store postgresql://samedeal@10.0.0.6/samedeal
  samedeal-server backup --to monday.samedeal.gz --data data
  samedeal-server restore --from monday.samedeal.gz --store postgresql://samedeal@10.0.0.6/samedeal
  samedeal-server check --data data
  samedeal-server annul brisk-otter-42 --reason "two at one board" --dry-run
"""

_SERVE_NOTES: Final = f"""\
Each setting is its flag, else the environment's {ENVIRONMENT}NAME ({ENVIRONMENT}LISTEN,
{ENVIRONMENT}DATA, ...), else the key of the same name in the TOML file, else its default.

{_EXAMPLES}"""

_STORE_NOTES: Final = f"""\
Where it is may also come from {ENVIRONMENT}STORE, {ENVIRONMENT}DATA or --config, as for `serve`."""

_CHECK_NOTES: Final = f"""\
{_STORE_NOTES}

exit codes: 0 all in order, 1 something is wrong, 2 the store cannot be read

examples:
  samedeal-server check --data data
  samedeal-server check --store postgresql://samedeal@10.0.0.6/samedeal
  samedeal-server check --backup monday.samedeal.gz
  samedeal-server check --tournament cup.jsonl
"""

_BACKUP_NOTES: Final = f"""\
{_STORE_NOTES}
Keep the file to yourself: it has the deals of running races.

examples:
  samedeal-server backup --to monday.samedeal.gz --data data
  samedeal-server backup --to monday.samedeal.gz --store postgresql://samedeal@10.0.0.6/samedeal
"""

_RESTORE_NOTES: Final = f"""\
{_STORE_NOTES}
A PostgreSQL needs its tables first: `samedeal-server migrate --store URL`.

examples:
  samedeal-server restore --from monday.samedeal.gz --data data
  samedeal-server restore --from monday.samedeal.gz --store postgresql://samedeal@10.0.0.6/samedeal
"""

_ANNUL_NOTES: Final = f"""\
{_STORE_NOTES}
Servers may be running: they take the ruling up within seconds. Race, reason and differences are
published at /api/v1/annulments.

examples:
  samedeal-server annul brisk-otter-42 --reason "two at one board" --dry-run
  samedeal-server annul brisk-otter-42 --reason "two at one board" --data data
  samedeal-server annul brisk-otter-42 --undo --reason "it was another race"
"""


class BadCommandLine(Exception):
    """Something was typed that is not understood; the message is one line that says what to do."""


def parse(given: Sequence[str]) -> argparse.Namespace:
    """Returns what was typed: `command`, and its flags by name; raises `BadCommandLine`.

    Without a command it prints the help, and `command` is None.
    """
    parser, commands = _command_line()
    known, unknown = parser.parse_known_args(given)
    if unknown:
        raise BadCommandLine(_unknown(unknown[0], commands.choices.get(known.command, parser)))
    if known.command is None:
        parser.print_help()
    if getattr(known, "head", None) is not None and known.tournament is None:
        raise BadCommandLine(
            "--head is compared with one tournament's log: say --tournament FILE as well"
        )
    return known


# --- the commands ------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Takes flags in full only, and says what is wrong with a command line in one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )

    def error(self, message: str) -> NoReturn:
        message = re.sub(
            r"argument .*: invalid choice: ('.*') \(choose from (.*)\)",
            r"\1 is not understood; there are \2",
            message,
        )
        raise BadCommandLine(f"{message}; see `{self.prog} --help`")


_Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"


def _command_line() -> tuple[_Parser, _Commands]:
    """Returns what understands a command line, and each command's own part of it."""
    parser = _Parser(
        prog="samedeal-server",
        description="Solitaire races on the same deal: the server.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("--version", action="version", version=f"samedeal-server {VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")
    _add_serve(commands)
    _add_check(commands)
    _add_backup(commands)
    _add_restore(commands)
    _add_migrate(commands)
    _add_annul(commands)
    return parser, commands


def _add_serve(commands: _Commands) -> None:
    serve = commands.add_parser(
        "serve",
        help="open, judge and keep races until SIGTERM or Ctrl-C",
        description="Serves races until SIGTERM or Ctrl-C, then lets running ones end.",
        usage="samedeal-server serve [--listen HOST:PORT] [--data DIR] [SETTING ...]",
        epilog=_SERVE_NOTES,
    )
    _add_config(serve)
    for setting in SETTINGS:
        serve.add_argument(
            setting.flag,
            dest=setting.name,
            metavar=setting.shape,
            default=argparse.SUPPRESS,
            help=f"{setting.meaning} (default: {_shown(default_of(setting)) or setting.none}; "
            f"example: {setting.example})",
        )


def _add_check(commands: _Commands) -> None:
    check = commands.add_parser(
        "check",
        help="verify every race that is stored, or in a backup, or one tournament's log",
        description="Verifies every race: its hash chain, its moves, its ranking; and\n"
        "every tournament: its lots, pairings, results and end.\n"
        "Changes nothing; servers may be running.",
        epilog=_CHECK_NOTES,
    )
    where = _add_places(check)
    where.add_argument("--backup", metavar="FILE", help="what `backup` has written")
    where.add_argument(
        "--tournament",
        metavar="FILE",
        help="the log of a tournament that is over, or - for standard input",
    )
    check.add_argument(
        "--head", metavar="HEX", help="the chain's end as it was published with its standings"
    )


def _add_backup(commands: _Commands) -> None:
    backup = commands.add_parser(
        "backup",
        help="copy everything that is stored into one file",
        description="Copies everything, as it is at this instant, into one new file.\n"
        "Servers may be running; nothing waits.",
        epilog=_BACKUP_NOTES,
    )
    _add_places(backup)
    backup.add_argument("--to", metavar="FILE", required=True, help="the file; made with mode 600")


def _add_restore(commands: _Commands) -> None:
    restore = commands.add_parser(
        "restore",
        help="fill an empty store with what a backup holds",
        description="Fills an empty store, that no server uses, with all that a backup holds, or\n"
        "with nothing. The backup may come from another kind of store.",
        epilog=_RESTORE_NOTES,
    )
    _add_places(restore)
    restore.add_argument(
        "--from", metavar="FILE", dest="source", required=True, help="what `backup` has written"
    )


def _add_migrate(commands: _Commands) -> None:
    migrate = commands.add_parser(
        "migrate",
        help="make a PostgreSQL's tables, or bring them up to date",
        description="Makes the tables that `serve --store` needs in a PostgreSQL, or\n"
        "brings them up to date. May be done again.",
        epilog=f"the URL may also come from {ENVIRONMENT}STORE or the file, as for `serve`",
    )
    _add_config(migrate)
    _add_store(migrate)


def _add_annul(commands: _Commands) -> None:
    annul = commands.add_parser(
        "annul",
        help="have a race that is over count as if it had never been run",
        description="Has a race count as if it had never been run: ratings, times and streaks are\n"
        "computed anew without it. Says who gains and loses what, and publishes it.",
        epilog=_ANNUL_NOTES,
    )
    annul.add_argument("race", metavar="RACE", help="the race's code")
    annul.add_argument("--reason", metavar="TEXT", required=True, help="a line that all may read")
    annul.add_argument("--undo", action="store_true", help="have it count again")
    annul.add_argument(
        "--dry-run", action="store_true", help="say what would change, and change nothing"
    )
    _add_places(annul)


def _add_config(command: _Parser) -> None:
    command.add_argument("--config", metavar="FILE", help="a TOML file with settings")


def _add_store(command: argparse._ActionsContainer) -> None:
    command.add_argument("--store", metavar="URL", help="postgresql://USER:PASSWORD@HOST/DATABASE")


def _add_places(command: _Parser) -> argparse._MutuallyExclusiveGroup:
    """Lets a command be told which store it is about."""
    _add_config(command)
    where = command.add_mutually_exclusive_group()
    where.add_argument("--data", metavar="DIR", help="a server's folder (default: data)")
    _add_store(where)
    return where


def _shown(value: object) -> str:
    """Returns a default as one would type it; nothing for None."""
    match value:
        case None:
            return ""
        case tuple():
            return ",".join(value) or "none"
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _unknown(word: str, parser: argparse.ArgumentParser) -> str:
    flag = word.partition("=")[0]
    flags = [text for action in parser._actions for text in action.option_strings]
    near = difflib.get_close_matches(flag, flags, n=1)
    hint = f"did you mean {near[0]}?" if near else f"see `{parser.prog} --help`"
    return f"{flag} is not understood; {hint}"
