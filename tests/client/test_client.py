"""The hall against a scripted server: hello, refusals, lost links, and what never happens twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from samedeal_client import (
    Closed,
    GaveUpConnecting,
    Hall,
    IllegalMove,
    Link,
    OutcomeUnknown,
    Refused,
    Replaced,
    Terms,
    connect,
)
from samedeal_client.errors import refusal
from samedeal_client.transport import DialFailed, Wire, ws_url
from samedeal_protocol.codec import Codec
from samedeal_protocol.errors import CloseCode, ErrorCode
from samedeal_protocol.messages import (
    ClientMessage,
    Create,
    Created,
    Error,
    Hello,
    List,
    Listed,
    Mine,
    Notice,
    Ping,
    Rematch,
    Replay,
    ReplayPage,
)
from support.patience import PATIENCE_S
from support.scripted import SILENCE, Answer, ScriptedServer, StillTiming, settle

TERMS = Terms(game="opus")


class Setting:
    """A scripted server, time that stands still, and what the hall said of its link."""

    def __init__(self) -> None:
        self.server = ScriptedServer()
        self.timing = StillTiming()
        self.links: list[Link] = []
        self.notices: list[Notice] = []

    def hall(
        self, *, name: str = "Ada", patience: float | None = 60.0
    ) -> AbstractAsyncContextManager[Hall]:
        return connect(
            "test:1",
            name=name,
            patience=patience,
            dial=self.server.dial,
            timing=self.timing,
            on_link=self.links.append,
            on_notice=self.notices.append,
        )

    def refuses(self, kind: type[ClientMessage], code: ErrorCode, *, times: int = 1) -> None:
        """Refuses so many requests of a type, then lists nothing."""
        left = [times]

        def handler(request: ClientMessage) -> Error | Listed:
            if left[0] == 0:
                return Listed(races=())
            left[0] -= 1
            return Error(
                id=request.id,
                code=code.code,
                message=code.meaning,
                retry=code.retry.value,
                after_ms=500,
            )

        self.server.answers[kind] = handler


@pytest.fixture
def setting() -> Setting:
    return Setting()


@asynccontextmanager
async def asking(hall: Hall, ask: Callable[[], object]) -> AsyncIterator[asyncio.Task[object]]:
    """A task that asks while the test does something else."""

    async def asked() -> object:
        result = ask()
        assert asyncio.iscoroutine(result)
        return await result

    async with asyncio.TaskGroup() as group:
        task = group.create_task(asked())
        await settle()
        yield task


async def test_a_hall_knows_who_and_where_it_is(setting: Setting) -> None:
    async with setting.hall() as hall:
        assert (hall.name, hall.token, hall.server) == ("Ada", "t0k3n", "scripted")
        assert hall.limits.ping_ms == 30_000
        assert hall.is_up
    assert setting.links == [Link(True, "connected")]


async def test_a_refused_hello_is_raised_bare(setting: Setting) -> None:
    setting.refuses(Hello, ErrorCode.NAME_TAKEN)
    with pytest.raises(Refused) as caught:
        async with setting.hall():
            raise AssertionError("there is no hall")
    assert caught.value.code == "name-taken"
    assert len(setting.server.wires) == 1


async def test_a_hello_that_is_refused_for_now_is_said_again(setting: Setting) -> None:
    left = [1]
    welcome = setting.server.answers[Hello]

    def handler(request: ClientMessage) -> Answer:
        left[0] -= 1
        if left[0] < 0:
            return welcome(request)
        full = ErrorCode.SERVER_FULL
        return Error(
            id=request.id, code=full.code, message="full", retry=full.retry.value, after_ms=9000
        )

    setting.server.answers[Hello] = handler

    async def enter() -> str:
        async with setting.hall() as hall:
            return hall.name

    async with asyncio.TaskGroup() as group:
        entering = group.create_task(enter())
        await setting.timing.advance(8.9)
        assert not entering.done()
        await setting.timing.advance(2)
    assert entering.result() == "Ada"


async def test_nobody_there_is_given_up_soon(setting: Setting) -> None:
    setting.server.is_down = True

    async def enter() -> None:
        async with setting.hall():
            raise AssertionError("there is no hall")

    async with asyncio.TaskGroup() as group:
        entering = group.create_task(_caught(enter(), GaveUpConnecting))
        await setting.timing.advance(30)
    assert "nobody answers at ws://test:1/" in str(entering.result())


async def _caught(awaitable: object, kind: type[Exception]) -> Exception:
    assert asyncio.iscoroutine(awaitable)
    with pytest.raises(kind) as caught:
        await awaitable
    return caught.value


async def test_what_cannot_pass_is_not_tried_again(setting: Setting) -> None:
    tries = []

    async def dial(url: str, codec: Codec) -> Wire:
        tries.append(url)
        raise DialFailed("HTTP 404", may_pass=False)

    with pytest.raises(GaveUpConnecting, match="404"):
        async with connect("test:1", dial=dial, timing=setting.timing):
            raise AssertionError("there is no hall")
    assert len(tries) == 1


async def test_an_exception_in_the_body_comes_out_bare(setting: Setting) -> None:
    with pytest.raises(LookupError, match="mine"):
        async with setting.hall():
            raise LookupError("mine")


async def test_a_cancelled_body_is_cancelled_and_nothing_is_left(setting: Setting) -> None:
    async def stay() -> None:
        async with setting.hall():
            await asyncio.Event().wait()

    task = asyncio.create_task(stay())
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert not setting.server.wire.is_open


@pytest.mark.parametrize("turns", range(6))
async def test_a_hall_left_while_its_connection_breaks_is_left_at_once(
    setting: Setting, turns: int
) -> None:
    async with asyncio.timeout(PATIENCE_S):
        async with setting.hall():
            await settle()
            setting.server.is_down = True
            setting.server.wire.drop()
            for _ in range(turns):
                await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_race_is_created_and_its_code_returned(setting: Setting) -> None:
    setting.server.answers[Create] = lambda _: Created(race="r1", commitment="c0")
    async with setting.hall() as hall:
        assert await hall.create(TERMS, seed="s", phrase="p") == "r1"
    [create] = setting.server.asked(Create)
    assert create == Create(id=create.id, terms=TERMS, seed="s", phrase="p")


async def test_a_refusal_carries_code_sentence_and_retry(setting: Setting) -> None:
    setting.refuses(Create, ErrorCode.BAD_TERMS)
    async with setting.hall() as hall:
        with pytest.raises(Refused) as caught:
            await hall.create(TERMS)
    refused = caught.value
    assert (refused.code, refused.retry) == ("bad-terms", "never")
    assert str(refused) == ErrorCode.BAD_TERMS.meaning


def test_an_illegal_move_is_an_exception_of_its_own() -> None:
    error = Error(code="illegal-move", message="no", reason="not-in-suit", retry="never")
    assert isinstance(refusal(error), IllegalMove)
    assert refusal(error).reason == "not-in-suit"


async def test_too_many_requests_are_waited_out(setting: Setting) -> None:
    setting.refuses(List, ErrorCode.RATE_LIMITED, times=2)
    async with setting.hall() as hall, asking(hall, hall.list) as listing:
        assert not listing.done()
        await setting.timing.advance(2)
        assert listing.result() == ()
    assert len(setting.server.asked(List)) == 3


async def test_waiting_out_has_an_end(setting: Setting) -> None:
    setting.refuses(List, ErrorCode.RATE_LIMITED, times=99)
    async with (
        setting.hall() as hall,
        asking(hall, lambda: _caught(hall.list(), Refused)) as listing,
    ):
        await setting.timing.advance(60)
        assert isinstance(listing.result(), Refused)


async def test_an_open_question_is_asked_again_after_a_loss(setting: Setting) -> None:
    setting.server.answers[Mine] = lambda _: Listed(races=())
    setting.server.drops_after = {0}
    async with setting.hall() as hall, asking(hall, hall.mine) as listing:
        await setting.timing.advance(1)
        assert listing.result() == ()
    assert len(setting.server.asked(Mine)) == 2
    assert [link.is_up for link in setting.links] == [True, False, True]
    hellos = setting.server.asked(Hello)
    assert [getattr(hello, "token", None) for hello in hellos] == [None, "t0k3n"]


async def test_a_creation_is_never_asked_twice(setting: Setting) -> None:
    setting.server.drops_before = {0}
    async with setting.hall() as hall:
        with pytest.raises(OutcomeUnknown, match="create"):
            await hall.create(TERMS)
        await setting.timing.advance(1)
        assert hall.is_up
    assert len(setting.server.asked(Create)) == 1


async def test_a_creation_asked_for_while_offline_is_sent_later(setting: Setting) -> None:
    setting.server.answers[Create] = lambda _: Created(race="r1", commitment="c0")
    async with setting.hall() as hall:
        setting.server.wire.drop()
        await settle()
        async with asking(hall, lambda: hall.create(TERMS)) as creating:
            await setting.timing.advance(1)
            assert creating.result() == "r1"


async def test_pauses_between_tries_double_up_to_a_limit(setting: Setting) -> None:
    async with setting.hall(patience=None):
        setting.server.is_down = True
        setting.server.wire.drop()
        await setting.timing.advance(100)
    pauses = [link.again_in_ms for link in setting.links if not link.is_up]
    assert pauses[:8] == [125, 250, 500, 1000, 2000, 4000, 4000, 4000]


async def test_a_restarting_server_is_given_longer(setting: Setting) -> None:
    async with setting.hall():
        setting.server.wire.drop(CloseCode.RESTARTING.number)
        await settle()
    assert setting.links[-1].again_in_ms == 500
    assert setting.links[-1].sentence.startswith("the server restarts")


async def test_patience_ends_everything_that_waits(setting: Setting) -> None:
    setting.server.answers[List] = lambda _: SILENCE
    async with (
        setting.hall(patience=10) as hall,
        asking(hall, lambda: _caught(hall.list(), GaveUpConnecting)),
    ):
        setting.server.is_down = True
        setting.server.wire.drop()
        await setting.timing.advance(30)
        with pytest.raises(GaveUpConnecting):
            await hall.mine()


async def test_a_replaced_connection_does_not_come_back(setting: Setting) -> None:
    setting.server.answers[List] = lambda _: SILENCE
    async with (
        setting.hall() as hall,
        asking(hall, lambda: _caught(hall.list(), Replaced)) as listing,
    ):
        setting.server.wire.drop(CloseCode.REPLACED.number)
        await setting.timing.advance(100)
        failure = listing.result()
    assert isinstance(failure, Replaced)
    assert failure.code == 4001
    assert len(setting.server.wires) == 1


async def test_a_silent_server_is_left_for_a_new_connection(setting: Setting) -> None:
    setting.server.answers[Ping] = lambda _: SILENCE
    async with setting.hall() as hall:
        await setting.timing.advance(45)
        assert len(setting.server.wires) == 2
        assert hall.is_up


async def test_a_server_that_answers_pings_is_kept(setting: Setting) -> None:
    async with setting.hall():
        await setting.timing.advance(300)
    assert len(setting.server.wires) == 1
    assert len(setting.server.asked(Ping)) == 30


async def test_a_notice_is_told(setting: Setting) -> None:
    notice = Notice(code="draining", message="soon", in_ms=30_000)
    async with setting.hall():
        setting.server.wire.push(notice)
        await settle()
    assert setting.notices == [notice]


async def test_after_the_end_nothing_can_be_asked(setting: Setting) -> None:
    async with setting.hall() as hall:
        pass
    with pytest.raises(Closed):
        await hall.list()


async def test_a_rematch_is_safe_to_ask_again(setting: Setting) -> None:
    setting.server.answers[Rematch] = lambda _: Created(race="r2", commitment="c0")
    setting.server.drops_after = {0}
    async with setting.hall() as hall, asking(hall, lambda: hall.rematch("r1")) as rematch:
        await setting.timing.advance(1)
        assert rematch.result() == "r2"


async def test_a_replay_is_fetched_page_by_page(setting: Setting) -> None:
    lines = [f'{{"event":"started","at":{at}}}' for at in range(5)]

    def page(request: ClientMessage) -> ReplayPage:
        assert isinstance(request, Replay)
        after = request.after
        return ReplayPage(
            race="r1",
            after=after,
            lines=tuple(lines[after : after + 2]),
            more=after + 2 < len(lines),
            head="ab" * 32,
        )

    setting.server.answers[Replay] = page
    async with setting.hall() as hall:
        replay = await hall.replay("r1")
    header, *body, footer = replay.decode().splitlines()
    assert header == '{"samedeal":"replay/1","race":"r1","server":"scripted"}'
    assert body == lines
    assert footer == f'{{"head":"{"ab" * 32}"}}'


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("localhost:8642", "ws://localhost:8642/"),
        ("ws://localhost:8642", "ws://localhost:8642/"),
        ("http://example.org", "ws://example.org/"),
        ("https://example.org/samedeal/", "wss://example.org/samedeal/"),
        ("wss://[::1]:1/", "wss://[::1]:1/"),
        ("  example.org ", "ws://example.org/"),
    ],
)
def test_addresses_are_taken_as_people_type_them(typed: str, url: str) -> None:
    assert ws_url(typed) == url


@pytest.mark.parametrize(
    "typed", ["", "ftp://x", "ws://", "ws://a:b", "a b", "ws://x:99999", "ws://[::1"]
)
def test_what_is_no_address_is_told(typed: str) -> None:
    with pytest.raises(ValueError, match="no address"):
        ws_url(typed)
