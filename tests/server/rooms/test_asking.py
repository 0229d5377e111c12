"""Whoever asks about a race is told the same, whichever way they ask."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import msgspec
import pytest

from samedeal_protocol import messages
from samedeal_protocol.boards import Board, TimeBoard
from samedeal_protocol.messages import ClientMessage, Error, ResultsSheet
from samedeal_protocol.terms import Mode, Sight, Visibility
from samedeal_server.gateway.pages import page
from support.halls import Lobby, Person, lobby
from support.nodes import Fakes, fakes
from support.races import WIN, WIN_GAME, WinningSeeds

PHRASE = "open sesame"


def world() -> Fakes:
    return dataclasses.replace(fakes(), seeds=WinningSeeds())


async def half_run(hall: Lobby, ann: Person, ben: Person, **terms: object) -> str:
    """A race that Ann has won and in which Ben goes on."""
    phrase = PHRASE if terms.get("visibility") is Visibility.PHRASE else None
    race = await hall.race(ann, **{"game": WIN_GAME, "seed": None, "phrase": phrase, **terms})
    for person in (ann, ben):
        await person.join(race, phrase)
        step = messages.Begin if "mode" in terms else messages.Ready
        await person.ask(step(id=person.next_id(), race=race))
    await hall.pass_time(1000)
    for number, move in enumerate(WIN, 1):
        await ann.play(race, number, move)
    finish = messages.Finish(id=ann.next_id(), race=race, number=len(WIN) + 1)
    await ann.ask(finish)
    return race


def sheet_of(person: Person, race: str) -> messages.Results:
    return messages.Results(id=person.next_id(), race=race)


def replay_of(person: Person, race: str) -> messages.Replay:
    return messages.Replay(id=person.next_id(), race=race)


def deal_of(person: Person, race: str) -> messages.Leaderboard:
    return messages.Leaderboard(id=person.next_id(), board=Board.FASTEST, deal=race)


Way = tuple[
    Callable[[Person, str], ClientMessage], str, type[ResultsSheet] | type[TimeBoard] | None
]
WAYS: list[Way] = [
    (sheet_of, "races/{}", ResultsSheet),
    (deal_of, "leaderboards/deal/{}", TimeBoard),
    (replay_of, "races/{}/replay", None),
    (replay_of, "races/{}/reel", None),
]


async def answers(hall: Lobby, eve: Person, race: str) -> list[str]:
    """What a stranger is told of a race, way by way: a code, or "told"; by both doors the same."""
    said: list[str] = []
    for ask, path, kind in WAYS:
        reply = await eve.reply_to(ask(eve, race))
        shown = await page("GET", f"/api/v1/{path.format(race)}", hall.hall)
        if isinstance(reply, Error):
            said.append(reply.code)
            assert msgspec.json.decode(shown.body)["error"] == reply.code
            continue
        said.append("told")
        assert shown.status == 200
        if kind is not None:
            assert msgspec.json.decode(shown.body, type=kind) == reply.result
        elif path.endswith("replay"):
            assert isinstance(reply.result, messages.ReplayPage)
            _, *lines, end = shown.body.decode().splitlines()
            assert reply.result.lines == tuple(lines)
            assert msgspec.json.decode(end) == {"head": reply.result.head}
    return said


BLIND = {"mode": Mode.ASYNC, "blind": True, "entrants_max": 2}


@pytest.mark.parametrize(
    ("terms", "before", "after"),
    [
        ({}, ["told", "not-over", "not-over", "not-over"], ["told"] * 4),
        (
            {"visibility": Visibility.UNLISTED},
            ["told", "not-over", "not-over", "not-over"],
            ["told"] * 4,
        ),
        ({"visibility": Visibility.PHRASE}, ["wrong-phrase"] * 4, ["wrong-phrase"] * 4),
        ({"spectators": Sight.NONE}, ["told", "not-over", "not-over", "not-over"], ["told"] * 4),
        ({"delay": 60}, ["told", "not-over", "not-over", "not-over"], ["told"] * 4),
        (BLIND, ["told", "not-over", "not-over", "not-over"], ["told"] * 4),
    ],
    ids=["public", "unlisted", "phrase", "no-spectators", "delayed", "blind"],
)
async def test_a_stranger_is_told_the_same_over_http_and_over_a_websocket(
    terms: dict[str, object], before: list[str], after: list[str]
) -> None:
    async with lobby(world()) as hall:
        ann, ben, eve = [await hall.person(name) for name in ("Ann", "Ben", "Eve")]
        race = await half_run(hall, ann, ben, **terms)
        assert await answers(hall, eve, race) == before
        await ben.give_up(race)
        assert await answers(hall, eve, race) == after


@pytest.mark.parametrize("terms", [BLIND, {"spectators": Sight.NONE}, {"delay": 60}])
async def test_no_result_is_told_of_a_race_that_hides_them_until_it_is_over(
    terms: dict[str, object],
) -> None:
    async with lobby(world()) as hall:
        ann, ben, eve = [await hall.person(name) for name in ("Ann", "Ben", "Eve")]
        race = await half_run(hall, ann, ben, **terms)
        assert (await eve.get(ResultsSheet, sheet_of(eve, race))).standings == ()
        await ben.give_up(race)
        assert [line.name for line in (await eve.get(ResultsSheet, sheet_of(eve, race))).standings]


async def test_whoever_was_let_in_by_a_phrase_is_told_of_the_race_and_its_deal() -> None:
    async with lobby(world()) as hall:
        ann, ben, cat = [await hall.person(name) for name in ("Ann", "Ben", "Cat")]
        race = await half_run(hall, ann, ben, visibility=Visibility.PHRASE)
        await ben.give_up(race)
        watch = messages.Watch(id=cat.next_id(), race=race, phrase=PHRASE)
        await cat.get(messages.Snapshot, watch)
        for person in (ann, ben, cat):
            board = await person.get(TimeBoard, deal_of(person, race))
            assert [line.name for line in board.lines] == ["Ann"]
            assert (await person.get(ResultsSheet, sheet_of(person, race))).phase == "over"


@pytest.mark.parametrize(
    ("seed", "replayed"), [("friday-night", "not-over"), (None, "told")], ids=["named", "drawn"]
)
async def test_a_seed_that_was_named_is_not_told_by_a_race_that_was_called_off(
    seed: str | None, replayed: str
) -> None:
    async with lobby(world()) as hall:
        ann, eve = await hall.person("Ann"), await hall.person("Eve")
        race = await hall.race(ann, game=WIN_GAME, seed=seed)
        await ann.join(race)
        await ann.ask(messages.Cancel(id=ann.next_id(), race=race))
        assert await answers(hall, eve, race) == ["told", "not-over", replayed, replayed]


async def test_a_race_that_there_is_not_is_nowhere() -> None:
    async with lobby(world()) as hall:
        eve = await hall.person("Eve")
        assert await answers(hall, eve, "race-9") == ["no-such-race"] * 4
