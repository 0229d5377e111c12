"""Practice: the board of one deal, alone and offline, with undo and hints for free."""

from __future__ import annotations

from shlex import quote

from samedeal_client.bots import greedy_bot
from samedeal_client.desk import Desk, Told
from samedeal_client.local import LocalGame
from samedeal_client.settings import Settings
from samedeal_client.terminal import Lines, Terminal
from samedeal_client.view import View
from samedeal_rules import Game, Move, RulesError, move_text

__all__ = ["Practice", "practise"]


class Practice(Desk):
    """A player alone with a deal."""

    refusals = (RulesError,)

    def __init__(self, terminal: Terminal, game: Game, seed: str, *, is_quiet: bool) -> None:
        super().__init__(terminal, game, is_quiet=is_quiet)
        self._local = LocalGame(game, seed)
        self._adviser = greedy_bot(seed)

    @property
    def view(self) -> View:
        return self._local.view

    async def play(self, move: str) -> Told:
        outcome = self._local.play(move)
        return Told((move_text(self.game, outcome.move),), outcome.turned, self.view.home)

    async def undo(self) -> Told:
        move = self._local.undo()
        return Told((move_text(self.game, move),), (), self.view.home, is_undo=True)

    async def finish(self) -> Told:
        moves = self._local.finish()
        if not moves:
            raise RulesError("the cards cannot all go home from here")
        return Told(moves, (), self.view.home)

    async def send_home(self) -> Told:
        moves = self._local.send_home()
        if not moves:
            raise RulesError("no card is safe to send home from here")
        return Told(moves, (), self.view.home)

    async def hint(self, skip: int) -> str:
        match self._adviser(self.view):
            case str(advice):
                best = advice
            case Move() as advice:
                best = move_text(self.game, advice)
            case _:
                raise RulesError("nothing here is worth trying: undo, or another deal")
        ranked = [best, *(move for move in self._local.legal() if move != best)]
        return ranked[skip % len(ranked)]

    async def give_up(self) -> None:
        self.is_leaving = True


async def practise(
    terminal: Terminal,
    game: Game,
    seed: str,
    lines: Lines,
    *,
    is_quiet: bool,
    settings: Settings,
) -> None:
    """Plays a deal with whoever types the lines, until they quit or have won."""
    desk = Practice(terminal, game, seed, is_quiet=is_quiet)
    terminal.say(f"Practice: {game.key}, seed {seed}. Type help, rules, or a move.")
    if not is_quiet:
        desk.draw()
    while not desk.is_leaving and desk.view.status != "won":
        line = await lines.next()
        if line is None:
            break
        await desk.take(line)
    if desk.view.status != "won":
        again = f"play --game {game.key} --seed {quote(seed)}"
        terminal.say_command("The same deal again:", f"{settings.program} {again}")
