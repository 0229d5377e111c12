"""A table: a position that is being played.

`Table` plays, takes back, lists the legal moves, and knows whether it is won or stuck. It is one
engine for all games: what a game allows is in its `Tables`, compiled from its declaration, and one
lookup judges a move. `play`, `may`, `legal` and `refusal` all rest on that lookup, on `_is_group`
and on `_action_refused`, so that they cannot disagree.

A play is validated, made, and followed by its consequences (a pile filled, a base rank fixed, a
play counted, the win), in that order; undoing restores all of it. Nothing here does I/O, reads a
clock or draws randomness but from the table's seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import compress, filterfalse, pairwise
from typing import Final, NamedTuple, Self

from .builds import Lift
from .cards import CARD_BITS, PLAIN, card_text
from .dealing import deal_again, deal_pack
from .errors import IllegalMove, NothingToUndo, Refusal
from .notation import (
    DEAL,
    DRAW,
    REDEAL,
    Move,
    Position,
    decode_position,
    encode_pile,
    encode_position,
    move_text,
    position_digest,
)
from .refusals import refuse_action, refuse_group, refuse_single
from .setup import set_up
from .shuffle import order
from .spec import Game
from .tables import EMPTY, Phase, compile_game
from .views import hide_pile, view_of

__all__ = ["Outcome", "Status", "Table", "deal", "perft"]

NOWHERE: Final = -1
NO_SEED: Final = "no seed"
"""What a table without a seed of its own reshuffles by."""
WITNESSES: Final = 3
"""How many moves are remembered that showed that a table is not stuck."""


class Status(Enum):
    """How the game stands."""

    PLAYING = "playing"
    WON = "won"
    STUCK = "stuck"


class Outcome(NamedTuple):
    """What the last play moved and turned up, for a client that knows no rules.

    `steps` are plain transfers in move notation, to be applied one after the other: `T3-F1`,
    `T1-T4:3`, `S-W`. `turned` are piles and the cards that now lie face up on them and were hidden
    before. `covered` are piles whose cards below the top are hidden now. `whole`: the steps cannot
    say it (a redeal), so that a client needs a whole view.
    """

    move: Move
    steps: tuple[str, ...] = ()
    turned: tuple[tuple[str, str], ...] = ()
    whole: bool = False
    covered: tuple[str, ...] = ()


# Plain tuples, since making a named one takes longer than the play itself.
_Before = tuple[Phase, int, int, int, int, int, list[list[int]] | None]
"""What else a play changed, as it was: phase, key of empty piles, redeals, plays, idle, the pile
that filled an emptied one (NOWHERE if none), and the old piles if a redeal made new ones."""
_Play = tuple[Move, int, _Before | None]
"""A play to take back: the move, the stored card it took (or how many a row took), what changed."""


class _Refused(IllegalMove):
    """An illegal move that is put into words only if somebody reads them: refusing is frequent.

    Its arguments are a function of `refusals` and what to call it with, none of which changes when
    play goes on.
    """

    @property
    def refusal(self) -> Refusal:
        explain, *facts = self.args
        refusal = explain(*facts)
        assert isinstance(refusal, Refusal)
        return refusal


class Table:
    """A game being played. Made by `deal`, `Table.from_position` or `Table.restore`."""

    __slots__ = (
        "_empty",
        "_has_consequences",
        "_history",
        "_home",
        "_is_home",
        "_marked",
        "_marks",
        "_phase",
        "_piles",
        "_rules",
        "_tables",
        "_together",
        "_witnesses",
        "game",
        "idle",
        "plays",
        "redeals",
        "seed",
    )

    def __init__(self, game: Game, seed: str, piles: list[list[int]], base: int | None) -> None:
        """A table with these piles of stored cards, the stock's next card last."""
        tables = compile_game(game)
        self.game: Final = game
        self.seed: Final = seed
        self.redeals = 0
        self.plays = 0
        self.idle = 0
        self._home: int | None = None
        self._tables: Final = tables
        self._piles = piles
        self._history: Final[list[_Play]] = []
        self._together: Final[list[tuple[int, int]]] = []
        self._witnesses: tuple[Move, ...] = ()
        self._marks: list[bytes] = []
        self._marked: tuple[int, _Play | None] = 0, None
        self._has_consequences: Final = tables.has_consequences
        self._is_home: Final = tables.is_home
        self._empty = tables.empty_key(piles, base)
        self._enter(tables.phases[0])

    @classmethod
    def from_position(cls, position: Position, seed: str = "") -> Self:
        """The table with that position, nothing played yet.

        Piles may be partial, so that a test can show only what matters. Without a seed, reshuffles
        (G13) come from one that all such tables share. Raises BadNotation for hidden cards and for
        what the rules cannot have; `setup` says what that is.
        """
        tables = compile_game(position.game)
        table = cls(position.game, seed, *set_up(tables, position))
        table.redeals, table.plays, table.idle = position.redeals, position.plays, position.idle
        over = tables.ends_early and table.won
        table._enter(tables.over if over else tables.phases[min(table.redeals, 1)])
        return table

    @classmethod
    def restore(cls, game: Game, snapshot: bytes, seed: str = "") -> Self:
        """The table that `snapshot` was taken of, without what was played before. BadNotation."""
        return cls.from_position(decode_position(game, snapshot), seed)

    def copy(self) -> Self:
        """Another table with the same position and nothing to undo, to look ahead on."""
        cls = type(self)
        table = cls(self.game, self.seed, [pile[:] for pile in self._piles], self.base)
        table.redeals, table.plays, table.idle = self.redeals, self.plays, self.idle
        table._empty = self._empty
        table._enter(self._phase)
        return table

    # Playing

    def play(self, move: Move) -> None:
        """Plays the move. Raises IllegalMove, and then nothing has changed."""
        source, target, cards = move
        if cards != 1:
            self._play_other(move)
            return
        try:
            pile = self._piles[source]
            onto = self._piles[target]
            card = pile[-1] if pile else 0
            placed = self._rules[source][target][onto[-1] if onto else self._empty][card]
        except IndexError:
            raise _Refused(refuse_single, self._tables, self._phase, move, 0, EMPTY) from None
        if not placed:
            key = onto[-1] if onto else self._empty
            raise _Refused(refuse_single, self._tables, self._phase, move, card, key)
        pile.pop()
        onto.append(placed)
        if self._is_home[target] or self._is_home[source]:
            self._home = None
        if self._has_consequences:
            self._history.append((move, card, self._follow(pile, source, target, placed)))
        else:
            self._history.append((move, card, None))

    def undo(self) -> Move:
        """Takes the last play back, with everything that followed from it, and returns it.

        Raises NothingToUndo.
        """
        if not self._history:
            raise NothingToUndo("there is no play to take back")
        move, card, before = self._history.pop()
        source, target, cards = move
        piles = self._piles
        if before is not None:
            phase, self._empty, self.redeals, self.plays, self.idle, filler, old = before
            self._enter(phase)
            if old is not None:
                self._piles = old
                return move
            if filler != NOWHERE:
                piles[filler].append(piles[source].pop())
        if cards == 1:
            piles[target].pop()
            piles[source].append(card)
            if self._is_home[target] or self._is_home[source]:
                self._home = None
        elif cards:
            group = piles[target][-cards:]
            del piles[target][-cards:]
            piles[source] += [card, *group[1:]]
        elif move == DRAW:
            piles[self._tables.stock].append(piles[self._tables.waste].pop())
        else:
            stock = piles[self._tables.stock]
            for at in self._row()[card - 1 :: -1]:
                stock.append(piles[at].pop())
        return move

    def play_together(self, moves: Iterable[Move]) -> list[Outcome]:
        """Plays the moves as one, for `take_back`; says of each what it did.

        Raises IllegalMove at the first that may not be played; those before it have been.
        """
        before = self.depth
        outcomes: list[Outcome] = []
        for move in moves:
            self.play(move)
            outcomes.append(self.last())
        self._together.append((before, self.depth))
        return outcomes

    def take_back(self) -> list[Move]:
        """Takes the last play back, or all that were played together last; returns them in order.

        Who plays moves together takes everything back by this. Raises NothingToUndo.
        """
        before = self.depth - 1
        if self._together and self._together[-1][1] == self.depth:
            before, _ = self._together.pop()
        moves = [self.undo()]
        while self.depth > before:
            moves.append(self.undo())
        return moves[::-1]

    def may(self, move: Move) -> bool:
        """Whether `play` would accept the move."""
        source, target, cards = move
        if cards != 1:
            return not self._action_refused(move) if cards == 0 else self._is_group(move)
        try:
            onto = self._piles[target]
            key = onto[-1] if onto else self._empty
            return self._rules[source][target][key][self._piles[source][-1]] != 0
        except IndexError:
            return False

    def refusal(self, move: Move) -> Refusal | None:
        """Why `play` would refuse the move; None if it would not."""
        return None if self.may(move) else self._refused(move).refusal

    def legal(self) -> list[Move]:
        """Every legal move and stock action, in no particular order."""
        moves: list[Move] = []
        tops = [pile[-1] if pile else 0 for pile in self._piles]
        empty = self._empty
        for scope in self._phase.scopes:
            cards = bytes([tops[source] for source in scope.sources])
            none = scope.none
            for target, cell, listed in scope.targets:
                hits = cards.translate(cell[tops[target] or empty])
                if hits != none:
                    moves += compress(listed, hits)
        if self._tables.lift is not Lift.TOP:
            moves += self._groups()
        moves += self._actions()
        return moves

    # How it stands

    @property
    def home(self) -> int:
        """How many cards are home: on the foundations, or in the waste that collects a suit."""
        home = self._home
        if home is None:
            # Counted when it is asked for: it is asked often, but never while looking ahead.
            piles = self._piles
            home = self._home = sum([len(piles[at]) for at in self._tables.home])
        return home

    @property
    def won(self) -> bool:
        """Whether the game is won (G11)."""
        return self.home >= self._tables.goal

    @property
    def stuck(self) -> bool:
        """Whether the game is not won and no move is left that changes anything (G9, G10)."""
        return not self.won and not self._goes_on()

    def _goes_on(self) -> bool:
        """Whether a move is left that changes something, in a game that is not won."""
        if self._tables.actions and self._actions():
            return True
        # A move that showed lately that play goes on mostly shows it again.
        for witness in self._witnesses:
            if self.may(witness) and not self._is_null(witness):
                return True
        move = self._moves_on()
        if move is None:
            return self._moves_on_after_transfers()
        self._witnesses = (move, *self._witnesses[: WITNESSES - 1])
        return True

    @property
    def status(self) -> Status:
        """Won, stuck, or still playing."""
        if self.won:
            return Status.WON
        return Status.PLAYING if self._goes_on() else Status.STUCK

    @property
    def depth(self) -> int:
        """How many plays can be undone."""
        return len(self._history)

    @property
    def base(self) -> int | None:
        """The foundations' base rank, where it varies and once it is fixed."""
        return self._tables.base(self._empty)

    def last(self) -> Outcome:
        """What the last play moved and turned up. Raises NothingToUndo if nothing was played."""
        if not self._history:
            raise NothingToUndo("nothing has been played")
        move, card, before = self._history[-1]
        source, target, cards = move
        tables, piles = self._tables, self._piles
        names = tables.names
        if cards == 0:
            if move == DRAW:
                return Outcome(move, ("S-W",), (self._top(tables.waste),))
            if before is not None:
                return Outcome(move, whole=True)
            row = self._row()[:card]
            return Outcome(move, tuple(f"S-{names[at]}" for at in row), tuple(map(self._top, row)))
        step = tables.texts[source][target] if cards == 1 else move_text(self.game, move)
        if before is None and not tables.hidden:
            return Outcome(move, (step,))
        steps = [step]
        turned = []
        filler = NOWHERE if before is None else before[5]
        if filler != NOWHERE:
            steps.append(f"{names[filler]}-{names[source]}")
        if filler == tables.stock or (source in tables.hidden and piles[source]):
            turned.append(self._top(source))
        covers = target in tables.hidden and len(piles[target]) > cards
        covered = (names[target],) if covers else ()
        return Outcome(move, tuple(steps), tuple(turned), covered=covered)

    @property
    def revealed(self) -> bool:
        """Whether the last play showed a hidden card, or redealt: some races let no undo cross it.

        A card that comes to the top of a hidden pile counts even if the player saw it earlier.
        """
        if not self._history:
            return False
        (source, _, cards), _, before = self._history[-1]
        if cards == 0 or (before is not None and before[5] == self._tables.stock):
            return True
        return source in self._tables.hidden and bool(self._piles[source])

    # What it looks like

    def piles(self) -> list[list[int]]:
        """The cards of each pile, bottom first; the stock's next card is its last."""
        return [list(bytes(pile).translate(PLAIN)) for pile in self._piles]

    def position(self) -> Position:
        """The whole position, hidden cards included: for its server and for tests only."""
        piles = tuple(tuple(bytes(pile).translate(PLAIN)) for pile in self._ordered())
        return Position(self.game, piles, self.redeals, self.base, self.plays, self.idle)

    def view(self) -> Position:
        """What the player may see, and nothing else."""
        return view_of(self.position())

    def snapshot(self) -> bytes:
        """The whole position in under 200 bytes; `restore` reads it."""
        return encode_position(self._ordered(), self._counters())

    def digest(self) -> str:
        """16 hexadecimal digits that are equal exactly when game and position are."""
        return position_digest(self.game, self.snapshot())

    def view_digest(self) -> str:
        """The digest of the view: what a client computes from what it has been shown."""
        self._mark()
        digest = self._tables.digester.copy()
        digest.update(bytes(self._counters()) + b"".join(self._marks))
        return digest.hexdigest()

    # Inside

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        self._rules = phase.rules

    def _ordered(self) -> list[list[int]]:
        """The piles as stored, but the stock next card first."""
        piles = self._piles
        stock = self._tables.stock
        if stock < len(piles):
            piles = piles[:]
            piles[stock] = piles[stock][::-1]
        return piles

    def _mark(self) -> None:
        """Makes `_marks` the encoded view, pile by pile, looking only at what has changed.

        It is asked for after every move of a race, and a move changes two piles.
        """
        history, marks, piles = self._history, self._marks, self._piles
        depth, last = self._marked
        if not marks or (depth and (depth > len(history) or history[depth - 1] is not last)):
            marks[:] = [b""] * len(piles)
            changed: Iterable[int] = range(len(piles))
        elif depth + 1 == len(history):
            changed = self._changed_by(history[-1])
        else:
            changed = {at for play in history[depth:] for at in self._changed_by(play)}
        veiled = self._tables.veiled
        for at in changed:
            pile = piles[at]
            marks[at] = encode_pile(hide_pile(self.game, at, pile) if at in veiled else pile)
        self._marked = len(history), history[-1] if history else None

    def _changed_by(self, play: _Play) -> Iterable[int]:
        """The piles that a play changed."""
        (source, target, cards), _, before = play
        if before is None:
            if cards:
                return source, target
        elif cards and before[5] == NOWHERE:
            return source, target
        elif cards:
            return source, target, before[5]
        return range(len(self._piles))

    def _counters(self) -> tuple[int, int, int, int]:
        return self.redeals, self.base or 0, self.plays, self.idle

    def _top(self, at: int) -> tuple[str, str]:
        return self._tables.names[at], card_text(self._piles[at][-1] & CARD_BITS)

    def _follow(self, pile: list[int], source: int, target: int, placed: int) -> _Before | None:
        """Makes what follows from a play of one card; returns how it was, or None for nothing."""
        tables = self._tables
        before = (self._phase, self._empty, self.redeals, self.plays, self.idle, NOWHERE, None)
        changes = False
        if tables.is_home[target]:
            if tables.counts_plays:
                self.plays += 1
                changes = True
            if tables.begins and len(self._piles[target]) == 1:
                self._empty = tables.begun_key(self._empty, target, placed & CARD_BITS)
                changes = True
            if tables.ends_early and self.won:
                self._enter(tables.over)
                changes = True
        if not pile and tables.is_filled[source]:
            for filler in (tables.stock, tables.waste):
                if self._piles[filler]:
                    pile.append(self._piles[filler].pop())
                    return (*before[:5], filler, None)
        return before if changes else None

    def _play_other(self, move: Move) -> None:
        """Plays a group of cards or a stock action."""
        source, target, cards = move
        if cards == 0:
            code = self._action_refused(move)
            if code:
                raise _Refused(refuse_action, self.game, code)
            if move == DRAW:
                piles = self._piles
                piles[self._tables.waste].append(piles[self._tables.stock].pop())
                self._history.append((move, 1, None))
            elif move == DEAL:
                self._deal()
            else:
                self._redeal()
            return
        if not self._is_group(move):
            raise self._refused(move)
        pile, onto = self._piles[source], self._piles[target]
        group = pile[-cards:]
        placed = self._rules[source][target][onto[-1] if onto else self._empty][group[0]]
        del pile[-cards:]
        onto += [placed, *group[1:]]
        self._history.append((move, group[0], None))

    def _refused(self, move: Move) -> IllegalMove:
        """The error for a move that may not be played."""
        source, target, cards = move
        tables, piles = self._tables, self._piles
        if cards == 0:
            return _Refused(refuse_action, self.game, self._action_refused(move))
        if not (0 <= source < len(piles) and 0 <= target < len(piles)):
            return _Refused(refuse_single, tables, self._phase, move, 0, EMPTY)
        pile, onto = piles[source], piles[target]
        key = onto[-1] if onto else self._empty
        if cards == 1:
            card = pile[-1] if pile else 0
            return _Refused(refuse_single, tables, self._phase, move, card, key)
        return _Refused(refuse_group, tables, self._phase, move, tuple(pile), key)

    def _is_group(self, move: Move) -> bool:
        """Whether the move takes a run of two or more cards to where its first card may go."""
        source, target, cards = move
        tables = self._tables
        lift = tables.lift
        if lift is Lift.TOP or cards < 2 or source == target:
            return False
        if source not in tables.tableau or target not in tables.tableau:
            return False
        group, onto = self._piles[source][-cards:], self._piles[target]
        if len(group) < cards or (onto and lift is Lift.RUNS_TO_SPACES):
            return False
        key = onto[-1] if onto else self._empty
        if not self._rules[source][target][key][group[0]]:
            return False
        builds = tables.on_tableau
        return all(builds[below][above] for below, above in pairwise(group))

    def _groups(self) -> Iterator[Move]:
        """Every legal move of two or more cards: the runs, and where their first cards may go."""
        tables = self._tables
        builds = tables.on_tableau
        tops = [(at, pile[-1] if pile else self._empty) for at, pile in self._tableau()]
        if tables.lift is Lift.RUNS_TO_SPACES:
            tops = [(at, key) for at, key in tops if key >= EMPTY]
        for source, pile in self._tableau() if tops else ():
            rules = self._rules[source]
            cards = 2
            while cards <= len(pile) and builds[pile[-cards]][pile[1 - cards]]:
                first = pile[-cards]
                for target, key in tops:
                    if rules[target][key][first] and target != source:
                        yield Move(source, target, cards)
                cards += 1

    def _tableau(self) -> list[tuple[int, list[int]]]:
        return [(at, self._piles[at]) for at in self._tables.tableau]

    def _actions(self) -> list[Move]:
        """The stock actions that are allowed."""
        return [move for move in self._tables.actions if not self._action_refused(move)]

    def _action_refused(self, move: Move) -> str:
        """The code by which a stock action is refused; empty if it is allowed."""
        tables = self._tables
        if move not in tables.actions:
            return "no-such-action"
        if self._phase.over:
            return "game-won"
        redeal = self.game.redeal
        if move != REDEAL:
            if self._piles[tables.stock]:
                return ""
            if move == DRAW or redeal is None:
                return "stock-empty"
        assert redeal is not None, "only games with redeals have the other actions"
        if redeal.times is not None and self.redeals >= redeal.times:
            return "no-redeals-left"
        if not self._has_any(tables.gathers):
            return "nothing-to-redeal"
        limit = redeal.idle_passes
        if limit is not None and not self.plays and self.idle + 1 >= limit:
            return "idle-limit"
        return ""

    def _deal(self) -> None:
        """Deals a row from the stock; from an empty one, takes the table up first (M5)."""
        stock_at = self._tables.stock
        before: _Before | None = None
        if not self._piles[stock_at]:
            before = self._take_up()
            self.idle = 0 if self.plays else self.idle + 1
            self.plays = 0
        piles = self._piles
        stock = piles[stock_at]
        row = self._row()[: len(stock)]
        for at in row:
            piles[at].append(stock.pop())
        self._history.append((DEAL, len(row), before))

    def _redeal(self) -> None:
        """Takes the table up and deals it again."""
        before = self._take_up()
        self.redeals += 1
        self._enter(self._tables.phases[1])
        self._history.append((REDEAL, 0, before))

    def _row(self) -> list[int]:
        """The piles that a dealt row goes to: those whose foundation is not complete yet."""
        piles = self._piles
        return [at for at, above, most in self._tables.columns if len(piles[above]) < most]

    def _has_any(self, piles: Iterable[int]) -> bool:
        """Whether a card lies on any of these piles."""
        return any(self._piles[at] for at in piles)

    def _take_up(self) -> _Before:
        """Puts redealt piles in the place of the table's, which undoing brings back."""
        tables, old = self._tables, self._piles
        first, last = tables.tableau[0], tables.tableau[-1]
        stock = old[tables.stock] if tables.stock < len(old) else []
        seed = self.seed or NO_SEED
        self._piles = new = old[:]
        new[first : last + 1], rest = deal_again(
            self.game, seed, self.redeals + 1, old[first : last + 1], stock[::-1]
        )
        if tables.stock < len(new):
            new[tables.stock] = rest[::-1]
        return (self._phase, self._empty, self.redeals, self.plays, self.idle, NOWHERE, old)

    def _moves_on(self) -> Move | None:
        """A legal move that is neither null (G9) nor a mere transfer (S3), if there is one."""
        tops = [pile[-1] if pile else 0 for pile in self._piles]
        tableau = self._tables.tableau
        for scope in self._phase.scopes:
            if scope.transfers:
                continue
            cards = bytes([tops[source] for source in scope.sources])
            for target, cell, listed in scope.targets:
                hits = cards.translate(cell[tops[target] or self._empty])
                if hits == scope.none:
                    continue
                moves = compress(listed, hits)
                if tops[target] or target not in tableau:
                    return next(moves)
                if (move := next(filterfalse(self._is_null, moves), None)) is not None:
                    return move
        if self._tables.lift is Lift.TOP:
            return None
        return next(filterfalse(self._is_null, self._groups()), None)

    def _is_null(self, move: Move) -> bool:
        """Whether the move only takes a whole tableau pile to an empty one (G9)."""
        source, target, cards = move
        return (
            source in self._tables.tableau
            and target in self._tables.tableau
            and not self._piles[target]
            and len(self._piles[source]) == cards
        )

    def _moves_on_after_transfers(self) -> bool:
        """Whether transfers between foundations lead to where a move is legal that counts.

        Transfers only slide a divider along a line of cards (S3), so that trading one way until it
        stops, and then the other way, meets every position that they can reach.
        """
        depth = self.depth
        found = False
        for transfer in self._tables.transfers:
            while not found and self.may(transfer):
                self.play(transfer)
                found = self._moves_on() is not None
            while self.depth > depth:
                self.undo()
        return found


def deal(game: Game, seed: str) -> Table:
    """The game's table at the start, dealt from the seed (1 to 64 characters). Raises BadSeed."""
    piles, base = deal_pack(game, order(seed, game.pack))
    position = Position(game, tuple(map(tuple, piles)), base=base)
    return Table.from_position(position, seed)


def perft(table: Table, depth: int) -> int:
    """How many sequences of that many legal moves there are from here."""
    if depth <= 0:
        return 1
    moves = table.legal()
    if depth == 1:
        return len(moves)
    count = 0
    for move in moves:
        table.play(move)
        count += perft(table, depth - 1)
        table.undo()
    return count
