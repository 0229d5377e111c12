"""Open matches whose players have gone: a walkover for the one who stays, else a double forfeit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .state import Decided, Ending, Match, Player, Result

__all__ = ["forfeits"]


def forfeits(matches: Iterable[Match], players: Mapping[str, Player]) -> list[Decided]:
    """Returns the results of open matches that fewer than two can play."""
    found: list[Decided] = []
    for match in matches:
        staying = [player for player in match.players if players[player].is_in]
        if match.result is not None or len(staying) > 1:
            continue
        if staying:
            found.append(Decided(match.id, Result(Ending.WALKOVER, staying[0])))
        else:
            found.append(Decided(match.id, Result(Ending.FORFEIT)))
    return found
