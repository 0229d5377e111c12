"""The system clock against a wall clock that misbehaves."""

from __future__ import annotations

from samedeal_server.adapters.clock import SystemClock

SECOND = 1_000_000_000
HOUR = 3600 * SECOND


class Machine:
    """A computer's two clocks, in nanoseconds."""

    def __init__(self, *, wall: int = 1_800_000_000 * SECOND) -> None:
        self.wall = wall
        self.steady = 5 * SECOND

    def passes(self, nanoseconds: int) -> None:
        self.wall += nanoseconds
        self.steady += nanoseconds

    def clock(self, *, floor: int = 0) -> SystemClock:
        return SystemClock(floor=floor, wall=lambda: self.wall, steady=lambda: self.steady)


def test_it_starts_at_the_wall_clock() -> None:
    assert Machine(wall=1_800_000_000 * SECOND).clock().now() == 1_800_000_000_000


def test_it_goes_on_with_the_steady_clock() -> None:
    machine = Machine()
    clock = machine.clock()
    began = clock.now()
    machine.passes(1_234_567_890)
    assert clock.now() - began == 1_234


def test_a_wall_clock_that_jumps_an_hour_moves_nothing() -> None:
    machine = Machine()
    clock = machine.clock()
    began = clock.now()
    for jump in (HOUR, -2 * HOUR):
        machine.wall += jump
        machine.passes(SECOND)
    assert clock.now() - began == 2_000


def test_it_never_reads_less_than_the_store_knows() -> None:
    machine = Machine(wall=1_800_000_000 * SECOND)
    clock = machine.clock(floor=1_800_000_005_000)
    assert clock.now() == 1_800_000_005_000
    machine.passes(SECOND)
    assert clock.now() == 1_800_000_006_000


def test_a_floor_in_the_past_changes_nothing() -> None:
    assert Machine(wall=1_800_000_000 * SECOND).clock(floor=17).now() == 1_800_000_000_000
