"""The command samedeal-server: what is typed is carried out, `serve` here, the rest in `upkeep`.

What somebody can put right (a port in use, a folder that cannot be written, a wrong flag) is one
line that says what to do, and exit code 2. A check that finds something wrong exits with 1.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from samedeal_server import upkeep
from samedeal_server.adapters.opening import CannotOpen
from samedeal_server.commandline import BadCommandLine, parse
from samedeal_server.ports import LogUnavailable, Superseded
from samedeal_server.settings import ENVIRONMENT, SETTINGS, Address, BadSettings, Settings, gather
from samedeal_server.version import VERSION

__all__ = ["CLIENTS_DEFAULT", "announce", "main"]

CLIENTS_DEFAULT: Final = "127.0.0.1:8642"
"""Where `samedeal` looks for a server when it is told nothing."""


class _Stop(Exception):
    """The command ends here; the message is one line that says what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _run(given)
    except (_Stop, BadCommandLine, upkeep.CannotDo, BadSettings, CannotOpen, Superseded) as stop:
        print(f"samedeal-server: {stop}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _write_no_more()
        return 1
    except OSError as fault:
        if fault.errno != errno.ENOSPC:
            raise
        _write_no_more()
        print(f"samedeal-server: {fault.strerror}; make room on the disk", file=sys.stderr)
        return 1


@contextmanager
def _unheard() -> Iterator[None]:
    """What a server says does not stop it, whether it is read, or can be written, or not."""
    try:
        yield
    except OSError:
        _write_no_more()


def _write_no_more() -> None:
    """Sees to it that what is still buffered is no second fault at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(given: Sequence[str]) -> int:
    known = parse(given)
    if known.command is None:
        return 2
    if getattr(known, "backup", None) is not None:
        return upkeep.check_backup(Path(known.backup).expanduser())
    if getattr(known, "tournament", None) is not None:
        return upkeep.check_tournament(known.tournament, head=known.head)
    settings = _gathered(known)
    match known.command:
        case "check":
            return upkeep.check_store(settings)
        case "backup":
            return upkeep.back_up(settings, Path(known.to).expanduser())
        case "restore":
            return upkeep.restore(settings, Path(known.source).expanduser())
        case "migrate":
            return upkeep.migrate(settings.store)
        case "annul":
            return upkeep.annul(
                settings,
                known.race,
                reason=known.reason,
                undo=known.undo,
                dry_run=known.dry_run,
            )
        case _:
            return _serve(settings)


def _gathered(known: argparse.Namespace) -> Settings:
    """Returns the settings of a command line that is understood."""
    flags = {setting.name: getattr(known, setting.name, None) for setting in SETTINGS}
    if known.command != "serve" and flags["data"] is not None:
        flags["store"] = "sqlite"  # whoever names a folder means it, whatever the environment says
    config = known.config or os.environ.get(f"{ENVIRONMENT}CONFIG")
    return gather(
        {name: text for name, text in flags.items() if text is not None},
        environment=os.environ,
        config=Path(config) if config else None,
    )


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
        with _unheard():
            announce(address)

    def draining(races: int) -> None:
        with _unheard():
            _tell_drain(races, settings.drain)

    failed: list[OSError | LogUnavailable] = []
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(app.serve(settings, started=started, draining=draining))
    except* (OSError, LogUnavailable) as faults:
        if reached:
            raise  # It listened: this is something else, and ours.
        failed = list(_leaves(faults))
    match failed:
        case [LogUnavailable() as fault, *_]:
            raise _Stop(f"the store fails at the start ({fault}); try again")
        case [OSError() as fault, *_]:
            raise _Stop(_listening(settings.listen, fault))
    return 0


_Fault = TypeVar("_Fault", bound=Exception)


def _leaves(group: BaseExceptionGroup[_Fault]) -> Iterator[_Fault]:
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


def announce(address: Address) -> None:
    """Prints where the server is, and what to type next."""
    at = address.reached
    server = "" if str(at) == CLIENTS_DEFAULT else f" --server ws://{at}"
    print(f"samedeal-server {VERSION} serves at ws://{at} and http://{at}/")
    player = _players_command(sys.argv[0])
    print("Next, in other terminals (Ctrl-C here stops the server):")
    print(f"    {player} play --game forty-thieves --against greedy{server}")
    print(f"    {player} play{server}")
    tournament = "tournament new --format swiss --game forty-thieves"
    print(f"    {player} {tournament}{server}", flush=True)


def _tell_drain(races: int, seconds: float) -> None:
    """Says what the server, told to end, still waits for; nothing where it ends at once."""
    if races and seconds:
        run = "1 race runs" if races == 1 else f"{races} races run"
        print(f"Draining: {run}; up to {seconds:g} s. Press Ctrl-C again to end now.", flush=True)


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
