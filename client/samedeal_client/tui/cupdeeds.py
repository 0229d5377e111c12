"""What a player can do in a tournament now, and what wants them most. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from samedeal_client.cups.cup import Cup
from samedeal_client.cups.ledger import ENDED
from samedeal_protocol.tournament.formats import Heats, Ladder, Swiss
from samedeal_protocol.tournament.views import TournamentSheet

__all__ = ["Offer", "offers"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A word of the console that makes sense now, by which key, and what it is called."""

    word: str
    keys: tuple[str, ...]
    label: str
    meaning: str
    asks: str = ""
    """What is asked before it is done, as it cannot be undone at once."""


_GO_IN = Offer("go", ("space", "f2"), "go in", "go into your race")
_PICK = Offer("pick", ("g", "f3"), "pick game", "pick the game of your next race")
_CHECK_IN = Offer("check-in", ("space", "f2"), "check in", "say that you are there and play")
_REGISTER = Offer("register", ("r", "f4"), "register", "register, or wait for a place")
_SIT_OUT = Offer("sit-out", ("z",), "sit out", "be paired no more until you come back")
_COME_BACK = Offer("come-back", ("z",), "come back", "be paired again")
_WITHDRAW = Offer(
    "withdraw", ("x", "f8"), "withdraw", "leave the tournament", "Withdraw from the tournament?"
)
_NEXT = ("n", "f7")
_START = Offer("start", _NEXT, "start", "start with those who are there", "Start it now?")
_ROUND = Offer("round", _NEXT, "next round", "have the next round paired now")
_CONTINUE = Offer("continue", _NEXT, "go on", "end the pause")


def offers(cup: Cup) -> list[Offer]:
    """What the viewer can do now, the most urgent first."""
    if cup.head.phase in ENDED:
        return []
    return [*_players(cup), *_hosts(cup.sheet)]


def _hosts(sheet: TournamentSheet) -> list[Offer]:
    """The step that is next, for those who take it."""
    head = sheet.head
    if sheet.role not in ("host", "co-host"):
        return []
    if head.halted is not None:
        return [_CONTINUE]
    if head.phase in ("announced", "check-in"):
        return [_START]
    if isinstance(sheet.terms.format, Ladder):
        return []
    return [_ROUND] if head.next == "round" or sheet.terms.rounds_by_hand else []


def _players(cup: Cup) -> list[Offer]:
    head, you = cup.head, cup.you
    if you is None or you.state == "absent":
        return [_REGISTER] if _lets_in(cup.sheet) else []
    said = [_GO_IN] if cup.ledger.wanted() else []
    if cup.ledger.picks():
        said.append(_PICK)
    match you.state:
        case "registered" | "waiting" if head.phase == "check-in":
            said += [_CHECK_IN, _WITHDRAW]
        case "registered" | "checked-in" | "waiting":
            said.append(_WITHDRAW)
        case "playing" if isinstance(cup.terms.format, Swiss | Heats | Ladder):
            said += [_SIT_OUT, _WITHDRAW]
        case "playing":
            said.append(_WITHDRAW)
        case "sitting-out":
            said += [_COME_BACK, _WITHDRAW]
        case "withdrawn":
            said.append(_COME_BACK if head.phase == "running" else _REGISTER)
        case _:
            pass
    return said


def _lets_in(sheet: TournamentSheet) -> bool:
    """Whether somebody may still register; the server has the last word."""
    terms = sheet.terms
    if sheet.head.phase != "running":
        return True
    if isinstance(terms.format, Ladder):
        return terms.late_joins
    return sheet.head.round < terms.late_until
