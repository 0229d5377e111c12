"""What is said to a player who leaves a race: how to come back to it, or how to learn its end.

A bot that this program has brought along leaves with the player, and comes back with them.
"""

from __future__ import annotations

from typing import Final

from samedeal_client.run import Run
from samedeal_client.settings import Settings
from samedeal_client.telling import span_text

__all__ = ["has_lonely_rival", "parting"]

_PLAYING: Final = frozenset("entered ready racing hidden".split())


def parting(
    run: Run, settings: Settings, *, way_back: tuple[str, ...] | None, rival: str | None
) -> tuple[str, str]:
    """Returns a sentence, and the command that it is about.

    `way_back` is the command that a player comes back by who has more before them than this race;
    `rival` the bot that leaves with the player.
    """
    leaves = rival is not None and _has_rival(run)
    if run.is_done and way_back is None:
        ends = f"{rival} leaves with you, and is out{_grace(run, 'after')}. How it ended:"
        return (
            ends if leaves else "The race goes on. How it ends:",
            settings.command("results", run.race),
        )
    both = () if rival is None else ("--against", rival)
    kept = f"{rival} leaves with you, and both places are kept{_grace(run, 'for')}."
    return (
        f"{kept if leaves else 'Your place is kept.'} Come back with:",
        settings.command(*(way_back or ("play", run.race, *both))),
    )


def has_lonely_rival(run: Run) -> bool:
    """Whether the player has played, and is done, while a bot is still at its board."""
    return run.view is not None and run.is_done and _has_rival(run)


def _has_rival(run: Run) -> bool:
    others = (each for number, each in run.entrants.items() if number != run.you_are)
    return not run.is_over and any(each.bot and each.state in _PLAYING for each in others)


def _grace(run: Run, word: str) -> str:
    """How long whoever is away keeps their place, once they race."""
    grace = run.terms.grace
    return "" if grace is None or run.view is None else f" {word} {span_text(grace)}"
