"""The commands about races that are over: replay, verify."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import msgspec

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
from samedeal_client.retelling import BadReplay, retell
from samedeal_client.verify import verify

__all__ = ["add_to"]


def add_to(commands: Group) -> None:
    """Adds the commands."""
    parser = commands.add(
        "replay",
        _replay,
        "fetch the replay of a race that is over, or tell one from a file",
        examples=[
            "samedeal replay RACE -o friday.jsonl",
            "samedeal replay friday.jsonl",
            "samedeal replay friday.jsonl --boards",
        ],
    )
    parser.add_argument("race", metavar="RACE|FILE", help="a race's code, or a replay file")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="save it")
    parser.add_argument("--boards", action="store_true", help="draw the board after each move")
    add_phrase(parser)
    add_server(parser)

    parser = commands.add(
        "verify",
        _verify,
        "check a replay file with nothing but the file; the exit code is 1 if it does not hold",
        examples=[
            "samedeal verify friday.jsonl",
            "samedeal verify friday.jsonl --json",
            "samedeal replay RACE -o - | samedeal verify -",
        ],
    )
    parser.add_argument("file", metavar="FILE", help="a replay file, or - for standard input")
    parser.add_argument("--head", metavar="HEX", help="the published end of the hash chain")
    add_json(parser)


def _replay(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    file = Path(arguments.race)
    is_file = file.exists() or file.suffix == ".jsonl" or arguments.race == "-"
    replay = _read(arguments.race) if is_file else asyncio.run(_fetch(context))
    if arguments.output is None:
        try:
            for line in retell(replay, has_boards=arguments.boards):
                terminal.say(line)
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
    terminal.say(f"Saved {arguments.output}. Check it: samedeal verify {arguments.output}")
    return Exit.DONE


async def _fetch(context: Context) -> bytes:
    async with open_hall(context) as hall:
        return await hall.replay(race_code(context.arguments.race), phrase=context.arguments.phrase)


def _read(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as refusal:
        raise Fault(f"cannot read {name}: {refusal.strerror}") from refusal


def _verify(context: Context) -> Exit:
    report = verify(_read(context.arguments.file), head=context.arguments.head)
    if context.arguments.json:
        say_json(context.terminal, {"passed": report.passed, **msgspec.to_builtins(report)})
    else:
        context.terminal.say_all(report.text().splitlines())
    return Exit.DONE if report.passed else Exit.REFUSED
