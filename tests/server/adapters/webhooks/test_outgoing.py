"""What waits to be posted: turns, rests and ends, by the clock of the test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_server.adapters.webhooks.outgoing import (
    PATIENCE_MS,
    RESTS_S,
    USUAL,
    Answer,
    Bounds,
    Delivery,
    Outgoing,
    Verdict,
)
from samedeal_server.ports import Fate, Health, Hook

A = Hook("https://a.example/", "secret")
B = Hook("https://b.example/", "secret")
OK = Answer(200, "answered 200 OK")
DOWN = Answer(None, "the host cannot be reached")
BAD = Answer(400, "answered 400 Bad Request")
HOUR = 3_600_000


def delivery(id: str, hook: Hook = A, *, at: int = 0) -> Delivery:
    return Delivery(hook, id, b"{}", at, lambda _fate, _said: None)


def even() -> float:
    """No chance: every rest is as long as it is usually."""
    return 0.5


def outgoing(*waiting: Delivery, bounds: Bounds = USUAL) -> Outgoing:
    made = Outgoing(chance=even, bounds=bounds)
    assert all(map(made.add, waiting))
    return made


def ids(deliveries: list[Delivery]) -> str:
    return " ".join(each.id for each in deliveries)


def tried(out: Outgoing, answer: Answer, *, now: int) -> str:
    """Has the one that is due tried; returns its id, and what became of whom."""
    (due,) = out.due(now)
    fates = [f"{each.id} {fate.value}" for each, fate in out.settle(due, answer, now=now)]
    return "; ".join([due.id, *fates])


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (200, Verdict.DELIVERED), (202, Verdict.DELIVERED), (299, Verdict.DELIVERED),
        (301, Verdict.TROUBLE), (307, Verdict.TROUBLE),
        (400, Verdict.REFUSED), (404, Verdict.REFUSED), (422, Verdict.REFUSED),
        (408, Verdict.TROUBLE), (425, Verdict.TROUBLE), (429, Verdict.TROUBLE),
        (410, Verdict.GONE),
        (500, Verdict.TROUBLE), (502, Verdict.TROUBLE), (599, Verdict.TROUBLE),
        (None, Verdict.TROUBLE),
    ],
)  # fmt: skip
def test_what_a_status_means(status: int | None, verdict: Verdict) -> None:
    assert Answer(status, "").verdict is verdict


def test_a_hook_is_tried_one_after_the_other_and_hooks_side_by_side() -> None:
    out = outgoing(delivery("a1"), delivery("a2"), delivery("b1", B))
    due = out.due(0)
    assert ids(due) == "a1 b1"
    assert out.due(0) == []
    assert out.settle(due[0], OK, now=10) == [(due[0], Fate.DELIVERED)]
    assert ids(out.due(10)) == "a2"


def test_a_receiver_in_trouble_gets_everything_in_order_when_it_is_back() -> None:
    out = outgoing(delivery("a1"), delivery("a2"))
    assert tried(out, DOWN, now=0) == "a1"
    assert tried(out, OK, now=5_000) == "a1; a1 delivered"
    assert tried(out, OK, now=5_000) == "a2; a2 delivered"


def test_what_a_receiver_refuses_holds_up_nothing_else() -> None:
    out = outgoing(delivery("a1"), delivery("a2"))
    assert tried(out, BAD, now=0) == "a1"
    assert tried(out, OK, now=5_000) == "a2; a2 delivered"
    assert tried(out, OK, now=5_000) == "a1; a1 delivered"


def test_rests_grow_with_failures_in_a_row_and_are_short_again_after_a_success() -> None:
    out = outgoing(delivery("a1"), delivery("a2"))
    now = 0
    for rest in (*RESTS_S, RESTS_S[-1]):
        assert tried(out, DOWN, now=now) == "a1"
        assert out.next_due() == now + 1000 * rest
        assert out.due(now + 1000 * rest - 1) == []
        now += 1000 * rest
    assert tried(out, OK, now=now) == "a1; a1 delivered"
    assert tried(out, DOWN, now=now) == "a2"
    assert out.next_due() == now + 5_000


@pytest.mark.parametrize(("chance", "rest"), [(0.0, 4_000), (0.5, 5_000), (1.0, 6_000)])
def test_chance_cuts_or_stretches_a_rest_by_a_fifth(chance: float, rest: int) -> None:
    out = Outgoing(chance=lambda: chance)
    out.add(delivery("a1"))
    tried(out, DOWN, now=0)
    assert out.next_due() == rest


@pytest.mark.parametrize(("asked", "rest"), [(1, 5), (60, 60), (10**9, 3600)])
def test_a_receiver_is_left_alone_as_long_as_it_asks_up_to_an_hour(asked: int, rest: int) -> None:
    out = outgoing(delivery("a1"))
    tried(out, Answer(429, "", retry_after_s=asked), now=0)
    assert out.next_due() == 1000 * rest


def test_after_a_day_it_is_given_up_with_all_that_waited_as_long() -> None:
    out = outgoing(delivery("a1"), delivery("a2"), delivery("a3", at=HOUR))
    now, attempts = 0, 0
    while (said := tried(out, DOWN, now=now)) == "a1":
        attempts += 1
        due = out.next_due()
        assert due is not None
        now = due
    assert PATIENCE_MS <= now < PATIENCE_MS + HOUR
    assert said == "a1; a1 given-up; a2 given-up"
    assert 20 <= attempts <= 35
    # The third is an hour younger.
    assert tried(out, DOWN, now=now + HOUR) == "a3; a3 given-up"
    assert out.next_due() is None


def test_a_receiver_that_is_gone_gets_nothing_more() -> None:
    out = outgoing(delivery("a1"), delivery("a2"), delivery("b1", B))
    a1, b1 = out.due(0)
    assert [fate for _, fate in out.settle(a1, Answer(410, ""), now=0)] == [Fate.GONE] * 2
    assert [fate for _, fate in out.settle(b1, OK, now=0)] == [Fate.DELIVERED]
    assert out.due(10 * HOUR) == []


def test_a_forgotten_hook_is_tried_no_more_and_its_answer_means_nothing() -> None:
    out = outgoing(delivery("a1"), delivery("a2"), bounds=Bounds(waiting=2, under_way=1))
    (a1,) = out.due(0)
    out.forget(A)
    assert out.add(delivery("a3"))
    assert out.settle(a1, Answer(410, ""), now=0) == []
    assert tried(out, OK, now=0) == "a3; a3 delivered"


def test_too_many_for_a_hook_or_in_all_are_turned_away() -> None:
    out = outgoing(
        delivery("a1"), delivery("a2"), bounds=Bounds(waiting_per_hook=2, waiting=3, under_way=9)
    )
    assert not out.add(delivery("a3"))
    assert out.add(delivery("b1", B))
    assert not out.add(delivery("b2", B))
    a1, b1 = out.due(0)
    out.settle(a1, OK, now=0)
    assert out.add(delivery("b2", B))
    out.settle(b1, OK, now=0)


def test_no_more_are_under_way_than_may_be_and_who_has_waited_longest_is_first() -> None:
    hooks = [Hook(f"https://{each}.example/", "") for each in range(4)]
    waiting = [delivery(str(each), hook, at=9 - each) for each, hook in enumerate(hooks)]
    out = outgoing(*waiting, bounds=Bounds(under_way=3))
    due = out.due(10)
    assert ids(due) == "3 2 1"
    assert out.next_due() is None
    out.settle(due[0], OK, now=10)
    assert out.next_due() is not None
    assert ids(out.due(10)) == "0"


def test_health_tells_of_the_failures_until_the_next_success() -> None:
    out = outgoing(delivery("a1"), delivery("a2"))
    tried(out, DOWN, now=0)
    tried(out, DOWN, now=HOUR)
    assert out.health(A) == Health(waiting=2, failures=2, said="the host cannot be reached")
    tried(out, OK, now=2 * HOUR)
    assert out.health(A) == Health(waiting=1, failures=0, said="answered 200 OK")
    assert out.health(B) == Health()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["add", "try"]), st.integers(0, 2), st.sampled_from([OK, DOWN, BAD])
        ),
        max_size=60,
    ),
    st.floats(0, 1),
)  # fmt: skip
def test_whatever_happens_everything_taken_is_settled_once(
    steps: list[tuple[str, int, Answer]], chance: float
) -> None:
    out = Outgoing(chance=lambda: chance, bounds=Bounds(waiting_per_hook=5, waiting=9, under_way=2))
    hooks = [Hook(f"https://{each}.example/", "") for each in range(3)]
    taken: list[Delivery] = []
    settled: list[Delivery] = []
    now = 0
    for number, (step, which, answer) in enumerate(steps):
        if step == "add":
            each = delivery(str(number), hooks[which], at=now)
            taken += [each] if out.add(each) else []
        for due in out.due(now) if step == "try" else []:
            settled += [each for each, _ in out.settle(due, answer, now=now)]
        now += 60_000
    while (when := out.next_due()) is not None:
        now = max(now, when)
        for due in out.due(now):
            settled += [each for each, _ in out.settle(due, DOWN, now=now)]
    assert sorted(each.id for each in settled) == sorted(each.id for each in taken)
