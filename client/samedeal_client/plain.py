"""The line client of a race: one line an event, one line a command, no cursor tricks.

It is the client for screen readers and for scripts as well. Through a pipe nothing is drawn
unasked, lines are taken strictly in order, and a move that comes before the start waits for it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from shlex import quote
from typing import Final

from samedeal_client.client import Hall
from samedeal_client.desk import Desk
from samedeal_client.parting import has_lonely_rival, parting
from samedeal_client.run import Run
from samedeal_client.seats import RaceSeat
from samedeal_client.settings import Settings
from samedeal_client.sight import Happening
from samedeal_client.telling import (
    clock,
    entrant_text,
    event_text,
    said_text,
    standings_table,
    terms_lines,
    terms_text,
)
from samedeal_client.terminal import Terminal
from samedeal_client.typed import needs_board
from samedeal_client.view import View
from samedeal_protocol import messages as wire
from samedeal_protocol.terms import Mode, Start, Undo

__all__ = ["RaceDesk"]

_COUNTED: Final = (3, 2, 1)
_RIVALS_SHOWN: Final = 3
"""How many rivals the line below the board has room for."""
_BEFORE: Final = frozenset("bot ready unready start begin cancel leave".split())
_AT_THE_BOARD: Final = frozenset("board piles legal undo hint finish home giveup".split())
_AFTER: Final = frozenset("rematch replay".split())
_MILESTONES: Final = 10
"""A rival's progress is told at each tenth of the way."""


class RaceDesk(Desk):
    """A player's board in a race, and all that is said around it."""

    def __init__(
        self,
        terminal: Terminal,
        hall: Hall,
        run: Run,
        *,
        is_quiet: bool,
        settings: Settings | None = None,
        way_back: tuple[str, ...] | None = None,
        rival: str | None = None,
    ) -> None:
        """`way_back` is the command that a player comes back by, if it is not the race's own:
        then something goes on after the race. `rival` is the bot that leaves with the player."""
        super().__init__(terminal, RaceSeat(run), is_quiet=is_quiet)
        self._hall = hall
        self._run = run
        self._settings = settings or Settings()
        self._way_back = way_back
        self._rival = rival
        self._told: dict[int, int] = {}
        self._has_told_board = False
        self.next_race: str | None = None
        self.is_waiting = False
        """`wait` was said, and the race is not over."""
        self._words |= {
            "rivals": self._rivals,
            "time": self._time,
            "terms": self._terms,
            "say": self._say,
            "bot": self._bot,
            "ready": self._ready,
            "unready": self._unready,
            "start": self._start,
            "begin": self._begin,
            "cancel": self._cancel,
            "leave": self._leave,
            "wait": self._wait,
            "results": self._results,
            "rematch": self._rematch,
            "replay": self._replay,
        }

    @property
    def run(self) -> Run:
        """The race."""
        return self._run

    # --- what happens --------------------------------------------------------------------------

    def enter(self, *, invites: bool = True) -> None:
        """Says where the player has come to, and what to do next if it is not done for them."""
        run = self._run
        self.terminal.say(f"Race {run.race}: {terms_text(run.terms)}.")
        self._tell_entrants()
        self.terminal.say_all(map(said_text, run.said))
        if run.is_over:
            self._tell_result()
        elif run.view is not None:
            self._tell_board()
        elif invites:
            self.terminal.say(self._invitation())

    def part(self) -> None:
        """Says how to come back, if there is something to come back to."""
        run = self._run
        if run.is_over or run.state == "withdrawn" or self.next_race is not None:
            return
        self.terminal.say_command(
            *parting(run, self._settings, way_back=self._way_back, rival=self._rival)
        )

    async def see_out(self) -> None:
        """Stays until the race is over, if the player is done and the rival would leave as well."""
        run = self._run
        if self._rival is None or self.next_race is not None or not has_lonely_rival(run):
            return
        self.terminal.say(f"{self._rival} hurries to its end. Ctrl-C leaves it where it is.")
        self.terminal.say_all(standings_table(await run.over(), self.game.goal))

    def _invitation(self) -> str:
        terms = self._run.terms
        if terms.mode is Mode.ASYNC:
            return "Type begin to open the deal; your clock starts with it."
        match terms.start:
            case Start.ALL_READY if self._run.state == "ready":
                return "You are ready; the race starts when all are."
            case Start.ALL_READY:
                return "Type ready when you are."
            case Start.HOST if self._run.is_host:
                return "You are the host: type start when all are here."
            case Start.HOST:
                return "The host says start."
            case Start.AT:
                return "The race starts by itself."

    def _owed(self) -> str | None:
        """The word of this player's without which there will never be a board."""
        run = self._run
        if run.view is not None or run.is_over:
            return None
        if run.terms.mode is Mode.ASYNC:
            return "begin"
        if run.terms.start is Start.ALL_READY and run.state == "entered":
            return "ready"
        if run.terms.start is Start.HOST and run.phase == "open" and self._run.is_host:
            return "start"
        return None

    def _early(self) -> str:
        owed = self._owed()
        return "the race has not started" if owed is None else f"type {owed} first"

    def _standing(self, view: View) -> list[str]:
        run, said = self._run, super()._standing(view)
        if run.elapsed_ms is not None:
            said.append(clock(run.elapsed_ms)[:-4])
        rivals = [each for number, each in sorted(run.entrants.items()) if number != run.you]
        if len(rivals) <= _RIVALS_SHOWN:
            said += [f"{each.name} {each.home}" for each in rivals if each.home is not None]
        return said

    def _is_apt(self, word: str) -> bool:
        run = self._run
        terms = run.terms
        if word in _AT_THE_BOARD:
            is_allowed = {"undo": terms.undo is not Undo.NONE, "hint": terms.hints}
            return run.view is not None and not run.is_done and is_allowed.get(word, True)
        if word in _AFTER:
            return run.is_over
        if word in _BEFORE:
            if run.view is not None or run.is_over:
                return False
            can_be_ready = terms.mode is Mode.LIVE and terms.start is not Start.AT
            has_bots = terms.bots and self._hall.limits.house_bots > 0
            fits = {
                "bot": has_bots and run.phase == "open",
                "ready": can_be_ready and run.state == "entered",
                "unready": can_be_ready and run.state == "ready",
                "start": terms.start is Start.HOST and self._run.is_host,
                "begin": terms.mode is Mode.ASYNC,
                "cancel": self._run.is_host,
            }
            return fits.get(word, True)
        return word != "wait"

    def happened(self, happening: Happening) -> None:
        """Tells what happened; the own plays were told when they were typed."""
        run = self._run
        match happening:
            case wire.Played():
                return
            case wire.Snapshot():
                if not run.is_done:
                    self._tell_board()
                return
            case wire.Progressed() | wire.Moved() | wire.Undone():
                self._tell_progress(happening.entrant)
                return
            case wire.Away(entrant=entrant) | wire.Back(entrant=entrant) if entrant == run.you:
                return  # the connection has told it already, when it was so
            case _:
                pass
        said = event_text(happening, run.entrants, goal=self.game.goal, you=run.you)
        if said is not None:
            self.terminal.say(said)
        match happening:
            case wire.Started() if run.terms.mode is Mode.LIVE:
                self._tell_board()
            case wire.Done(entrant=entrant) if entrant == run.you and not run.is_over:
                self._tell_what_is_left()
            case wire.Over() | wire.Cancelled():
                self._tell_result()
            case _:
                pass

    def _tell_what_is_left(self) -> None:
        if any(each.state == "racing" for each in self._run.entrants.values()):
            self.terminal.say("The others race on: rivals says how they are doing.")
        else:
            self.terminal.say("The race stays open to others: results says how it stands.")

    async def tell_rematch(self) -> None:
        """Says when a rematch has been opened; a race that is over has no other news."""
        async for _ in self._run.changes():
            if self._run.rematch_race is not None and self.next_race is None:
                self.terminal.say("There is a rematch: type rematch to enter it.")
                return

    def _tell_board(self) -> None:
        """Shows the board when it has come; later it is drawn after each move, or when asked."""
        view = self._run.view
        if view is None or self._has_told_board:
            return
        self._has_told_board = True
        if self.is_quiet:
            self.terminal.say(f"The board is dealt: {view.home}/{view.goal} home.")
        else:
            self.draw()

    def _tell_progress(self, entrant: int) -> None:
        """Says how far a rival has come, but not at every card."""
        run = self._run
        rival = run.entrants.get(entrant)
        if rival is None or entrant == run.you or rival.home is None:
            return
        stretch = rival.home * _MILESTONES // self.game.goal
        if stretch > self._told.get(entrant, 0):
            self.terminal.say(entrant_text(rival, self.game.goal))
        self._told[entrant] = stretch

    def _tell_entrants(self) -> None:
        for number, entrant in sorted(self._run.entrants.items()):
            mark = "you: " if number == self._run.you else ""
            self.terminal.say(f"  {number}. {mark}{entrant_text(entrant, self.game.goal)}")

    def _tell_result(self) -> None:
        self.terminal.say_all(standings_table(self._run.standings, self.game.goal))
        if self._run.phase == "over" and not self.is_quiet and self._way_back is None:
            self.terminal.say("Type rematch, replay to save the replay, or quit.")

    async def count_down(self) -> None:
        """Says the last seconds before a start; runs until it is cancelled."""
        said: int | None = None
        async for _ in self._run.changes():
            for second in _COUNTED:
                left = self._run.starts_in_ms
                if left is None:
                    said = None
                    break
                if left < second * 1000 or (said is not None and said <= second):
                    continue
                await asyncio.sleep(left / 1000 - second)
                if self._run.starts_in_ms is not None:
                    self.terminal.say(str(second))
                    said = second

    # --- words ---------------------------------------------------------------------------------

    async def _rivals(self, rest: str) -> None:
        self._tell_entrants()

    async def _time(self, rest: str) -> None:
        elapsed, starts = self._run.elapsed_ms, self._run.starts_in_ms
        if starts is not None:
            self.terminal.say(f"The race starts in {clock(starts)}.")
        else:
            self.terminal.say("No clock is running." if elapsed is None else clock(elapsed))

    async def _terms(self, rest: str) -> None:
        self.terminal.say_all(terms_lines(self._run.terms))

    async def _say(self, rest: str) -> None:
        if rest:
            await self._run.chat(rest)
        else:
            self.terminal.say("say what? Type say and the text.")

    async def _ready(self, rest: str) -> None:
        await self._run.ready()

    async def _unready(self, rest: str) -> None:
        await self._run.unready()

    async def _start(self, rest: str) -> None:
        await self._run.start()

    async def _begin(self, rest: str) -> None:
        await self._run.begin()

    async def _bot(self, rest: str) -> None:
        kinds = [each.value for each in wire.HouseBot]
        kind = rest.lower() or wire.HouseBot.GREEDY.value
        if kind not in kinds:
            self.terminal.say(f"There is no such bot: type bot and one of {', '.join(kinds)}.")
            return
        await self._run.invite_bot(kind)

    async def _cancel(self, rest: str) -> None:
        await self._run.cancel()

    async def _leave(self, rest: str) -> None:
        await self._run.leave()
        self.is_leaving = True

    async def _wait(self, rest: str) -> None:
        owed = self._owed()
        if owed is not None:
            self.terminal.say(f"There is nothing to wait for before you type {owed}.")
        elif not self.is_quiet:
            self.terminal.say("What happens is told here as it happens.")
        else:
            self.is_waiting = not self._run.is_over

    async def _results(self, rest: str) -> None:
        sheet = await self._hall.results(self._run.race)
        self.terminal.say_all(standings_table(sheet.standings, self.game.goal))

    async def _rematch(self, rest: str) -> None:
        self.next_race = await self._run.rematch()
        self.is_leaving = True

    async def _replay(self, rest: str) -> None:
        file = Path(rest or f"{self._run.race}.jsonl")
        replay = await self._hall.replay(self._run.race)
        try:
            await asyncio.to_thread(file.write_bytes, replay)
        except OSError as refusal:
            self.terminal.say(f"No: {file} cannot be written: {refusal.strerror}")
            return
        check = f"{self._settings.program} verify {quote(str(file))}"
        self.terminal.say_command(f"Saved {file}. Check it:", check)

    # --- the order of things -------------------------------------------------------------------

    def may_take(self, line: str | None) -> bool:
        """Whether a piped line's time has come: `wait` holds whatever follows until the race is
        over, and what needs a board waits for the start, unless that waits for this player."""
        if self.is_waiting:
            self.is_waiting = not self._run.is_over
            return not self.is_waiting
        has_board = self._run.view is not None or self._run.is_over
        if not self.is_quiet or line is None or has_board:
            return True
        return self._owed() is not None or not needs_board(line)
