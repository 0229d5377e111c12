"""The rules on a pipe: one line in, one reply out, for bots in any language and for checking us.

`Engine` is the pure core: a line of text goes in, the whole reply comes out, and docs/engine.md has
its every command. `serve` is the dull shell around it: it reads what is there, answers all of it,
and has written every answer before it waits for more. Nothing that is sent ends the conversation
but `quit` and the end of the input.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final

from samedeal_rules import (
    GAMES,
    BadNotation,
    BadSeed,
    Game,
    IllegalMove,
    NothingToUndo,
    Outcome,
    RulesError,
    Table,
    UnknownGame,
    deal,
    every_game,
    find,
    move_text,
    parse_move,
    parse_position,
    perft,
)
from samedeal_rules.prose import rules_text
from samedeal_rules.shuffle import check_seed

__all__ = ["LINE_BYTES", "PERFT_DEPTH", "Engine", "LineCutter", "serve", "serve_descriptors"]

LINE_BYTES: Final = 8192
"""The longest line that is read; the longest honest one, a pile of two packs, has 320 bytes."""

PERFT_DEPTH: Final = 64
"""The deepest `perft` that is begun."""

_POSITION_LINES: Final = 256


class Engine:
    """One game at a time, moved by lines of text. Reads no clock, no file and no stream."""

    def __init__(self) -> None:
        self.is_over = False
        """`quit` was said."""
        self._table: Table | None = None
        self._position: list[str] | None = None
        self._answers: dict[str, Callable[[str], str]] = {
            "games": self._games,
            "variants": self._variants,
            "new": self._new,
            "position": self._begin_position,
            "show": self._show,
            "view": self._view,
            "legal": self._legal,
            "play": self._play,
            "undo": self._undo,
            "status": self._status,
            "perft": self._perft,
            "rules": self._rules,
            "quit": self._quit,
        }

    def reply(self, line: str) -> str:
        """Returns the reply with its line ends; empty while a position is being read, and for an
        empty line outside one."""
        if self._position is not None:
            return self._read_position(line.strip())
        command, _, rest = line.strip().partition(" ")
        if not command:
            return ""
        answer = self._answers.get(command)
        if answer is None:
            return _error("unknown-command", f"say one of: {', '.join(self._answers)}")
        try:
            return answer(rest.strip())
        except _Refusal as refusal:
            return _error(refusal.code, refusal.sentence)

    def fault(self, code: str, sentence: str) -> str:
        """Returns the reply to a line that could not be read; within a position it spoils that."""
        if self._position is not None:
            self._position.append(f"{code}: {sentence}")
            return ""
        return _error(code, sentence)

    def end(self) -> str:
        """Returns what is left to say at the end of the input."""
        if self._position is None:
            return ""
        self._position = None
        return _error("unfinished-position", "the input ended before the position's empty line")

    # --- one method a command: the rest of the line in, the reply out ---------------------------

    def _games(self, rest: str) -> str:
        _nothing("games", rest)
        return _block(game.key for game in GAMES)

    def _variants(self, rest: str) -> str:
        _nothing("variants", rest)
        return _block(game.key for game in every_game() if ":" in game.key)

    def _new(self, rest: str) -> str:
        key, _, seed = rest.partition(" ")
        if not key or not seed.strip():
            raise _Refusal("bad-arguments", "say `new GAME SEED`, as in `new opus friday-night`")
        try:
            game, seed = find(key), check_seed(seed.strip())
        except UnknownGame as refusal:
            raise _Refusal("unknown-game", str(refusal)) from refusal
        except BadSeed as refusal:
            raise _Refusal("bad-seed", str(refusal)) from refusal
        self._table = deal(game, seed)
        return f"ok {game.key} {seed}\n"

    def _begin_position(self, rest: str) -> str:
        _nothing("position", rest)
        self._position = []
        return ""

    def _read_position(self, line: str) -> str:
        lines = self._position or []
        if line:
            if len(lines) < _POSITION_LINES:
                self._position = [*lines, line]
            return ""
        text, self._position = "\n".join(lines), None
        try:
            self._table = Table.from_position(parse_position(text))
        except UnknownGame as refusal:
            return _error("unknown-game", str(refusal))
        except RulesError as refusal:
            return _error("bad-position", str(refusal))
        return "ok\n"

    def _show(self, rest: str) -> str:
        _nothing("show", rest)
        return _block(self._board.position().text().splitlines())

    def _view(self, rest: str) -> str:
        _nothing("view", rest)
        return _block(self._board.view().text().splitlines())

    def _legal(self, rest: str) -> str:
        _nothing("legal", rest)
        table = self._board
        return " ".join(sorted(move_text(table.game, move) for move in table.legal())) + "\n"

    def _play(self, rest: str) -> str:
        if not rest:
            raise _Refusal("bad-arguments", "say `play MOVE`, as in `play T3-F1`")
        table = self._board
        try:
            move = parse_move(table.game, rest)
            table.play(move)
        except BadNotation as refusal:
            return f"illegal bad-move {_one_line(str(refusal))}\n"
        except IllegalMove as refusal:
            return f"illegal {refusal.code} {_one_line(refusal.sentence)}\n"
        return f"ok {move_text(table.game, move)}{_told(table.last())}\n"

    def _undo(self, rest: str) -> str:
        _nothing("undo", rest)
        table = self._board
        try:
            move = table.undo()
        except NothingToUndo as refusal:
            raise _Refusal("nothing-to-undo", str(refusal)) from refusal
        return f"ok {move_text(table.game, move)}\n"

    def _status(self, rest: str) -> str:
        _nothing("status", rest)
        table = self._board
        return f"{table.status.value} {table.home}/{table.game.goal} {table.digest()}\n"

    def _perft(self, rest: str) -> str:
        is_number = rest.isascii() and rest.isdigit() and len(rest) <= 3
        if not is_number or int(rest) > PERFT_DEPTH:
            raise _Refusal("bad-arguments", f"say `perft N` with N from 0 to {PERFT_DEPTH}")
        return f"{perft(self._board, int(rest))}\n"

    def _rules(self, rest: str) -> str:
        game = self._board.game if not rest else _find(rest)
        return _block(rules_text(game).splitlines())

    def _quit(self, rest: str) -> str:
        _nothing("quit", rest)
        self.is_over = True
        return "ok\n"

    @property
    def _board(self) -> Table:
        if self._table is None:
            raise _Refusal("no-game", "say `new GAME SEED` or `position` first")
        return self._table


class _Refusal(Exception):
    """A command that cannot be carried out, on its way to becoming an `error` line."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


def _find(key: str) -> Game:
    try:
        return find(key)
    except UnknownGame as refusal:
        raise _Refusal("unknown-game", str(refusal)) from refusal


def _nothing(command: str, rest: str) -> None:
    if rest:
        raise _Refusal("bad-arguments", f"`{command}` stands alone on its line")


def _one_line(sentence: str) -> str:
    return " ".join(sentence.split())


def _error(code: str, sentence: str) -> str:
    return f"error {code} {_one_line(sentence)}\n"


def _block(lines: Iterator[str] | list[str]) -> str:
    """The lines and an empty one; empty lines within would end the reply too early."""
    return "".join(f"{line.rstrip()}\n" for line in lines if line.strip()) + "\n"


def _told(outcome: Outcome) -> str:
    """What a play moved and turned up, as the `ok` line says it."""
    moved = " moved all" if outcome.whole else f" moved {' '.join(outcome.steps)}"
    turned = " ".join(f"{pile}:{card}" for pile, card in outcome.turned)
    return f"{moved} turned {turned}" if turned else moved


class LineCutter:
    """Cuts a stream of bytes into lines, and drops the inside of those that are too long."""

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._limit = limit
        self._rest = b""
        self._is_too_long = False

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """Yields each line that `chunk` completes, without its end; None for one too long."""
        *lines, rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            yield None if self._is_too_long or len(line) > self._limit else line
            self._is_too_long = False
        self._is_too_long = self._is_too_long or len(rest) > self._limit
        self._rest = b"" if self._is_too_long else rest

    def end(self) -> Iterator[bytes | None]:
        """Yields a last line that no line end closed."""
        if self._is_too_long or self._rest:
            yield from self.feed(b"\n")


def serve(read: Callable[[], bytes], write: Callable[[bytes], None]) -> None:
    """Answers until `quit` or the end of the input.

    `read` waits for some bytes and returns none at the end; `write` has sent all when it returns.
    Everything that was read is answered before it is called again.
    """
    engine, cutter = Engine(), LineCutter()
    while chunk := read():
        replies = [_hear(engine, line) for line in cutter.feed(chunk) if not engine.is_over]
        if any(replies):
            write("".join(replies).encode())
        if engine.is_over:
            return
    rest = [_hear(engine, line) for line in cutter.end()]
    if last := "".join([*rest, engine.end()]):
        write(last.encode())


def _hear(engine: Engine, line: bytes | None) -> str:
    if line is None:
        return engine.fault("too-long", f"a line has at most {LINE_BYTES} bytes")
    try:
        return engine.reply(line.decode())
    except UnicodeDecodeError:
        return engine.fault("bad-utf8", "the line is not UTF-8")


def serve_descriptors(source: int, target: int) -> None:
    """Serves on two file descriptors, such as those of standard input and output."""

    def write(reply: bytes) -> None:
        while reply:
            reply = reply[os.write(target, reply) :]

    serve(lambda: os.read(source, 1 << 16), write)
