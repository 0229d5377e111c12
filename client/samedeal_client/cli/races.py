"""The commands about races: race new, list, join, watch; results."""

from __future__ import annotations

import argparse
import asyncio
import re
import time
from datetime import UTC, datetime

import msgspec

from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_json,
    add_race,
    add_server,
    game_of,
    in_full,
    open_hall,
    pass_phrase,
    say_json,
)
from samedeal_client.cli.playing import add_join_options, enter_and_play, play_on
from samedeal_client.cli.watching import add_options as add_watch_options
from samedeal_client.cli.watching import watch_race
from samedeal_client.telling import ordinal, span_text, standings_table, terms_text
from samedeal_protocol.messages import RaceCard
from samedeal_protocol.spoken import faulty
from samedeal_protocol.terms import DAY, Mode, Sight, Start, Terms, Undo, Visibility, faults

__all__ = ["add_to"]

_UNITS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": DAY}
_NONE = "none"
_FIELDS = re.compile(r"`(\w+)(?:: \w+)?`")


def add_to(commands: Group) -> None:
    """Adds the commands."""
    race = commands.add(
        "race",
        None,
        "open, list, join and watch races",
        examples=[
            "samedeal race new forty-thieves --seed friday-night --join",
            "samedeal race list",
            "samedeal race join RACE",
            "samedeal race watch RACE",
        ],
    )
    group = Group(race)
    _add_new(group)

    parser = group.add(
        "list",
        _list,
        "list the races that can be found and are not over",
        examples=["samedeal race list", "samedeal race list --mine", "samedeal race list --json"],
    )
    parser.add_argument("--game", metavar="KEY", help="of this game only")
    parser.add_argument("--mine", action="store_true", help="your own races, also those over")
    add_json(parser)
    add_server(parser)

    parser = group.add(
        "join",
        _join,
        "enter a race and play it (the same as `samedeal play RACE`)",
        examples=["samedeal race join RACE", "samedeal race join RACE --ready --name Ada"],
    )
    add_race(parser)
    add_join_options(parser)
    add_server(parser)

    parser = group.add(
        "watch",
        watch_race,
        "watch a race until it is over (the same as `samedeal watch RACE`)",
        examples=["samedeal race watch RACE", "samedeal race watch RACE --boards"],
    )
    add_race(parser)
    add_watch_options(parser)

    parser = commands.add(
        "results",
        _results,
        "tell how a race stands or ended",
        examples=["samedeal results RACE", "samedeal results RACE --json"],
    )
    add_race(parser)
    add_json(parser)
    add_server(parser)


def _add_new(group: Group) -> None:
    parser = group.add(
        "new",
        _new,
        "open a race and print its code",
        examples=[
            "samedeal race new opus",
            "samedeal race new forty-thieves --seed friday-night --join",
            "samedeal race new fortress --min 1 --undo none --limit 10min",
            "samedeal race new amazons --async --closes 2d --blind",
            "samedeal race new tuxedo --start 2030-01-01T20:00:00Z --phrase 'open sesame'",
        ],
    )
    parser.add_argument("game", metavar="GAME", help="a game's key, or key:variant")
    parser.add_argument("--seed", help="the deal's seed (default: a secret random one)")
    terms = parser.add_argument_group("terms (durations as 90, 90s, 10min, 2h, 1d)")
    terms.add_argument(
        "--async", dest="is_async", action="store_true", help="each clock starts by itself"
    )
    terms.add_argument(
        "--start",
        default="all-ready",
        metavar="all-ready|host|TIME",
        help="what starts a live race; TIME as 2030-01-01T20:00:00Z, or +5min (default all-ready)",
    )
    terms.add_argument("--countdown", type=_seconds, default=5, metavar="SPAN", help="default 5s")
    terms.add_argument("--limit", type=_span, default=3600, metavar="SPAN|none", help="default 1h")
    terms.add_argument(
        "--closes", type=_seconds, default=DAY, metavar="SPAN", help="of an async race; default 1d"
    )
    terms.add_argument(
        "--punctual", action="store_true", help="an async race ends when it closes, not before"
    )
    terms.add_argument("--min", type=int, default=2, metavar="N", help="entrants, default 2")
    terms.add_argument("--max", type=int, default=None, metavar="N", help="entrants, default 8")
    terms.add_argument(
        "--undo", choices=[each.value for each in Undo], default=Undo.NOT_PAST_A_REVEAL.value
    )
    terms.add_argument("--undo-penalty", type=_seconds, default=5, metavar="SPAN")
    terms.add_argument("--unlisted", action="store_true", help="not in the list; the code lets in")
    terms.add_argument(
        "--phrase", type=pass_phrase, metavar="WORDS", help="a pass phrase that lets in"
    )
    terms.add_argument(
        "--spectators", choices=[each.value for each in Sight], default=Sight.BOARDS.value
    )
    terms.add_argument("--delay", type=_seconds, default=0, metavar="SPAN", help="of spectators")
    terms.add_argument("--blind", action="store_true", help="rivals' progress is hidden")
    terms.add_argument("--hints", action="store_true", help="hints are allowed")
    terms.add_argument("--rated", action="store_true")
    terms.add_argument("--no-bots", action="store_true", help="people only")
    terms.add_argument(
        "--grace", type=_span, default=300, metavar="SPAN|none", help="to come back; default 5min"
    )
    parser.add_argument("--join", action="store_true", help="enter it and play")
    parser.add_argument("--ready", action="store_true", help="with --join: be ready at once")
    add_json(parser)
    add_server(parser)


def _span(text: str) -> int | None:
    """A duration in whole seconds, or None for `none`."""
    return None if text == _NONE else _seconds(text)


def _seconds(text: str) -> int:
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = text[len(number) :] or "s"
    if not (number.isascii() and number.isdigit()) or unit not in _UNITS or len(number) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration: write 90, 90s, 10min, 2h or 1d")
    return int(number) * _UNITS[unit]


def _start_at(text: str, now: int) -> int:
    """The start instant in milliseconds of UTC, from an absolute or a relative time."""
    if text.startswith("+"):
        try:
            return now + _seconds(text[1:]) * 1000
        except argparse.ArgumentTypeError as refusal:
            raise Fault(str(refusal), Exit.USAGE) from refusal
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as refusal:
        raise Fault(
            f"--start {text!r} is neither all-ready nor host nor a time "
            "such as 2030-01-01T20:00:00Z or +5min",
            Exit.USAGE,
        ) from refusal
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return int(instant.timestamp() * 1000)


def terms_of(arguments: argparse.Namespace, *, now: int) -> Terms:
    """Returns the terms that the flags ask for. Raises `Fault` where they do not fit together."""
    game = game_of(arguments.game)
    starts: dict[str, Start] = {"all-ready": Start.ALL_READY, "host": Start.HOST}
    start = starts.get(arguments.start, Start.AT)
    visibility = Visibility.UNLISTED if arguments.unlisted else Visibility.PUBLIC
    drafted = Terms(
        game=game.key,
        mode=Mode.ASYNC if arguments.is_async else Mode.LIVE,
        start=start,
        start_at=_start_at(arguments.start, now) if start is Start.AT else None,
        countdown=arguments.countdown,
        limit=arguments.limit,
        closes=arguments.closes,
        punctual=arguments.punctual,
        entrants_min=arguments.min,
        entrants_max=max(8, arguments.min) if arguments.max is None else arguments.max,
        undo=Undo(arguments.undo),
        undo_penalty=arguments.undo_penalty,
        visibility=visibility if arguments.phrase is None else Visibility.PHRASE,
        spectators=Sight(arguments.spectators),
        delay=arguments.delay,
        blind=arguments.blind,
        hints=arguments.hints,
        rated=arguments.rated,
        bots=not arguments.no_bots,
        grace=arguments.grace,
    )
    try:
        terms = msgspec.convert(msgspec.to_builtins(drafted), Terms)
    except msgspec.ValidationError as refusal:
        field, wrong = faulty(str(refusal), Terms, said=_number)
        raise Fault(f"{_flag(field)}: {wrong}", Exit.USAGE) from refusal
    if fault := faults(terms, now=now):
        said = _FIELDS.sub(lambda found: _flag(found[1]), fault)
        raise Fault(f"the terms do not hold: {said}", Exit.USAGE)
    return terms


def _number(field: str, number: int | float) -> str:
    """A number of the terms, as people write it: most are seconds."""
    return str(number) if field in ("entrants_min", "entrants_max") else span_text(int(number))


def _flag(field: str) -> str:
    """The flag that sets a field of the terms."""
    other = {"entrants_min": "--min", "entrants_max": "--max", "start_at": "--start"}
    return other.get(field) or f"--{field.replace('_', '-')}"


def _new(context: Context) -> Exit:
    return asyncio.run(_open(context))


async def _open(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    terms = terms_of(arguments, now=time.time_ns() // 1_000_000)
    async with open_hall(context) as hall:
        race = await hall.create(terms, seed=arguments.seed, phrase=arguments.phrase)
        if arguments.json:
            said = {"race": race, "server": context.settings.server}
            say_json(terminal, {**said, "terms": in_full(terms)})
        elif context.is_quiet and not arguments.join:
            terminal.say(race)
        else:
            terminal.say(race)
            _say_ways_in(context, race)
        if arguments.join:
            await play_on(context, hall, race)
    return Exit.DONE


def _say_ways_in(context: Context, race: str) -> None:
    phrase = context.arguments.phrase
    enter = (race, *(() if phrase is None else ("--phrase", phrase)))
    command = context.settings.command_for_others
    context.terminal.say_command("Others enter with:", command("play", *enter))
    context.terminal.say_command("A bot enters with:", command("bot", "greedy", *enter))


def _join(context: Context) -> Exit:
    return asyncio.run(enter_and_play(context))


def _list(context: Context) -> Exit:
    return asyncio.run(_tell_races(context))


async def _tell_races(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    key = None if arguments.game is None else game_of(arguments.game).key
    async with open_hall(context) as hall:
        cards = await (hall.mine() if arguments.mine else hall.list(key))
    if arguments.json:
        say_json(terminal, in_full(cards))
    elif not cards:
        open_one = context.settings.command("race", "new", "forty-thieves", "--join")
        terminal.say_command("No race. Open one:", open_one)
    else:
        terminal.say_all(_card_text(card) for card in cards)
    return Exit.DONE


def _card_text(card: RaceCard) -> str:
    entrants = ", ".join(card.entrants) or "nobody yet"
    place = "" if card.standing is None else f"; you came {ordinal(card.standing.place)}"
    return f"{card.race}  {card.phase}  {terms_text(card.terms)}; entered: {entrants}{place}"


def _results(context: Context) -> Exit:
    return asyncio.run(_tell_results(context))


async def _tell_results(context: Context) -> Exit:
    async with open_hall(context) as hall:
        sheet = await hall.results(context.arguments.race)
    if context.arguments.json:
        say_json(context.terminal, in_full(sheet))
        return Exit.DONE
    lines = [f"Race {sheet.race} ({sheet.phase}): {terms_text(sheet.terms)}."]
    lines += standings_table(sheet.standings, game_of(sheet.terms.game).goal)
    lines.append(f"commitment {sheet.commitment}")
    if sheet.seed is not None:
        lines.append(f"seed {sheet.seed}, salt {sheet.salt}")
    context.terminal.say_all(lines)
    return Exit.DONE
