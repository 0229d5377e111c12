"""The screen at which a board is played: mouse, keys and typed lines, all at once.

Whatever is put in is taken strictly in order, each against the board that the one before has left;
so nothing is lost however fast a player is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import monotonic
from typing import ClassVar, Final, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import Input

from samedeal_client.ahead import UNDO
from samedeal_client.seats import Seat, Told
from samedeal_client.telling import move_text
from samedeal_client.tui.aim import split
from samedeal_client.tui.aside import aside
from samedeal_client.tui.boardview import BoardView
from samedeal_client.tui.commandline import CommandLine
from samedeal_client.tui.deeds import Deed
from samedeal_client.tui.inputs import Inputs, Job
from samedeal_client.tui.keyboard import ARROWS, Keyboard
from samedeal_client.tui.pages import Confirm
from samedeal_client.tui.program import Program
from samedeal_client.tui.table import TableScreen
from samedeal_client.typed import Ask, Try, Typed, Unclear, understand
from samedeal_rules import Position

__all__ = ["PlayScreen"]

S = TypeVar("S", bound=Seat)
_PATIENCE_S: Final = 6.0
"""How long a question stands."""


class PlayScreen(TableScreen[S]):
    """A board, and whoever plays at it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "cycle(1)", show=False),
        Binding("shift+tab", "cycle(-1)", show=False),
    ]

    def __init__(self, program: Program, seat: S) -> None:
        super().__init__(program, seat)
        self._keyboard = Keyboard(self.game, self.aim)
        self._hinted: tuple[Position | None, int] = None, 0
        """The board that hints were last given for, and how many."""
        self._doubted: tuple[Position | None, float] = None, 0.0
        """The board at which it was asked whether a move is meant, and until when that stands."""
        self._inputs = Inputs()

    def on_mount(self) -> None:
        aside(self, self._take_inputs, "inputs")
        self.board.focus()
        self.update()

    # --- what can be done ----------------------------------------------------------------------

    def deeds(self) -> list[Deed]:
        seat = self.seat
        deeds = []
        if seat.is_live and self.game.actions:
            action = self.game.actions[0]
            deeds.append(
                Deed(("d", "f6"), action, lambda: self._put_in(self._act), f"the stock: {action}")
            )
        for word, key, also, label, run, meaning in (
            ("undo", "u", "f2", "undo", self._undo, "take the last move back"),
            ("hint", "h", "f3", "hint", self._hint, "name a move worth trying"),
            ("home", "a", "f4", "home", self._send_home, "play home what is safe there"),
            ("finish", "n", "f12", "finish", self._finish, "play every card home, if that wins"),
        ):
            if seat.may(word):
                deeds.append(Deed((key, also), label, partial(self._put_in, run), meaning, word))
        if seat.is_live:
            deeds.append(Deed(("colon", "f5"), "type", self._ask_line, "type a move or a word", ""))
        if seat.may("giveup"):
            deeds.append(
                Deed(("g", "f8"), "give up", self._give_up, "end your race without a finish",
                     "giveup")
            )  # fmt: skip
        return deeds

    async def _act(self) -> None:
        await self._carry_out(understand("d", self.game, self.position(), self.legal()))

    async def _undo(self) -> None:
        self.aim.drop()
        await self._done(UNDO, self.seat.undo)

    async def _finish(self) -> None:
        self.aim.drop()
        self._tell(await self.seat.finish())

    async def _send_home(self) -> None:
        self.aim.drop()
        self._tell(await self.seat.send_home())

    async def _hint(self) -> None:
        """Shows a move worth trying, and the next best one if it is asked again."""
        position = self.position()
        before, hints = self._hinted
        hints = hints if before == position else 0
        move = await self.seat.hint(hints)
        self._hinted = position, hints + 1
        source, target, count = split(move)
        if target:
            self.aim.lift(source, count)
            self.aim.cursor = target
        self.say(f"Try {move}")

    async def _give_up(self) -> None:
        aside(self, self._ask_to_give_up, "give up")

    async def _ask_to_give_up(self) -> None:
        if await self.asked(Confirm("Give up? Your race ends without a finish.")) is None:
            self.say("You play on.")
        else:
            await self.refusable(self.seat.give_up)
            self.update()

    # --- input, in order -----------------------------------------------------------------------

    def _put_in(self, job: Job) -> None:
        if not self._inputs.put(job):
            self.say("That was too fast: the answers have not come yet.", "warn")

    async def _take_inputs(self) -> None:
        async def do(job: Job) -> None:
            await self.refusable(job)
            self.update()

        await self._inputs.carry_out(do)

    async def settled(self) -> None:
        """Waits until everything that was put in has been taken."""
        await self._inputs.settled()

    async def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, Input):
            return
        if self.seat.is_live and self._keyboard.wants(event.key, has_shortcuts=self.look.shortcuts):
            event.stop()
            event.prevent_default()
            self._put_in(partial(self._take_key, event.key))
            return
        await super().on_key(event)

    async def _take_key(self, key: str) -> None:
        """Takes a key at the board, in the light of all that was put in before it."""
        while key:
            if key in ARROWS:
                self._go(*ARROWS[key])
                return
            pressed = self._keyboard.take(key)
            if pressed is None:
                await self.press(key)
                return
            if pressed.said is not None:
                self.say(pressed.said)
            await self._carry_out(pressed.meant)
            key = pressed.again

    def _go(self, dx: int, dy: int) -> None:
        position = self.position()
        if position is not None:
            self.aim.cursor = self.board.layout_of(position).beside(self.aim.cursor, dx, dy)

    def action_cycle(self, step: int) -> None:
        """Goes on to the next pile that something can be done with."""
        self.aim.cycle(step)
        self.update()

    def on_board_view_pointed(self, message: BoardView.Pointed) -> None:
        if self.seat.is_live:
            self._put_in(lambda: self._carry_out(self.aim.point(message.pile, message.count)))

    def on_board_view_dragged(self, message: BoardView.Dragged) -> None:
        async def drop() -> None:
            if message.target is None or message.target == message.pile:
                self.aim.drop()
                return
            self.aim.lift(message.pile, message.count)
            await self._carry_out(self.aim.put(message.target))

        self._put_in(drop)

    # --- typed lines ---------------------------------------------------------------------------

    def _ask_line(
        self, hint: str = "a move, such as t3 f1, or a word: help lists them", *, prefix: str = ""
    ) -> None:
        self._line.ask(hint, prefix=prefix)

    def on_command_line_typed(self, message: CommandLine.Typed) -> None:
        line = message.line
        self._put_in(lambda: self.take_line(line))

    async def take_line(self, line: str) -> None:
        """Carries out a typed line, as the line client would."""
        if line.strip():
            await self._carry_out(understand(line, self.game, self.position(), self.legal()))

    async def _carry_out(self, meant: Typed | None) -> None:
        match meant:
            case Try(move):
                await self._play(move)
            case Ask(word, rest):
                await self.obey(word, rest)
            case Unclear(sentence):
                self.say(f"{sentence[0].upper()}{sentence[1:]}.")
            case None:
                pass

    async def obey(self, word: str, rest: str) -> None:
        """Does what a word of the line client means."""
        deed = next((each for each in self.deeds() if each.word == word), None)
        if word in ("help", "rules"):
            self.show_help()
        elif word == "legal":
            self.say(" ".join(self.legal()) or "There is no legal move.")
        elif deed is None:
            self.say(f"{word}: not here and now; ? says what there is")
        else:
            await self.do(deed)

    # --- plays ---------------------------------------------------------------------------------

    async def _play(self, move: str) -> None:
        cards = self.cards_of(move)
        self.aim.drop()
        if self._doubts(move):
            return
        await self._done(move, partial(self.seat.play, move), cards)

    def _doubts(self, move: str) -> bool:
        """Asks about a move that nothing brings back; whoever asks for it again gets it."""
        question, position, now = self.seat.doubt(move), self.position(), monotonic()
        (asked, until), self._doubted = self._doubted, (None, 0.0)
        if question is None or (asked == position and now < until):
            return False
        self._doubted = position, now + _PATIENCE_S
        self.say(question, "warn")
        return True

    async def _done(
        self, deed: str, do: Callable[[], Awaitable[Told]], cards: Sequence[str] = ()
    ) -> None:
        """Does it; where it is foreseen what comes of it, keys are taken meanwhile."""
        if self.seat.foresees(deed):
            aside(self, partial(self._answered, do(), cards), "answer")
        else:
            self._tell(await do(), cards)

    async def _answered(self, answer: Awaitable[Told], cards: Sequence[str]) -> None:
        async def hear() -> None:
            self._tell(await answer, cards)

        await self.refusable(hear)
        self.update()

    def _tell(self, told: Told, cards: Sequence[str] = ()) -> None:
        if told.is_undo:
            self.say(f"Undone: {' '.join(told.moves)}" if told.moves else "Undone")
        else:
            self.say(move_text(told.moves, told.turned, told.home, self.game.goal, cards=cards))
        view = self.view
        if view is not None and view.status == "won":
            self.won()
        elif view is not None and view.status == "stuck":
            back = "undo, or give up" if view.undoable else "there is no move left"
            self.say(f"Stuck: no legal move changes anything; {back}.", "warn")

    def won(self) -> None:
        """Says that every card is home."""
        self.say("Every card is home: you have won.", "own")
