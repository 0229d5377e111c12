"""What a race waits for before it begins, and whose word it is. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from samedeal_client.sight import Sight
from samedeal_client.telling import clock, state_text, terms_lines
from samedeal_client.tui.lines import Line, clean
from samedeal_protocol.messages import EntrantView
from samedeal_protocol.terms import Mode, Start

__all__ = ["invitation", "lobby_lines", "owed"]


def owed(sight: Sight) -> str | None:
    """The word of the viewer's without which there will be no board: ready, start or begin."""
    terms, you = sight.terms, sight.you_are
    own = None if you is None else sight.entrants[you]
    if terms.mode is Mode.ASYNC:
        is_waited_for = you is not None and not sight.is_over and sight.board(you) is None
        return "begin" if is_waited_for else None
    if sight.phase != "open":
        return None
    if terms.start is Start.HOST:
        return "start" if sight.is_host else None
    is_late = terms.start is Start.ALL_READY and own is not None and own.state == "entered"
    return "ready" if is_late else None


def invitation(sight: Sight) -> str:
    """What happens next, in a sentence."""
    terms, you = sight.terms, sight.you_are
    if sight.phase == "countdown":
        return "The deal comes with the start."
    missing = terms.entrants_min - len(_entered(sight))
    match owed(sight):
        case "begin":
            return "Space opens the deal; your clock starts with it."
        case "ready":
            return "Space says that you are ready."
        case "start":
            return "You are the host: Space starts the race, when all are here."
        case _:
            pass
    if you is None:
        return "The race has not started."
    if missing > 0:
        return f"The race waits for {missing} more to enter: y copies its link."
    match terms.start:
        case Start.ALL_READY:
            late = [clean(e.name) for _, e in _entered(sight) if e.state == "entered"]
            return f"You are ready; the race waits for {', '.join(late) or 'nobody else'}."
        case Start.HOST:
            return f"{clean(sight.host)}, the host, starts the race."
        case Start.AT:
            return "The race starts by itself."


def lobby_lines(sight: Sight, *, code: str, link: str) -> Sequence[Line]:
    """What is to be seen before the start: who is here, how to get here, and the terms."""
    said = [Line(invitation(sight), "own"), Line("")]
    starts = sight.starts_in_ms
    if starts is not None and sight.phase != "countdown":
        said += [Line(f"It starts in {clock(starts)[:-4]}."), Line("")]
    said.append(Line(f"{code}    {link}", "head"))
    said += [Line(""), Line("Entrants", "head")]
    for number, entrant in _entered(sight):
        name = f"{clean(entrant.name)}{' (bot)' if entrant.bot else ''}"
        who = f"{name} (you)" if number == sight.you_are else name
        mark = "x" if entrant.state == "ready" else " "
        away = ", away" if entrant.away else ""
        said.append(
            Line(
                f"  [{mark}] {who}, {state_text(entrant.state)}{away}",
                "own" if number == sight.you_are else "",
            )
        )
    if not _entered(sight):
        said.append(Line("  nobody yet", "dim"))
    said += [Line(""), Line("Terms", "head")]
    said += [Line(f"  {line}") for line in terms_lines(sight.terms)]
    if sight.seeded:
        said.append(Line("  the host named the seed, and so may know the deal"))
    said.append(Line(f"  commitment {sight.commitment[:32]}...", "dim"))
    return said


def _entered(sight: Sight) -> list[tuple[int, EntrantView]]:
    return [(n, e) for n, e in sorted(sight.entrants.items()) if e.state != "withdrawn"]
