"""Practice: the board of one deal, alone and offline, with undo and hints for free."""

from __future__ import annotations

from shlex import quote

from samedeal_client.desk import Desk
from samedeal_client.seats import PracticeSeat
from samedeal_client.settings import Settings
from samedeal_client.terminal import Lines, Terminal
from samedeal_client.view import View
from samedeal_rules import Game

__all__ = ["Practice", "practise"]


class Practice(Desk):
    """A player alone with a deal."""

    def __init__(self, terminal: Terminal, game: Game, seed: str, *, is_quiet: bool) -> None:
        self._alone = PracticeSeat(game, seed)
        super().__init__(terminal, self._alone, is_quiet=is_quiet)

    @property
    def view(self) -> View:
        return self._alone.view

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
