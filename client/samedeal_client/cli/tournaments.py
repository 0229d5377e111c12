"""The commands about tournaments: what there is, how one stands, who played whom, and why."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from samedeal_client.cli import announcing, attending, hosting, touring
from samedeal_client.cli.parts import (
    Context,
    Exit,
    Fault,
    Group,
    add_json,
    add_server,
    add_tournament,
    in_full,
    number_to,
    open_hall,
    say_json,
)
from samedeal_client.cups.cup import Cup
from samedeal_client.cups.logbook import Logbook
from samedeal_client.cups.looking import needs_table, picture_lines
from samedeal_client.cups.matches import in_order
from samedeal_client.cups.scoreboards import heat_lines
from samedeal_client.cups.tables import (
    ANNOUNCE,
    card_lines,
    over_text,
    player_lines,
    round_lines,
    standings_lines,
)
from samedeal_client.cups.telling import head_lines, terms_text_lines, you_lines
from samedeal_protocol.tournament.formats import Heats, Ladder
from samedeal_protocol.tournament.sheets import (
    Row,
    as_csv,
    match_rows,
    player_rows,
    standing_rows,
)
from samedeal_protocol.tournament.views import TournamentSheet

__all__ = ["add_to"]


def add_to(commands: Group) -> None:
    """Adds the commands."""
    parser = commands.add(
        "tournament",
        None,
        "host, play and watch tournaments",
        examples=[
            "samedeal tournament new --format swiss --game forty-thieves --rounds 5",
            "samedeal tournament new --template swiss > friday.toml",
            "samedeal tournament new friday.toml",
            "samedeal tournament list",
            "samedeal tournament register CODE",
            "samedeal tournament play CODE         be brought into each of your races",
            "samedeal tournament watch CODE",
            "samedeal tournament host CODE         run it, line by line",
        ],
    )
    group = Group(parser)
    announcing.add_to(group)
    _add_reading(group)
    attending.add_to(group)
    touring.add_to(group)
    hosting.add_to(group)


def _add_reading(group: Group) -> None:
    parser = group.add(
        "list",
        _list,
        "list the tournaments that are to come or go on",
        examples=[
            "samedeal tournament list",
            "samedeal tournament list --mine",
            "samedeal tournament list --over --json",
        ],
    )
    parser.add_argument("--mine", action="store_true", help="those that you play or help to run")
    parser.add_argument("--over", action="store_true", help="also those that are over")
    add_json(parser)
    add_server(parser)

    parser = group.add(
        "show",
        _show,
        "show one: how it stands, its terms, who is in it, what is being played",
        examples=["samedeal tournament show CODE", "samedeal tournament show CODE --json"],
    )
    _add_common(parser)

    parser = group.add(
        "standings",
        _standings,
        "show the standings",
        examples=[
            "samedeal tournament standings CODE",
            "samedeal tournament standings CODE --why     with the arithmetic of every mark",
        ],
    )
    parser.add_argument("--why", action="store_true", help="show how every mark is reckoned")
    _add_common(parser)

    parser = group.add(
        "bracket",
        _bracket,
        "draw the bracket; of other formats the heats, a ladder's pairs, or who has played whom",
        examples=[
            "samedeal tournament bracket CODE",
            "samedeal tournament bracket CODE --round 2    the matches of one round",
        ],
    )
    parser.add_argument("--round", type=_number, metavar="N", help="list the matches of this round")
    _add_common(parser)

    parser = group.add(
        "log",
        _log,
        "show everything that was done, by whom and why; of one that is over, all of its log",
        examples=[
            "samedeal tournament log CODE",
            "samedeal tournament log CODE --rulings     what staff has done by hand",
            "samedeal tournament log CODE --json        a line of JSON for each event",
        ],
    )
    parser.add_argument("--rulings", action="store_true", help="only what staff did by hand")
    _add_common(parser)

    parser = group.add(
        "export",
        _export,
        "write standings, matches, players or the log for other programs",
        examples=[
            "samedeal tournament export CODE > standings.csv",
            "samedeal tournament export CODE --what matches --format json",
            "samedeal tournament export CODE --what log --format json > log.json",
        ],
    )
    parser.add_argument(
        "--what", choices=("standings", "matches", "players", "log"), default="standings"
    )
    parser.add_argument("--format", choices=("csv", "json"), default="csv")
    add_tournament(parser)
    add_server(parser)


def _number(text: str) -> int:
    return number_to(text, 10_000)


def _add_common(parser: argparse.ArgumentParser) -> None:
    add_tournament(parser)
    add_json(parser)
    add_server(parser)


@asynccontextmanager
async def _followed(context: Context) -> AsyncIterator[Cup]:
    async with (
        open_hall(context) as hall,
        hall.tournament(context.arguments.tournament) as cup,
    ):
        yield cup


def _list(context: Context) -> Exit:
    return asyncio.run(_tell_list(context))


async def _tell_list(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    async with open_hall(context) as hall:
        cards = await hall.tournaments(mine=arguments.mine, over=arguments.over)
        is_short = not cards and not arguments.over and not arguments.json
        over = await hall.tournaments(mine=arguments.mine, over=True) if is_short else ()
    if arguments.json:
        say_json(terminal, in_full(cards))
    elif not cards:
        none = "You are in no tournament" if arguments.mine else "There is no tournament"
        terminal.say_command(
            f"{none}{over_text(len(over), '--over shows')}. Announce one:",
            context.settings.command(*ANNOUNCE),
        )
    else:
        now = time.time_ns() // 1_000_000
        width = terminal.width if terminal.is_live else None
        terminal.say_all(card_lines(cards, now=now, width=width))
    return Exit.DONE


def _show(context: Context) -> Exit:
    return asyncio.run(_tell_sheet(context))


async def _tell_sheet(context: Context) -> Exit:
    terminal = context.terminal
    async with _followed(context) as cup:
        sheet, now = cup.sheet, cup.now_ms
    if context.arguments.json:
        say_json(terminal, in_full(sheet))
        return Exit.DONE
    lines = [*head_lines(sheet, now), *you_lines(sheet)]
    if sheet.terms.about:
        lines += ["", *terminal.wrapped(sheet.terms.about)]
    lines += ["", "Terms:", *(f"  {line}" for line in terms_text_lines(sheet.terms))]
    lines.append(f"  run by {', '.join(f'{each.name} ({each.role})' for each in sheet.staff)}")
    lines += ["", "Players:", *(f"  {line}" for line in _players(sheet, terminal.width))]
    if sheet.matches:
        lines += ["", *round_lines(sheet, now=now)]
    lines += ["", f"commitment {sheet.commitment}"]
    if sheet.seed is not None:
        lines.append(f"seed {sheet.seed}, salt {sheet.salt}")
    terminal.say_all(lines)
    return Exit.DONE


def _players(sheet: TournamentSheet, width: int) -> list[str]:
    lines = player_lines(sheet, width=width - 2)
    if sheet.invited:
        lines.append(f"invited, and not registered: {', '.join(sheet.invited)}")
    return lines


def _standings(context: Context) -> Exit:
    return asyncio.run(_tell_standings(context))


async def _tell_standings(context: Context) -> Exit:
    terminal = context.terminal
    async with _followed(context) as cup:
        table = await cup.standings()
        sheet = cup.sheet
    if context.arguments.json:
        say_json(terminal, in_full(table))
        return Exit.DONE
    title = "Final standings" if table.final else "Standings so far"
    drawn = standings_lines(table, sheet, width=terminal.width, why=context.arguments.why)
    terminal.say_all([f"{sheet.terms.name}: {title}", *drawn])
    if table.chain is not None:
        ends = f"The log has {table.seq:,} events, and its chain ends in"
        terminal.say_all(["", ends, table.chain])
    return Exit.DONE


def _bracket(context: Context) -> Exit:
    return asyncio.run(_tell_bracket(context))


async def _tell_bracket(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    async with _followed(context) as cup:
        sheet, now = cup.sheet, cup.now_ms
        table = await cup.standings() if needs_table(sheet) else None
    chosen = [each for each in in_order(sheet.matches) if arguments.round in (None, each.round)]
    if arguments.json:
        say_json(terminal, in_full(tuple(chosen)))
        return Exit.DONE
    terminal.say_all(
        picture_lines(
            sheet, table, now=now, width=terminal.width - 1, has_blocks=terminal.has_blocks
        )
        if arguments.round is None
        else _round(sheet, arguments.round, now=now, width=terminal.width - 1)
    )
    return Exit.DONE


def _round(sheet: TournamentSheet, round: int, *, now: int, width: int) -> list[str]:
    """The matches of one round. Raises `Fault`."""
    if isinstance(sheet.terms.format, Ladder):
        raise Fault("a ladder has no rounds: leave --round out")
    if isinstance(sheet.terms.format, Heats):
        lines = heat_lines(sheet, now=now, width=width, round=round)
    else:
        lines = round_lines(sheet, now=now, round=round)
    if not lines:
        last = max((each.round for each in sheet.matches), default=0)
        raise Fault(
            f"there is no round {round} yet; {last} is the last" if last else "it has not started"
        )
    return lines


def _log(context: Context) -> Exit:
    return asyncio.run(_tell_log(context))


async def _tell_log(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    async with _followed(context) as cup:
        book = Logbook(cup.ledger.players())
        async for line in cup.log():
            entry = book.read(line)
            if entry.is_ruling or not arguments.rulings:
                terminal.say(line if arguments.json else entry.text)
    return Exit.DONE


def _export(context: Context) -> Exit:
    return asyncio.run(_write_export(context))


async def _write_export(context: Context) -> Exit:
    arguments, terminal = context.arguments, context.terminal
    async with _followed(context) as cup:
        rows: Sequence[Row]
        match arguments.what:
            case "standings":
                table = await cup.standings()
                rows = standing_rows(table, cup.sheet)
            case "matches":
                rows = match_rows(cup.sheet)
            case "players":
                rows = player_rows(cup.sheet)
            case _:
                return await _export_log(context, cup)
    if arguments.format == "csv":
        terminal.write(as_csv(rows))
    else:
        say_json(terminal, rows)
    return Exit.DONE


async def _export_log(context: Context, cup: Cup) -> Exit:
    """The log as it stands; in CSV a row an event, its line of JSON behind it."""
    lines = [line async for line in cup.log()]
    if context.arguments.format == "json":
        say_json(context.terminal, [msgspec.json.decode(line) for line in lines])
        return Exit.DONE
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        fields = msgspec.json.decode(line, type=dict[str, object])
        at, event = fields.get("at"), fields.get("event")
        rows.append({"seq": number, "at": str(at), "event": str(event), "line": line})
    context.terminal.write(as_csv(rows))
    return Exit.DONE
