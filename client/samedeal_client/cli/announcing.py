"""The command tournament new: a host's plan, from a file and options, is announced."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_json,
    add_server,
    in_full,
    open_hall,
    pass_phrase,
    say_json,
)
from samedeal_client.cups.places import has_key, key_of, line_of
from samedeal_client.cups.plan import (
    BadPlan,
    Table,
    merged,
    number_of,
    parsed,
    seconds_of,
    setting,
    terms_of,
)
from samedeal_client.cups.telling import FORMAT_WORDS, terms_text_lines
from samedeal_client.cups.templates import FORMATS, template
from samedeal_protocol.tournament.terms import TournamentTerms

__all__ = ["add_to", "plan_of"]

_USUAL: Final[Mapping[str, Table]] = {
    "swiss": {"swiss": {"rounds": 5}},
    "heats": {"heats": {"rounds": 5}},
    "ladder": {"bell": "1h"},
}
"""What a plan must say and options need not, by format."""
_BARE: Final = (
    "say what is played: a FILE.toml, or --format and --game "
    "(`samedeal tournament new --template swiss` prints a plan to begin with)"
)


def add_to(group: Group) -> None:
    """Adds `tournament new`."""
    parser = group.add(
        "new",
        _new,
        "announce a tournament and print its code",
        examples=[
            "samedeal tournament new --template swiss > friday.toml",
            "samedeal tournament new friday.toml --check",
            "samedeal tournament new friday.toml --set swiss.rounds=7",
            "samedeal tournament new --format single-elimination --game opus --best-of 3",
            "samedeal tournament new --format ladder --game opus --bell 1h --starts +10m",
            "samedeal tournament new --format heats --game amazons --set heats.size=6",
        ],
    )
    parser.add_argument(
        "file", nargs="?", metavar="FILE.toml", help="the plan; options change what it says"
    )
    parser.add_argument(
        "--template",
        choices=sorted(FORMATS),
        metavar="FORMAT",
        help="print a plan to begin with, and do no more",
    )
    parser.add_argument(
        "--check", action="store_true", help="say what the plan comes to, and announce nothing"
    )
    plan = parser.add_argument_group("the plan (durations as 90s, 5m, 2h, 1d)")
    plan.add_argument("--title", metavar="TEXT", help="what it is called")
    plan.add_argument(
        "--format", choices=sorted(FORMATS), metavar="FORMAT", help=", ".join(sorted(FORMATS))
    )
    plan.add_argument(
        "--game", action="append", metavar="KEY", help="what is played; again for several"
    )
    plan.add_argument("--rounds", type=_number, metavar="N", help="of swiss and heats; default 5")
    plan.add_argument("--best-of", type=_number, metavar="N", help="races of a match; default 1")
    plan.add_argument("--cap", type=_number, metavar="N", help="the most who play")
    plan.add_argument(
        "--starts", metavar="TIME", help="2030-01-01T20:00:00Z, or +10m (default: the host starts)"
    )
    plan.add_argument("--check-in", metavar="SPAN", help="how long before the start")
    plan.add_argument("--no-show", metavar="SPAN", help="to be ready for a race; default 5m")
    plan.add_argument("--limit", metavar="SPAN", help="the longest that a race may take")
    plan.add_argument(
        "--bell",
        metavar="SPAN",
        help="of a ladder: rings so long after the start, 60s to 30d; default 1h",
    )
    plan.add_argument("--by-hand", action="store_true", help="you have every round paired")
    plan.add_argument("--unlisted", action="store_true", help="whoever has the code finds it")
    plan.add_argument("--no-bots", action="store_true", help="people only")
    plan.add_argument(
        "--phrase", type=pass_phrase, metavar="WORDS", help="a pass phrase that lets register"
    )
    plan.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="anything that a plan has"
    )
    add_json(parser)
    add_server(parser)


def _new(context: Context) -> Exit:
    arguments, now = context.arguments, time.time_ns() // 1_000_000
    if arguments.template is not None:
        context.terminal.write(template(arguments.template, now=now))
        return Exit.DONE
    terms = plan_of(arguments, now=now)
    if arguments.check:
        context.terminal.say_all([terms.name, *(f"  {line}" for line in terms_text_lines(terms))])
        return Exit.DONE
    return asyncio.run(_announce(context, terms))


async def _announce(context: Context, terms: TournamentTerms) -> Exit:
    terminal = context.terminal
    async with open_hall(context) as hall:
        code = await hall.announce(terms, phrase=context.arguments.phrase)
    if context.arguments.json:
        said = {"tournament": code, "server": context.settings.server}
        say_json(terminal, {**said, "terms": in_full(terms)})
    elif context.is_quiet:
        terminal.say(code)
    else:
        phrase = context.arguments.phrase
        enter = (code, *(() if phrase is None else ("--phrase", phrase)))
        others, own = context.settings.command_for_others, context.settings.command
        terminal.say(code)
        terminal.say_command("Players register and play:", others("tournament", "play", *enter))
        terminal.say_command("A bot plays:", others("bot", "greedy", "--tournament", *enter))
        terminal.say_command("Watch it:", others("tournament", "watch", code))
        terminal.say_command("You run it:", own("tournament", "host", code))
    return Exit.DONE


# --- file and options ----------------------------------------------------------------------------


def plan_of(arguments: argparse.Namespace, *, now: int) -> TournamentTerms:
    """Returns the terms that file and options ask for; `now` is milliseconds of UTC. Raises
    `Fault`."""
    file = arguments.file
    if file is None and arguments.format is None:
        raise Fault(_BARE, Exit.USAGE)
    text = "" if file is None else _read(Path(file))
    written = _parsed(text, file)
    format = arguments.format or written.get("format")
    try:
        options = [_of_options(arguments, str(format), now), *map(setting, arguments.set)]
    except BadPlan as fault:
        raise Fault(str(fault), Exit.USAGE) from fault
    if any({"game", "games"} & option.keys() for option in options):
        written = {key: each for key, each in written.items() if key not in ("game", "games")}
    if file is None:
        called = FORMAT_WORDS.get(str(format), str(format))
        day = datetime.fromtimestamp(now / 1000, UTC)
        title = f"{called[0].upper()}{called[1:]} of {day:%Y-%m-%d}"
        written = {"name": title, **_USUAL.get(str(format), {})}
    try:
        return terms_of(merged([written, *options]), now=now)
    except BadPlan as fault:
        if file is None:
            raise Fault(str(fault), Exit.USAGE) from fault
        raise Fault(f"{_place(file, text, str(fault), options)}{fault}") from fault


def _place(file: str, text: str, sentence: str, options: Sequence[Table]) -> str:
    """The file and the line at which what a sentence is about stands; nothing for an option's."""
    key = key_of(sentence)
    if key is None:
        return f"{file}: "
    if any(has_key(option, key.split(".")) for option in options):
        return ""
    line = line_of(text, key)
    return f"{file}: " if line is None else f"{file}, line {line}: "


def _parsed(text: str, file: str | None) -> Table:
    try:
        return parsed(text)
    except BadPlan as fault:
        raise Fault(f"{file}: {fault}") from fault


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as fault:
        raise Fault(f"{file} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise Fault(f"{file} is not UTF-8 text") from fault


def _of_options(arguments: argparse.Namespace, format: str, now: int) -> Table:
    """The options as a plan. Raises BadPlan."""
    length = None if arguments.best_of is None else {"best_of": arguments.best_of}
    return _given(
        {
            "name": arguments.title,
            "format": arguments.format,
            "games": arguments.game,
            "cap": arguments.cap,
            "starts": None if arguments.starts is None else _instant(arguments.starts, now),
            "check_in": arguments.check_in,
            "no_show": arguments.no_show,
            "bell": arguments.bell,
            "visibility": "unlisted" if arguments.unlisted else None,
            "registration": "phrase" if arguments.phrase is not None else None,
            "rounds_by_hand": True if arguments.by_hand else None,
            "race": _given(
                {"limit": arguments.limit, "bots": False if arguments.no_bots else None}
            ),
            format: _given({"rounds": arguments.rounds, "length": length}),
        }
    )


def _number(text: str) -> int:
    try:
        return number_of(text)
    except BadPlan as fault:
        raise argparse.ArgumentTypeError(str(fault)) from fault


def _given(table: Table) -> Table:
    """The table without what was not given."""
    return {key: value for key, value in table.items() if value not in (None, {})}


def _instant(text: str, now: int) -> datetime:
    if text.startswith("+"):
        return datetime.fromtimestamp(now / 1000, UTC) + timedelta(seconds=seconds_of(text[1:]))
    try:
        return datetime.fromisoformat(text)
    except ValueError as fault:
        raise BadPlan(
            f"--starts {text[:40]!r} is no time: write 2030-01-01T20:00:00Z, or +10m"
        ) from fault
