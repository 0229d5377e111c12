"""The read-only pages about tournaments, as JSON and as tables."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

import msgspec
import pytest

from samedeal_protocol.terms import Visibility
from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.formats import Format, Points, RoundRobin, SingleElimination
from samedeal_server.gateway.answers import Page
from samedeal_server.gateway.pages import page
from support.halls import Lobby, lobby
from support.stage import Stage, act, announce, terms_of

KNOCKOUT = SingleElimination()


@pytest.fixture
async def hall() -> AsyncIterator[Lobby]:
    async with lobby() as up:
        yield up


async def got(hall: Lobby, path: str) -> Page:
    return await page("GET", f"/api/v1/tournaments{path}", hall.hall)


async def told(hall: Lobby, path: str) -> Any:
    answer = await got(hall, path)
    assert answer.status is HTTPStatus.OK
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    return msgspec.json.decode(answer.body)


async def rows(hall: Lobby, path: str) -> list[list[str]]:
    answer = await got(hall, path)
    assert answer.status is HTTPStatus.OK
    assert answer.kind == "text/csv; charset=utf-8"
    return list(csv.reader(io.StringIO(answer.body.decode())))


async def final(hall: Lobby, format: Format = KNOCKOUT, **changes: object) -> Stage:
    people = [await hall.person(name) for name in ("Ann", "=1+1")]
    code = await announce(people[0], terms_of(format, **changes))
    stage = Stage(hall, people, code)
    await stage.register()
    await act(people[0], code, requests.StartTournament())
    await stage.play()
    return stage


async def test_tournaments_that_go_on_are_listed_apart_from_those_that_are_over(
    hall: Lobby,
) -> None:
    stage = await final(hall)
    code = await announce(await hall.person("Cyd"), terms_of(SingleElimination(), name="Next"))
    assert [each["tournament"] for each in (await told(hall, ""))["tournaments"]] == [code]
    over = (await told(hall, "?over=yes"))["tournaments"]
    assert [(each["tournament"], each["champion"]) for each in over] == [(stage.code, "Ann")]


async def test_an_unlisted_one_is_found_by_its_code_only(hall: Lobby) -> None:
    stage = await final(hall, visibility=Visibility.UNLISTED)
    assert (await told(hall, "?over=yes"))["tournaments"] == []
    assert (await told(hall, f"/{stage.code}"))["terms"]["name"] == "Friday"


async def test_a_stranger_sees_no_seed_before_the_end(hall: Lobby) -> None:
    host = await hall.person("Ann")
    code = await announce(host, terms_of(SingleElimination()))
    sheet = await told(hall, f"/{code}")
    assert "seed" not in sheet
    assert "salt" not in sheet
    assert len(sheet["commitment"]) == 64


async def test_standings_come_with_their_arithmetic(hall: Lobby) -> None:
    stage = await final(hall)
    table = await told(hall, f"/{stage.code}/standings")
    assert table["final"] is True
    assert [line["place"] for line in table["lines"]] == [1, 2]


async def test_matches_come_with_their_players(hall: Lobby) -> None:
    stage = await final(hall)
    shown = await told(hall, f"/{stage.code}/matches")
    (match,) = shown["matches"]
    assert match["winner"] == 1
    assert [player["name"] for player in shown["players"]] == ["Ann", "=1+1"]


async def test_tables_have_a_line_for_each_and_no_formula(hall: Lobby) -> None:
    stage = await final(hall)
    head, *lines = await rows(hall, f"/{stage.code}/standings.csv")
    assert head == ["place", "player", "name", "bot", "reached", "reached: arithmetic"]
    assert [line[:3] for line in lines] == [["1", "1", "Ann"], ["2", "2", "'=1+1"]]
    head, match = await rows(hall, f"/{stage.code}/matches.csv")
    told = dict(zip(head, match, strict=True))
    assert (told["players"], told["winner"]) == ("Ann; '=1+1", "Ann")
    assert told["races"] == f"{stage.code.removeprefix('cup-')}-{told['match'].replace('.', '_')}-1"


async def test_before_the_start_a_table_has_its_heading(hall: Lobby) -> None:
    code = await announce(await hall.person("Ann"), terms_of(KNOCKOUT))
    assert [row[:3] for row in await rows(hall, f"/{code}/matches.csv")] == [
        ["match", "round", "label"]
    ]
    assert await rows(hall, f"/{code}/standings.csv") == [["place", "player", "name", "bot"]]


async def test_a_table_has_points_as_numbers(hall: Lobby) -> None:
    stage = await final(hall, RoundRobin(points=Points(win=1.5)))
    head, *lines = await rows(hall, f"/{stage.code}/standings.csv")
    assert [dict(zip(head, line, strict=True))["points"] for line in lines] == ["1.5", "0"]


@pytest.mark.parametrize("path", ["/cup-none", "/cup-none/standings", "/cup-none/matches.csv"])
async def test_no_tournament_is_not_found(hall: Lobby, path: str) -> None:
    answer = await got(hall, path)
    assert answer.status is HTTPStatus.NOT_FOUND
    assert msgspec.json.decode(answer.body)["error"] == "no-such-tournament"


@pytest.mark.parametrize("path", ["/a/b/c", "/cup-1/log", "/%2e%2e"])
async def test_no_page_is_not_found(hall: Lobby, path: str) -> None:
    answer = await got(hall, path)
    assert answer.status is HTTPStatus.NOT_FOUND
    assert msgspec.json.decode(answer.body)["error"] == "no-such-page"
