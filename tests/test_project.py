"""The project keeps its own promises: what may import what, and what a newcomer is told."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = (
    ROOT / "rules/samedeal_rules",
    ROOT / "protocol/samedeal_protocol",
    ROOT / "server/samedeal_server",
    ROOT / "client/samedeal_client",
)
MODULES = tuple(sorted(module for package in PACKAGES for module in package.rglob("*.py")))
PURE_PARTS = frozenset({"racing", "ratings", "tourneys", "hosting", "daily"})
"""The pure parts of the server."""
PURE = tuple(
    module
    for module in MODULES
    if module.is_relative_to(ROOT / "rules") or module.parent.name in PURE_PARTS
)
CALENDAR = ROOT / "server/samedeal_server/tourneys/calendar.py"
"""Reckons by the clocks of time zones; the standard library has them beside the machine's own."""
DAYS = ROOT / "server/samedeal_server/daily/days.py"
"""Reckons by days and weeks; the standard library has them beside the machine's clock."""
# All of the standard library that values need. A name that is missing here is a question to answer:
# does it do I/O, read a clock or draw from chance? Then it may not come in.
PURE_LIBRARY = frozenset(
    "__future__ abc array base64 binascii bisect collections contextlib copy dataclasses difflib "
    "enum fractions functools hashlib hmac heapq itertools json keyword math operator re string "
    "struct textwrap types typing unicodedata zlib".split()
)


def imports(module: Path) -> Iterator[str]:
    """Yield the first name of everything that the module imports."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


LINE_OF_MAP = re.compile("^ *([a-z_]+(?:, [a-z_]+)*)  +[a-zA-Z]", re.MULTILINE)
"""A package's docstring may say in lines what its modules are for: the name, and after it what."""


def doc_of(module: Path) -> str:
    """Return what a package says of itself; nothing for a module."""
    said = ast.get_docstring(ast.parse(module.read_text("utf-8"))) or ""
    return said if module.name == "__init__.py" else ""


def name_of(module: Path) -> str:
    return str(module.relative_to(ROOT))


@pytest.mark.parametrize("module", PURE, ids=name_of)
def test_pure_modules_import_nothing_that_does_io(module: Path) -> None:
    allowed = PURE_LIBRARY | {"samedeal_rules"}
    if module.parent.name in PURE_PARTS:
        allowed |= {"msgspec", "samedeal_protocol", "samedeal_server"}
    if module.parent.name == "tourneys":
        allowed |= {"networkx"}
    if module == CALENDAR:
        allowed |= {"datetime", "zoneinfo"}
    if module == DAYS:
        allowed |= {"datetime"}
    assert set(imports(module)) <= allowed


@pytest.mark.parametrize(
    ("module", "reckons"),
    [(CALENDAR, "fromtimestamp"), (DAYS, "fromordinal")],
    ids=["zones", "days"],
)
def test_the_calendar_never_asks_what_day_it_is(module: Path, reckons: str) -> None:
    called = {
        node.attr
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
    }
    assert reckons in called
    assert called & {"now", "today", "utcnow"} == set()


def test_every_module_says_what_it_is_for() -> None:
    said = {path: ast.get_docstring(ast.parse(path.read_text("utf-8"))) for path in MODULES}
    assert [name_of(path) for path, text in said.items() if not text] == []


MAPPED = tuple(module for module in MODULES if LINE_OF_MAP.search(doc_of(module)))


@pytest.mark.parametrize("package", MAPPED, ids=name_of)
def test_a_package_that_maps_its_modules_leaves_none_out_and_has_none_that_is_gone(
    package: Path,
) -> None:
    there = {path.stem for path in package.parent.glob("*.py")} - {"__init__", "__main__"}
    there |= {path.parent.name for path in package.parent.glob("*/__init__.py")}
    said = doc_of(package)
    first = {name for line in LINE_OF_MAP.findall(said) for name in line.split(", ")}
    assert first <= there
    assert "..." in said or there <= set(re.findall("[a-z_]+", said))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_packages_ship_their_types(package: Path) -> None:
    assert (package / "py.typed").is_file()


def test_dependencies_have_a_ceiling() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert [each for each in wanted if ">=" not in each or "<" not in each.partition(";")[0]] == []


def test_make_alone_lists_every_target() -> None:
    listed = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = makefile.partition(".PHONY:")[2].partition("\n")[0].split()
    assert [line.split()[1] for line in listed.splitlines()] == targets


def test_python_here_is_one_that_we_promise() -> None:
    assert sys.version_info >= (3, 11)
