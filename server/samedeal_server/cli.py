"""The command samedeal-server: serves races, checks what is stored, readies a PostgreSQL.

What somebody can put right (a port in use, a folder that cannot be written, a wrong flag) is one
line that says what to do, and exit code 2. A check that finds something wrong exits with 1.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import errno
import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NoReturn

from samedeal_server.adapters.log_sqlite import CannotOpen, Stored
from samedeal_server.audit import audit
from samedeal_server.settings import (
    ENVIRONMENT,
    SETTINGS,
    Address,
    BadSettings,
    Settings,
    default_of,
    gather,
)
from samedeal_server.version import VERSION

__all__ = ["CLIENTS_DEFAULT", "main"]

_EXAMPLES: Final = """\
examples:
  samedeal-server serve --listen 127.0.0.1:8642 --data data
  samedeal-server serve --listen 0.0.0.0:8642 --data /var/lib/samedeal --drain 120
  samedeal-server serve --config samedeal.toml
  samedeal-server check --data data
  samedeal-server migrate --store postgresql://samedeal@10.0.0.6/samedeal
"""

_SERVE_NOTES: Final = f"""\
Each setting is its flag, else the environment's {ENVIRONMENT}NAME ({ENVIRONMENT}LISTEN,
{ENVIRONMENT}DATA, ...), else the key of the same name in the TOML file, else its default.

{_EXAMPLES}"""


CLIENTS_DEFAULT: Final = "127.0.0.1:8642"
"""Where `samedeal` looks for a server when it is told nothing."""


class _Stop(Exception):
    """The command ends here; the message is one line that says what to do."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with a command line in one line."""

    def error(self, message: str) -> NoReturn:
        message = re.sub(
            r"argument .*: invalid choice: ('.*') \(choose from (.*)\)",
            r"\1 is not understood; there are \2",
            message,
        )
        raise _Stop(f"{message}; see `{self.prog} --help`")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _run(given)
    except (_Stop, BadSettings, CannotOpen) as stop:
        print(f"samedeal-server: {stop}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(given: Sequence[str]) -> int:
    parser = _Parser(
        prog="samedeal-server",
        description="Solitaire races on the same deal: the server.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"samedeal-server {VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")
    serve = commands.add_parser(
        "serve",
        help="open, judge and keep races until SIGTERM or Ctrl-C",
        description="Serves races until SIGTERM or Ctrl-C, then lets running ones end.",
        usage="samedeal-server serve [--listen HOST:PORT] [--data DIR] [SETTING ...]",
        epilog=_SERVE_NOTES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    serve.add_argument("--config", metavar="FILE", help="a TOML file with settings")
    for setting in SETTINGS:
        serve.add_argument(
            setting.flag,
            dest=setting.name,
            metavar=setting.shape,
            default=argparse.SUPPRESS,
            help=f"{setting.meaning} (default: {_shown(default_of(setting))}; "
            f"example: {setting.example})",
        )
    check = commands.add_parser(
        "check",
        help="verify every race that a server has stored",
        description="Verifies every stored race: its hash chain, its moves, its ranking. Changes "
        "nothing; the server may be running.",
        epilog="exit codes: 0 all in order, 1 something is wrong, 2 the store cannot be read",
        allow_abbrev=False,
    )
    check.add_argument("--data", metavar="DIR", default="data", help="the folder (default: data)")
    migrate = commands.add_parser(
        "migrate",
        help="make a PostgreSQL's tables, or bring them up to date",
        description="Makes the tables that `serve --store` needs in a PostgreSQL, or brings them "
        "up to date. May be done again.",
        epilog=f"the URL may also come from {ENVIRONMENT}STORE or the file, as for `serve`",
        allow_abbrev=False,
    )
    migrate.add_argument("--config", metavar="FILE", help="a TOML file with settings")
    migrate.add_argument("--store", metavar="URL", help="postgresql://USER:PASSWORD@HOST/DATABASE")

    known, unknown = parser.parse_known_args(given)
    if unknown:
        command = {"serve": serve, "check": check, "migrate": migrate}.get(known.command, parser)
        raise _Stop(_unknown(unknown[0], command))
    if known.command is None:
        parser.print_help()
        return 2
    if known.command == "check":
        return _check(Path(known.data).expanduser())
    flags = {setting.name: getattr(known, setting.name, None) for setting in SETTINGS}
    config = known.config or os.environ.get(f"{ENVIRONMENT}CONFIG")
    settings = gather(
        {name: text for name, text in flags.items() if text is not None},
        environment=os.environ,
        config=Path(config) if config else None,
    )
    return _migrate(settings.store) if known.command == "migrate" else _serve(settings)


def _shown(value: object) -> str:
    """Returns a default as one would type it."""
    match value:
        case None:
            return "off"
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


# --- serve -------------------------------------------------------------------------------------


def _serve(settings: Settings) -> int:
    # The composition root pulls in everything else; `check`, `--help` and a bad flag need none.
    from samedeal_server import app

    logging.basicConfig(
        level=settings.log_level.upper(),
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
    )
    # The log's thread waits at most so long for a busy event loop to let go of the interpreter.
    sys.setswitchinterval(0.0002)
    reached: list[Address] = []

    def started(address: Address) -> None:
        reached.append(address)
        _announce(address)

    failed: list[OSError] = []
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(app.serve(settings, started=started))
    except* OSError as faults:
        if reached:
            raise  # It listened: this is something else, and ours.
        failed = list(_leaves(faults))
    if failed:
        raise _Stop(_listening(settings.listen, failed[0]))
    return 0


def _leaves(group: BaseExceptionGroup[OSError]) -> Iterator[OSError]:
    """Yields the faults of a group of task groups' faults."""
    for fault in group.exceptions:
        if isinstance(fault, BaseExceptionGroup):
            yield from _leaves(fault)
        else:
            yield fault


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _announce(address: Address) -> None:
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address.host, address.host)
    at = Address(reached, address.port)
    server = "" if str(at) == CLIENTS_DEFAULT else f" --server ws://{at}"
    print(f"samedeal-server {VERSION} serves at ws://{at} and http://{at}/")
    player = _players_command(sys.argv[0])
    print("Next, in other terminals (Ctrl-C here stops the server):")
    print(f"    {player} play --game forty-thieves --against greedy{server}")
    print(f"    {player} play{server}", flush=True)


def _players_command(own: str) -> str:
    """Returns what to type for `samedeal`: its path, where it lies beside ours and the shell would
    not find it."""
    beside = Path(own).with_name("samedeal")
    found = shutil.which("samedeal")
    is_found = found is not None and Path(found).absolute() == beside.absolute()
    return str(beside) if beside.exists() and not is_found else "samedeal"


def _listening(address: Address, fault: OSError) -> str:
    match fault.errno:
        case errno.EADDRINUSE:
            return f"{address} is in use; stop what listens there, or choose another --listen"
        case errno.EACCES | errno.EPERM:
            return f"{address} may not be listened on; choose a port above 1023 with --listen"
        case errno.EADDRNOTAVAIL:
            return f"{address} is no address of this machine; choose another --listen"
        case _:
            reason = fault.strerror or str(fault)
            return f"{address} cannot be listened on ({reason}); choose another --listen"


# --- check -------------------------------------------------------------------------------------


def _check(data: Path) -> int:
    faulty = races = events = 0
    is_watched = sys.stderr.isatty()
    shown_at = time.monotonic()
    with Stored(data) as stored:
        for line in stored.damage():
            faulty += 1
            print(f"the file: {line}")
        for race_code in stored.strays():
            faulty += 1
            print(f"race {race_code}: it has events, but was never opened")
        total = stored.count()
        for race in stored.races():
            races += 1
            events += len(race.lines)
            if findings := audit(race):
                faulty += 1
                for finding in findings:
                    print(f"race {race.row.race}: {finding}")
            if is_watched and time.monotonic() - shown_at > 0.2:
                shown_at = time.monotonic()
                print(f"\r{races:,} of {total:,} races", end="", file=sys.stderr, flush=True)
    if is_watched:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    if faulty:
        print(f"{races:,} races, {events:,} events: {faulty:,} NOT in order")
        return 1
    print(f"{races:,} races, {events:,} events: all in order")
    return 0


# --- migrate -----------------------------------------------------------------------------------


def _migrate(store: str) -> int:
    # Who keeps races in a file need not load what speaks to a PostgreSQL.
    from samedeal_server.adapters.log_postgres import migrate

    if store == "sqlite":
        raise _Stop("name a PostgreSQL with --store; `serve` itself brings a file up to date")
    done = asyncio.run(migrate(store))
    print("\n".join(done) or "the schema is up to date: nothing to do")
    return 0
