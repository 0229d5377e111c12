"""The log is read as people read it: in order, by names, rulings apart."""

from __future__ import annotations

import re
from datetime import UTC

import pytest

from samedeal_client.cups.logbook import Logbook
from samedeal_protocol.tournament import events as e
from samedeal_protocol.tournament.terms import TournamentTerms
from support.cups import player, terms

AT = 1_798_131_600_000  # 2026-12-24 17:00:00 UTC
PLAYERS = {1: player(1, "Ada"), 3: player(3, "Cy", bot=True)}


def announced(drafted: TournamentTerms) -> e.Announced:
    return e.Announced(
        at=AT, by="p-hal", tournament="cup-1", terms=drafted, seed="s", salt="aa",
        commitment="cc", host="p-hal", host_name="Hal", staff=(("p-eve", "Eve", "co-host"),),
    )  # fmt: skip


LOG = (
    announced(terms()),
    e.Registered(at=AT, by="p-ada", player=1, id="p-ada", name="Ada"),
    e.Appointed(at=AT, by="p-hal", id="p-fox", name="Fox", role="referee"),
    e.Disqualified(at=AT, by="p-fox", player=3, reason="two devices"),
    e.Halted(at=AT, by="p-eve", reason="fire"),
    e.Withdrew(at=AT, by="p-ada", player=1),
    e.RaceVoided(at=AT, match="F", number=1, reason="nobody came"),
    e.Decided(at=AT, match="F", result=e.MatchResult(ending=e.Ending.PLAYED, winner=3)),
)


def read(*events: e.TournamentEvent) -> list[str]:
    book = Logbook(PLAYERS, zone=UTC)
    return [book.read(e.to_line(event).decode()).text for event in events]


def test_whoever_did_it_stands_there_by_name() -> None:
    assert read(*LOG)[1:] == [
        "2026-12-24 17:00:00  registered  by Ada, player Ada, name Ada",
        "2026-12-24 17:00:00  appointed  by Hal, name Fox, role referee",
        "2026-12-24 17:00:00  disqualified  by Fox, player Cy (bot), reason two devices",
        "2026-12-24 17:00:00  halted  by Eve, reason fire",
        "2026-12-24 17:00:00  withdrew  by Ada, player Ada",
        "2026-12-24 17:00:00  race-voided  match F, number 1, reason nobody came",
        "2026-12-24 17:00:00  decided  match F, result ending played winner Cy (bot)",
    ]


def test_no_id_of_anybody_is_read_out() -> None:
    said = " ".join(read(*LOG))
    assert re.search(r"\bp-", said) is None
    assert "host Hal" in said
    assert "staff Eve (co-host)" in said


def test_whose_id_the_log_does_not_tell_keeps_it() -> None:
    (said,) = read(LOG[-2], e.Continued(at=AT, by="p-gus", later_ms=5))[1:]
    assert said.endswith("by p-gus, later_ms 5")


@pytest.mark.parametrize(
    ("number", "is_ruling"),
    list(enumerate([False, False, True, True, True, False, False, False])),
)
def test_a_ruling_is_what_staff_did_by_hand(number: int, is_ruling: bool) -> None:
    line = e.to_line(LOG[number]).decode()
    assert Logbook(PLAYERS).read(line).is_ruling is is_ruling
