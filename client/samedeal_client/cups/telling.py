"""Tournaments in sentences: what they are, how they stand, what is wanted of whom.

Pure. `now` is milliseconds of UTC by the server's clock.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from datetime import datetime, tzinfo
from types import MappingProxyType
from typing import Final, assert_never

from samedeal_client.telling import counted, span_text, terms_lines
from samedeal_protocol.terms import Mode
from samedeal_protocol.tournament.formats import (
    DoubleElimination,
    Format,
    Heats,
    Ladder,
    Length,
    RoundRobin,
    SingleElimination,
    Swiss,
)
from samedeal_protocol.tournament.schedule import aloud
from samedeal_protocol.tournament.terms import Choice, Registration, TournamentTerms
from samedeal_protocol.tournament.views import (
    MatchView,
    PlayerView,
    RaceView,
    TournamentChanged,
    TournamentHead,
    TournamentSheet,
)

from .ledger import ENDED

__all__ = [
    "FORMAT_WORDS",
    "away_text",
    "call_lines",
    "called",
    "format_text",
    "head_lines",
    "instant_text",
    "news_lines",
    "phase_text",
    "terms_text_lines",
    "you_lines",
]


FORMAT_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "single-elimination": "single elimination",
        "double-elimination": "double elimination",
        "round-robin": "round robin",
        "swiss": "Swiss",
        "heats": "heats",
        "ladder": "ladder",
    }
)
"""What people read for each format, within a sentence; the browser's words are the same."""
_NEXT: Final = {
    "check-in": "check-in opens",
    "start": "it starts",
    "round": "the next round comes",
    "bell": "the bell rings",
}
_NAMED: Final = 3
"""How many games a head names, at most."""


def format_text(format: Format) -> str:
    """`Swiss, 5 rounds, matches best of 3`."""
    name = FORMAT_WORDS[str(format.__struct_config__.tag)]
    match format:
        case SingleElimination():
            said = [name, *(["third place played"] if format.third_place else [])]
            return _joined(said, format.length)
        case DoubleElimination():
            return _joined([name, *([] if format.reset else ["one final"])], format.length)
        case RoundRobin():
            return _joined([f"double {name}" if format.times == 2 else name], format.length)
        case Swiss():
            return _joined([name, counted(format.rounds, "round")], format.length)
        case Heats():
            points = " ".join(map(str, format.points))
            rounds = counted(format.rounds, "round")
            return f"{name}, {rounds}, up to {format.size} in a race, points {points}"
        case Ladder():
            return _joined([name], format.length)
        case _:
            assert_never(format)


def _in_short(format: Format) -> str:
    """The format without what its terms say besides."""
    if isinstance(format, Heats):
        return f"heats, {counted(format.rounds, 'round')}"
    return format_text(format)


def _joined(said: list[str], length: Length) -> str:
    if length.best_of > 1:
        said = [*said, f"matches best of {length.best_of}"]
    return ", ".join(said)


def instant_text(at: int, zone: tzinfo | None = None) -> str:
    """`2026-12-24 18:00 CET`; by the zone of this machine, unless another is given."""
    return datetime.fromtimestamp(at / 1000, zone).astimezone(zone).strftime("%Y-%m-%d %H:%M %Z")


def away_text(ms: int) -> str:
    """How long until an instant: `now`, `45 s`, `4 min`, `2 h 5 min`, `3 d 4 h`."""
    seconds = ms // 1000
    if seconds <= 0:
        return "now"
    if seconds < 90:
        return f"{seconds} s"
    minutes = seconds // 60
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h" + (f" {minutes} min" if minutes else "")
    days, hours = divmod(hours, 24)
    return f"{days} d" + (f" {hours} h" if hours else "")


def phase_text(head: TournamentHead) -> str:
    """`announced`, `check-in`, `round 2 of 5`, `paused`, `over`, `called off`."""
    if head.phase == "called-off":
        return "called off"
    if head.halted is not None:
        return "paused"
    if head.phase == "running" and head.round:
        return f"round {head.round}" + (f" of {head.rounds}" if head.rounds else "")
    return head.phase


def called(players: Mapping[int, PlayerView], number: int) -> str:
    """The name of a player; a bot says that it is one."""
    player = players.get(number)
    if player is None:
        return f"#{number}"
    return f"{player.name} (bot)" if player.bot else player.name


def head_lines(sheet: TournamentSheet, now: int) -> list[str]:
    """Says how it stands, in a few lines."""
    head, terms = sheet.head, sheet.terms
    games = (terms.race.game, *terms.games)
    played = ", ".join(games) if len(games) <= _NAMED else counted(len(games), "game")
    lines = [f"{terms.name}: {_in_short(terms.format)}; {played}"]
    there = sum(each.state not in ("withdrawn", "waiting", "absent") for each in sheet.players)
    said = [phase_text(head), counted(there, "player")]
    if head.next and head.next_at is not None:
        said.append(f"{_NEXT.get(head.next, head.next)} in {away_text(head.next_at - now)}")
    lines.append(f"{sheet.tournament}: {', '.join(said)}".replace(" in now", " now"))
    if head.halted is not None:
        lines.append(f"Paused: {head.halted}")
    elif head.waits:
        lines.append(_sentence(head.waits))
    if head.champion is not None:
        players = {each.player: each for each in sheet.players}
        lines.append(f"The champion is {called(players, head.champion)}.")
    elif head.reason:
        lines.append(_sentence(head.reason))
    return lines


def _sentence(said: str) -> str:
    return f"{said[0].upper()}{said[1:]}{'' if said.endswith('.') else '.'}"


def terms_text_lines(terms: TournamentTerms) -> list[str]:
    """The terms, one a line."""
    lines = [format_text(terms.format)]
    match terms.registration:
        case Registration.OPEN:
            lines.append("everybody may register")
        case Registration.INVITATION:
            lines.append("by invitation")
        case Registration.PHRASE:
            lines.append("whoever knows the pass phrase may register")
    lines.append(
        f"{terms.least} to {counted(terms.cap, 'player')}, seeded by {terms.seeding.value}"
    )
    if terms.starts is None:
        lines.append("the host starts it")
    else:
        lines.append(f"starts {instant_text(terms.starts)}")
    if terms.check_in is not None:
        lines.append(f"check-in during {span_text(terms.check_in)}")
    if terms.race.mode is Mode.LIVE:  # of others the race's own line says how long there is
        late = "it starts without you" if isinstance(terms.format, Heats) else "it is lost"
        lines.append(f"{span_text(terms.no_show)} to be ready for a race, else {late}")
    lines += _length_lines(terms.format)
    if terms.rounds_by_hand:
        lines.append("the host has each round paired")
    if terms.between:
        lines.append(f"{span_text(terms.between)} between rounds")
    if terms.late_until:
        lines.append(f"newcomers are let in until round {terms.late_until}")
    if terms.late_joins:
        lines.append("newcomers are let in until the bell")
    if terms.bell is not None:
        lines.append(f"the bell rings {span_text(terms.bell)} after the start")
    if terms.games:
        chosen = "one after the other" if terms.choice is Choice.ROTATE else "picked by the players"
        lines.append(f"games {', '.join((terms.race.game, *terms.games))}, {chosen}")
    else:
        lines.append(f"game {terms.race.game}")
    if terms.repeat is not None:
        lines.append(f"repeats {aloud(terms.repeat)}")
    return [*lines, *(f"race: {line}" for line in terms_lines(terms.race) if _tells(line))]


def _length_lines(format: Format) -> Iterator[str]:
    """What becomes of drawn races, and which matches are of another length."""
    if isinstance(format, Heats):
        return
    yield _drawn_text(format.length)
    if isinstance(format, SingleElimination | DoubleElimination):
        for label, length in format.lengths.items():
            said = f"{label}: best of {length.best_of}"
            differs = length.replays != format.length.replays
            yield f"{said}; {_drawn_text(length)}" if differs else said


def _drawn_text(length: Length) -> str:
    if not length.replays:
        return "drawn races are not played again; each counts half for both"
    times = counted(length.replays, "time")
    return f"drawn races are played again, up to {times} in a match; then they count half for both"


def _tells(line: str) -> bool:
    """A tournament starts its races, and says by itself what is played, and who is in them."""
    is_said = line.startswith(("live: starts", "game ")) or line.endswith((" entrants", " entrant"))
    return not is_said


def you_lines(sheet: TournamentSheet) -> list[str]:
    """Says what the viewer is in it, and what they can do now."""
    you = next((each for each in sheet.players if each.player == sheet.you), None)
    lines = [] if sheet.role is None else [f"You are {_role(sheet.role)}."]
    if you is None:
        return lines
    match you.state:
        case "registered" if sheet.head.phase == "check-in":
            lines.append("You are registered: check in now, or you do not play.")
        case "registered":
            lines.append("You are registered.")
        case "checked-in":
            lines.append("You are checked in.")
        case "waiting":
            before = [each for each in sheet.players if each.state == "waiting"]
            place = 1 + sum(each.player < you.player for each in before)
            lines.append(f"You are on the waiting list, at place {place}.")
        case "playing" | "sitting-out" if sheet.head.phase in ENDED:
            pass
        case "playing":
            lines.append(f"You play{'' if you.seed is None else f', with seed number {you.seed}'}.")
        case "sitting-out":
            lines.append("You sit out: nobody is paired with you until you come back.")
        case state:
            lines.append(f"You are {state}.")
    return lines


def _role(role: str) -> str:
    return "the host" if role == "host" else f"a {role}"


def news_lines(news: TournamentChanged, sheet: TournamentSheet, *, is_player: bool) -> list[str]:
    """What has happened, a line each. A player is told what is about all or about themselves, and
    whom they meet instead of all pairings."""
    if not is_player:
        return list(news.text)
    own = {each.match for each in sheet.matches if sheet.you in each.players}
    others = {each.match for each in sheet.matches} - own
    lines = [line for line in news.text if _concerns(line, others)]
    players = {each.player: each for each in sheet.players}
    for match in news.matches if any(map(_is_pairing, news.text)) else ():
        if match.match in own and len(match.races) < 2 and match.ending in (None, "bye"):
            rivals = [called(players, each) for each in match.players if each != sheet.you]
            met = f"you meet {', '.join(rivals)}" if rivals else "you have a bye"
            lines.append(f"{match.label}: {met}")
    return lines


def _is_pairing(line: str) -> bool:
    return line.startswith("paired: ")


def _concerns(line: str, others: Container[str]) -> bool:
    """Whether a player wants to hear it: nothing of others' matches, nor twice that a race of
    their own is called or runs."""
    is_race = " is called, " in line or line.endswith(" runs")
    return not (_is_pairing(line) or is_race or line.partition(" ")[0].rstrip(":") in others)


def call_lines(match: MatchView, race: RaceView, sheet: TournamentSheet, now: int) -> list[str]:
    """Tells a player that a race wants them."""
    players = {each.player: each for each in sheet.players}
    rivals = ", ".join(called(players, each) for each in match.players if each != sheet.you)
    of = (
        f"race {race.number} of {match.match}"
        if max(match.best_of, race.number) > 1
        else match.match
    )
    lines = [f"Your race is ready: {of} ({match.label}), {race.game}, against {rivals}."]
    if race.state == "called" and race.ready_by is not None:
        late = "it starts without you" if len(match.players) > 2 else "it is lost"
        lines.append(f"Be ready within {away_text(race.ready_by - now)}, or {late}.")
    return lines
