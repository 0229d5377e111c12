"""What a player has in hand at a board, and what they mean by pointing at a pile.

Pure but for its own state. Which moves there are comes from the list of legal ones; what is not on
it is passed on all the same, for the rules to say why they refuse it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from samedeal_client.tui.cards import Marks
from samedeal_client.tui.look import Highlight
from samedeal_client.typed import Try, Unclear
from samedeal_rules import Game, Position

__all__ = ["Aim", "split"]

_TURNS: Final = ("draw", "deal")


def split(move: str) -> tuple[str, str, int]:
    """A move's source, target and count: `T1-T4:3`; an action has neither target nor count."""
    source, _, rest = move.partition("-")
    target, _, count = rest.partition(":")
    return source, target, int(count or 1)


class Aim:
    """One player's hand over one board."""

    def __init__(self, game: Game) -> None:
        self.game: Final = game
        self.cursor = game.piles[game.named(game.tableau.key)[0]]
        self.lifted: tuple[str, int] | None = None
        """The pile that cards are picked up from, and how many."""
        self._position: Position | None = None
        self._legal: tuple[str, ...] = ()

    def show(self, position: Position | None, legal: Sequence[str]) -> None:
        """Takes in what the board has become; what is in hand stays there if its pile does."""
        before = None if self.lifted is None else self._cards(self.lifted[0])
        self._position = position
        if self.lifted is not None and self._cards(self.lifted[0]) != before:
            self.lifted = None
        self._legal = tuple(legal)

    @property
    def movable(self) -> frozenset[str]:
        """The piles whose cards may move."""
        return frozenset(split(move)[0] for move in self._legal if "-" in move)

    @property
    def targets(self) -> dict[str, str]:
        """Where what is picked up may go, and by which move."""
        if self.lifted is None:
            return {}
        pile, wanted = self.lifted
        found: dict[str, tuple[bool, int, str]] = {}
        for move in self._legal:
            source, target, count = split(move)
            if source == pile and target:
                rank = (count != wanted, count, move)
                found[target] = min(rank, found.get(target, rank))
        exact = {target: move for target, (is_other, _, move) in found.items() if not is_other}
        return exact or {target: move for target, (_, _, move) in found.items()}

    @property
    def wanted(self) -> tuple[str, ...]:
        """The piles that a player most likely means next; of foundations and cells with which a
        move comes to the same, only the first."""
        if self.lifted is None:
            return tuple(pile for pile in self.game.piles if pile in self.movable)
        seen = set()
        wanted = []
        for pile in self.game.piles:
            alike = (pile[0], self._cards(pile)[-1:]) if pile[0] in "FC" else (pile, ())
            if pile in self.targets and alike not in seen:
                seen.add(alike)
                wanted.append(pile)
        return tuple(wanted)

    def marks(self, highlight: Highlight, fresh: frozenset[str] = frozenset()) -> Marks:
        """What of this is to be seen on the board."""
        is_shown = highlight is not Highlight.OFF
        return Marks(
            cursor=self.cursor,
            lifted=self.lifted,
            targets=frozenset(self.targets) if is_shown else frozenset(),
            movable=self.movable if highlight is Highlight.ALWAYS else frozenset(),
            fresh=fresh,
        )

    # --- pointing ------------------------------------------------------------------------------

    def point(self, pile: str, count: int = 1) -> Try | Unclear | None:
        """A pile is pointed at, by whatever means: picks up, puts down, or plays what fits.

        `count` is how many cards lie from the one pointed at to the top.
        """
        self.cursor = pile
        if self.lifted is None:
            return self._turn(pile) if pile == "S" else self.lift(pile, count)
        if pile == self.lifted[0]:
            if count not in (1, self.lifted[1]):
                return self.lift(pile, count)
            return self.quick()
        if not self.targets and pile in self.movable and pile not in self._homes():
            return self.lift(pile, count)
        return self.put(pile)

    def lift(self, pile: str, count: int = 1) -> Unclear | None:
        """Picks up so many cards, or as many as may move."""
        if not self._cards(pile):
            self.lifted = None
            return Unclear(f"{pile} is empty")
        counts = sorted({split(move)[2] for move in self._legal if split(move)[0] == pile})
        fitting = [each for each in counts if each <= count]
        if count not in counts and counts:
            count = fitting[-1] if fitting else counts[0]
        self.lifted = (pile, count)
        return None if counts else Unclear(f"{pile} has no legal move")

    def put(self, pile: str) -> Try | Unclear:
        """Puts down what is picked up. The move need not be legal."""
        if self.lifted is None:
            return Unclear("nothing is picked up")
        source, count = self.lifted
        move = self.targets.get(pile)
        self.lifted = None
        if move is not None:
            return Try(move)
        return Try(f"{source}-{pile}" if count == 1 else f"{source}-{pile}:{count}")

    def quick(self) -> Try | Unclear:
        """Plays what is picked up where it fits best: home, else onto a card, else anywhere."""
        if self.lifted is None:
            return Unclear("nothing is picked up")
        source = self.lifted[0]
        targets = self.targets
        homes = [pile for pile in targets if pile in self._homes()]
        onto = [pile for pile in targets if self._cards(pile)]
        self.lifted = None
        for pile in (*homes, *onto, *targets):
            return Try(targets[pile])
        return Unclear(f"{source} has no legal move")

    def drop(self) -> bool:
        """Lets go of what is picked up; returns whether there was anything."""
        was, self.lifted = self.lifted, None
        return was is not None

    def stretch(self, step: int) -> Unclear | None:
        """Picks up more or fewer cards of the pile."""
        pile = self.cursor if self.lifted is None else self.lifted[0]
        counts = sorted({split(move)[2] for move in self._legal if split(move)[0] == pile})
        if self.lifted is None or not counts:
            return self.lift(pile)
        wanted = [each for each in counts if (each - self.lifted[1]) * step > 0]
        if wanted:
            self.lifted = (pile, min(wanted, key=lambda each: each * step))
        return None

    def cycle(self, step: int) -> None:
        """Goes on to the next pile that something can be done with."""
        wanted = self.targets if self.lifted is not None else self.movable
        piles = [pile for pile in self.game.piles if pile in wanted or pile == self.cursor]
        self.cursor = piles[(piles.index(self.cursor) + step) % len(piles)]

    # --- inside --------------------------------------------------------------------------------

    def _turn(self, pile: str) -> Try | Unclear | None:
        """The stock turns cards at once; a redeal is too much for a slip."""
        actions = self.game.actions
        if actions and (actions[0] in _TURNS or self.lifted == (pile, 1)):
            return Try(actions[0])
        return Unclear(f"to {actions[0]}, press d" if actions else f"{pile} does nothing")

    def _homes(self) -> frozenset[str]:
        return frozenset(self.game.piles[at] for at in self.game.home)

    def _cards(self, pile: str) -> tuple[int, ...]:
        position = self._position
        return () if position is None else position.piles[self.game.piles.index(pile)]
