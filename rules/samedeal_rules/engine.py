"""A table: a position that is being played.

`Table` plays, takes back, lists the legal moves, and knows whether it is won or stuck. It is one
engine for all games: what a game allows is in its `Tables`, compiled from its declaration, and one
lookup judges a move. `play`, `may`, `legal` and `refusal` all rest on that lookup, on `_is_group`
and on `_refuse_action`, so that they cannot disagree.

A play is validated, made, and followed by its consequences (a pile filled, a base rank fixed, a
play counted, the win), in that order; undoing restores all of it. Nothing here does I/O, reads a
clock or draws randomness but from the table's seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, Self

from .builds import Build, Lift
from .cards import card_text, rank_of
from .dealing import deal_pack, deal_piles, deal_rows, reshuffle
from .errors import BadNotation, IllegalMove, NothingToUndo, Refusal
from .notation import (
    DEAL,
    DRAW,
    REDEAL,
    Move,
    Position,
    check_cards,
    encode_position,
    move_text,
    position_digest,
)
from .refusals import refuse_group, refuse_single, won_already
from .shuffle import order
from .spec import Exit, Game, Gather
from .tables import CARD, EMPTY, PLAIN, STAYS, Phase, Tables, compile_game
from .views import hide, view_of

__all__ = ["Outcome", "Status", "Table", "deal", "perft"]

NO_SEED: Final = "no seed"
"""What a table without a seed of its own reshuffles by."""


class Status(Enum):
    """How the game stands."""

    PLAYING = "playing"
    WON = "won"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True)
class Outcome:
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


class _Before(NamedTuple):
    """What a play changed beyond the cards that it moved, as it was before."""

    phase: Phase
    empty: int
    redeals: int
    plays: int
    idle: int
    filled_from: int | None = None
    piles: list[list[int]] | None = None


class _Play(NamedTuple):
    """A play that can be taken back: the move, the stored card it took, and what else changed."""

    move: Move
    card: int
    before: _Before | None


class _Refused(IllegalMove):
    """An illegal move that is put into words only if somebody reads them: refusing is frequent.

    Its arguments are those of `refuse_single`; none of them changes when play goes on.
    """

    @property
    def refusal(self) -> Refusal:
        return refuse_single(*self.args)


class Table:
    """A game being played. Made by `deal`, `Table.from_position` or `Table.restore`."""

    __slots__ = (
        "_empty",
        "_has_consequences",
        "_history",
        "_phase",
        "_piles",
        "_rules",
        "_tables",
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
        self._tables: Final = tables
        self._piles: Final = piles
        self._history: Final[list[_Play]] = []
        self._has_consequences: Final = tables.has_consequences
        self._empty = tables.empty_key(piles, base)
        self._enter(tables.phases[0])

    @classmethod
    def from_position(cls, position: Position, seed: str = "") -> Self:
        """The table with that position, nothing played yet.

        Piles may be partial, so that a test can show only what matters; a base rank that is not
        given is that of the foundations' first cards. Without a seed, reshuffles (G13) come from a
        seed of their own. Raises BadNotation for hidden cards and for what the rules cannot have:
        a card too often, two cards in a cell, a foundation out of order, a pile built two ways
        where only one is allowed, a base rank that its foundations contradict.
        """
        check_cards(position)
        if position.hides:
            raise BadNotation("a position with hidden cards can be shown, but not played")
        game = position.game
        tables = compile_game(game)
        base = _base_of(position)
        piles = [_stored(tables, at, pile) for at, pile in enumerate(position.piles)]
        table = cls(game, seed, piles, base)
        table.redeals, table.plays, table.idle = position.redeals, position.plays, position.idle
        if game.redeal is not None:
            if game.redeal.times is not None and table.redeals > game.redeal.times:
                raise BadNotation(f"{game.name} has {game.redeal.times} redeals at most")
            if game.redeal.idle_passes is not None and table.idle >= game.redeal.idle_passes:
                raise BadNotation(f"idle is less than {game.redeal.idle_passes} in {game.name}")
        over = tables.ends_early and table.won
        table._enter(tables.over if over else tables.phases[min(table.redeals, 1)])
        return table

    @classmethod
    def restore(cls, game: Game, snapshot: bytes, seed: str = "") -> Self:
        """The table that `snapshot` was taken of, without what was played before. BadNotation."""
        count = len(game.piles)
        lengths = snapshot[4 : 4 + count]
        if len(lengths) < count or len(snapshot) != 4 + count + sum(lengths):
            raise BadNotation(f"these {len(snapshot)} bytes are no snapshot of {game.name}")
        piles, at = [], 4 + count
        for length in lengths:
            piles.append(tuple(snapshot[at : at + length]))
            at += length
        redeals, base, plays, idle = snapshot[:4]
        return cls.from_position(
            Position(game, tuple(piles), redeals, base or None, plays, idle), seed
        )

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
            card = pile[-1]
            placed = self._rules[source][target][onto[-1] if onto else self._empty][card]
        except IndexError:
            raise _Refused(self._tables, self._phase, move, 0, EMPTY) from None
        if not placed:
            key = onto[-1] if onto else self._empty
            raise _Refused(self._tables, self._phase, move, card, key)
        pile.pop()
        onto.append(placed)
        if self._has_consequences:
            self._history.append(_Play(move, card, self._follow(pile, source, target, placed)))
        else:
            self._history.append(_Play(move, card, None))

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
            self.redeals, self.plays, self.idle = before.redeals, before.plays, before.idle
            self._empty = before.empty
            self._enter(before.phase)
            if before.piles is not None:
                for pile, cards_before in zip(piles, before.piles, strict=True):
                    pile[:] = cards_before
                return move
            if before.filled_from is not None:
                piles[before.filled_from].append(piles[source].pop())
        if cards == 1:
            piles[target].pop()
            piles[source].append(card)
        elif cards == 0:
            piles[self._tables.stock].append(piles[self._tables.waste].pop())
        else:
            group = piles[target][-cards:]
            del piles[target][-cards:]
            piles[source] += [card, *group[1:]]
        return move

    def may(self, move: Move) -> bool:
        """Whether `play` would accept the move."""
        source, target, cards = move
        if cards == 0:
            return self._refuse_action(move) is None
        if cards != 1:
            return self._is_group(move)
        try:
            onto = self._piles[target]
            key = onto[-1] if onto else self._empty
            return self._rules[source][target][key][self._piles[source][-1]] != 0
        except IndexError:
            return False

    def refusal(self, move: Move) -> Refusal | None:
        """Why `play` would refuse the move; None if it would not."""
        if self.may(move):
            return None
        source, target, cards = move
        if cards == 0:
            return self._refuse_action(move)
        count = len(self._piles)
        if cards == 1 or not (0 <= source < count and 0 <= target < count):
            inside = -count <= source < count and -count <= target < count
            pile = self._piles[source] if inside else []
            onto = self._piles[target] if inside else []
            key = onto[-1] if onto else self._empty
            return refuse_single(self._tables, self._phase, move, pile[-1] if pile else 0, key)
        onto = self._piles[target]
        key = onto[-1] if onto else self._empty
        return refuse_group(self._tables, self._phase, move, self._piles[source], key)

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
                    moves += [move for move, hit in zip(listed, hits, strict=True) if hit]
        if self._tables.lift is not Lift.TOP:
            moves += self._groups()
        moves += self._actions()
        return moves

    # How it stands

    @property
    def home(self) -> int:
        """How many cards are home: on the foundations, or in the waste that collects a suit."""
        piles = self._piles
        home = 0
        for at in self._tables.home:
            home += len(piles[at])
        return home

    @property
    def won(self) -> bool:
        """Whether the game is won (G11)."""
        return self.home >= self._tables.goal

    @property
    def stuck(self) -> bool:
        """Whether the game is not won and no move is left that changes anything (G9, G10)."""
        if self.won or self._actions():
            return False
        return not self._moves_on() and not self._moves_on_after_transfers()

    @property
    def status(self) -> Status:
        """Won, stuck, or still playing."""
        if self.won:
            return Status.WON
        return Status.STUCK if self.stuck else Status.PLAYING

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
        move, _, before = self._history[-1]
        names, tables = self._tables.names, self._tables
        if move == DRAW:
            return Outcome(move, ("S-W",), (self._top(tables.waste),))
        if move.cards == 0:
            saved = before.piles if before is not None and before.piles is not None else []
            if move == REDEAL or not saved[tables.stock]:
                return Outcome(move, whole=True)
            grown = [at for at in tables.tableau if len(self._piles[at]) > len(saved[at])]
            steps = tuple(f"S-{names[at]}" for at in grown)
            return Outcome(move, steps, tuple(map(self._top, grown)))
        source, target, _ = move
        steps = (move_text(self.game, move),)
        turned: tuple[tuple[str, str], ...] = ()
        if before is not None and before.filled_from is not None:
            steps = (*steps, f"{names[before.filled_from]}-{names[source]}")
            if before.filled_from == tables.stock:
                turned = (self._top(source),)
        elif source in tables.hidden and self._piles[source]:
            turned = (self._top(source),)
        covers = target in tables.hidden and len(self._piles[target]) > move.cards
        return Outcome(move, steps, turned, covered=(names[target],) if covers else ())

    @property
    def revealed(self) -> bool:
        """Whether the last play showed a hidden card, or redealt: some races let no undo cross it.

        A card that comes to the top of a hidden pile counts even if the player saw it earlier.
        """
        if not self._history:
            return False
        move, _, before = self._history[-1]
        if move.cards == 0:
            return True
        if before is not None and before.filled_from == self._tables.stock:
            return True
        return move.source in self._tables.hidden and bool(self._piles[move.source])

    def finishing(self) -> list[Move]:
        """Moves to foundations, and to nowhere else, that take every card home from here.

        The plan is greedy and uses only cards that the player sees: where it does not win so, or
        something hidden would turn up on the way, it is empty. An empty plan therefore tells nobody
        what is hidden.
        """
        home = self._tables.home
        depth = self.depth
        plan: list[Move] = []
        while not self.won:
            move = next(self._homeward(), None)
            if move is None:
                break
            self.play(move)
            plan.append(move)
            if self.revealed:
                break
        won = self.won and all(move.target in home for move in plan)
        while self.depth > depth:
            self.undo()
        return plan if won else []

    # What it looks like

    def piles(self) -> list[list[int]]:
        """The cards of each pile, bottom first; the stock's next card is its last."""
        return [list(bytes(pile).translate(PLAIN)) for pile in self._piles]

    def position(self) -> Position:
        """The whole position, hidden cards included: for its server and for tests only."""
        piles = tuple(map(tuple, self._plain()))
        return Position(self.game, piles, self.redeals, self.base, self.plays, self.idle)

    def view(self) -> Position:
        """What the player may see, and nothing else."""
        return view_of(self.position())

    def snapshot(self) -> bytes:
        """The whole position in under 200 bytes; `restore` reads it."""
        return encode_position(self._plain(), self._counters())

    def digest(self) -> str:
        """16 hexadecimal digits that are equal exactly when game and position are."""
        return position_digest(self.game, self.snapshot())

    def view_digest(self) -> str:
        """The digest of the view: what a client computes from what it has been shown."""
        seen = hide(self.game, self._plain())
        return position_digest(self.game, encode_position(seen, self._counters()))

    # Inside

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        self._rules = phase.rules

    def _plain(self) -> list[bytes]:
        plain = [bytes(pile).translate(PLAIN) for pile in self._piles]
        stock = self._tables.stock
        if stock < len(plain):
            plain[stock] = plain[stock][::-1]
        return plain

    def _counters(self) -> tuple[int, int, int, int]:
        return self.redeals, self.base or 0, self.plays, self.idle

    def _top(self, at: int) -> tuple[str, str]:
        return self._tables.names[at], card_text(self._piles[at][-1] & CARD)

    def _before(
        self, *, filled_from: int | None = None, piles: list[list[int]] | None = None
    ) -> _Before:
        return _Before(
            self._phase, self._empty, self.redeals, self.plays, self.idle, filled_from, piles
        )

    def _follow(self, pile: list[int], source: int, target: int, placed: int) -> _Before | None:
        """Everything that follows from a play of one card; None if nothing does."""
        tables = self._tables
        before: _Before | None = None
        if target in tables.home:
            begins = len(self._piles[target]) == 1
            if tables.counts_plays or begins:
                before = self._before()
                self.plays += tables.counts_plays
                if begins:
                    self._empty = tables.begun_key(self._empty, target, placed & CARD)
            if tables.ends_early and self.won:
                before = before or self._before()
                self._enter(tables.over)
        if tables.fills and not pile and source in tables.tableau:
            for filler in (tables.stock, tables.waste):
                if self._piles[filler]:
                    before = (before or self._before())._replace(filled_from=filler)
                    pile.append(self._piles[filler].pop())
                    break
        return before

    def _play_other(self, move: Move) -> None:
        """Plays a group of cards or a stock action."""
        if move.cards == 0:
            refusal = self._refuse_action(move)
            if refusal is not None:
                raise IllegalMove(*refusal)
            self._act(move)
            return
        if not self._is_group(move):
            refusal = self.refusal(move)
            assert refusal is not None, "what is no group is refused"
            raise IllegalMove(*refusal)
        source, target, cards = move
        pile, onto = self._piles[source], self._piles[target]
        group = pile[-cards:]
        placed = self._rules[source][target][onto[-1] if onto else self._empty][group[0]]
        del pile[-cards:]
        onto += [placed, *group[1:]]
        self._history.append(_Play(move, group[0], None))

    def _is_group(self, move: Move) -> bool:
        """Whether the move takes a run of two or more cards to where its first card may go."""
        source, target, cards = move
        tables = self._tables
        if (
            tables.lift is Lift.TOP
            or cards < 2
            or source == target
            or source not in tables.tableau
            or target not in tables.tableau
        ):
            return False
        group, onto = self._piles[source][-cards:], self._piles[target]
        if len(group) < cards or (onto and tables.lift is Lift.RUNS_TO_SPACES):
            return False
        key = onto[-1] if onto else self._empty
        builds = tables.on_tableau
        return self._rules[source][target][key][group[0]] != 0 and all(
            builds[group[at]][group[at + 1]] for at in range(cards - 1)
        )

    def _groups(self) -> Iterator[Move]:
        """Every legal move of two or more cards."""
        tables = self._tables
        builds = tables.on_tableau
        for source in tables.tableau:
            pile = self._piles[source]
            cards = 2
            while cards <= len(pile) and builds[pile[-cards]][pile[1 - cards]]:
                for target in tables.tableau:
                    move = Move(source, target, cards)
                    if self._is_group(move):
                        yield move
                cards += 1

    def _actions(self) -> list[Move]:
        """The stock actions that are allowed."""
        return [move for move in self._tables.actions if self._refuse_action(move) is None]

    def _refuse_action(self, move: Move) -> Refusal | None:
        """Why a stock action is refused; None if it is not."""
        game, tables = self.game, self._tables
        if move not in tables.actions:
            use = " or ".join(f"`{action}`" for action in game.actions) or "no stock action"
            return Refusal("no-such-action", f"{game.name} has {use}.")
        if self.won:
            return won_already()
        redeal = game.redeal
        if move == DRAW or (move == DEAL and redeal is None):
            empty = not self._piles[tables.stock]
            return Refusal("stock-empty", "The stock is empty.") if empty else None
        assert redeal is not None, "only games with redeals have the other actions"
        if move == DEAL:
            if self._piles[tables.stock]:
                return None
            if not any(self._piles[at] for at in tables.tableau):
                return Refusal("nothing-to-redeal", "No card is left to deal.")
            limit = redeal.idle_passes
            if limit is not None and not self.plays and self.idle + 1 >= limit:
                return Refusal(
                    "idle-limit",
                    f"{limit} passes in a row without a play: play a card, or the game is over.",
                )
            return None
        if redeal.times is not None and self.redeals >= redeal.times:
            return Refusal("no-redeals-left", f"All {redeal.times} redeals have been made.")
        if not self._gathered():
            return Refusal("nothing-to-redeal", "No card is left that a redeal could take up.")
        return None

    def _act(self, move: Move) -> None:
        """Makes an allowed stock action."""
        piles, tables = self._piles, self._tables
        if move == DRAW:
            piles[tables.waste].append(piles[tables.stock].pop())
            self._history.append(_Play(move, 0, None))
            return
        before = self._before(piles=[pile[:] for pile in piles])
        stock = piles[tables.stock] if tables.stock < len(piles) else []
        if move == DEAL:
            if not stock:
                self.idle = 0 if self.plays else self.idle + 1
                self.plays = 0
                self._lay_out(self._gathered())
            active = [piles[at] for at in tables.tableau if not self._is_complete(at)]
            deal_rows(active, [stock.pop() for _ in active[: len(stock)]])
        else:
            self.redeals += 1
            self._lay_out(self._gathered())
            self._enter(tables.phases[1])
        self._history.append(_Play(move, 0, before))

    def _is_complete(self, at: int) -> bool:
        """Whether the foundation of that tableau pile's number is complete, so it gets no card."""
        above = at - self._tables.tableau[0]
        row = self.game.rows[above]
        return not isinstance(row.order, Build) and len(self._piles[above]) >= row.order.length

    def _gathered(self) -> list[int]:
        """The cards that a redeal takes up, in the order in which it deals them."""
        redeal, tables = self.game.redeal, self._tables
        assert redeal is not None, "only games with redeals gather"
        tableau = [bytes(self._piles[at]).translate(PLAIN) for at in tables.tableau]
        match redeal.gather:
            case Gather.LAST_PILE_FIRST:
                return list(b"".join(tableau)[::-1])
            case Gather.RIGHT_TO_LEFT:
                return list(b"".join(reversed(tableau)))
            case Gather.SHUFFLED:
                cards = list(b"".join(tableau))
                if tables.stock < len(self._piles):
                    cards += self._piles[tables.stock]
                return cards

    def _lay_out(self, cards: list[int]) -> None:
        """Deals gathered cards again."""
        redeal, tables = self.game.redeal, self._tables
        assert redeal is not None, "only games with redeals gather"
        tableau = [self._piles[at] for at in tables.tableau]
        for pile in tableau:
            pile.clear()
        match redeal.gather:
            case Gather.LAST_PILE_FIRST:
                deal_rows(tableau, cards)
            case Gather.RIGHT_TO_LEFT:
                self._piles[tables.stock][:] = cards[::-1]
            case Gather.SHUFFLED:
                shuffled = reshuffle(self.game, self.seed or NO_SEED, self.redeals, cards)
                rest = deal_piles(tableau, shuffled, max(self.game.dealt))
                if tables.stock < len(self._piles):
                    self._piles[tables.stock][:] = rest[::-1]

    def _moves_on(self) -> bool:
        """Whether a move is legal that is neither null (G9) nor a mere transfer (S3)."""
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
                if tops[target] or target not in tableau:
                    return True
                for move, hit in zip(listed, hits, strict=True):
                    if hit and not self._is_null(move):
                        return True
        return self._tables.lift is not Lift.TOP and any(
            not self._is_null(move) for move in self._groups()
        )

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
                found = self._moves_on()
            while self.depth > depth:
                self.undo()
        return found

    def _homeward(self) -> Iterator[Move]:
        """Legal moves of cards that are not home yet to where they are."""
        home = self._tables.home
        for move in self.legal():
            if move.cards == 1 and move.target in home and move.source not in home:
                yield move


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


def _base_of(position: Position) -> int | None:
    """The position's base rank, given or read off the foundations. Raises BadNotation."""
    game = position.game
    if not game.varies_base:
        return None
    firsts = {rank_of(position.piles[at][0]) for at in game.named("F") if position.piles[at]}
    ranks = firsts | ({position.base} if position.base is not None else set())
    if len(ranks) > 1:
        raise BadNotation("the foundations begin with different ranks, or not with the base rank")
    return ranks.pop() if ranks else None


def _stored(tables: Tables, at: int, cards: tuple[int, ...]) -> list[int]:
    """The pile as a table stores it, its spare bits set. Raises BadNotation."""
    game, name = tables.game, tables.names[at]
    match tables.kinds[at]:
        case "C" if len(cards) > 1:
            raise BadNotation(f"{name} is a cell: it holds one card at most")
        case "S":
            return list(reversed(cards))
        case "F" if cards:
            row = game.rows[at]
            begins = any(key[cards[0]] for key in tables.on_foundation[at][EMPTY:])
            if not begins and (name, cards[0]) not in game.bases:
                raise BadNotation(f"{name} does not begin with {card_text(cards[0])}")
            stays = 0 if row.exit is Exit.NONE else STAYS
            return _replayed(name, [cards[0] | stays], cards, tables.on_foundation[at])
        case "T" if game.tableau.build is not None and game.tableau.build.one_way and cards:
            return _replayed(name, [cards[0]], cards, tables.on_tableau)
        case _:
            return list(cards)


def _replayed(name: str, pile: list[int], cards: tuple[int, ...], cell: list[bytes]) -> list[int]:
    for card in cards[1:]:
        placed = cell[pile[-1]][card]
        if not placed:
            below = card_text(pile[-1] & CARD)
            raise BadNotation(f"{name} cannot have {card_text(card)} on {below}")
        pile.append(placed)
    return pile
