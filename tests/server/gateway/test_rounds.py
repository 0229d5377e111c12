"""Who is looked at when: exactly those who are due, and nobody who is well."""

from __future__ import annotations

from samedeal_server.gateway.rounds import Rounds


class Patient:
    """Somebody who says when to come back, and counts the visits."""

    def __init__(self, *after: int | None) -> None:
        self.looked_at = 0
        self.visits: list[int] = []
        self._after = list(after)

    def check(self, now: int) -> int | None:
        self.visits.append(now)
        return self._after.pop(0) if self._after else None


def test_those_who_are_well_are_not_looked_at() -> None:
    rounds = Rounds()
    crowd = [Patient(60_000) for _ in range(1000)]
    for each in crowd:
        rounds.look(each, 30_000)
    for now in range(0, 29_500, 500):
        rounds.go(now)
    assert not any(each.visits for each in crowd)
    rounds.go(30_000)
    assert all(each.visits == [30_000] for each in crowd)
    rounds.go(59_000)
    assert all(len(each.visits) == 1 for each in crowd)
    rounds.go(60_000)
    assert all(len(each.visits) == 2 for each in crowd)


def test_a_new_time_stands_for_the_old_one() -> None:
    rounds = Rounds()
    sooner, later = Patient(), Patient()
    rounds.look(sooner, 60_000)
    rounds.look(sooner, 10_000)
    rounds.look(later, 10_000)
    rounds.look(later, 60_000)
    rounds.go(10_000)
    assert (len(sooner.visits), len(later.visits)) == (1, 0)
    rounds.go(60_000)
    assert (len(sooner.visits), len(later.visits)) == (1, 1)


def test_who_is_due_at_once_again_is_looked_at_in_the_next_round_only() -> None:
    rounds = Rounds()
    suspect = Patient(1000, 1000, None)
    rounds.look(suspect, 1000)
    for _ in range(4):
        rounds.go(1000)
    assert suspect.visits == [1000, 1000, 1000]


def test_the_forgotten_are_not_looked_at_and_not_kept() -> None:
    rounds = Rounds()
    gone = Patient()
    rounds.look(gone, 5000)
    rounds.forget(gone)
    rounds.forget(gone)
    rounds.go(100_000)
    assert not gone.visits
