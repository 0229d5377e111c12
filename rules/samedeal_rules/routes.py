"""From which piles a foundation takes its cards.

Every route *decides* (`allows`), *reads aloud* (`words`) and *travels* as plain data.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ANYWHERE", "Anywhere", "Only", "Route", "SameNumber", "UntilRedeal"]


@dataclass(frozen=True, slots=True)
class Anywhere:
    """Every pile that has a card available may play to the foundation."""

    def allows(self, source: str, target: str, *, opens: bool, redealt: bool) -> bool:
        """Whether a card may go from pile `source` to foundation `target`.

        `opens`: it would be the foundation's first card. `redealt`: a redeal has been made.
        """
        return True

    @property
    def words(self) -> str:
        """Nothing: this is what everybody expects."""
        return ""


@dataclass(frozen=True, slots=True)
class SameNumber:
    """A pile plays to the foundation that bears its number; base cards go to any (2.3, M2)."""

    def allows(self, source: str, target: str, *, opens: bool, redealt: bool) -> bool:
        """See `Anywhere.allows`."""
        return opens or source[1:] == target[1:]

    @property
    def words(self) -> str:
        return "A card is available only for the foundation pile immediately above its own"


@dataclass(frozen=True, slots=True)
class Only:
    """These piles alone play to the foundation."""

    piles: tuple[str, ...]

    def allows(self, source: str, target: str, *, opens: bool, redealt: bool) -> bool:
        """See `Anywhere.allows`."""
        return source in self.piles

    @property
    def words(self) -> str:
        return (
            f"Only cards from {', '.join(self.piles[:-1])} and {self.piles[-1]} can be moved here"
        )


@dataclass(frozen=True, slots=True)
class UntilRedeal:
    """A route that holds until the first redeal; afterwards every pile may play (L1)."""

    route: Only | SameNumber

    def allows(self, source: str, target: str, *, opens: bool, redealt: bool) -> bool:
        """See `Anywhere.allows`."""
        return redealt or self.route.allows(source, target, opens=opens, redealt=redealt)

    @property
    def words(self) -> str:
        return f"{self.route.words} until the first redeal"


Route = Anywhere | SameNumber | Only | UntilRedeal

ANYWHERE = Anywhere()
