"""Pages over plain HTTP: what a stranger sees, and that nothing else is answered."""

from __future__ import annotations

import asyncio
import hashlib
import re
from base64 import b64encode
from dataclasses import dataclass, field

import msgspec
import pytest

from samedeal_client.verify import verify
from samedeal_protocol.boards import Board, Leaderboard, PlayerSheet, TimeBoard
from samedeal_protocol.daily import DailySheet, LeagueTable
from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.events import Over, to_line
from samedeal_protocol.messages import RaceCard, ResultsSheet
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament.views import TournamentCard, TournamentSheet, TournamentTable
from samedeal_rules import GAMES, deal, find, parse_position
from samedeal_server.boards.differences import Annulment
from samedeal_server.boards.past import PastRaces
from samedeal_server.gateway.answers import Origin, Page
from samedeal_server.gateway.pages import page
from samedeal_server.ports import LogUnavailable
from samedeal_server.racing.commands import GiveUp
from samedeal_server.racing.race import Refused
from support.nodes import fakes, running
from support.races import Track

CARD = RaceCard(
    race="race-1",
    phase="open",
    terms=Terms(game="opus"),
    host="Ann",
    opened_at=1_800_000_000_000,
    commitment="ab",
)
SHEET = ResultsSheet(
    race="race-1", phase="over", terms=Terms(game="opus"), standings=(), commitment="ab"
)


class StillDays:
    """A day on which nobody has played, and its week."""

    async def public_sheet(self, day: str | None, *, bots: bool = False) -> DailySheet:
        if day == "20271231":
            raise Refused(ErrorCode.NOT_OPEN, "20271231 has not come")
        if day == "20260230":
            raise Refused(ErrorCode.MALFORMED, "the calendar has no day")
        return DailySheet(day=day or "20261130", week="2026-W49", game="opus", bots=bots)

    async def public_league(self, week: str | None, *, bots: bool = False) -> LeagueTable:
        return LeagueTable(week=week or "2026-W49", days=(), bots=bots, total=0)


class StillBoards:
    """Boards with one player, who tells what was asked."""

    def __init__(self) -> None:
        self.asked: list[Leaderboard | tuple[str, str | None] | tuple[str, int, int]] = []

    async def page(self, asked: Leaderboard) -> TimeBoard:
        self.asked.append(asked)
        return TimeBoard(at=1, game="opus", total=0, lines=())

    async def named(self, name: str, game: str | None = None) -> PlayerSheet:
        self.asked.append((name, game))
        if name == "Nobody":
            raise Refused(ErrorCode.NO_SUCH_PLAYER, "nobody is called so")
        return PlayerSheet(at=1, model="samedeal-1", name=name)

    async def past(self, name: str, *, offset: int, limit: int) -> PastRaces:
        self.asked.append((name, offset, limit))
        return PastRaces(name=name, total=0, races=())

    async def annulments(self) -> list[Annulment]:
        return [Annulment(race="r-1", at=1, annulled=True, reason="why", changes=())]


class NoCups:
    """A hall without tournaments; those with some are asked in `cups.test_pages`."""

    async def listed(self, *, over: bool) -> tuple[TournamentCard, ...]:
        return ()

    async def sheet(self, code: str) -> TournamentSheet:
        raise Refused(ErrorCode.NO_SUCH_TOURNAMENT, "no tournament has this code")

    async def table(self, code: str) -> TournamentTable:
        raise Refused(ErrorCode.NO_SUCH_TOURNAMENT, "no tournament has this code")


@dataclass
class StillHall:
    """What a hall says, put down by the test."""

    reason: str | None = None
    cards: tuple[RaceCard, ...] = ()
    sheets: dict[str, ResultsSheet] = field(default_factory=dict)
    lines: dict[str, tuple[bytes, ...]] = field(default_factory=dict)
    fault: Exception | None = None
    dailies: StillDays = field(default_factory=lambda: StillDays())
    boards: StillBoards = field(default_factory=lambda: StillBoards())
    annex: NoCups = field(default_factory=lambda: NoCups())

    def unready(self) -> str | None:
        return self.reason

    def listed(self) -> tuple[RaceCard, ...]:
        return self.cards

    @property
    def records(self) -> StillHall:
        return self

    async def sheet(self, race: str) -> ResultsSheet:
        if self.fault is not None:
            raise self.fault
        if race not in self.sheets:
            raise Refused(ErrorCode.NO_SUCH_RACE, "no race has this code")
        return self.sheets[race]

    async def replay(self, race: str) -> tuple[bytes, ...]:
        if self.fault is not None:
            raise self.fault
        if race not in self.lines:
            raise Refused(ErrorCode.NO_SUCH_RACE, "no race has this code")
        return self.lines[race]


def json(answer: Page) -> dict[str, object]:
    assert answer.kind == "application/json"
    return msgspec.json.decode(answer.body, type=dict[str, object])


# --- for operators -----------------------------------------------------------------------------


async def test_a_live_server_is_healthy_whatever_else() -> None:
    answer = await page("GET", "/healthz", StillHall(reason="draining"))
    assert (answer.status, answer.body) == (200, b"ok\n")


async def test_a_server_that_takes_players_is_ready() -> None:
    answer = await page("GET", "/readyz", StillHall())
    assert (answer.status, json(answer)) == (200, {"ready": True})


async def test_a_server_that_drains_is_not_ready() -> None:
    answer = await page("GET", "/readyz", StillHall(reason="the server is about to restart"))
    assert answer.status == 503
    assert json(answer) == {"ready": False, "message": "the server is about to restart"}
    assert answer.headers["Retry-After"] == "5"


async def test_the_version_names_protocol_and_deal() -> None:
    told = json(await page("GET", "/version", StillHall()))
    assert told.keys() == {"samedeal", "protocol", "deal"}
    assert (told["protocol"], told["deal"]) == (1, "samedeal/1")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_health_is_never_cached(path: str) -> None:
    assert (await page("GET", path, StillHall())).headers["Cache-Control"] == "no-store"


# --- the daily deal ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("daily", {"type": "daily-sheet", "day": "20261130"}),
        ("daily/bots", {"type": "daily-sheet", "day": "20261130", "bots": True}),
        ("daily/20261101", {"type": "daily-sheet", "day": "20261101"}),
        ("daily/20261101/bots", {"type": "daily-sheet", "day": "20261101", "bots": True}),
        ("league", {"type": "league-table", "week": "2026-W49"}),
        ("league/bots", {"type": "league-table", "week": "2026-W49", "bots": True}),
        ("league/2026-W01", {"type": "league-table", "week": "2026-W01"}),
        ("league/2026-W01/bots", {"type": "league-table", "week": "2026-W01", "bots": True}),
    ],
)
async def test_days_and_weeks_have_pages(path: str, told: dict[str, object]) -> None:
    answer = await page("GET", f"/api/v1/{path}", StillHall())
    assert answer.status == 200
    assert told.items() <= json(answer).items()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("daily/20271231", 404),
        ("daily/20260230", 400),
        ("daily/tomorrow", 404),
        ("daily/20261101/people", 404),
        ("league/2026W01", 404),
        ("league/2026-W01/bots/1", 404),
    ],
)
async def test_what_is_no_day_or_has_not_come_has_no_page(path: str, status: int) -> None:
    assert (await page("GET", f"/api/v1/{path}", StillHall())).status == status


# --- boards ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "asked"),
    [
        ("rating", Leaderboard(id=1)),
        ("rating/opus:no-wrap", Leaderboard(id=1, game="opus:no-wrap")),
        ("rating/opus%3Ano-wrap?bots=true", Leaderboard(id=1, game="opus:no-wrap", bots=True)),
        (
            "fastest/opus?offset=20&limit=5",
            Leaderboard(id=1, board=Board.FASTEST, game="opus", offset=20, limit=5),
        ),
        ("deal/brisk-otter-42", Leaderboard(id=1, board=Board.FASTEST, deal="brisk-otter-42")),
        ("streaks?bots=1", Leaderboard(id=1, board=Board.STREAKS, bots=True)),
    ],
)
async def test_a_board_is_asked_for_by_its_path(target: str, asked: Leaderboard) -> None:
    hall = StillHall()
    answer = await page("GET", f"/api/v1/leaderboards/{target}", hall)
    assert (answer.status, json(answer)["type"]) == (200, "time-board")
    assert hall.boards.asked == [asked]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("leaderboards/rating?limit=0", "limit"),
        ("leaderboards/rating?limit=101", "limit"),
        ("leaderboards/rating?offset=-1", "offset"),
        ("leaderboards/rating?offset=x", "offset"),
        ("leaderboards/rating?bots=perhaps", "bots"),
        ("leaderboards/rating?lmit=3", "'lmit' is not understood"),
        ("leaderboards/rating?id=3", "'id' is not understood"),
        (f"leaderboards/fastest/{'x' * 65}", "game"),
        ("players/Ann?games=opus", "'games' is not understood"),
        ("players/Ann/races?limit=101", "limit: from 1 to 100"),
        ("players/Ann/races?offset=-1", "offset"),
        ("players/Ann/races?name=Ben", "'name' is not understood"),
        ("annulments?x=", "takes nothing"),
        ("daily?day=20261101", "'day' is not understood"),
        ("league/2026-W01?bots=true", "takes nothing"),
        ("tournaments?ovr=yes", "'ovr' is not understood"),
        ("tournaments?over=perhaps", "yes or no"),
        ("tournaments/cup-1?over=yes", "takes nothing"),
    ],
)
async def test_a_question_that_is_none_is_refused_with_what_is_wrong(
    target: str, said: str
) -> None:
    hall = StillHall()
    answer = await page("GET", f"/api/v1/{target}", hall)
    assert (answer.status, json(answer)["error"]) == (400, "malformed")
    assert said in str(json(answer)["message"])
    assert hall.boards.asked == []


@pytest.mark.parametrize(
    "target",
    [
        "leaderboards",
        "leaderboards/fastest",
        "leaderboards/rating/opus/x",
        "leaderboards/streaks/opus",
        "players",
        "players/Ann/x",
        "players/Ann/races/1",
        "annulments/1",
    ],
)
async def test_no_other_board_is_there(target: str) -> None:
    answer = await page("GET", f"/api/v1/{target}", StillHall())
    assert (answer.status, json(answer)["error"]) == (404, "no-such-page")


async def test_a_player_is_asked_for_by_name() -> None:
    hall = StillHall()
    answer = await page("GET", "/api/v1/players/Zo%C3%AB%20%2F%20%E2%99%A0?game=opus", hall)
    assert (answer.status, json(answer)["name"]) == (200, "Zoë / ♠")
    assert hall.boards.asked == [("Zoë / ♠", "opus")]


async def test_a_players_races_are_asked_for_below_the_name() -> None:
    hall = StillHall()
    answer = await page("GET", "/api/v1/players/Zo%C3%AB/races?offset=20&limit=5", hall)
    assert json(answer) == {"name": "Zoë", "total": 0, "races": []}
    assert hall.boards.asked == [("Zoë", 20, 5)]


async def test_whom_nobody_knows_is_not_found() -> None:
    answer = await page("GET", "/api/v1/players/Nobody", StillHall())
    assert (answer.status, json(answer)["error"]) == (404, "no-such-player")


async def test_annulments_are_published_for_any_page() -> None:
    answer = await page("GET", "/api/v1/annulments", StillHall())
    assert json(answer) == {
        "annulments": [{"race": "r-1", "at": 1, "annulled": True, "reason": "why", "changes": []}]
    }
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


# --- the API -----------------------------------------------------------------------------------


async def test_the_games_are_listed_in_order() -> None:
    told = msgspec.json.decode((await page("GET", "/api/v1/games", StillHall())).body)
    assert [game["key"] for game in told["games"]] == [game.key for game in GAMES]
    assert {"key", "name", "object", "packs", "cards", "variants"} <= told["games"][0].keys()


@pytest.mark.parametrize("key", ["opus", "opus:no-wrap"])
async def test_a_game_is_told_with_its_table_and_rules(key: str) -> None:
    told = json(await page("GET", f"/api/v1/games/{key}", StillHall()))
    assert told["key"] == key
    assert told["piles"]
    assert str(told["rules"]).startswith("Opus")


async def test_the_example_of_a_game_is_a_deal_as_its_player_sees_it() -> None:
    told = json(await page("GET", "/api/v1/games/forty-thieves", StillHall()))
    example = parse_position(str(told["example"]))
    assert example == deal(find("forty-thieves"), "samedeal").view()
    assert example.hides


async def test_an_unknown_game_is_not_found() -> None:
    answer = await page("GET", "/api/v1/games/opsu", StillHall())
    assert (answer.status, json(answer)["error"]) == (404, "no-such-game")


async def test_the_listed_races_are_told() -> None:
    told = msgspec.json.decode((await page("GET", "/api/v1/races", StillHall(cards=(CARD,)))).body)
    assert msgspec.convert(told["races"], tuple[RaceCard, ...]) == (CARD,)


async def test_a_races_sheet_is_told() -> None:
    answer = await page("GET", "/api/v1/races/race-1", StillHall(sheets={"race-1": SHEET}))
    assert msgspec.json.decode(answer.body, type=ResultsSheet) == SHEET


async def test_a_replay_is_a_file_that_verifies() -> None:
    track = Track(Terms(game="opus", entrants_min=1))
    track.start("ann")
    track.do(GiveUp("ann"), after=1000)
    assert isinstance(track.log[-1], Over)
    lines = tuple(to_line(event) for event in track.log)
    answer = await page("GET", "/api/v1/races/race-1/replay", StillHall(lines={"race-1": lines}))
    assert answer.kind == "application/jsonl; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="race-1.samedeal.jsonl"'
    assert answer.body.splitlines()[1:-1] == list(lines)
    report = verify(answer.body)
    assert report.passed, report.text()


@pytest.mark.parametrize("path", ["/api/v1/races/race-1", "/api/v1/races/race-1/replay"])
@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (Refused(ErrorCode.NO_SUCH_RACE, "x"), 404, "no-such-race"),
        (Refused(ErrorCode.NOT_OVER, "x"), 409, "not-over"),
        (Refused(ErrorCode.WRONG_PHRASE, "x"), 403, "wrong-phrase"),
        (LogUnavailable("x"), 503, "store-unavailable"),
    ],
)
async def test_a_refusal_is_a_status_a_code_and_a_sentence(
    path: str, fault: Exception, status: int, code: str
) -> None:
    answer = await page("GET", path, StillHall(fault=fault))
    told = json(answer)
    assert (answer.status, told["error"]) == (status, code)
    assert told["message"]


# --- the start page ----------------------------------------------------------------------------


async def test_the_start_page_says_what_to_do_next() -> None:
    answer = await page("GET", "/", StillHall(), origin=Origin("play.example.org:8642"))
    assert answer.kind == "text/html; charset=utf-8"
    assert b"samedeal play --server ws://play.example.org:8642" in answer.body


async def test_behind_tls_the_address_is_wss() -> None:
    answer = await page("GET", "/", StillHall(), origin=Origin("a.org", is_secure=True))
    assert b"--server wss://a.org<" in answer.body


@pytest.mark.parametrize("host", ["", "<script>alert(1)</script>", "a b", "x" * 300, "a;rm -rf"])
async def test_a_strange_host_is_not_repeated(host: str) -> None:
    answer = await page("GET", "/", StillHall(), origin=Origin(host))
    assert b"--server ws://HOST:PORT<" in answer.body


async def test_the_start_page_loads_and_runs_nothing() -> None:
    answer = await page("GET", "/", StillHall(reason="a <b> & c"))
    text = answer.body.decode()
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'; ")
    assert not re.search(r"<script|\bsrc=|style=|https?://|\bon\w+=", text)
    assert "a &lt;b&gt; &amp; c" in text


# --- everything else ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    [
        "/x",
        "/api",
        "/api/v1",
        "/api/v2/games",
        "/api/v1/races/a/b",
        "/api/v1/races/race-1/replay/x",
        "/api/v1/races/..%2f",
        "/api/v1/races/" + "x" * 33,
        "/api/v1/games/A",
        "/../etc/passwd",
        "//healthz",
        "x",
        "*",
    ],
)
async def test_there_is_no_other_page(target: str) -> None:
    answer = await page("GET", target, StillHall())
    assert (answer.status, json(answer)["error"]) == (404, "no-such-page")


@pytest.mark.parametrize("target", ["/healthz?x=1", "/healthz/", "/healthz#x"])
async def test_what_follows_the_path_does_not_matter(target: str) -> None:
    assert (await page("GET", target, StillHall())).status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "get", "X" * 99])
async def test_only_get_and_head_are_answered(method: str) -> None:
    answer = await page(method, "/api/v1/races", StillHall())
    assert (answer.status, json(answer)["error"]) == (405, "bad-method")
    assert answer.headers["Allow"] == "GET, HEAD"


# --- over a socket -----------------------------------------------------------------------------


async def ask(port: int, request: str) -> tuple[str, dict[str, str], bytes]:
    """Returns the status line, the headers in lower case, and the body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request.encode())
    raw = await reader.read()
    writer.close()
    await writer.wait_closed()
    head, _, body = raw.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return status, headers, body


async def test_a_server_answers_plain_http_on_its_port() -> None:
    async with running(fakes()) as up:
        port = up.address.port
        status, headers, body = await ask(port, f"GET / HTTP/1.1\r\nHost: h:{port}\r\n\r\n")
        assert status == "HTTP/1.1 200 OK"
        assert headers["content-type"] == "text/html; charset=utf-8"
        assert headers["x-content-type-options"] == "nosniff"
        assert int(headers["content-length"]) == len(body)
        assert f"samedeal play --server ws://h:{port}<".encode() in body


async def test_head_gets_the_headers_of_get_without_the_body() -> None:
    async with running(fakes()) as up:
        port = up.address.port
        _, of_get, body = await ask(port, "GET /api/v1/games HTTP/1.1\r\nHost: h\r\n\r\n")
        status, of_head, nothing = await ask(port, "HEAD /api/v1/games HTTP/1.1\r\nHost: h\r\n\r\n")
    assert (status, nothing) == ("HTTP/1.1 200 OK", b"")
    assert int(of_head["content-length"]) == len(body)
    assert of_head.keys() == of_get.keys()


async def test_another_method_is_refused_over_the_socket() -> None:
    async with running(fakes()) as up:
        status, headers, _ = await ask(up.address.port, "POST / HTTP/1.1\r\nHost: h\r\n\r\n")
    assert status == "HTTP/1.1 405 Method Not Allowed"
    assert headers["allow"] == "get, head"
