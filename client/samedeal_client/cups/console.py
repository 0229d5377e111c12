"""Typed lines about a tournament, carried out: looks, and the deeds that one may do there."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Container, Iterable, Mapping
from difflib import get_close_matches
from typing import Final, NoReturn, Protocol

from samedeal_client.errors import ClientError
from samedeal_protocol.tournament.views import HookAdded, TournamentChanged

from .cup import Cup, News
from .deeds import DEEDS, BadDeed, Deed
from .looking import LOOKS, looked
from .telling import head_lines, news_lines, you_lines

__all__ = ["Console", "Sayer", "done_lines"]

_OWN: Final[Mapping[str, str]] = {
    "help": "this list; help WORD says more of one",
    "quit": "leave; the tournament goes on",
}
_EVERYBODY: Final = ("players", "hosts", "staff", "the host")


class _BadLine(Exception):
    """What stands behind a word is not understood."""


class _Parser(argparse.ArgumentParser):
    """Understands what stands behind a word, and says a fault without ending the program."""

    def error(self, message: str) -> NoReturn:
        raise _BadLine(f"{message}; help {self.prog} says how it is used")


class Sayer(Protocol):
    """Where lines are said: a terminal, or a part of a screen."""

    @property
    def width(self) -> int:
        """How many columns a line may have now."""
        ...

    @property
    def has_blocks(self) -> bool:
        """Whether more than ASCII can be shown."""
        ...

    def say(self, line: str = "") -> None:
        """Says a line."""
        ...

    def say_all(self, lines: Iterable[str]) -> None:
        """Says lines."""
        ...


class Console:
    """Takes typed lines for a tournament, and says what comes of them.

    `whose` names those whose deeds are understood: `players`, `hosts`, `staff`, `the host`.
    """

    def __init__(self, terminal: Sayer, cup: Cup, *, whose: Container[str] = _EVERYBODY) -> None:
        self._terminal = terminal
        self._cup = cup
        self._deeds = {word: deed for word, deed in DEEDS.items() if deed.whose in whose}
        self.is_leaving = False

    def enter(self) -> None:
        """Says where one has come to."""
        sheet = self._cup.sheet
        self._terminal.say_all([*head_lines(sheet, self._cup.now_ms), *you_lines(sheet)])

    def hear(self, news: News, *, is_player: bool) -> None:
        """Says what has happened; to a player, what is about them or all."""
        if isinstance(news, TournamentChanged):
            said = news_lines(news, self._cup.sheet, is_player=is_player)
            self._terminal.say_all(f"* {line}" for line in said)

    def knows(self, line: str) -> bool:
        """Whether the line begins with a word that is understood here."""
        word = line.strip().lower().partition(" ")[0]
        return word in self._deeds or word in LOOKS or word in _OWN

    async def take(self, line: str) -> bool:
        """Carries a line out; returns whether it could be. Refusals are lines, too."""
        try:
            words = shlex.split(line)
            if words:
                await self._carry_out(words[0].lower(), words[1:])
        except (ClientError, BadDeed, _BadLine) as refusal:
            self._terminal.say(f"No: {refusal}")
            return False
        except ValueError as fault:
            self._terminal.say(f"No: {fault}; put a name of several words into '...'")
            return False
        return True

    async def _carry_out(self, word: str, rest: list[str]) -> None:
        terminal = self._terminal
        if word in ("quit", "q", "exit"):
            self.is_leaving = True
        elif word in ("help", "?"):
            terminal.say_all(self._help(rest))
        elif word in LOOKS:
            width, has_blocks = terminal.width, terminal.has_blocks
            terminal.say_all(
                await looked(word, rest, self._cup, width=width, has_blocks=has_blocks)
            )
        elif word in self._deeds:
            deed = self._deeds[word]
            act = deed.makes(_parser(deed).parse_args(rest), self._cup.sheet)
            terminal.say_all(done_lines(deed, self._cup, await self._cup.act(act)))
        else:
            near = get_close_matches(word, [*self._deeds, *LOOKS, *_OWN], n=1)
            hint = f"did you mean {near[0]}?" if near else "type help"
            raise _BadLine(f"{word[:40]!r} is no word that I know: {hint}")

    def _help(self, rest: list[str]) -> list[str]:
        if rest and rest[0] in self._deeds:
            return _parser(self._deeds[rest[0]]).format_help().splitlines()
        lines = []
        for whose in _EVERYBODY:
            deeds = [deed for deed in self._deeds.values() if deed.whose == whose]
            lines += [f"{whose}:"] if deeds else []
            lines += [f"  {deed.word:10} {deed.sentence}" for deed in deeds]
        looks = {**LOOKS, **_OWN}
        return [*lines, "everybody:", *(f"  {word:10} {said}" for word, said in looks.items())]


def _parser(deed: Deed) -> _Parser:
    example = f"for example: {deed.word} {deed.example}" if deed.example else None
    parser = _Parser(
        prog=deed.word, description=f"{deed.sentence}.", epilog=example, add_help=False
    )
    deed.takes(parser)
    return parser


def done_lines(deed: Deed, cup: Cup, added: HookAdded | None) -> list[str]:
    """Says that a deed is done, and what came of it."""
    if added is not None:
        secret = f"They are signed with this secret, which is not shown again: {added.secret}"
        return [deed.done, secret]
    return you_lines(cup.sheet) if deed.word == "register" else [deed.done]
