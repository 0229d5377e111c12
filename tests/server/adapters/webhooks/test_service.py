"""The port over a network: what is posted arrives, signed, once and again, and holds nobody up."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import os
import re
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import pytest

from samedeal_client import Refused, Terms, connect
from samedeal_client.cups.cup import Cup
from samedeal_client.testing import server
from samedeal_protocol.tournament.formats import SingleElimination
from samedeal_protocol.tournament.terms import TournamentTerms
from samedeal_server.adapters.clock import SystemClock
from samedeal_server.adapters.webhooks import Webhooks, open_webhooks
from samedeal_server.adapters.webhooks.outgoing import USUAL, Bounds
from samedeal_server.ports import Fate, Health, Hook, Hooks
from support.fakes import EPOCH, FakeClock, RecordingMeter
from support.patience import PATIENCE_S
from support.receivers import Authority, Posted, Receiver, receiver, says
from support.serving import ROOT

HOST = "hooks.example.org"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PAYLOAD = b'{"type": "tournament.result"}'


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def certified(authority: Authority) -> ssl.SSLContext:
    return authority.server(HOST)


async def loopback(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


class WaitingMeter(RecordingMeter):
    """Tells when something has been counted so many times."""

    def __init__(self) -> None:
        super().__init__()
        self._counted = asyncio.Event()

    def count(self, name: str, amount: int = 1) -> None:
        super().count(name, amount)
        self._counted.set()

    async def until(self, name: str, total: int) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while self.totals[name] < total:
                self._counted.clear()
                await self._counted.wait()


@dataclass
class Bench:
    """Webhooks on a clock of the test's own; `timers` are what they asked for, in seconds."""

    hooks: Webhooks
    clock: FakeClock
    meter: WaitingMeter
    timers: list[float]
    fates: asyncio.Queue[tuple[str, Fate, str]] = field(default_factory=asyncio.Queue)

    def post(self, hook: Hook, id: str, payload: bytes = PAYLOAD) -> bool:
        def settled(fate: Fate, said: str) -> None:
            self.fates.put_nowait((id, fate, said))

        return self.hooks.post(hook, id, payload, settled=settled)

    async def fate(self) -> tuple[str, Fate, str]:
        async with asyncio.timeout(PATIENCE_S):
            return await self.fates.get()


@asynccontextmanager
async def benched(authority: Authority, *, bounds: Bounds = USUAL) -> AsyncIterator[Bench]:
    loop = asyncio.get_running_loop()
    timers: list[float] = []

    def call_later(seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        timers.append(seconds)
        return loop.call_later(3600, call)

    clock, meter = FakeClock(), WaitingMeter()
    async with asyncio.TaskGroup() as group:
        hooks = Webhooks(
            clock=clock,
            meter=meter,
            group=group,
            call_later=call_later,
            resolve=loopback,
            tls=authority.trusting(),
            may_be_near=True,
            chance=lambda: 0.5,
            bounds=bounds,
        )
        try:
            yield Bench(hooks, clock, meter, timers)
        finally:
            hooks.close()


def hook_of(there: Receiver, path: str = "/hook") -> Hook:
    return Hook(f"https://{HOST}:{there.port}{path}", SECRET)


def is_signed(posted: Posted, secret: str = SECRET) -> bool:
    """Verifies as the specification says, without the code that signed."""
    signed = f"{posted.headers['webhook-id']}.{posted.headers['webhook-timestamp']}.".encode()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, signed + posted.body, hashlib.sha256).digest()
    return posted.headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"


async def test_what_is_posted_arrives_signed(
    authority: Authority, certified: ssl.SSLContext
) -> None:
    async with receiver(tls=certified) as there, benched(authority) as bench:
        assert bench.post(hook_of(there), "t1-7")
        assert await bench.fate() == ("t1-7", Fate.DELIVERED, "answered 204 No Content")
    (posted,) = there.posted
    assert posted.body == PAYLOAD
    assert posted.headers["webhook-id"] == "t1-7"
    assert posted.headers["webhook-timestamp"] == str(EPOCH // 1000)
    assert is_signed(posted)
    assert bench.meter.totals["hooks_delivered"] == 1


async def test_what_fails_is_tried_again_under_the_same_id_with_a_new_time(
    authority: Authority, certified: ssl.SSLContext
) -> None:
    answers = says("500 Internal Server Error"), says("204 No Content")
    async with receiver(*answers, tls=certified) as there, benched(authority) as bench:
        hook = hook_of(there)
        bench.post(hook, "t1-7")
        await bench.meter.until("hooks_failed", 1)
        assert bench.hooks.health(hook) == Health(
            waiting=1, failures=1, said="answered 500 Internal Server Error"
        )
        assert bench.timers[-1] == 5.0
        bench.clock.advance(4_999)
        bench.hooks.look()
        assert bench.timers[-1] == 0.001
        bench.clock.advance(1)
        bench.hooks.look()
        assert (await bench.fate())[1] is Fate.DELIVERED
    assert [each.headers["webhook-id"] for each in there.posted] == ["t1-7", "t1-7"]
    sent = [int(each.headers["webhook-timestamp"]) for each in there.posted]
    assert sent == [EPOCH // 1000, EPOCH // 1000 + 5]
    assert all(map(is_signed, there.posted))


async def test_after_a_day_of_failures_it_is_given_up(
    authority: Authority, certified: ssl.SSLContext
) -> None:
    async with (
        receiver(says("503 Service Unavailable"), tls=certified) as there,
        benched(authority) as bench,
    ):
        bench.post(hook_of(there), "t1-7")
        await bench.meter.until("hooks_failed", 1)
        bench.clock.advance(24 * 3_600_000)
        bench.hooks.look()
        assert await bench.fate() == ("t1-7", Fate.GIVEN_UP, "answered 503 Service Unavailable")
    assert bench.meter.totals["hooks_given_up"] == 1


async def test_a_receiver_that_is_gone_settles_all_that_waited(
    authority: Authority, certified: ssl.SSLContext
) -> None:
    async with receiver(says("410 Gone"), tls=certified) as there, benched(authority) as bench:
        for number in range(3):
            bench.post(hook_of(there), f"t1-{number}")
        fates = [await bench.fate() for _ in range(3)]
    assert [(id, fate) for id, fate, _ in fates] == [(f"t1-{each}", Fate.GONE) for each in range(3)]
    assert len(there.posted) == 1


async def test_a_receiver_that_never_answers_holds_up_no_other(
    authority: Authority, certified: ssl.SSLContext
) -> None:
    async def silence(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with (
        receiver(silence, tls=certified) as dead,
        receiver(tls=certified) as there,
        benched(authority) as bench,
    ):
        bench.post(hook_of(dead), "t1-0")
        for number in range(1, 9):
            bench.post(hook_of(there), f"t1-{number}")
        assert [(await bench.fate())[0] for _ in range(8)] == [f"t1-{each}" for each in range(1, 9)]
        assert bench.hooks.health(hook_of(dead)).waiting == 1


async def test_too_many_are_turned_away_and_nothing_is_lost(
    authority: Authority, certified: ssl.SSLContext
) -> None:
    bounds = Bounds(waiting_per_hook=2)
    async with receiver(tls=certified) as there, benched(authority, bounds=bounds) as bench:
        hook = hook_of(there)
        assert [bench.post(hook, f"t1-{each}") for each in range(3)] == [True, True, False]
        assert bench.meter.totals["hooks_turned_away"] == 1
        assert [(await bench.fate())[0] for _ in range(2)] == ["t1-0", "t1-1"]
        assert bench.post(hook, "t1-2")
        assert (await bench.fate())[0] == "t1-2"


async def test_a_forgotten_hook_is_posted_nothing_more(
    authority: Authority, certified: ssl.SSLContext
) -> None:
    async with (
        receiver(says("500 Internal Server Error"), tls=certified) as there,
        benched(authority) as bench,
    ):
        bench.post(hook_of(there), "t1-0")
        await bench.meter.until("hooks_failed", 1)
        bench.hooks.forget(hook_of(there))
        bench.clock.advance(3_600_000)
        bench.hooks.look()
        bench.post(hook_of(there, "/other"), "t1-1")
        await bench.meter.until("hooks_failed", 2)
    assert [each.headers["webhook-id"] for each in there.posted] == ["t1-0", "t1-1"]


async def test_the_end_cuts_attempts_short_and_settles_nothing(
    authority: Authority, certified: ssl.SSLContext
) -> None:
    reached = asyncio.Event()

    async def silence(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
        reached.set()
        await asyncio.Event().wait()

    async with receiver(silence, tls=certified) as there:
        async with benched(authority) as bench:
            bench.post(hook_of(there), "t1-0")
            async with asyncio.timeout(PATIENCE_S):
                await reached.wait()
        assert bench.fates.empty()
        assert not bench.post(hook_of(there), "t1-1")


async def test_what_never_was_right_is_refused_at_once(authority: Authority) -> None:
    hook = Hook(f"https://{HOST}/", SECRET)
    wrong = [
        (Hook("ftp://x/", SECRET), "t1-0", PAYLOAD, "begin with https"),
        (Hook(hook.url, "whsec_short"), "t1-0", PAYLOAD, "a hook's secret is"),
        (hook, "t1.0", PAYLOAD, "cannot be the id"),
        (hook, "t1-0", b"x" * 32_769, "are too many"),
    ]
    async with benched(authority) as bench:
        for each, id, payload, said in wrong:
            with pytest.raises(ValueError, match=said):
                bench.post(each, id, payload)
        assert bench.hooks.health(hook) == Health()


async def test_neither_log_nor_answers_tell_of_path_or_secret(
    authority: Authority, certified: ssl.SSLContext, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with receiver(says("410 Gone"), tls=certified) as there, benched(authority) as bench:
        hook = hook_of(there, "/token-4711?key=4711")
        bench.post(hook, "t1-0")
        said = (await bench.fate())[2]
    ours = [each.getMessage() for each in caplog.records if each.name.startswith("samedeal")]
    assert ours == [f"hook gone host={HOST} id=t1-0"]
    assert "4711" not in "".join(ours) + said + repr(hook)
    assert SECRET not in repr(hook)


async def test_a_resolver_that_breaks_ends_its_attempt_and_not_the_server(
    authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(host: str, port: int) -> Sequence[str]:
        raise ZeroDivisionError

    meter = WaitingMeter()
    async with asyncio.TaskGroup() as group:
        hooks = Webhooks(
            clock=FakeClock(),
            meter=meter,
            group=group,
            call_later=asyncio.get_running_loop().call_later,
            resolve=broken,
            tls=authority.trusting(),
        )
        hook = Hook(f"https://{HOST}/", SECRET)
        hooks.post(hook, "t1-0", PAYLOAD, settled=lambda _fate, _said: None)
        await meter.until("hooks_failed", 1)
        assert hooks.health(hook).said == "the attempt failed by our own fault"
        hooks.close()
    assert [each.message for each in caplog.records] == [f"hook attempt failed host={HOST} id=t1-0"]


# --- the document --------------------------------------------------------------------------------


@contextmanager
def documented_receiver(secret: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The program of docs/webhooks.md, as it stands there."""
    document = (ROOT / "docs" / "webhooks.md").read_text("utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"HOOK_SECRET": secret, "PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline().split()[-1]), process
        finally:
            process.kill()


async def test_the_documented_receiver_takes_what_is_genuine_and_once() -> None:
    meter = WaitingMeter()
    async with open_webhooks(clock=SystemClock(), meter=meter, may_be_near=True) as made:
        hooks: Hooks = made  # it is one, to the type checkers
        secret = hooks.secret()
        with documented_receiver(secret) as (port, process):
            url = f"http://127.0.0.1:{port}/results"
            assert hooks.fault(url) is None
            fates: asyncio.Queue[tuple[Fate, str]] = asyncio.Queue()

            def settled(fate: Fate, said: str) -> None:
                fates.put_nowait((fate, said))

            mine, forged = Hook(url, secret), Hook(url, hooks.secret())
            async with asyncio.timeout(PATIENCE_S):
                for id in ("t1-1", "t1-1", "t1-2"):  # the first again, as after a restart
                    payload = json.dumps({"message": id}).encode()
                    assert hooks.post(mine, id, payload, settled=settled)
                    assert (await fates.get())[0] is Fate.DELIVERED
                assert hooks.post(forged, "t1-3", b'{"message": "forged"}', settled=settled)
                await meter.until("hooks_failed", 1)
            assert hooks.health(forged).said == "answered 401 Unauthorized"
            process.kill()
            printed, _ = process.communicate(timeout=PATIENCE_S)
    assert printed.splitlines() == ["new: {'message': 't1-1'}", "new: {'message': 't1-2'}"]


@asynccontextmanager
async def hosted(*options: str) -> AsyncIterator[Cup]:
    """A tournament of a server process."""
    terms = TournamentTerms(name="Trial", format=SingleElimination(), race=Terms(game="opus"))
    async with server(arguments=options) as url, connect(url, name="Ada") as hall:
        code = await hall.announce(terms)
        async with hall.tournament(code) as cup:
            yield cup


async def test_an_operator_may_let_results_be_posted_to_this_machine() -> None:
    arrived = asyncio.Event()

    async def takes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await says("204 No Content")(reader, writer)
        arrived.set()

    async with hosted("--webhooks", "private") as cup, receiver(takes) as there:
        secret = await cup.add_hook(f"http://127.0.0.1:{there.port}/hook")
        await cup.call_off("only a trial")
        async with asyncio.timeout(PATIENCE_S):
            await arrived.wait()
    (posted,) = there.posted
    assert json.loads(posted.body)["type"] == "tournament-called-off"
    assert is_signed(posted, secret)


async def test_without_leave_no_hook_leads_to_this_machine() -> None:
    async with hosted() as cup, receiver() as there:
        with pytest.raises(Refused) as refused:
            await cup.add_hook(f"http://127.0.0.1:{there.port}/hook")
        assert refused.value.code == "bad-url"
        with pytest.raises(Refused):
            await cup.add_hook("https://127.0.0.1:8443/hook")
