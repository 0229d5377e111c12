"""What players, hosts and referees type, as acts: one table for the command line and the console.

Each deed is a word with its own small parser. Players may be named by number (`#3`, `3`) or by
name, as the sheet knows them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from samedeal_protocol.tournament import requests as acts
from samedeal_protocol.tournament.events import Ending
from samedeal_protocol.tournament.requests import AnyAct
from samedeal_protocol.tournament.views import TournamentSheet
from samedeal_rules import meant

from .ledger import extension, round_to_start
from .plan import BadPlan, number_of, seconds_of

__all__ = ["DEEDS", "BadDeed", "Deed", "player_of"]

Arguments = argparse.Namespace


class BadDeed(ValueError):
    """What was typed names somebody or something that there is not; the sentence says what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One thing that can be done in a tournament, by a word."""

    word: str
    sentence: str
    whose: str
    """`players`, `hosts`, `staff`, `the host`."""
    done: str
    """What is said when it is done."""
    example: str = ""
    """What is typed behind the word."""
    takes: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    makes: Callable[[Arguments, TournamentSheet], AnyAct]


# --- what is typed behind the words ---------------------------------------------------------------


def player_of(text: str, sheet: TournamentSheet) -> int:
    """Returns the number of the player named so. Raises BadDeed."""
    number = text.removeprefix("#")
    numbers = {each.player for each in sheet.players}
    named = [each.player for each in sheet.players if each.name.casefold() == text.casefold()]
    if named:
        return named[-1]
    if number.isdigit() and int(number) in numbers:
        return int(number)
    raise BadDeed(f"{text[:40]!r} is no player of this tournament: name one, or give a number")


def _player(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", metavar="PLAYER", help="a player's name or number")


def _optional_player(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "player", nargs="?", metavar="PLAYER", help="staff: whom (default: yourself)"
    )


def _players(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "players",
        nargs="*",
        default=(),  # or argparse would hold that one has to be named
        metavar="PLAYER",
        help="who gets the first seed numbers, in this order; the others come after them",
    )


def _reason(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reason", nargs="+", metavar="REASON", help="why; everybody can read it")


def _match(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match", metavar="MATCH", help="the match, such as W1.2 or F")


def _player_and_reason(parser: argparse.ArgumentParser) -> None:
    _player(parser)
    _reason(parser)


def _race_and_reason(parser: argparse.ArgumentParser) -> None:
    _match(parser)
    parser.add_argument(
        "number", type=_number, metavar="N", help="which race of the match: 1, 2, ..."
    )
    _reason(parser)


def _extension(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("span", type=_span, metavar="SPAN", help="90, 90s, 5m, 2h")
    parser.add_argument(
        "match",
        nargs="?",
        metavar="MATCH",
        help="its players get more time (default: what the tournament waits for)",
    )


def _ruling(parser: argparse.ArgumentParser) -> None:
    _match(parser)
    parser.add_argument(
        "result",
        metavar="RESULT",
        help="the winner's name or number; or draw; or none, when both have lost",
    )
    _reason(parser)
    parser.add_argument("--walkover", action="store_true", help="it was not played")


def _appointment(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("whom", metavar="NAME", help="somebody's name")
    parser.add_argument("role", choices=("co-host", "referee", "none"))


def _names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="+", metavar="NAME")


def _url(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="https://...")


def _picking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="a game of the tournament")
    parser.add_argument("match", nargs="?", metavar="MATCH", help="where you pick in several")


def _registration(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--phrase", metavar="WORDS", help="the pass phrase, if one is needed")


def _calling_off(parser: argparse.ArgumentParser) -> None:
    _reason(parser)
    parser.add_argument("--series", action="store_true", help="and no other follows")


def _span(text: str) -> int:
    try:
        return seconds_of(text)
    except BadPlan as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from refusal


def _number(text: str) -> int:
    try:
        return number_of(text)
    except BadPlan as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from refusal


def _why(arguments: Arguments) -> str:
    return " ".join(arguments.reason)


# --- acts that need a look ------------------------------------------------------------------------


def _override(arguments: Arguments, sheet: TournamentSheet) -> AnyAct:
    why, match = _why(arguments), arguments.match
    if arguments.result == "none":
        return acts.Override(match=match, ending=Ending.FORFEIT, reason=why)
    if arguments.result == "draw":
        return acts.Override(match=match, reason=why)
    ending = Ending.WALKOVER if arguments.walkover else Ending.PLAYED
    winner = player_of(arguments.result, sheet)
    return acts.Override(match=match, winner=winner, ending=ending, reason=why)


def _pick(arguments: Arguments, sheet: TournamentSheet) -> AnyAct:
    mine = [
        each.match
        for each in sheet.matches
        if each.pick is not None and each.pick.player == sheet.you
    ]
    match = arguments.match or (mine[0] if len(mine) == 1 else None)
    if match is None:
        raise BadDeed(
            f"you pick in {', '.join(mine)}: name the match" if mine else "it is not yours to pick"
        )
    game = meant(arguments.game)
    return acts.PickGame(match=match, game=arguments.game if game is None else game.key)


def _withdraw(arguments: Arguments, sheet: TournamentSheet) -> AnyAct:
    named = arguments.player
    return acts.Withdraw(player=None if named is None else player_of(named, sheet))


def _unhook(arguments: Arguments, sheet: TournamentSheet) -> AnyAct:
    # Only the host is told which there are; everybody else is refused by the server.
    if sheet.role == "host" and arguments.url not in sheet.hooks:
        hooked = f"but to {', '.join(sheet.hooks)}" if sheet.hooks else "nor anywhere else"
        raise BadDeed(f"nothing is posted to {arguments.url[:80]}, {hooked}")
    return acts.RemoveHook(url=arguments.url)


def _start(arguments: Arguments, sheet: TournamentSheet) -> AnyAct:
    order = tuple(player_of(each, sheet) for each in arguments.players)
    return acts.StartTournament(order=order)


_ALL: Final = (
    Deed(
        word="register",
        sentence="register, or take a place on the waiting list",
        whose="players",
        done="You are registered.",
        takes=_registration,
        makes=lambda given, sheet: acts.Register(phrase=given.phrase),
    ),
    Deed(
        word="check-in",
        sentence="say that you are there and play",
        whose="players",
        done="You are checked in.",
        makes=lambda given, sheet: acts.CheckIn(),
    ),
    Deed(
        word="withdraw",
        sentence="take your registration back, or leave the tournament",
        whose="players",
        done="Withdrawn.",
        takes=_optional_player,
        makes=_withdraw,
    ),
    Deed(
        word="sit-out",
        sentence="be paired no more until you come back",
        whose="players",
        done="You sit out.",
        makes=lambda given, sheet: acts.SitOut(),
    ),
    Deed(
        word="come-back",
        sentence="be paired again",
        whose="players",
        done="You are back.",
        makes=lambda given, sheet: acts.ComeBack(),
    ),
    Deed(
        word="pick",
        sentence="pick the game of your next race",
        whose="players",
        done="Picked.",
        example="opus",
        takes=_picking,
        makes=_pick,
    ),
    Deed(
        word="invite",
        sentence="let people of these names register",
        whose="hosts",
        done="Invited.",
        example="Ada Bo 'Cy Young'",
        takes=_names,
        makes=lambda given, sheet: acts.Invite(names=tuple(given.names)),
    ),
    Deed(
        word="open",
        sentence="open the check-in now",
        whose="hosts",
        done="The check-in is open.",
        makes=lambda given, sheet: acts.OpenCheckIn(),
    ),
    Deed(
        word="start",
        sentence="start with those who are there",
        whose="hosts",
        done="It has started.",
        example="Ada Bo",
        takes=_players,
        makes=_start,
    ),
    Deed(
        word="round",
        sentence="have the next round paired now",
        whose="hosts",
        done="The round is paired.",
        makes=lambda given, sheet: round_to_start(sheet),
    ),
    Deed(
        word="bell",
        sentence="ring the bell of a ladder now",
        whose="hosts",
        done="The bell has rung.",
        makes=lambda given, sheet: acts.RingBell(),
    ),
    Deed(
        word="let-in",
        sentence="give somebody from the waiting list a place",
        whose="hosts",
        done="Let in.",
        example="Ada",
        takes=_player,
        makes=lambda given, sheet: acts.LetIn(player=player_of(given.player, sheet)),
    ),
    Deed(
        word="halt",
        sentence="pause: nothing is paired or timed out, races that run go on",
        whose="staff",
        done="Paused.",
        example="fire alarm",
        takes=_reason,
        makes=lambda given, sheet: acts.Halt(reason=_why(given)),
    ),
    Deed(
        word="continue",
        sentence="end a pause",
        whose="staff",
        done="It goes on.",
        makes=lambda given, sheet: acts.Continue(),
    ),
    Deed(
        word="extend",
        sentence="give more time",
        whose="staff",
        done="There is more time.",
        example="5m W1.2",
        takes=_extension,
        makes=lambda given, sheet: extension(sheet, given.span, given.match),
    ),
    Deed(
        word="void",
        sentence="count a race for nothing; another is played",
        whose="staff",
        done="The race is void.",
        example="W1.2 1 power cut",
        takes=_race_and_reason,
        makes=lambda given, sheet: acts.VoidRace(
            match=given.match, number=given.number, reason=_why(given)
        ),
    ),
    Deed(
        word="override",
        sentence="say how a match ended, whatever its races say",
        whose="staff",
        done="Overridden.",
        example="W1.2 Ada both agree",
        takes=_ruling,
        makes=_override,
    ),
    Deed(
        word="dq",
        sentence="disqualify a player",
        whose="staff",
        done="Disqualified.",
        example="Bo two devices",
        takes=_player_and_reason,
        makes=lambda given, sheet: acts.Disqualify(
            player=player_of(given.player, sheet), reason=_why(given)
        ),
    ),
    Deed(
        word="reinstate",
        sentence="take a disqualification or withdrawal back",
        whose="hosts",
        done="Reinstated.",
        example="Bo it was a mistake",
        takes=_player_and_reason,
        makes=lambda given, sheet: acts.Reinstate(
            player=player_of(given.player, sheet), reason=_why(given)
        ),
    ),
    Deed(
        word="appoint",
        sentence="make somebody co-host or referee, or neither again",
        whose="the host",
        done="Appointed.",
        example="Cy referee",
        takes=_appointment,
        makes=lambda given, sheet: acts.Appoint(name=given.whom, role=given.role),
    ),
    Deed(
        word="call-off",
        sentence="call the tournament off",
        whose="the host",
        done="It is called off.",
        example="the hall is closed",
        takes=_calling_off,
        makes=lambda given, sheet: acts.CallOff(reason=_why(given), series=given.series),
    ),
    Deed(
        word="hook",
        sentence="have results posted to a URL, signed",
        whose="the host",
        done="Results are posted there.",
        example="https://example.org/results",
        takes=_url,
        makes=lambda given, sheet: acts.AddHook(url=given.url),
    ),
    Deed(
        word="unhook",
        sentence="have nothing posted to a URL any more",
        whose="the host",
        done="Nothing is posted there any more.",
        example="https://example.org/results",
        takes=_url,
        makes=_unhook,
    ),
)

DEEDS: Final[Mapping[str, Deed]] = {deed.word: deed for deed in _ALL}
"""By word."""
