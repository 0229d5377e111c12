"""What is said in a race: who hears it, and what of it whoever comes later is told.

While boards are in play, an entrant does not hear those who may know more of the deal or of the
result, lest they help; and of an async race only those who are done hear those who have begun. Who
hears a line is settled when it is said: it is not withdrawn when its speaker is done later on. When
the race is over, everybody may read everything.
"""

from __future__ import annotations

from typing import Final

from samedeal_protocol.events import Said
from samedeal_protocol.messages import ChatLine

from .phases import Phase
from .sights import Level, Role, Sight, sight
from .state import Hearers, Race, Spoken

__all__ = ["CHARACTERS", "LINES", "chat", "hears", "spoken", "with_line"]

LINES: Final = 50
CHARACTERS: Final = 4000
"""How much is kept of what was said: that many lines at most, and characters in all of them."""


def spoken(race: Race, event: Said) -> Spoken:
    """Returns a line as it is kept; ask when it is said."""
    speaker = race.by_player.get(event.player)
    line = ChatLine(at=event.at, name=event.name, text=event.text, bot=event.bot)
    return Spoken(line, 0 if speaker is None else speaker.number, _hearers(race, event.player))


def with_line(talk: tuple[Spoken, ...], line: Spoken) -> tuple[Spoken, ...]:
    """Returns what is kept after one line more."""
    kept = (*talk, line)[-LINES:]
    while sum(len(each.line.text) for each in kept) > CHARACTERS:
        kept = kept[1:]
    return kept


def hears(line: Spoken, seen: Sight) -> bool:
    """Returns whether a viewer is told the line when it is said."""
    if line.speaker != 0 and line.speaker == seen.entrant:
        return True
    match line.hearers:
        case Hearers.ALL:
            return True
        case Hearers.NOT_RACING:
            return seen.role is not Role.ENTRANT
        case Hearers.DONE:
            return seen.role is Role.DONE


def chat(race: Race, seen: Sight) -> tuple[ChatLine, ...]:
    """Returns the newest lines that a viewer may read, the oldest first."""
    is_over = race.phase is Phase.OVER
    return tuple([each.line for each in race.talk if is_over or hears(each, seen)])


def _hearers(race: Race, player: str) -> Hearers:
    speaker = race.by_player.get(player)
    if race.phase is not Phase.RUNNING or (speaker is None and player == race.host):
        return Hearers.ALL
    if race.is_async and speaker is not None and speaker.table is not None:
        return Hearers.DONE
    if speaker is not None and not speaker.is_done:
        return Hearers.ALL
    has_played = speaker is not None and speaker.table is not None
    knows_more = has_played or race.terms.blind or sight(race, player).level is Level.BOARDS
    return Hearers.NOT_RACING if knows_more else Hearers.ALL
