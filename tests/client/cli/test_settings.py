"""Where the command finds the server, and keeps the tokens of one's players."""

from __future__ import annotations

from pathlib import Path

import pytest

from samedeal_client.client import DEFAULT_URL
from samedeal_client.settings import Settings
from samedeal_client.tokens import Tokens


def test_a_flag_wins_over_the_environment_and_that_over_the_default() -> None:
    environment = {"SAMEDEAL_SERVER": "ws://there:1", "SAMEDEAL_NAME": "Ada"}
    assert Settings.of({}).server == DEFAULT_URL
    assert Settings.of({}).name is None
    assert Settings.of(environment).server == "ws://there:1"
    settled = Settings.of(environment, server="ws://here:2", name="Bea")
    assert (settled.server, settled.name) == ("ws://here:2", "Bea")


@pytest.mark.parametrize(
    ("environment", "home"),
    [
        ({"SAMEDEAL_HOME": "/a", "XDG_CONFIG_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_CONFIG_HOME": "/b", "HOME": "/c"}, "/b/samedeal"),
        ({"APPDATA": "/d"}, "/d/samedeal"),
        ({"HOME": "/c"}, "/c/.config/samedeal"),
    ],
)
def test_tokens_are_kept_where_settings_belong(environment: dict[str, str], home: str) -> None:
    assert Settings.of(environment).home == Path(home)


@pytest.mark.parametrize(
    ("environment", "is_terminal", "has_colour"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    environment: dict[str, str], is_terminal: bool, has_colour: bool
) -> None:
    assert Settings.of(environment, is_terminal=is_terminal).has_colour is has_colour


def test_a_token_is_kept_for_its_server_and_name_alone(tmp_path: Path) -> None:
    here, there = Tokens(tmp_path, "ws://here:1/"), Tokens(tmp_path, "ws://there:1")
    here.keep("Ada", "secret")
    here.keep(None, "nameless")
    assert (here.of("Ada"), here.of(None), here.of("Bea")) == ("secret", "nameless", None)
    assert there.of("Ada") is None
    assert Tokens(tmp_path, "here:1").of("Ada") == "secret"
    here.forget("Ada")
    assert here.of("Ada") is None


def test_only_the_owner_reads_a_token(tmp_path: Path) -> None:
    Tokens(tmp_path, "ws://here:1").keep("Ada", "secret")
    (file,) = tmp_path.rglob("*.token")
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["default", "../../etc/passwd", "a/b", ".", "x" * 500, "Zoë ♥"])
def test_any_name_makes_a_file_of_its_own_in_the_folder(tmp_path: Path, name: str) -> None:
    tokens = Tokens(tmp_path, "ws://here:1")
    tokens.keep(name, "secret")
    assert tokens.of(name) == "secret"
    assert tokens.of(None) is None
    (file,) = tmp_path.rglob("*.token")
    assert file.is_relative_to(tmp_path / "players")


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "players").write_text("in the way")
    tokens = Tokens(tmp_path, "ws://here:1")
    tokens.keep("Ada", "secret")
    assert tokens.of("Ada") is None
    tokens.forget("Ada")
