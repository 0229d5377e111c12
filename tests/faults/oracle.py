"""What each viewer of a race may have seen at each moment, worked out beside the server.

Boards come from the naive model of the rulebook, hidden cards from its "Hidden" lines, and who may
see whose board from a law written here by hand. Frames are read by other libraries than the
server's own: `json` and `msgpack`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgpack

from rules import naive
from samedeal_protocol import events as log
from samedeal_protocol.terms import Mode, Sight
from samedeal_rules import parse_position

__all__ = ["CARD", "Board", "Leak", "Oracle", "Reader", "piles_of", "unpacked"]

CARD: Final = re.compile(r"(?<![0-9A-Za-z])[A2-9TJQK][CDHS](?![0-9A-Za-z])")
"""A card in any text."""

_NEXT: Final = re.compile(r"F\d takes [A2-9TJQK][CDHS] next")
"""What goes on a foundation follows from its top card."""

_PILE: Final = re.compile(r"[A-Z]\d*|redeals|base|plays|idle")


class Leak(AssertionError):
    """A reader was sent what they may not have seen."""


def unpacked(frame: bytes, *, is_text: bool) -> dict[str, object]:
    """Reads a frame."""
    read = json.loads(frame) if is_text else msgpack.unpackb(frame)
    assert isinstance(read, dict)
    return read


def piles_of(board: str) -> dict[str, list[str]]:
    """Reads the piles and counters of a board's text."""
    lines = (line.partition(":") for line in board.splitlines())
    return {name: rest.split() for name, _, rest in lines if _PILE.fullmatch(name)}


@dataclass(frozen=True, slots=True)
class Board:
    """One entrant's board as they may see it."""

    piles: dict[str, list[str]]
    digest: str
    home: int

    @classmethod
    def of(cls, game: naive.Naive) -> Board:
        hidden = game.hidden()
        seen = game.copy()
        for name, at in hidden:
            seen.board.piles[name][at] = "--"
        text = seen.text()
        return cls(piles_of(text), parse_position(text).digest(), game.home)

    def cards(self) -> set[str]:
        return {card for cards in self.piles.values() for card in cards if CARD.fullmatch(card)}


@dataclass
class _Seat:
    player: str
    began: int | None = None
    """The seq at which they got the deal."""
    done: int | None = None
    boards: dict[int, Board] = field(default_factory=dict)
    """By the seq at which the board came to be so."""
    before: list[naive.Naive] = field(default_factory=list)
    """For every play that can be taken back: what was before it, and the board now at the end."""

    def at(self, seq: int) -> Board | None:
        found = [board for since, board in self.boards.items() if since <= seq]
        return found[-1] if found else None


class Oracle:
    """A whole race, as its log tells it."""

    def __init__(self, lines: Sequence[log.Event]) -> None:
        opened = lines[0]
        assert isinstance(opened, log.Opened)
        self.opened = opened
        self.terms = opened.terms
        self.seats: list[_Seat] = []
        self.over: int | None = None
        for seq, event in enumerate(lines, 1):
            self._fold(seq, event)

    def may_see(self, player: str, entrant: int, seq: int) -> bool:
        """Whether a player may see an entrant's board as it was at `seq`: the law."""
        if self.over is not None and seq >= self.over:
            return True
        seat = self.seats[entrant - 1]
        if seat.player == player:
            return True
        if self.terms.spectators is not Sight.BOARDS:
            return False
        own = self._seat_of(player)
        if own is not None:
            return own.done is not None and seq >= own.done and not self.terms.delay
        if self.terms.blind and player != self.opened.host:
            return False
        return self.terms.mode is Mode.LIVE

    def may_see_progress(self, player: str, entrant: int, seq: int) -> bool:
        """Whether a player may know how an entrant's board goes, in numbers."""
        if self.over is not None and seq >= self.over:
            return True
        seat = self.seats[entrant - 1]
        own = self._seat_of(player)
        if seat.player == player or seat.began is None or seq < seat.began:
            return True
        if own is not None:
            return not self.terms.blind or (own.done is not None and seq >= own.done)
        if self.terms.blind and (self.terms.mode is Mode.ASYNC or player != self.opened.host):
            return False
        return self.terms.spectators is not Sight.NONE or player == self.opened.host

    def board(self, entrant: int, seq: int) -> Board | None:
        """Returns an entrant's board as they saw it at `seq`."""
        return self.seats[entrant - 1].at(seq)

    def entrant_of(self, player: str) -> int | None:
        return next((at for at, seat in enumerate(self.seats, 1) if seat.player == player), None)

    def seen(self, player: str, seq: int) -> set[str]:
        """Returns every card that the player may have seen up to `seq`."""
        return {
            card
            for at, seat in enumerate(self.seats, 1)
            for since, board in seat.boards.items()
            if since <= seq and self.may_see(player, at, seq)
            for card in board.cards()
        }

    def _seat_of(self, player: str) -> _Seat | None:
        return next((seat for seat in self.seats if seat.player == player), None)

    def _fold(self, seq: int, event: log.Event) -> None:
        match event:
            case log.Entered(player=player):
                self.seats.append(_Seat(player))
            case log.Started() if self.terms.mode is Mode.LIVE:
                for seat in self.seats:
                    self._deal(seat, seq)
            case log.Began(entrant=entrant):
                self._deal(self.seats[entrant - 1], seq)
            case log.Played(entrant=entrant, move=move):
                self._play(self.seats[entrant - 1], seq, move)
            case (
                log.AutoFinished(entrant=entrant, moves=moves)
                | log.SentHome(entrant=entrant, moves=moves)
            ):
                self._play(self.seats[entrant - 1], seq, *moves)
            case log.Undone(entrant=entrant):
                seat = self.seats[entrant - 1]
                seat.before.pop()
                seat.boards[seq] = Board.of(seat.before[-1])
            case log.Done(entrant=entrant):
                self.seats[entrant - 1].done = seq
            case log.Over():
                self.over = seq
            case _:
                pass

    def _deal(self, seat: _Seat, seq: int) -> None:
        seat.began = seq
        seat.before = [naive.deal(self.terms.game, self.opened.seed)]
        seat.boards[seq] = Board.of(seat.before[0])

    def _play(self, seat: _Seat, seq: int, *moves: str) -> None:
        after = seat.before[-1].copy()
        for move in moves:
            after.play(move)
        seat.before.append(after)
        seat.boards[seq] = Board.of(after)


@dataclass
class Reader:
    """Judges everything that one connection was sent."""

    oracle: Oracle
    player: str
    secrets: Sequence[bytes]
    """What nobody may read before the race is over."""
    boards: int = 0
    """How many boards were judged, and so on."""
    turned: int = 0
    texts: int = 0
    seq: int = 0

    def read(self, frame: bytes, *, is_text: bool) -> None:
        """Judges the next frame; raises `Leak`."""
        tree = unpacked(frame, is_text=is_text)
        body = tree.get("result", tree)
        if not isinstance(body, dict):
            return
        if body.get("type") == "replay-page":
            self._judge_replay(body)
            return
        is_ours = body.get("race") == self.oracle.opened.race
        told = body.get("seq")
        if is_ours and isinstance(told, int):
            self.seq = max(self.seq, told)
        # An old answer that is given again is judged as of then; what has no seq, as of now.
        seq = told if is_ours and isinstance(told, int) else self.seq
        is_open = self.oracle.over is not None and seq >= self.oracle.over
        if not is_open and body.get("phase") != "over":
            for secret in self.secrets:
                if secret in frame:
                    raise Leak(f"{self.player} was told a secret at {seq}: {body}")
        if body.get("phase") == "over" and "seq" not in body:
            return  # A sheet of results after the end.
        self._judge(body, seq, self._owner(body))

    def _judge_replay(self, page: Mapping[str, object]) -> None:
        """A replay is for when the race is over, so that it tells of its end (these are short)."""
        lines = page["lines"]
        assert isinstance(lines, list)
        if not any('"event":"over"' in line for line in lines):
            self._leak(self.seq, "the log of a race that is not over")

    def _owner(self, body: Mapping[str, object]) -> int | None:
        owner = body.get("entrant")
        if isinstance(owner, int):
            return owner
        return self.oracle.entrant_of(self.player) if body.get("type") == "played" else None

    def _judge(self, tree: Mapping[str, object], seq: int, owner: int | None) -> None:
        for key, value in tree.items():
            match key, value:
                case "token", _:
                    pass  # The reader's own secret, and any letters.
                case "board", str():
                    self._judge_board(value, seq, owner)
                case "digest", str():
                    self._judge_digest(value, seq, owner)
                case "turned", list():
                    self._judge_turned(value, seq, owner)
                case (("home" | "moves" | "elapsed_ms"), int()) if owner is not None:
                    if not self.oracle.may_see_progress(self.player, owner, seq):
                        self._leak(seq, f"{key} of {owner}: {value}")
                case _:
                    self._judge_any(value, seq)

    def _judge_any(self, value: object, seq: int) -> None:
        match value:
            case dict():
                owner = value.get("entrant")
                self._judge(value, seq, owner if isinstance(owner, int) else None)
            case list():
                for each in value:
                    self._judge_any(each, seq)
            case str():
                cards = set(CARD.findall(_NEXT.sub("", value)))
                if not cards:
                    return
                self.texts += 1
                if not cards <= self.oracle.seen(self.player, seq):
                    self._leak(seq, f"cards in a text: {value}")
            case _:
                pass

    def _boards(self, seq: int, owner: int | None) -> Iterator[Board]:
        """Yields the boards that may be meant: the owner's, or at the start anybody's."""
        owners = range(1, len(self.oracle.seats) + 1) if owner is None else (owner,)
        for each in owners:
            board = self.oracle.board(each, seq)
            if board is not None and self.oracle.may_see(self.player, each, seq):
                yield board

    def _judge_board(self, text: str, seq: int, owner: int | None) -> None:
        self.boards += 1
        if not any(board.piles == piles_of(text) for board in self._boards(seq, owner)):
            self._leak(seq, f"a board of {owner}:\n{text}")

    def _judge_digest(self, digest: str, seq: int, owner: int | None) -> None:
        if not any(board.digest == digest for board in self._boards(seq, owner)):
            self._leak(seq, f"a digest of {owner}: {digest}")

    def _judge_turned(self, turned: list[object], seq: int, owner: int | None) -> None:
        for each in turned:
            assert isinstance(each, list)
            pile, card = each
            self.turned += 1
            if not any(board.piles[pile][-1:] == [card] for board in self._boards(seq, owner)):
                self._leak(seq, f"{card} turned on {pile} of {owner}")

    def _leak(self, seq: int, sentence: str) -> None:
        raise Leak(f"{self.player} was sent at {seq}: {sentence}")
