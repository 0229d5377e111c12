"""One player at one board in a terminal: words and moves in, lines out.

`Desk` knows what practice and a race have in common. It holds no rules: it draws what it is given,
understands what is typed by the legal moves it is given, and lets the seat judge.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from samedeal_client.board import aim, board, facts, piles
from samedeal_client.seats import REFUSALS, Seat, Told
from samedeal_client.telling import move_text
from samedeal_client.terminal import Terminal
from samedeal_client.typed import WORDS, Ask, Try, Unclear, understand
from samedeal_client.view import View
from samedeal_rules import Game, Position
from samedeal_rules.prose import rules_text

__all__ = ["Desk"]

_REFUSALS = (*REFUSALS, OSError)


class Desk:
    """What a player sees and types. `is_quiet`: nobody looks at a screen, so boards are drawn only
    when they are asked for."""

    def __init__(self, terminal: Terminal, seat: Seat, *, is_quiet: bool) -> None:
        self.terminal = terminal
        self.seat = seat
        self.game: Game = seat.game
        self.is_quiet = is_quiet
        self.is_leaving = False
        self._prefers_list = False
        self._has_drawn = False
        self._asked_to_give_up = False
        self._doubted: str | None = None
        """The move that the line before was asked about."""
        self._hinted: tuple[Position | None, int] = None, 0
        """How many hints were given on which position: each is for another move."""
        self._words: dict[str, Callable[[str], Awaitable[None]]] = {
            "help": self._help,
            "board": self._board,
            "piles": self._piles,
            "legal": self._legal,
            "rules": self._rules,
            "undo": self._undo,
            "hint": self._hint,
            "finish": self._finish,
            "home": self._send_home,
            "giveup": self._give_up,
            "quit": self._quit,
        }

    @property
    def view(self) -> View | None:
        """The own board; None before there is one."""
        return self.seat.view

    async def give_up(self) -> None:
        """Ends the own game."""
        await self.seat.give_up()

    # --- a typed line --------------------------------------------------------------------------

    async def take(self, line: str) -> None:
        """Carries out what was typed, and says what came of it. Refusals are lines, too."""
        if self._asked_to_give_up:
            await self._answer(line)
            return
        if self.is_quiet and not line.strip():
            return
        view = self.view
        legal = () if view is None else view.legal()
        position = None if view is None else view.position
        meant = understand(line, self.game, position, legal, early=self._early())
        doubted, self._doubted = self._doubted, None
        try:
            match meant:
                case Try(move) if move != doubted and self._doubts(move):
                    self._doubted = move
                case Try(move):
                    cards = _lifted(move, view)
                    self._tell(await self.seat.play(move), cards)
                case Ask(word, rest):
                    await self._carry_out(word, rest)
                case Unclear(sentence):
                    self.terminal.say(sentence)
        except _REFUSALS as refusal:
            self.terminal.say(f"No: {refusal}")

    def _doubts(self, move: str) -> bool:
        """Asks about a move that nothing brings back; a script means what it says."""
        question = None if self.is_quiet else self.seat.doubt(move)
        if question is not None:
            self.terminal.say(question)
        return question is not None

    async def _carry_out(self, word: str, rest: str) -> None:
        carry_out = self._words.get(word)
        if carry_out is None:
            self.terminal.say(f"{word}: there is no race here; this is practice")
        else:
            await carry_out(rest)

    def _early(self) -> str:
        """Says why there is no board yet."""
        return "the race has not started"

    def draw(self) -> None:
        """Draws the board: on its grid, or as a list from the moment when that grows too high, or
        the screen too narrow. The first one comes with a word on what it is about."""
        view = self.view
        if view is None:
            self.terminal.say("There is no board yet.")
            return
        has_colour = self.terminal.has_colour
        width = self.terminal.width
        lines = board(self.game, view.position)
        self._prefers_list = (
            self._prefers_list or len(lines) > self.terminal.height or max(map(len, lines)) > width
        )
        if self._prefers_list:
            lines = piles(self.game, view.position, width=width, has_colour=has_colour)
        elif has_colour:
            lines = board(self.game, view.position, has_colour=True)
        self.terminal.say_all(["", *lines, "", ", ".join(self._standing(view))])
        if not self._has_drawn and not self.is_quiet:
            self._has_drawn = True
            self.terminal.say_all([aim(self.game), self._how_to_play()])

    def _standing(self, view: View) -> list[str]:
        """How things stand, for the line below the board."""
        said = facts(self.game, view.position)
        return [f"{view.home}/{view.goal} home", *([said] if said else [])]

    def _how_to_play(self) -> str:
        pile = f"{self.game.tableau.key}3"
        stock = ", Enter turns the stock" if self.game.actions[:1] in (("draw",), ("deal",)) else ""
        return (
            f"Type 3 to play the top card of {pile} where it goes, 34 to say where{stock}; or help."
        )

    def _tell(self, told: Told, cards: Sequence[str] = ()) -> None:
        view = self.view
        goal = self.game.goal
        if told.is_undo:
            undone = ": ".join(["Undone", *([" ".join(told.moves)] if told.moves else [])])
            self.terminal.say(f"{undone}; {told.home}/{goal} home")
        else:
            self.terminal.say(move_text(told.moves, told.turned, told.home, goal, cards=cards))
        if not self.is_quiet:
            self.draw()
        if view is not None and view.status == "won":
            self.terminal.say("Every card is home: you have won.")
        elif view is not None and view.status == "stuck":
            back = "Undo, or giveup." if view.undoable else "There is no move left."
            self.terminal.say(f"Stuck: no legal move changes anything. {back}")

    # --- words ---------------------------------------------------------------------------------

    async def _help(self, rest: str) -> None:
        is_all = self.is_quiet or rest == "all"
        shown = [word for word in WORDS if word in self._words and (is_all or self._is_apt(word))]
        named = {word: ", ".join([word, *WORDS[word][0].split()]) for word in shown}
        width = max(map(len, named.values()))
        self.terminal.say_all(
            [
                *(self._help_on_moves() if self.view is not None else ()),
                *(f"{named[word]:{width}}  {WORDS[word][1]}" for word in shown),
            ]
        )
        if not all(word in shown for word in self._words):
            self.terminal.say("Words for another time: help all.")

    def _help_on_moves(self) -> list[str]:
        key = self.game.tableau.key
        said = [
            f"Moves: {key}3-F1, or {key.lower()}3 f1.",
            f"Short: 3f is {key}3 to its foundation, 34 is {key}3 onto {key}4, 3 what fits.",
        ]
        if self.game.actions:
            said[0] += f" The stock: {self.game.actions[0]}, or d."
        return said

    def _is_apt(self, word: str) -> bool:
        """Whether the word makes sense now."""
        return True

    async def _board(self, rest: str) -> None:
        self.draw()

    async def _piles(self, rest: str) -> None:
        view = self.view
        if view is None:
            self.terminal.say("There is no board yet.")
        else:
            self.terminal.say_all(view.text().splitlines())

    async def _legal(self, rest: str) -> None:
        view = self.view
        moves = () if view is None else view.legal()
        self.terminal.say(" ".join(moves) or "There is no legal move.")

    async def _rules(self, rest: str) -> None:
        self.terminal.say_all(self.terminal.wrapped(rules_text(self.game)))

    async def _undo(self, rest: str) -> None:
        self._tell(await self.seat.undo())

    async def _hint(self, rest: str) -> None:
        position = None if self.view is None else self.view.position
        before, hints = self._hinted
        hints = hints if position == before else 0
        self.terminal.say(f"Try {await self.seat.hint(hints)}")
        self._hinted = position, hints + 1

    async def _finish(self, rest: str) -> None:
        self._tell(await self.seat.finish())

    async def _send_home(self, rest: str) -> None:
        self._tell(await self.seat.send_home())

    async def _give_up(self, rest: str) -> None:
        if self.is_quiet:
            await self.give_up()
        else:
            self._asked_to_give_up = True
            self.terminal.say("Give up? y or n")

    async def _answer(self, line: str) -> None:
        self._asked_to_give_up = False
        if line.strip().lower() not in ("y", "yes"):
            self.terminal.say("You play on.")
            return
        try:
            await self.give_up()
        except _REFUSALS as refusal:
            self.terminal.say(f"No: {refusal}")

    async def _quit(self, rest: str) -> None:
        self.is_leaving = True


def _lifted(move: str, view: View | None) -> Sequence[str]:
    """The cards that a move takes from its pile, as the player sees them."""
    source, _, rest = move.partition("-")
    if view is None or not rest or source not in view.game.piles:
        return ()
    count = rest.partition(":")[2]
    return view.pile(source)[-int(count) :] if count.isdigit() else view.pile(source)[-1:]
