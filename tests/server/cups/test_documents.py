"""What docs/api.md and docs/webhooks.md show of tournaments is what comes."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from http import HTTPStatus

import msgspec
import pytest

from samedeal_protocol.tournament import requests
from samedeal_protocol.tournament.formats import SingleElimination
from samedeal_server.gateway.pages import page
from support.halls import lobby
from support.nodes import Fakes, fakes
from support.serving import ROOT
from support.stage import Stage, act, announce, terms_of

EXAMPLES = dict(
    re.findall(
        r"^```http\nGET (/api/v1/tournaments\S*)\n\n(.*?)^```$",
        (ROOT / "docs" / "api.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)
POSTED = re.findall(
    r"^```json\n(.*?)^```$", (ROOT / "docs" / "webhooks.md").read_text("utf-8"), re.M | re.S
)


@pytest.fixture
async def stage() -> AsyncIterator[tuple[Stage, Fakes]]:
    """Ada has won a tournament of two; its results were posted."""
    world = fakes()
    async with lobby(world) as hall:
        people = [await hall.person(name) for name in ("Ada", "Grace")]
        code = await announce(people[0], terms_of(SingleElimination(), name="Friday night"))
        stage = Stage(hall, people, code)
        await stage.register()
        await act(people[0], code, requests.AddHook(url="https://example.org/hook"))
        await act(people[0], code, requests.StartTournament())
        await stage.play()
        world.hooks.settle()
        await stage.pass_time(0)
        yield stage, world


async def test_every_answer_is_as_it_is_shown(stage: tuple[Stage, Fakes]) -> None:
    assert len(EXAMPLES) == 5
    for path, shown in EXAMPLES.items():
        answer = await page("GET", path, stage[0].lobby.hall)
        assert answer.status is HTTPStatus.OK, path
        if path.endswith(".csv"):
            assert answer.body.decode().replace("\r\n", "\n") == shown
        else:
            assert json.loads(answer.body) == json.loads(shown), path


async def test_everything_that_is_posted_is_as_it_is_shown(stage: tuple[Stage, Fakes]) -> None:
    posted = [msgspec.json.decode(payload) for _, _, payload in stage[1].hooks.posted]
    assert posted == [json.loads(shown) for shown in POSTED]
