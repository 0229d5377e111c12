"""A race written a second time, slowly and plainly, to hold the real one against.

Everything is looked up by scanning, nothing is cached, no event is folded: a command changes plain
dictionaries and notes `(name, at, entrant)` for what happened. Only the boards are those of the
rules core, which has a naive twin of its own.
"""

from __future__ import annotations

from typing import Any, Final

from samedeal_protocol.terms import Mode, Start, Terms, Undo
from samedeal_rules.engine import Table, deal
from samedeal_rules.errors import BadNotation, IllegalMove
from samedeal_rules.games import find
from samedeal_rules.homeward import finishing, sending_home
from samedeal_rules.notation import move_text, parse_move

__all__ = ["NaiveRace", "No"]

HOUR: Final = 3_600_000
ENDED: Final = ("finished", "stuck", "gave-up", "out-of-time", "disqualified")

Row = dict[str, Any]
Happening = tuple[str, int, int | None]


class No(Exception):
    """A refusal; its text is the code."""


class NaiveRace:
    """One race. Commands are methods that take `now` first and return what happened."""

    def __init__(self, terms: Terms, seed: str, host: str, opened_at: int) -> None:
        self.terms = terms
        self.seed = seed
        self.host = host
        self.phase = "open"
        self.rows: list[Row] = []
        self.opened = opened_at
        self.empty: int | None = opened_at
        self.closes = opened_at + terms.closes * 1000
        self.starts: int | None = None
        self.plan = terms.start_at
        self.said: list[Happening] = []
        self.last_at = opened_at
        self.is_async = terms.mode is Mode.ASYNC
        self.all_ready = terms.start is Start.ALL_READY and not self.is_async
        self.ended: int | None = None
        self.lines_after = 0
        self.rematch = False

    # what is so

    def who(self, player: str) -> Row | None:
        for row in self.rows:
            if row["player"] == player and row["state"] != "withdrawn":
                return row
        return None

    def need(self, player: str) -> Row:
        row = self.who(player)
        if row is None:
            raise No("not-entered")
        return row

    def inside(self) -> list[Row]:
        return [row for row in self.rows if row["state"] != "withdrawn"]

    def here(self) -> list[Row]:
        return [row for row in self.inside() if not row["away"]]

    def every_one_ready(self) -> bool:
        ready = [row for row in self.inside() if row["state"] == "ready" and not row["away"]]
        return len(ready) == len(self.inside()) >= self.terms.entrants_min

    def can_undo(self, row: Row) -> bool:
        table: Table = row["table"]
        match self.terms.undo:
            case Undo.NONE:
                return False
            case Undo.NOT_PAST_A_REVEAL:
                return table.depth > 0 and not table.revealed
            case _:
                return table.depth > 0

    # what happens

    def note(self, name: str, at: int, entrant: int | None = None) -> None:
        self.last_at = at
        self.said.append((name, at, entrant))
        if self.here():
            self.empty = None
        elif self.empty is None:
            self.empty = at

    def end(self, row: Row, state: str, at: int) -> None:
        row["state"] = state
        row["away"] = False
        row["end"] = at
        if state == "finished":
            row["time"] = row["last_at"] - row["zero"] + row["penalty"]
        self.note("Done", at, row["number"])

    def set_off(self, row: Row, at: int) -> None:
        row.update(state="racing", table=deal(find(self.terms.game), self.seed), zero=at)
        row["away_since"] = at

    def settle(self, now: int) -> None:
        while self.by_itself() or self.by_time(now):
            pass

    def by_itself(self) -> bool:
        at = self.last_at
        if self.phase == "running":
            for row in self.rows:
                if row["state"] != "racing":
                    continue
                if row["table"].won:
                    self.end(row, "finished", at)
                    return True
                if row["table"].stuck and not self.can_undo(row):
                    self.end(row, "stuck", at)
                    return True
            if not any(row["state"] == "racing" for row in self.rows):
                done = [row for row in self.inside() if row["state"] in ENDED]
                full = len(done) == len(self.inside()) >= self.terms.entrants_max
                full = full and not self.terms.punctual
                waiting = any(row["table"] is None for row in self.inside())
                if not self.is_async or full or (at >= self.closes and not waiting):
                    self.phase, self.ended = "over", at
                    self.note("Over", at)
                    return True
        if self.phase == "countdown":
            few = len(self.here()) < self.terms.entrants_min
            if (self.all_ready and not self.every_one_ready()) or (
                self.terms.start is Start.HOST and few
            ):
                self.phase = "open"
                self.note("CountdownStopped", at)
                return True
        if self.phase == "open" and self.all_ready and self.every_one_ready():
            self.count_down(at, at + self.terms.countdown * 1000)
            return True
        return False

    def count_down(self, at: int, starts: int) -> None:
        self.phase, self.starts = "countdown", starts
        self.note("CountdownBegan", at)

    def by_time(self, now: int) -> bool:
        """Does what is due first of all that is due by now."""
        due: list[tuple[int, int, str, Row | None]] = []
        if self.phase == "open":
            if self.is_async:
                due.append((self.closes, 0, "nobody-began", None))
            elif self.plan is not None:
                due.append((self.plan - self.terms.countdown * 1000, 0, "count-down", None))
            else:
                due += [
                    (row["away_since"] + 120_000, row["number"], "absent", row)
                    for row in self.inside()
                    if row["away"] and self.all_ready
                ]
                due.append((self.opened + 24 * HOUR, 1000, "cancel", None))
                if self.empty is not None:
                    due.append((self.empty + HOUR, 1000, "cancel", None))
        if self.phase == "countdown" and self.starts is not None:
            due.append((self.starts, 0, "start", None))
        if self.phase == "running":
            for row in self.rows:
                if row["state"] == "racing":
                    if self.terms.limit is not None:
                        limit = row["zero"] + self.terms.limit * 1000
                        due.append((limit, row["number"], "limit", row))
                    if self.is_async:
                        due.append((self.closes, row["number"], "limit", row))
                    if row["away"] and self.terms.grace is not None:
                        grace = row["away_since"] + self.terms.grace * 1000
                        due.append((grace, row["number"] + 0, "zgrace", row))
                elif self.is_async and row["state"] in ("entered", "ready"):
                    due.append((self.closes, row["number"], "not-begun", row))
            if self.is_async:
                due.append((self.closes, 1000, "closed", None))
        due = [item for item in due if item[0] <= now]
        if not due:
            return False
        instant, _, what, whose = min(
            due, key=lambda item: (max(item[0], self.last_at), *item[1:3])
        )
        at = max(instant, self.last_at)
        row = whose if whose is not None else {}
        match what:
            case "nobody-began" | "cancel":
                self.phase, self.ended = "cancelled", at
                self.note("Cancelled", at)
            case "count-down":
                assert self.plan is not None
                self.count_down(at, max(self.plan, at))
            case "absent" | "not-begun":
                row.update(state="withdrawn", away=False)
                self.note("Withdrew", at, row["number"])
            case "start" if len(self.inside()) < self.terms.entrants_min:
                self.phase, self.ended = "cancelled", at
                self.note("Cancelled", at)
            case "start":
                self.phase, self.starts = "running", None
                for row in self.inside():
                    self.set_off(row, now)
                self.note("Started", now)
            case "limit":
                self.end(row, "out-of-time", at)
            case "zgrace":
                self.end(row, "gave-up", at)
            case "closed":
                self.phase, self.ended = "over", at
                self.note("Over", at)
        return True

    # what is asked

    def ask(self, now: int, kind: str, player: str = "", *rest: Any) -> list[Happening]:
        """Carries one command out; returns what happened, also what was due before.

        Raises:
            No: `self.said` has what was due before.
        """
        now = max(now, self.last_at)
        self.said = []
        if kind == "Stop":
            if self.phase == "running":
                self.settle(int(rest[0]))
        else:
            self.settle(now)
        if kind not in {"Tick", "Stop"}:
            self.may(kind)
        getattr(self, "do_" + kind.lower())(now, player, *rest)
        self.settle(now)
        return self.said

    def may(self, kind: str) -> None:
        if kind in {"Ready", "Unready", "Start"} and self.is_async:
            raise No("not-live")
        if kind == "Begin" and not self.is_async:
            raise No("not-async")
        early = self.phase in ("open", "countdown")
        if kind in {"Ready", "Unready", "Start", "Cancel"} and not early:
            raise No("not-open")
        going = early or (self.is_async and self.phase == "running")
        if kind in {"Enter", "Withdraw", "Begin"} and not going:
            raise No("not-open")
        if kind in {"Play", "Undo", "Finish", "SendHome"} and early:
            raise No("not-running")
        if kind in {"GiveUp", "Disqualify"} and self.phase != "running":
            raise No("not-running")
        if kind == "OpenRematch" and self.phase not in ("over", "cancelled"):
            raise No("not-over")

    def do_tick(self, now: int, player: str) -> None:
        pass

    def do_enter(self, now: int, player: str, bot: bool) -> None:
        if self.who(player):
            raise No("already-entered")
        if bot and not self.terms.bots:
            raise No("no-bots")
        if len(self.inside()) == self.terms.entrants_max:
            raise No("race-full")
        number = len(self.rows) + 1
        row = {"number": number, "player": player, "state": "entered", "away": False}
        row |= {
            "away_since": now,
            "table": None,
            "acts": [],
            "bundles": [],
            "penalty": 0,
            "time": None,
        }
        row |= {"moves": 0}
        self.rows.append(row)
        self.note("Entered", now, number)

    def do_withdraw(self, now: int, player: str) -> None:
        row = self.need(player)
        if row["table"] is not None:
            raise No("not-open")
        row.update(state="withdrawn", away=False)
        self.note("Withdrew", now, row["number"])
        if self.phase == "countdown" and self.all_ready:
            self.phase = "open"
            self.note("CountdownStopped", now)

    def do_ready(self, now: int, player: str) -> None:
        row = self.need(player)
        if row["state"] != "ready":
            row["state"] = "ready"
            self.note("Readied", now, row["number"])

    def do_unready(self, now: int, player: str) -> None:
        row = self.need(player)
        if row["state"] == "ready":
            row["state"] = "entered"
            self.note("Unreadied", now, row["number"])

    def do_start(self, now: int, player: str) -> None:
        if player != self.host or self.terms.start is not Start.HOST:
            raise No("not-host")
        if self.phase == "countdown":
            return
        if len(self.here()) < self.terms.entrants_min:
            raise No("too-few")
        self.count_down(now, now + self.terms.countdown * 1000)

    def do_begin(self, now: int, player: str) -> None:
        row = self.need(player)
        if row["table"] is not None:
            return
        if self.phase == "open":
            self.phase = "running"
            self.note("Started", now)
        self.set_off(row, now)
        self.note("Began", now, row["number"])

    def act(self, row: Row, number: int, what: str) -> bool:
        """Returns whether the numbered act is new; refuses what does not fit."""
        if number <= len(row["acts"]):
            if row["acts"][number - 1] == what:
                return False
            raise No("number-reused")
        if self.phase in ("over", "cancelled"):
            raise No("not-running")
        if row["state"] != "racing":
            raise No("not-racing")
        if number > len(row["acts"]) + 1:
            raise No("bad-number")
        return True

    def did(self, row: Row, now: int, what: str, name: str) -> None:
        row["acts"].append(what)
        row["last_at"] = now
        if row["away"]:
            row["away_since"] = now
        self.note(name, now, row["number"])

    def do_play(self, now: int, player: str, number: int, text: str) -> None:
        row = self.need(player)
        game = find(self.terms.game)
        try:
            move = parse_move(game, text)
        except BadNotation:
            raise No("bad-move") from None
        if not self.act(row, number, move_text(game, move)):
            return
        try:
            row["table"].play(move)
        except IllegalMove as refused:
            raise No(f"illegal-move {refused.code}") from None
        row["moves"] += 1
        row["bundles"].append(1)
        self.did(row, now, move_text(game, move), "Played")

    def do_undo(self, now: int, player: str, number: int) -> None:
        row = self.need(player)
        if not self.act(row, number, "undo"):
            return
        if not self.can_undo(row):
            raise No("no-undo")
        for _ in range(row["bundles"].pop()):
            row["table"].undo()
        if self.terms.undo is Undo.PENALTY:
            row["penalty"] += 1000 * self.terms.undo_penalty
        self.did(row, now, "undo", "Undone")

    def do_finish(self, now: int, player: str, number: int) -> None:
        row = self.need(player)
        if not self.act(row, number, "finish"):
            return
        plan = finishing(row["table"])
        if not plan:
            raise No("not-finishable")
        for move in plan:
            row["table"].play(move)
            row["moves"] += 1
        self.did(row, now, "finish", "AutoFinished")

    def do_sendhome(self, now: int, player: str, number: int) -> None:
        row = self.need(player)
        if not self.act(row, number, "send-home"):
            return
        plan = sending_home(row["table"])
        if not plan:
            raise No("nothing-safe")
        for move in plan:
            row["table"].play(move)
            row["moves"] += 1
        row["bundles"].append(len(plan))
        self.did(row, now, "send-home", "SentHome")

    def do_giveup(self, now: int, player: str) -> None:
        row = self.need(player)
        if row["state"] != "racing":
            raise No("not-racing")
        self.end(row, "gave-up", now)

    def do_disqualify(self, now: int, player: str, number: int) -> None:
        if player != self.host:
            raise No("not-host")
        if number > len(self.rows):
            raise No("not-entered")
        if self.rows[number - 1]["state"] != "racing":
            raise No("not-racing")
        self.end(self.rows[number - 1], "disqualified", now)

    def do_cancel(self, now: int, player: str) -> None:
        if player != self.host:
            raise No("not-host")
        self.phase, self.ended = "cancelled", now
        self.note("Cancelled", now)

    def do_chat(self, now: int, player: str) -> None:
        if self.ended is not None:
            if now >= self.ended + HOUR or self.lines_after == 200:
                raise No("not-open")
            self.lines_after += 1
        self.note("Said", now)

    def do_openrematch(self, now: int, player: str) -> None:
        if player != self.host:
            self.need(player)
        if not self.rematch:
            self.rematch = True
            self.note("RematchOpened", now)

    def leave(self, now: int, row: Row) -> None:
        if row["away"] or row["state"] in (*ENDED, "withdrawn"):
            return
        row.update(away=True, away_since=now)
        self.note("Dropped", now, row["number"])
        if row["state"] == "ready" and self.terms.start is Start.ALL_READY:
            row["state"] = "entered"
            self.note("Unreadied", now, row["number"])

    def do_drop(self, now: int, player: str) -> None:
        row = self.who(player)
        if row is not None and self.phase not in ("over", "cancelled"):
            self.leave(now, row)

    def do_return(self, now: int, player: str) -> None:
        row = self.who(player)
        if row is not None and row["away"] and self.phase not in ("over", "cancelled"):
            row["away"] = False
            self.note("Returned", now, row["number"])

    def do_stop(self, now: int, player: str, since: int) -> None:
        if self.phase in ("over", "cancelled"):
            return
        outage = max(0, now - max(since, self.last_at))
        self.closes += 0 if self.terms.punctual else outage
        self.opened += outage
        if self.empty is not None:
            self.empty += outage
        if self.plan is not None:
            self.plan = max(self.plan, now + 10_000)
        for row in self.rows:
            row["away_since"] += outage
            if row["state"] == "racing":
                row["zero"] += outage
        self.note("Stopped", now)
        if self.phase == "countdown":
            self.phase = "open"
            self.note("CountdownStopped", now)
        for row in self.rows:
            self.leave(now, row)

    # how it ended

    def standings(self) -> list[tuple[int, int]]:
        """Returns (place, entrant) of everybody ranked, by counting who is better."""
        rows = [row for row in self.rows if row["state"] in ENDED]

        def better(one: Row, other: Row) -> bool:
            order = {"finished": 0, "disqualified": 2}
            mine, theirs = order.get(one["state"], 1), order.get(other["state"], 1)
            if mine != theirs:
                return mine < theirs
            if mine == 0:
                return bool(one["time"] < other["time"])
            return mine == 1 and bool(one["table"].home > other["table"].home)

        places = [
            (1 + sum(better(other, row) for other in rows), int(row["number"])) for row in rows
        ]
        return sorted(places)
