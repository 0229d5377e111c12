"""The race as it stands, in messages: a snapshot, a sheet of results, a card in a list.

As everywhere, `sights` says who sees how much; a board is always its own entrant's view of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from samedeal_protocol import messages
from samedeal_protocol.events import EntrantState, Place
from samedeal_rules.engine import Table
from samedeal_rules.homeward import finishing, has_safe
from samedeal_rules.notation import move_text

from .phases import FINAL, Phase
from .sights import Level, Sight, hides, lag_ms, sight
from .standings import rank
from .state import Entrant, Race
from .talk import chat

__all__ = ["board_of", "card", "digest_of", "legal_texts", "lines", "results", "snapshot"]


def snapshot(race: Race, player: str, now: int, *, legal: bool = False) -> messages.Snapshot:
    """Returns all that the player may know of the race at `now`; it replaces what they knew.

    `legal` adds the legal moves of the player's own board, while it is in play.
    """
    seen = sight(race, player)
    own = race.by_player.get(player)
    table = own.table if own is not None else None
    racing = own is not None and own.state is EntrantState.RACING
    is_over = race.phase is Phase.OVER
    return messages.Snapshot(
        race=race.id,
        seq=race.seq,
        at=now,
        phase=race.phase.value,
        terms=race.terms,
        host=race.host_name,
        hosting=player == race.host,
        commitment=race.commitment,
        seeded=race.seeded,
        entrants=tuple([_entrant_view(race, entrant, seen, own) for entrant in race.entrants]),
        you=None if own is None else own.number,
        number=0 if own is None else own.last,
        legal=legal_texts(table) if legal and racing and table is not None else None,
        starts_in_ms=_starts_in_ms(race, now),
        elapsed_ms=_elapsed_ms(race, own, now),
        closes_in_ms=_closes_in_ms(race, now),
        undoable=racing and own is not None and race.undoable(own),
        finishable=legal and racing and table is not None and bool(finishing(table)),
        homeward=legal and racing and table is not None and has_safe(table),
        standings=lines(race, race.standings) if is_over else (),
        seed=race.opened.seed if is_over else None,
        salt=race.opened.salt if is_over else None,
        rematch=race.rematch,
        tournament=race.opened.tournament,
        chat=chat(race, seen),
    )


def results(race: Race, player: str) -> messages.ResultsSheet:
    """Returns how the race ended, or how it stands as far as the player may know.

    Before the end those who still race rank, provisionally, by cards home. To whom results are
    hidden the sheet is empty: even one's own place would tell of the others. It is empty also for
    those who are kept behind, since it says how the race stands now.
    """
    is_over = race.phase is Phase.OVER
    seen = sight(race, player)
    if is_over:
        places = race.standings
    elif seen.level is Level.NOTHING or lag_ms(race, seen) > 0:
        places = ()
    else:
        places = rank(race.entrants)
    return messages.ResultsSheet(
        race=race.id,
        phase=race.phase.value,
        terms=race.terms,
        standings=lines(race, places),
        commitment=race.commitment,
        seed=race.opened.seed if is_over else None,
        salt=race.opened.salt if is_over else None,
    )


def card(race: Race, player: str | None = None) -> messages.RaceCard:
    """Returns the race as one of a list; in a player's own list it says how they did."""
    own = race.by_player.get(player) if player is not None else None
    standing = None
    if own is not None and race.phase is Phase.OVER:
        standing = next(
            (line for line in lines(race, race.standings) if line.entrant == own.number), None
        )
    return messages.RaceCard(
        race=race.id,
        phase=race.phase.value,
        terms=race.terms,
        host=race.host_name,
        entrants=tuple([entrant.name for entrant in race.entered()]),
        opened_at=race.opened.at,
        commitment=race.commitment,
        seeded=race.seeded,
        standing=standing,
        tournament=race.opened.tournament,
    )


def _entrant_view(
    race: Race, entrant: Entrant, seen: Sight, own: Entrant | None
) -> messages.EntrantView:
    table = entrant.table
    if entrant is not own and hides(seen, entrant):
        return messages.EntrantView(
            entrant=entrant.number, name=entrant.name, bot=entrant.bot, state="hidden"
        )
    shown = table is not None and (entrant is own or seen.level is Level.BOARDS)
    return messages.EntrantView(
        entrant=entrant.number,
        name=entrant.name,
        bot=entrant.bot,
        state=entrant.state.value,
        away=entrant.away,
        home=None if table is None else table.home,
        moves=None if table is None else entrant.moves,
        elapsed_ms=entrant.elapsed_ms,
        penalty_ms=entrant.penalty_ms,
        board=table.view().text() if shown and table is not None else None,
        digest=digest_of(entrant) if shown else None,
    )


def lines(race: Race, places: Iterable[Place]) -> tuple[messages.Standing, ...]:
    """Returns the places with the names that go with them."""
    return tuple(
        [
            messages.Standing(
                place=place.place,
                entrant=place.entrant,
                name=race.entrants[place.entrant - 1].name,
                bot=race.entrants[place.entrant - 1].bot,
                state=place.state.value,
                elapsed_ms=place.elapsed_ms,
                penalty_ms=place.penalty_ms,
                home=place.home,
                moves=place.moves,
            )
            for place in places
        ]
    )


def _starts_in_ms(race: Race, now: int) -> int | None:
    if race.starts_at is not None:
        return max(0, race.starts_at - now)
    if race.phase is Phase.OPEN and race.planned_at is not None:
        return max(0, race.planned_at - now)
    return None


def _elapsed_ms(race: Race, own: Entrant | None, now: int) -> int | None:
    """Returns the viewer's own clock, or the race's; both stand still at the end."""
    if own is not None and own.began_at is not None:
        return own.clock_ms if own.clock_ms is not None else max(0, now - own.zero)
    if race.started_at is None or race.is_async:
        return None
    return max(0, (now if race.ended_at is None else race.ended_at) - race.zero)


def _closes_in_ms(race: Race, now: int) -> int | None:
    if not race.is_async or race.phase in FINAL:
        return None
    return max(0, race.closes_at - now)


# --- parts that events share -------------------------------------------------------------------


def legal_texts(table: Table) -> tuple[str, ...]:
    """Returns the legal moves as texts, sorted."""
    game = table.game
    return tuple(sorted([move_text(game, move) for move in table.legal()]))


def digest_of(entrant: Entrant) -> str:
    """Returns the digest of the entrant's view; a move's reply and events share one."""
    table, known = board_of(entrant), entrant.digested
    if known is not None and known[0] == entrant.last_seq and known[1] is table:
        return known[2]
    digest = table.view_digest()
    entrant.digested = entrant.last_seq, table, digest
    return digest


def board_of(entrant: Entrant) -> Table:
    """Returns the board of an entrant who has one."""
    if entrant.table is None:
        raise AssertionError("nothing is said of a board that was not dealt")
    return entrant.table
