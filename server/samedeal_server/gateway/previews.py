"""What is said of a race or tournament before its page is opened: where a link to it is shared.

Whoever posts a link may not see it read by all: of a race that is unlisted, behind a pass phrase or
blind, and of an unlisted tournament, nobody's name is said, and no result.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Final

from samedeal_protocol.events import EntrantState
from samedeal_protocol.messages import ResultsSheet, Standing
from samedeal_protocol.terms import Terms, Visibility
from samedeal_protocol.tournament.views import TournamentSheet
from samedeal_rules import name_of

__all__ = ["SITE", "Preview", "head", "of_race", "of_tournament"]

_SHOWN: Final = 5
"""How many of the first are named."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A title, a sentence or two, and whether search engines may list the page."""

    title: str
    words: str
    is_listed: bool = True


SITE: Final = Preview(
    "samedeal",
    "Solitaire races: everyone gets the same deal, and every move is checked.",
)


def of_race(sheet: ResultsSheet) -> Preview:
    """Returns what may be said to anybody of a race, from what a stranger may know of it."""
    terms = sheet.terms
    game = name_of(terms.game)
    if terms.visibility is not Visibility.PUBLIC or terms.blind:
        is_listed = terms.visibility is not Visibility.UNLISTED
        return Preview(f"A race of {game}", _way(terms), is_listed)
    match sheet.phase:
        case "running":
            count = len(sheet.standings)
            racing = f"{_entrants(count)} racing {game}" if count else f"A race of {game} is on"
            return Preview(racing, _way(terms))
        case "over":
            return Preview(_outcome(sheet.standings, game), _ranking(sheet.standings, game))
        case "cancelled":
            return Preview(f"A race of {game} that was called off", SITE.words)
        case "countdown":
            return Preview(f"A race of {game} that is about to start", _way(terms))
        case _:
            return Preview(f"A race of {game}, open to enter", _way(terms))


def of_tournament(sheet: TournamentSheet) -> Preview:
    """Returns what may be said to anybody of a tournament."""
    terms, head = sheet.terms, sheet.head
    if terms.visibility is not Visibility.PUBLIC:
        return Preview("A solitaire tournament", SITE.words, is_listed=False)
    games = ", ".join(map(name_of, dict.fromkeys((terms.race.game, *terms.games))))
    count = len(sheet.players)
    players = f"{count} player{'' if count == 1 else 's'}"
    names = {player.player: player.name for player in sheet.players}
    if head.phase == "over" and head.champion is not None:
        state = f"{names[head.champion]} won"
    elif head.phase == "running" and head.round:
        state = f"Round {head.round}" + (f" of {head.rounds}" if head.rounds else "")
    else:
        state = _PHASES.get(head.phase, head.phase)
    return Preview(terms.name, f"{state}. A tournament of {games}: {players}.")


_PHASES: Final = {
    "announced": "Announced",
    "check-in": "Checking in",
    "running": "Running",
    "over": "Over",
    "called-off": "Called off",
}


def head(preview: Preview, url: str) -> str:
    """Returns the elements that say it, for the page at `url`, which is empty if it is unknown."""
    said = {
        "og:site_name": SITE.title,
        "og:type": "website",
        "og:title": preview.title,
        "og:description": preview.words,
        "og:url": url,
    }
    lines = [_meta("property", name, value) for name, value in said.items() if value]
    lines.append(_meta("name", "description", preview.words))
    lines.append(_meta("name", "twitter:card", "summary"))
    if not preview.is_listed:
        lines.append(_meta("name", "robots", "noindex"))
    if url:
        lines.append(f'<link rel="canonical" href="{html.escape(url)}">')
    return "\n".join(lines) + "\n"


def _meta(kind: str, name: str, value: str) -> str:
    return f'<meta {kind}="{name}" content="{html.escape(value)}">'


def _way(terms: Terms) -> str:
    if terms.mode.value == "async":
        return "Everyone gets the same deal, and starts when they like."
    return "Everyone gets the same deal at the same instant."


def _entrants(count: int) -> str:
    return "1 entrant is" if count == 1 else f"{count} entrants are"


def _outcome(standings: tuple[Standing, ...], game: str) -> str:
    """Returns who won, as a title."""
    first = [line for line in standings if line.place == 1]
    time = first[0].elapsed_ms if first else None
    if time is None:
        return f"A race of {game} that nobody finished"
    return f"{_together([line.name for line in first])} won in {_clock(time)}"


def _ranking(standings: tuple[Standing, ...], game: str) -> str:
    """Returns how the first did, as a sentence."""
    shown = [f"{line.place}. {line.name} {_result(line)}" for line in standings[:_SHOWN]]
    more = len(standings) - len(shown)
    if more:
        shown.append(f"and {more} more")
    return f"{game}: {', '.join(shown)}." if shown else f"{game}."


def _result(line: Standing) -> str:
    if line.elapsed_ms is not None:
        return _clock(line.elapsed_ms)
    if line.state == EntrantState.DISQUALIFIED.value:
        return "disqualified"
    return f"{line.home} home"


def _together(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _clock(ms: int) -> str:
    """Returns a time as minutes and seconds, with hours if there are any."""
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
