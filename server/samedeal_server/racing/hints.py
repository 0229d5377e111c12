"""A move worth trying, found as a careful beginner would: by looking at the table, not ahead.

Only what the player sees is used: which moves are legal, what they bring home, and that a move
uncovers a card, but not which card.
"""

from __future__ import annotations

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import EntrantState
from samedeal_rules.engine import Table
from samedeal_rules.notation import Move, move_text

from .phases import Phase, Refused
from .state import Race

__all__ = ["hint"]


def hint(race: Race, player: str, skip: int = 0) -> str:
    """Returns a legal move of the player's own board as text: the best but `skip`.

    A move that brings a card home comes first, then one that uncovers or empties something, then
    any that changes the table, then the stock; a move that only takes the last one back comes last.
    After the last of them comes the first again.

    Raises:
        Refused: not-entered, not-running, no-hints, not-racing; no-hints also if no move is left.
    """
    entrant = race.by_player.get(player)
    if entrant is None:
        raise Refused(ErrorCode.NOT_ENTERED, "you are not an entrant of this race")
    if not race.terms.hints:
        raise Refused(ErrorCode.NO_HINTS, "the terms of this race allow no hints")
    if race.phase is not Phase.RUNNING:
        raise Refused(ErrorCode.NOT_RUNNING, "the race is not running")
    if entrant.state is not EntrantState.RACING or entrant.table is None:
        raise Refused(ErrorCode.NOT_RACING, "you have no board in play")
    table = entrant.table
    last = table.last().move if table.depth else None
    moves = table.legal()
    if not moves:
        raise Refused(ErrorCode.NO_HINTS, "no move is left: take one back, or give up")
    trial = table.copy()
    texts = table.game
    ranked = sorted((_worth(trial, move, last), move_text(texts, move)) for move in moves)
    return ranked[skip % len(ranked)][1]


def _worth(trial: Table, move: Move, last: Move | None) -> int:
    """Returns how good the move looks on a table to try it on: lower is better."""
    if move.cards == 0:
        return 4
    before, home = trial.piles(), trial.home
    trial.play(move)
    brought, turned = trial.home - home, bool(trial.last().turned)
    after = trial.piles()
    trial.undo()
    if brought > 0:
        return 0
    if brought < 0 or sorted(before) == sorted(after):
        return 5  # out of the foundations, or a pile merely moved over
    if last is not None and (move.source, move.target) == (last.target, last.source):
        return 6
    if turned:
        return 1
    return 2 if not after[move.source] else 3
