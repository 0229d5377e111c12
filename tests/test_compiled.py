"""The compiled build: what it is made of; in `make soak`, that it is made and passes the tests."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conftest import SOAK

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
MODULES: list[str] = WHEEL["hooks"]["custom"]["modules"]
PASSED = "rules protocol server contracts client/test_live.py faults/test_garbage.py".split()
REACH_INSIDE = (
    # These put something else in the place of what compiled code has bound or typed before.
    "test_a_fault_of_ours_is_answered_internal_and_the_connection_lives",
    "test_a_fault_in_one_race_ends_that_race_and_no_other",
)


def overlay(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "ops" / "overlay.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def source(module: str) -> Path:
    """Returns where a module is, or would be."""
    package = module.partition(".")[0]
    (folder,) = (Path(each) for each in WHEEL["packages"] if Path(each).name == package)
    return ROOT / folder.parent / (module.replace(".", "/") + ".py")


@pytest.mark.parametrize("module", MODULES)
def test_what_is_compiled_is_a_module_of_ours(module: str) -> None:
    assert source(module).is_file()


@pytest.mark.parametrize("module", MODULES)
def test_what_is_compiled_caches_no_property(module: str) -> None:
    """Because mypyc takes a cached property for a plain one, and works it out every time."""
    assert "cached_property" not in source(module).read_text("utf-8")


def test_what_inherits_from_compiled_classes_is_compiled() -> None:
    """Because Python refuses to make a class that does not."""
    heirs = []
    for path in (path for folder in WHEEL["packages"] for path in (ROOT / folder).rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        taken = {
            alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module in MODULES
            for alias in node.names
        }
        bases = {
            base.id
            for node in nodes
            if isinstance(node, ast.ClassDef)
            for base in node.bases
            if isinstance(base, ast.Name)
        }
        if taken & bases and path not in map(source, MODULES):
            heirs.append(path)
    assert heirs == []


def test_nothing_is_compiled_twice() -> None:
    assert len(MODULES) == len(set(MODULES))


def test_nothing_is_compiled_unless_it_is_asked_for() -> None:
    assert WHEEL["hooks"]["custom"]["enable-by-default"] is False


def test_a_build_of_its_own_has_the_types_of_libraries_that_bring_none() -> None:
    """Because pip builds a wheel where nothing but what it asks for is installed."""
    libraries = {re.split("[^a-z0-9-]", each)[0] for each in PROJECT["project"]["dependencies"]}
    of_types = {stubs for each in libraries for stubs in (f"types-{each}", f"{each}-stubs")}
    asked = WHEEL["hooks"]["custom"]["dependencies"]
    for each in PROJECT["project"]["optional-dependencies"]["dev"]:
        if re.split("[^a-z0-9-]", each)[0] in of_types:
            assert each in asked


def test_the_working_tree_holds_no_extension_that_would_win_over_its_source() -> None:
    folders = (ROOT / package for package in WHEEL["packages"])
    assert [path for folder in folders for path in folder.parent.rglob("*.so")] == []


if SOAK > 1:  # not a skip, which CI takes for a failure; it takes minutes

    @pytest.fixture(scope="module")
    def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
        site = tmp_path_factory.mktemp("compiled") / "site"
        made = overlay(str(site))
        assert made.returncode == 0, made.stdout + made.stderr
        return site

    def test_a_fresh_build_is_of_the_sources_until_one_changes(site: Path) -> None:
        assert "as they are" in overlay(str(site)).stdout

    def test_what_runs_is_the_compiled_code(site: Path) -> None:
        program = "import importlib, sys; print(importlib.import_module(sys.argv[1]).__file__)"
        for module in MODULES:
            told = subprocess.run(
                [sys.executable, "-c", program, module],
                env={**os.environ, "PYTHONPATH": str(site)},
                capture_output=True,
                text=True,
                check=True,
            )
            assert Path(told.stdout.strip()).suffix in {".so", ".pyd"}

    def test_it_passes_the_tests_and_whole_races(site: Path, tmp_path: Path) -> None:
        for folder in ("tests", "docs", "ops", "examples"):
            shutil.copytree(ROOT / folder, tmp_path / folder)
        shutil.copy(ROOT / "pyproject.toml", tmp_path)
        for package in WHEEL["packages"]:  # where the tests look for sources, they find the build
            (tmp_path / Path(package).parent).symlink_to(site)
        tests = [f"tests/{part}" for part in PASSED]
        other = ["-k", f"not ({' or '.join(REACH_INSIDE)})"]
        passed = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, *other],
            cwd=tmp_path,
            env={**os.environ, "SAMEDEAL_SOAK": "1", "PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
        )
        assert passed.returncode == 0, passed.stdout
