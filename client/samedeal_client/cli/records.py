"""The commands about races that are over: replay, verify."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from shlex import join

import msgspec

from samedeal_client.cli.codes import is_race_code
from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_json,
    add_phrase,
    add_server,
    open_hall,
    race_code,
    say_json,
)
from samedeal_client.cups.audit import audit, is_tournament
from samedeal_client.errors import ClientError
from samedeal_client.reel import Reel
from samedeal_client.retelling import BadReplay, UnknownEntrant, entrant_number, retell, steps
from samedeal_client.screen import Screen, has_keys, pressed
from samedeal_client.verify import verify

__all__ = ["add_to"]


def add_to(commands: Group) -> None:
    """Adds the commands."""
    parser = commands.add(
        "replay",
        _replay,
        "see the replay of a race that is over, fetched or from a file",
        examples=[
            "samedeal replay RACE                       step through it with keys",
            "samedeal replay RACE --speed 4             play it four times as fast",
            "samedeal replay friday.jsonl --entrant Ada one board only",
            "samedeal replay friday.jsonl --print       tell it as text, as through a pipe",
            "samedeal replay RACE -o friday.jsonl       save it",
        ],
    )
    parser.add_argument("race", metavar="RACE|FILE", help="a race's code, or a replay file")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="save it")
    parser.add_argument(
        "--speed", type=_speed, metavar="TIMES", help="play at once, so many times as fast"
    )
    parser.add_argument("--entrant", metavar="NAME", help="show this entrant only")
    parser.add_argument(
        "--print", dest="is_told", action="store_true", help="as text, without keys"
    )
    parser.add_argument(
        "--boards", action="store_true", help="as text, with the board after each move"
    )
    add_phrase(parser)
    add_server(parser)

    parser = commands.add(
        "verify",
        _verify,
        "check a replay or a tournament's log with nothing but the file; if it fails, exit code 1",
        examples=[
            "samedeal verify friday.jsonl",
            "samedeal verify friday.jsonl --json",
            "samedeal replay RACE -o - | samedeal verify -",
            "samedeal tournament log CODE --json | samedeal verify -",
            "samedeal verify cup.jsonl --head HEX",
        ],
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a replay file, or the log of a tournament that is over; - for standard input",
    )
    parser.add_argument(
        "--head",
        metavar="HEX",
        help="the published end of the hash chain; a tournament's final standings name it",
    )
    add_json(parser)


def _speed(text: str) -> float:
    try:
        speed = float(text.rstrip("x"))
    except ValueError:
        speed = 0.0
    if not 0.1 <= speed <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is no speed: write 1, 4 or 0.5")
    return speed


def _replay(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    file = Path(arguments.race)
    is_file = file.exists() or file.suffix == ".jsonl" or arguments.race == "-"
    replay = _read(arguments.race) if is_file else asyncio.run(_fetch(context))
    if arguments.output is None:
        try:
            if context.is_quiet or arguments.is_told or arguments.boards or not has_keys():
                only = arguments.entrant
                for line in retell(replay, has_boards=arguments.boards, only=only):
                    terminal.say(line)
            else:
                asyncio.run(_show(context, replay))
        except UnknownEntrant as fault:
            raise Fault(str(fault)) from fault
        except BadReplay as fault:
            raise Fault(f"{arguments.race} is no replay that can be told: {fault}") from fault
        return Exit.DONE
    if str(arguments.output) == "-":
        sys.stdout.buffer.write(replay)
        sys.stdout.buffer.flush()
        return Exit.DONE
    try:
        arguments.output.write_bytes(replay)
    except OSError as refusal:
        raise Fault(f"cannot write {arguments.output}: {refusal.strerror}") from refusal
    check = f"{context.settings.program} {join(('verify', str(arguments.output)))}"
    terminal.say_command(f"Saved {arguments.output}. Check it:", check)
    return Exit.DONE


async def _show(context: Context, replay: bytes) -> None:
    """Lets the replay be stepped through and played at the terminal, until it is left."""
    arguments, terminal = context.arguments, context.terminal
    race, game, told = steps(replay)
    only = None if arguments.entrant is None else entrant_number(told, arguments.entrant)
    reel = Reel(race, game, told, speed=arguments.speed or 1.0, only=only)
    if arguments.speed is not None:
        reel.press("space")
    with Screen(terminal) as screen, pressed() as keys:
        goes_on = True
        while goes_on:
            width, height = screen.size
            screen.draw(
                reel.picture(
                    width=width,
                    height=height,
                    has_blocks=terminal.has_blocks,
                    has_colour=terminal.has_colour,
                )
            )
            try:
                async with asyncio.timeout(reel.wait_s()):
                    goes_on = reel.press(await keys.get())
            except TimeoutError:
                reel.advance()
    terminal.say_all([f"Race {race}", *told[-1].lines])


async def _fetch(context: Context) -> bytes:
    async with open_hall(context) as hall:
        return await hall.replay(race_code(context.arguments.race), phrase=context.arguments.phrase)


def _read(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as refusal:
        raise Fault(f"cannot read {name}: {refusal.strerror}") from refusal


def _to_verify(context: Context) -> bytes:
    """Reads the file; whoever names a race instead is told how to have it as a file."""
    name = context.arguments.file
    race = race_code(name)
    if is_race_code(race) and not Path(name).exists():
        save = context.settings.command("replay", race, "-o", f"{race}.jsonl")
        raise Fault(f"there is no file {name}, but that is a race's code: save it with `{save}`")
    return _read(name)


def _verify(context: Context) -> Exit:
    given = _to_verify(context)
    if is_tournament(given):
        return _audit(context, given)
    report = verify(given, head=context.arguments.head)
    if context.arguments.json:
        say_json(context.terminal, {"passed": report.passed, **msgspec.to_builtins(report)})
    else:
        context.terminal.say_all(report.text().splitlines())
    return Exit.DONE if report.passed else Exit.REFUSED


def _audit(context: Context, log: bytes) -> Exit:
    try:
        found = audit(log, head=context.arguments.head)
    except ClientError as refusal:
        raise Fault(str(refusal)) from refusal
    if context.arguments.json:
        say_json(context.terminal, found)
    else:
        context.terminal.say_all(found.found)
    return Exit.DONE if found.passed else Exit.REFUSED
