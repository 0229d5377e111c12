"""Matches in sentences: who meets whom, how it stands, how it ended; and their order.

Pure. `now` is milliseconds of UTC by the server's clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from samedeal_protocol.tournament.views import MatchView, PlayerView

from .telling import away_text, called

__all__ = ["awaited_text", "in_order", "match_text", "versus"]


def versus(match: MatchView, players: Mapping[int, PlayerView]) -> str:
    """`Ada – Bo`, or the many of a heat."""
    between = " – " if len(match.players) < 3 else ", "
    return between.join(called(players, player) for player in match.players)


def match_text(match: MatchView, players: Mapping[int, PlayerView], now: int) -> str:
    """`W1.2  Ada – Bo  2–1`, `W1.3  Cy – Di: race otter-3, to be ready within 4 min`."""
    said = f"{match.match}  {versus(match, players)}"
    if match.ending is not None:
        if match.places and not match.unplayed:
            return f"{match.match}  {_ended(match, players)}"
        return f"{said}  {_ended(match, players)}"
    score = _so_far(match)
    awaited = awaited_text(match, players, now)
    return f"{said}{f'  {score}' if score else ''}{f': {awaited}' if awaited else ''}"


def awaited_text(match: MatchView, players: Mapping[int, PlayerView], now: int) -> str:
    """What an open match waits for: `race otter-3 is on`, `Ada picks the game, within 40 s`."""
    pick = match.pick
    if pick is not None:
        return (
            f"{called(players, pick.player)} picks the game, within {away_text(pick.until - now)}"
        )
    last = match.races[-1] if match.races else None
    if last is None or last.state not in ("called", "running"):
        return ""
    if last.state == "running":
        return f"race {last.race} is on"
    left = "" if last.ready_by is None else f", to be ready within {away_text(last.ready_by - now)}"
    return f"race {last.race}{left}"


def _so_far(match: MatchView) -> str:
    """How an open match stands: `1–0`, `1–0, 2 drawn`; drawn races were played again."""
    over = sum(race.state == "over" for race in match.races)
    drawn = over - sum(map(_number, match.score.split("–"))) if match.score else 0
    said = [match.score] if match.best_of > 1 and match.score else []
    return ", ".join([*said, f"{drawn:.0f} drawn"] if drawn >= 1 else said)


def _number(score: str) -> float:
    """`1½` as a number; nothing for what is none."""
    whole = score.rstrip("½")
    return (int(whole) if whole.isdigit() else 0) + (0.5 if whole != score else 0)


def _ended(match: MatchView, players: Mapping[int, PlayerView]) -> str:
    winner = None if match.winner is None else called(players, match.winner)
    match match.ending:
        case "bye":
            said = "has a bye"
        case "walkover":
            said = f"walkover for {winner}"
        case "double forfeit":
            said = "nobody wins"
        case "played" if match.places:
            said = ", ".join(
                f"{'-' if each.place is None else each.place} {called(players, each.player)}"
                for each in match.places
            )
        case "played":
            said = _result(match, winner)
        case other:
            said = str(other)
    said = f"{match.unplayed}: {said}" if match.unplayed else said
    return f"{said} (ruled: {match.overridden})" if match.overridden else said


def _result(match: MatchView, winner: str | None) -> str:
    """`2–1`, `drawn`, `drawn 1–1`, `drawn, Ada wins by cards home 40–38`."""
    score, _, decided = match.score.partition(", ")
    one, _, other = score.partition("–")
    if one != other:
        return score or ("drawn" if winner is None else f"{winner} wins")
    if match.overridden and winner is not None:
        return f"{winner} wins"
    said = "drawn" if match.best_of == 1 else f"drawn {score}".rstrip()
    return said if winner is None else f"{said}, {winner} wins by {decided}"


_PARTS: Final = re.compile(r"([A-Z]*)([0-9]*)[.]?([0-9]*)")
_STAGES: Final = "WLTF"
"""In a round of an elimination: winners, losers, the third place, the final."""


def in_order(matches: Iterable[MatchView]) -> list[MatchView]:
    """Returns matches by rounds, and in each by their numbers; a bye comes last."""
    return sorted(matches, key=_place)


def _place(match: MatchView) -> tuple[int, int, int, bool, int]:
    found = _PARTS.match(match.match)
    if found is None:
        raise AssertionError("what may be nothing is always found")
    stage, number, row = found.groups()
    is_bye = match.match.endswith(".bye")
    return match.round, _STAGES.find(stage), int(number or 0), is_bye, int(row or 0)
