"""What happens, in one line each: for a terminal, a pipe and a screen reader alike.

Pure: messages and values in, sentences out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, assert_never

from samedeal_protocol import messages as wire
from samedeal_protocol.messages import EntrantView, RaceEvent, Standing
from samedeal_protocol.terms import DAY, Mode, Sight, Start, Terms, Undo, Visibility

__all__ = [
    "ELASTIC_MIN",
    "aligned",
    "cells",
    "clock",
    "counted",
    "entrant_text",
    "event_text",
    "move_text",
    "ordinal",
    "padded",
    "said_text",
    "span_text",
    "standings_table",
    "state_text",
    "terms_lines",
    "terms_text",
]

_USUAL_LIMIT = 3600
_STATES = {
    "entered": "not ready",
    "gave-up": "gave up",
    "out-of-time": "out of time",
    "hidden": "hidden until you are done",
}


ELASTIC_MIN: Final = 8
"""What a column that gives way keeps, in cells."""


def clock(ms: int | None) -> str:
    """`0:41.203`, `1:02:03.004`; `-` for no time."""
    if ms is None:
        return "-"
    minutes, rest = divmod(ms, 60_000)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{rest // 1000:02}.{rest % 1000:03}"
    return f"{hours}:{minutes:02}:{seconds}" if hours else f"{minutes}:{seconds}"


def cells(text: str) -> int:
    """How many columns a terminal gives the text: some characters take two, some none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def padded(text: str, width: int) -> str:
    """The text in exactly so many columns, cut off or filled up."""
    while cells(text) > width:
        text = text[:-1]
    return text + " " * (width - cells(text))


def aligned(
    rows: Sequence[Sequence[str]],
    *,
    width: int | None = None,
    right: Iterable[int] = (),
    elastic: int = 0,
) -> list[str]:
    """Sets rows of texts below each other, two columns apart. `right` names the columns that end
    flush; `elastic` the one that gives way where a line would be wider than `width`."""
    if not rows:
        return []
    flush = frozenset(right)
    widths = [max(cells(row[at]) for row in rows) for at in range(len(rows[0]))]
    wide = sum(widths) + 2 * (len(widths) - 1)
    width = wide if width is None else width
    if wide > width:
        widths[elastic] = max(ELASTIC_MIN, widths[elastic] - (wide - width))
    lines = []
    for row in rows:
        texts = []
        for at, (text, wide) in enumerate(zip(row, widths, strict=True)):
            fitted = padded(text, min(wide, cells(text)))
            space = " " * (wide - cells(fitted))
            texts.append(space + fitted if at in flush else fitted + space)
        lines.append(padded("  ".join(texts).rstrip(), width).rstrip())
    return lines


def span_text(seconds: int) -> str:
    """`5 s`, `10 min`, `2 h`, `1 d`."""
    for unit, length in (("d", DAY), ("h", 3600), ("min", 60)):
        if seconds >= length and seconds % length == 0:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def state_text(state: str) -> str:
    """An entrant's state as people say it."""
    return _STATES.get(state, state)


def _named(name: str, *, bot: bool) -> str:
    return f"{name} (bot)" if bot else name


def entrant_text(entrant: EntrantView, goal: int) -> str:
    """`Ada 12/104 home, 40 moves, racing`."""
    said = [_named(entrant.name, bot=entrant.bot)]
    if entrant.home is not None:
        said[0] += f" {entrant.home}/{goal} home"
    if entrant.moves is not None:
        said.append(counted(entrant.moves, "move"))
    said.append(state_text(entrant.state) + (", away" if entrant.away else ""))
    if entrant.elapsed_ms is not None:
        said.append(f"in {clock(entrant.elapsed_ms)}")
    return ", ".join(said)


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else _ENDINGS.get(number % 10, "th")
    return f"{number}{ending}"


_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def counted(count: int, word: str) -> str:
    """`1 move`, `2 moves`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def move_text(
    moves: Sequence[str],
    turned: Iterable[tuple[str, str]],
    home: int,
    goal: int,
    *,
    cards: Sequence[str] = (),
) -> str:
    """`T3-F1 (AS); 9C turns up on T3; 5/104 home`."""
    shown = moves if len(moves) <= 3 else [*moves[:2], "...", moves[-1]]
    said = [" ".join([*shown, f"({' '.join(cards)})"] if cards else shown)]
    said += [f"{card} turns up on {pile}" for pile, card in turned]
    return "; ".join([*said, f"{home}/{goal} home"])


def terms_text(terms: Terms) -> str:
    """What is most worth knowing of the terms, in one line, the game first."""
    said = [_start_text(terms), _entrants_text(terms), _undo_text(terms)]
    if terms.limit is not None and terms.limit != _USUAL_LIMIT:
        said.append(f"time limit {span_text(terms.limit)}")
    said += _unusual(terms)
    return f"{terms.game}, {', '.join(said)}"


def terms_lines(terms: Terms) -> list[str]:
    """The whole terms, one a line."""
    said = [f"game {terms.game}", _start_text(terms), _entrants_text(terms), _undo_text(terms)]
    if terms.mode is Mode.LIVE:
        said.append(f"countdown {span_text(terms.countdown)}")
    if terms.limit is not None:
        said.append(f"time limit {span_text(terms.limit)}")
    if terms.grace is not None:
        said.append(f"{span_text(terms.grace)} to come back when a connection breaks")
    return [*said, _spectators_text(terms), *_unusual(terms)]


def _unusual(terms: Terms) -> list[str]:
    """What is not so in most races."""
    said = []
    if terms.blind:
        said.append("blind: rivals are hidden until you are done")
    if terms.hints:
        said.append("hints allowed")
    if not terms.bots:
        said.append("no bots")
    if terms.rated:
        said.append("rated")
    if terms.visibility is Visibility.UNLISTED:
        said.append("unlisted")
    if terms.visibility is Visibility.PHRASE:
        said.append("with a pass phrase")
    return said


def _entrants_text(terms: Terms) -> str:
    if terms.entrants_max == terms.entrants_min:
        return counted(terms.entrants_min, "entrant")
    return f"{terms.entrants_min}-{terms.entrants_max} entrants"


def _start_text(terms: Terms) -> str:
    if terms.mode is Mode.ASYNC:
        return f"async: your clock starts when you open the deal, within {span_text(terms.closes)}"
    match terms.start:
        case Start.ALL_READY:
            return "live: starts when all are ready"
        case Start.HOST:
            return "live: starts when the host says so"
        case Start.AT:
            return "live: starts at a set time"


def _undo_text(terms: Terms) -> str:
    match terms.undo:
        case Undo.FREE:
            return "undo free"
        case Undo.NOT_PAST_A_REVEAL:
            return "undo, but not past a card that turned up"
        case Undo.NONE:
            return "no undo"
        case Undo.PENALTY:
            return f"each undo costs {span_text(terms.undo_penalty)}"


def _spectators_text(terms: Terms) -> str:
    behind = f", {span_text(terms.delay)} behind" if terms.delay else ""
    match terms.spectators:
        case Sight.NONE:
            return "no spectators"
        case Sight.PROGRESS:
            return f"spectators see progress{behind}"
        case Sight.BOARDS:
            return f"spectators see boards{behind}"


def standings_table(standings: Sequence[Standing], goal: int) -> list[str]:
    """The ranking, aligned, one entrant a line; only a finisher has a time."""
    rows = [
        (
            str(line.place),
            _named(line.name, bot=line.bot),
            clock(line.elapsed_ms) if line.elapsed_ms is not None else state_text(line.state),
            f"{line.home}/{goal}",
            counted(line.moves, "move"),
            f"with {clock(line.penalty_ms)} of penalties" if line.penalty_ms else "",
        )
        for line in standings
    ]
    widths = [max((cells(row[column]) for row in rows), default=0) for column in range(6)]
    aligned = [
        (
            row[0].rjust(widths[0] + 1),
            padded(row[1], widths[1]),
            row[2].rjust(widths[2]),
            row[3].rjust(widths[3]),
            row[4].rjust(widths[4]),
            row[5],
        )
        for row in rows
    ]
    return ["  ".join(row).rstrip() for row in aligned]


def said_text(line: wire.Said | wire.ChatLine) -> str:
    """What somebody said, with their name."""
    return f"{_named(line.name, bot=line.bot)}: {line.text}"


def event_text(
    event: RaceEvent, entrants: Mapping[int, EntrantView], *, goal: int, you: int | None = None
) -> str | None:
    """What happened, in a sentence; None for what is not worth one (single moves of others)."""

    def who(entrant: int) -> str:
        if entrant == you:
            return "You"
        known = entrants.get(entrant)
        return f"Entrant {entrant}" if known is None else _named(known.name, bot=known.bot)

    def have(entrant: int) -> str:
        return "have" if entrant == you else "has"

    match event:
        case wire.Entered():
            who_entered = "You" if event.entrant == you else _named(event.name, bot=event.bot)
            return f"{who_entered} entered."
        case wire.Left():
            return f"{who(event.entrant)} left."
        case wire.Readied():
            verb = "are" if event.entrant == you else "is"
            return f"{who(event.entrant)} {verb} {'ready' if event.ready else 'no longer ready'}."
        case wire.CountdownBegan():
            return f"The race starts in {max(1, round(event.starts_in_ms / 1000))} s."
        case wire.CountdownStopped():
            return f"The countdown was stopped: {event.reason}."
        case wire.Started():
            return "The race is on."
        case wire.Began():
            return f"{who(event.entrant)} opened the deal."
        case wire.Done():
            return _done_text(event, who(event.entrant), goal, is_you=event.entrant == you)
        case wire.Away():
            grace = event.grace_ms
            back = "" if grace is None else f" ({span_text(round(grace / 1000))} to come back)"
            return f"{who(event.entrant)} {have(event.entrant)} lost the connection{back}."
        case wire.Back():
            verb = "are" if event.entrant == you else "is"
            return f"{who(event.entrant)} {verb} back."
        case wire.Stoppage():
            return f"The server was down for {clock(event.stopped_ms)}; no clock ran meanwhile."
        case wire.Said():
            return said_text(event)
        case wire.RematchOpened():
            return f"There is a rematch: {event.rematch}"
        case wire.Over():
            return "The race is over."
        case wire.Cancelled():
            return f"The race was called off: {event.reason}"
        case wire.Moved() | wire.Undone() | wire.Progressed() | wire.Skip():
            return None
        case _:
            assert_never(event)


def _done_text(event: wire.Done, who: str, goal: int, *, is_you: bool) -> str:
    match event.state:
        case "finished":
            said = f"{who} finished in {clock(event.elapsed_ms)}"
            if event.penalty_ms:
                said += f", {clock(event.penalty_ms)} of penalties included"
        case "gave-up":
            said = f"{who} gave up with {event.home}/{goal} home"
        case "stuck" | "out-of-time" | "disqualified":
            verb = "are" if is_you else "is"
            said = f"{who} {verb} {state_text(event.state)} with {event.home}/{goal} home"
        case _:
            said = f"{who}: {state_text(event.state)} with {event.home}/{goal} home"
    return f"{said}: {event.reason}" if event.reason else f"{said}."
