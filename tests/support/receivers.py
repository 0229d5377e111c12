"""Receivers of webhooks: servers that keep what is posted to them and answer as they are told.

They know of HTTP just what is needed to take a request apart, on purpose not by the library that
the sender uses. Certificates are from an authority of the test's own, made by openssl.
"""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Authority", "Behaviour", "Posted", "Receiver", "receiver", "says"]

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Posted:
    """One request: its first line, its headers with names in lower case, its body."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Receiver:
    """A receiver that listens; it behaves by `behaviours` in turn, and then always by the last."""

    behaviours: list[Behaviour]
    port: int = 0
    connections: int = 0
    posted: list[Posted] = field(default_factory=list[Posted])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").split("\r\n")
            headers = {
                name.lower(): value.strip()
                for name, _, value in (line.partition(":") for line in head[1:-2])
            }
            body = await reader.readexactly(int(headers["content-length"]))
            self.posted.append(Posted(head[0], headers, body))
            behave = self.behaviours[min(len(self.posted), len(self.behaviours)) - 1]
            await behave(reader, writer)
        writer.close()


def says(answer: str, *headers: str, body: bytes = b"") -> Behaviour:
    """Answers with a status line, such as `200 OK`, and closes."""

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {answer}", f"Content-Length: {len(body)}", *headers, "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        await writer.drain()

    return behave


@asynccontextmanager
async def receiver(
    *behaviours: Behaviour,
    tls: ssl.SSLContext | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
) -> AsyncIterator[Receiver]:
    """A receiver for as long as the block lasts; without behaviours it takes everything."""
    made = Receiver([*behaviours] or [says("204 No Content")])
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(made.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, host, port, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Authority:
    """Signs certificates, and is trusted by whom one likes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=test authority",
        )  # fmt: skip

    def trusting(self) -> ssl.SSLContext:
        """What a client has that trusts this authority alone."""
        return ssl.create_default_context(cafile=str(self._folder / "ca.pem"))

    def server(self, name: str, *, days: int = 30) -> ssl.SSLContext:
        """What a server has with a certificate for a name or address; days < 0 makes it void."""
        kind = "IP" if name[0].isdigit() else "DNS"
        (self._folder / "ext").write_text(f"subjectAltName={kind}:{name}", "ascii")
        self._openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", f"{name}.key", "-out", "csr", "-subj", f"/CN={name}",
        )  # fmt: skip
        self._openssl(
            "x509", "-req", "-in", "csr", "-days", str(days), "-extfile", "ext",
            "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", f"{name}.pem",
        )  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        return context

    def _openssl(self, *words: str) -> None:
        subprocess.run(["openssl", *words], cwd=self._folder, check=True, capture_output=True)
