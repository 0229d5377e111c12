"""One attempt against receivers that take it, fail, lie, dawdle, or are not what they seem."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any

import pytest
import uvloop

from samedeal_server.adapters.webhooks.outgoing import Answer
from samedeal_server.adapters.webhooks.posting import HEAD_BYTES, SystemResolver, post, tls_context
from samedeal_server.adapters.webhooks.urls import Target
from support.receivers import Authority, Behaviour, Receiver, receiver, says

HOST = "hooks.example.org"
BODY = b'{"type":"tournament.result"}'
LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


class Names:
    """Resolves every name to what is next in turn, in the end always to the last; counts."""

    def __init__(self, *turns: Sequence[str]) -> None:
        self._turns = turns
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self._turns[min(len(self.asked), len(self._turns)) - 1]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def certified(authority: Authority) -> ssl.SSLContext:
    """The receiver's side of TLS, with a certificate for HOST."""
    return authority.server(HOST)


@pytest.fixture(scope="module")
def trusting(authority: Authority) -> ssl.SSLContext:
    return authority.trusting()


@pytest.fixture(params=LOOPS)
def runner(request: pytest.FixtureRequest) -> Iterator[asyncio.Runner]:
    """Runs a test's story in an event loop of each kind that the server may have."""
    with asyncio.Runner(loop_factory=LOOPS[request.param]) as made:
        yield made


def run(runner: asyncio.Runner, story: Coroutine[Any, Any, None]) -> None:
    runner.run(asyncio.wait_for(story, 20))


async def posted(
    to: Receiver,
    tls: ssl.SSLContext,
    *,
    names: Names | None = None,
    may_be_near: bool = True,
    within_s: float = 10,
    host: str = HOST,
) -> Answer:
    return await post(
        Target(host, to.port, "/hook?key=1"),
        [("content-type", "application/json"), ("webhook-id", "m1")],
        BODY,
        resolve=names or Names(["127.0.0.1"]),
        tls=tls,
        may_be_near=may_be_near,
        within_s=within_s,
    )


def test_what_is_posted_arrives_over_tls(
    runner: asyncio.Runner, certified: ssl.SSLContext, trusting: ssl.SSLContext
) -> None:
    async def story() -> None:
        async with receiver(says("202 Accepted"), tls=certified) as there:
            answer = await posted(there, trusting)
        assert answer == Answer(202, "answered 202 Accepted")
        (got,) = there.posted
        assert got.line == "POST /hook?key=1 HTTP/1.1"
        assert got.body == BODY
        assert got.headers == {
            "host": f"{HOST}:{there.port}",
            "content-type": "application/json",
            "webhook-id": "m1",
            "content-length": str(len(BODY)),
            "connection": "close",
        }

    run(runner, story())


# --- who is spoken to --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.7"],
        ["169.254.169.254"],
        ["::ffff:127.0.0.1"],
        ["fe80::1%lo"],
        ["8.8.8.8", "127.0.0.1"],
        ["2606:4700::1111", "fd00::1"],
    ],
    ids=" ".join,
)
def test_a_name_for_anything_but_public_addresses_is_connected_to_nowhere(
    runner: asyncio.Runner,
    certified: ssl.SSLContext,
    trusting: ssl.SSLContext,
    addresses: list[str],
) -> None:
    async def story() -> None:
        async with receiver(tls=certified) as there:
            answer = await posted(there, trusting, names=Names(addresses), may_be_near=False)
        assert answer.status is None
        assert "not of the public internet" in answer.said
        assert there.connections == 0

    run(runner, story())


@pytest.mark.parametrize("addresses", [["8.8.8.8"], ["127.0.0.1", "169.254.169.254"]])
def test_without_tls_even_a_trial_reaches_nothing_far(addresses: list[str]) -> None:
    async def story() -> Answer:
        return await post(
            Target("localhost", 9, "/", is_tls=False),
            [],
            BODY,
            resolve=Names(addresses),
            tls=tls_context(),
            may_be_near=True,
        )

    assert "the public internet" in asyncio.run(story()).said


def test_the_connection_goes_to_the_address_that_was_looked_at(
    runner: asyncio.Runner, certified: ssl.SSLContext, trusting: ssl.SSLContext
) -> None:
    """The name stands for another address when it is asked for again; it is asked for once."""

    async def story() -> None:
        names = Names(["127.0.0.1"], ["127.0.0.2"])
        async with (
            receiver(tls=certified) as there,
            receiver(tls=certified, host="127.0.0.2", port=there.port) as inside,
        ):
            answer = await posted(there, trusting, names=names)
        assert answer.status == 204
        assert (there.connections, inside.connections) == (1, 0)
        assert names.asked == [HOST]

    run(runner, story())


def test_a_name_that_is_bound_anew_between_attempts_is_looked_at_anew(
    runner: asyncio.Runner, certified: ssl.SSLContext, trusting: ssl.SSLContext
) -> None:
    async def story() -> None:
        names = Names(["127.0.0.1"], ["169.254.0.1"])
        async with receiver(tls=certified) as there:
            first = await posted(there, trusting, names=names)
            second = await posted(there, trusting, names=names)
        assert first.status == 204
        assert "not of the public internet" in second.said

    run(runner, story())


def test_an_address_that_nobody_listens_at_is_passed_over(
    runner: asyncio.Runner, certified: ssl.SSLContext, trusting: ssl.SSLContext
) -> None:
    async def story() -> None:
        async with receiver(tls=certified) as there:
            answer = await posted(there, trusting, names=Names(["127.0.0.3", "127.0.0.1"]))
        assert answer.status == 204

    run(runner, story())


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"])
def test_a_redirect_is_not_followed(
    runner: asyncio.Runner, certified: ssl.SSLContext, trusting: ssl.SSLContext, status: str
) -> None:
    async def story() -> None:
        async with receiver(tls=certified) as inside:
            leads = f"Location: https://{HOST}:{inside.port}/"
            async with receiver(says(status, leads), tls=certified) as there:
                answer = await posted(there, trusting)
        assert answer.status == int(status[:3])
        assert "redirects are not followed" in answer.said
        assert inside.connections == 0

    run(runner, story())


@pytest.mark.parametrize(
    ("certificate", "days", "said"),
    [("other.example.org", 30, "Hostname mismatch"), (HOST, -1, "certificate has expired")],
)
def test_a_certificate_that_is_not_the_hosts_or_is_over_ends_the_attempt(
    runner: asyncio.Runner,
    authority: Authority,
    trusting: ssl.SSLContext,
    certificate: str,
    days: int,
    said: str,
) -> None:
    async def story() -> None:
        wrong = authority.server(certificate, days=days)
        async with receiver(tls=wrong) as there:
            answer = await posted(there, trusting)
        assert answer.status is None
        assert f"the host's certificate cannot be trusted: {said}" in answer.said
        assert there.posted == []

    run(runner, story())


def test_an_authority_that_the_system_does_not_trust_is_not_trusted(
    runner: asyncio.Runner, certified: ssl.SSLContext
) -> None:
    async def story() -> None:
        async with receiver(tls=certified) as there:
            answer = await posted(there, tls_context())
        assert "certificate cannot be trusted" in answer.said
        assert there.posted == []

    run(runner, story())


def test_a_certificate_for_an_address_is_looked_at_as_well(
    runner: asyncio.Runner, authority: Authority, certified: ssl.SSLContext
) -> None:
    async def story() -> None:
        for tls, status in ((authority.server("127.0.0.1"), 204), (certified, None)):
            async with receiver(tls=tls) as there:
                answer = await posted(there, authority.trusting(), host="127.0.0.1")
            assert answer.status == status

    run(runner, story())


def test_a_receiver_without_tls_is_told_nothing(
    runner: asyncio.Runner, trusting: ssl.SSLContext
) -> None:
    async def story() -> None:
        async with receiver() as there:  # takes the handshake for a request that goes on
            answer = await posted(there, trusting, within_s=0.5)
        assert answer.said == "no answer within 0.5 seconds"
        assert there.posted == []

    run(runner, story())


# --- what comes back ---------------------------------------------------------------------------


async def silence(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def hang_up(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
    return


async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A head that never ends, and never pauses long enough for anybody's patience per read."""
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"x: y\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


def floods(first: bytes, then: bytes) -> Behaviour:
    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        while True:
            writer.write(then * (65_536 // len(then)))
            await writer.drain()

    return behave


async def garbage(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
    await writer.drain()


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (silence, "no answer within 0.5 seconds"),
        (drip, "no answer within 0.5 seconds"),
        (hang_up, "no answer in HTTP/1.1"),
        (garbage, "no answer in HTTP/1.1"),
        (floods(b"HTTP/1.1 200 OK\r\n", b"x: y\r\n"), "too long"),
        (floods(b"HTTP/1.1 200 OK\r\nx: ", b"y"), "too long"),
        (floods(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), "too long"),
        (floods(b"", b"\0"), "HTTP/1.1"),
    ],
    ids="silence drip hang-up garbage headers header hints zeros".split(),
)
def test_a_receiver_without_a_head_of_an_answer_is_left_in_time(
    runner: asyncio.Runner,
    certified: ssl.SSLContext,
    trusting: ssl.SSLContext,
    behaviour: Behaviour,
    said: str,
) -> None:
    async def story() -> None:
        async with receiver(behaviour, tls=certified) as there:
            # Who says something is heard out by its size, however slow this machine is.
            patience = 0.5 if behaviour in (silence, drip) else 15
            answer = await posted(there, trusting, within_s=patience)
        assert answer.status is None
        assert said in answer.said

    run(runner, story())


def test_an_endless_body_is_not_read(
    runner: asyncio.Runner, certified: ssl.SSLContext, trusting: ssl.SSLContext
) -> None:
    async def story() -> None:
        endless = floods(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n")
        async with receiver(endless, tls=certified) as there:
            answer = await posted(there, trusting)
        assert answer.status == 200

    run(runner, story())


def test_a_name_that_takes_too_long_ends_the_attempt(trusting: ssl.SSLContext) -> None:
    async def never(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    async def story() -> Answer:
        return await post(
            Target(HOST, 443, "/"), [], b"", resolve=never, tls=trusting, within_s=0.1
        )

    assert asyncio.run(story()).said == "no answer within 0.1 seconds"


@pytest.mark.parametrize(
    ("head", "asked"),
    [
        ("Retry-After: 120", 120),
        ("retry-after: 0", 0),
        ("Retry-After: Fri, 31 Dec 2027 23:59:59 GMT", 0),
        ("Retry-After: -1", 0),
        ("Retry-After: 99999999999999999999", 0),
        ("X-Other: 5", 0),
    ],
)
def test_how_long_the_receiver_asks_to_be_left_alone(
    certified: ssl.SSLContext, trusting: ssl.SSLContext, head: str, asked: int
) -> None:
    async def story() -> Answer:
        async with receiver(says("503 Service Unavailable", head), tls=certified) as there:
            return await posted(there, trusting)

    assert asyncio.run(story()) == Answer(503, "answered 503 Service Unavailable", asked)


def test_hints_before_the_answer_are_passed_over(
    certified: ssl.SSLContext, trusting: ssl.SSLContext
) -> None:
    async def story() -> Answer:
        async def hints(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
            await says("200 OK")(reader, writer)

        async with receiver(hints, tls=certified) as there:
            return await posted(there, trusting)

    assert asyncio.run(story()).status == 200


def test_a_head_just_within_bounds_is_read(
    certified: ssl.SSLContext, trusting: ssl.SSLContext
) -> None:
    async def story() -> Answer:
        wide = "X-Wide: " + "x" * (HEAD_BYTES - 200)
        async with receiver(says("200 OK", wide), tls=certified) as there:
            return await posted(there, trusting)

    assert asyncio.run(story()).status == 200


# --- names ----------------------------------------------------------------------------------------


def test_the_system_resolves_this_machine(runner: asyncio.Runner) -> None:
    async def story() -> None:
        resolver = SystemResolver()
        try:
            found = await resolver("127.0.0.1", 443)
        finally:
            resolver.close()
        assert found == ["127.0.0.1"]

    run(runner, story())


@pytest.mark.parametrize("spelling", ["127.1", "2130706433", "0x7f.1", "017700000001"])
def test_odd_spellings_of_this_machine_resolve_to_it_and_are_refused(spelling: str) -> None:
    async def story() -> Answer:
        resolver = SystemResolver()
        try:
            return await post(
                Target(spelling, 443, "/"), [], b"", resolve=resolver, tls=tls_context()
            )
        finally:
            resolver.close()

    assert "not of the public internet" in asyncio.run(story()).said


@pytest.mark.parametrize(
    "fault",
    [socket.gaierror(-2, "Name or service not known"), UnicodeError("label too long"), None],
)
def test_a_name_that_is_none_ends_the_attempt(fault: Exception | None) -> None:
    async def unknown(host: str, port: int) -> Sequence[str]:
        if fault is not None:
            raise fault
        return []

    async def story() -> Answer:
        return await post(Target(HOST, 443, "/"), [], b"", resolve=unknown, tls=tls_context())

    assert asyncio.run(story()).said == "the host's name cannot be resolved"
