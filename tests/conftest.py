"""What holds for every test: how hard properties try, and that CI skips nothing.

`SAMEDEAL_SOAK=10` makes every property try ten times as many examples.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

SOAK = int(os.environ.get("SAMEDEAL_SOAK", "1"))
IN_CI = os.environ.get("CI", "") == "true"

# No deadline: the machine is shared, and a slow example is no wrong one.
settings.register_profile(
    "samedeal",
    deadline=None,
    max_examples=25 * SOAK,
    print_blob=True,
    derandomize=IN_CI,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("samedeal")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell runs its background jobs so, and a program that inherits it cannot be interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)


SLOW = (
    "test_cluster", "test_bench", "test_nodes_", "test_docs", "test_log_postgres", "test_bus_mqtt",
    "test_backup", "test_scene", "test_operations_docs", "test_live", "test_kills", "test_tables",
    "test_crashes", "test_swiss", "test_elimination",
)  # fmt: skip
"""Files that take long: most of them wait, for processes and for what becomes of them."""


def is_slow(item: pytest.Item) -> bool:
    """Says whether it takes seconds: a test of that kind, or one in a browser."""
    return item.path.name.startswith(SLOW) or item.path.parent.name == "web"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among what is collected: ten thousand tests stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that in the end no worker waits for another."""
    items.sort(key=lambda item: not is_slow(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure in CI, where everything that a test needs is there."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn the skip of a whole module into a failure in CI."""
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr}"
    return report
