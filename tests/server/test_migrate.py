"""Which store a server has, and `samedeal-server migrate`, which makes one ready."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from samedeal_server.adapters.log_postgres import check
from samedeal_server.cli import main
from samedeal_server.settings import BadSettings, gather
from support.forked import forked
from support.postgres import empty_database


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with empty_database() as url:
        yield url


def migrate(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forked("samedeal_server"), "migrate", *arguments],
        env={**environment, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )


async def test_an_empty_database_is_made_ready_once(url: str) -> None:
    first = migrate("--store", url)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("schema 0 -> 1: ")
    await check(url)
    again = migrate(SAMEDEAL_STORE=url)
    assert (again.returncode, again.stdout) == (0, "the schema is up to date: nothing to do\n")


def test_a_file_needs_no_migration(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("samedeal-server: name a PostgreSQL with --store; ")
    assert told.count("\n") == 1


def test_a_database_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "--store", "postgresql://ann:secret@127.0.0.1:1/x"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("samedeal-server: postgresql://ann@127.0.0.1:1/x cannot be reached")
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    "text", ["", "mysql://h/x", "postgresql://u:secret@h", "postgresql:", "postgresql://h/a b"]
)
def test_what_is_no_store_is_refused_without_showing_a_password(text: str) -> None:
    with pytest.raises(BadSettings) as caught:
        gather({"store": text}, environment={})
    assert str(caught.value) == (
        "--store: what is given is not sqlite, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
    )


def test_the_password_of_a_store_is_not_shown_with_the_settings() -> None:
    settings = gather({"store": "postgresql://ann:secret@h/x"}, environment={})
    assert settings.store == "postgresql://ann:secret@h/x"
    assert "secret" not in repr(settings)
