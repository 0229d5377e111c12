"""The port `Hooks` over the network: attempts start when they are due, and hold nobody up."""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from samedeal_server.adapters.webhooks.outgoing import (
    USUAL,
    Answer,
    Bounds,
    Delivery,
    Outgoing,
    Verdict,
)
from samedeal_server.adapters.webhooks.posting import (
    TIMEOUT_S,
    Resolve,
    SystemResolver,
    post,
    tls_context,
)
from samedeal_server.adapters.webhooks.signing import new_secret, signature
from samedeal_server.adapters.webhooks.urls import BadUrl, target_of
from samedeal_server.ports import Clock, Fate, Health, Hook, Meter
from samedeal_server.version import VERSION

__all__ = ["Webhooks", "open_webhooks"]

_log = logging.getLogger(__name__)

_FATES: Final = {
    Fate.DELIVERED: "hooks_delivered",
    Fate.GIVEN_UP: "hooks_given_up",
    Fate.GONE: "hooks_given_up",
}


class Webhooks:
    """Posts to hosts' URLs from the tasks of a group; `open_webhooks` makes one.

    `call_later` calls something after so many seconds and returns what cancels it. `look` starts
    what is due; it is called by itself when there is something to start.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        meter: Meter,
        group: asyncio.TaskGroup,
        call_later: Callable[[float, Callable[[], None]], asyncio.TimerHandle],
        resolve: Resolve,
        tls: ssl.SSLContext,
        may_be_near: bool = False,
        chance: Callable[[], float] = random.random,
        bounds: Bounds = USUAL,
        within_s: float = TIMEOUT_S,
    ) -> None:
        self._clock = clock
        self._meter = meter
        self._group = group
        self._call_later = call_later
        self._resolve = resolve
        self._tls = tls
        self._may_be_near = may_be_near
        self._bounds = bounds
        self._within_s = within_s
        self._outgoing = Outgoing(chance=chance, bounds=bounds)
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def secret(self) -> str:
        """Returns a new hook's secret."""
        return new_secret()

    def fault(self, url: str) -> str | None:
        """Says why nothing can be posted to a URL and what to do, or None; connects to nothing."""
        try:
            target_of(url, may_be_near=self._may_be_near)
        except BadUrl as wrong:
            return str(wrong)
        return None

    def post(
        self, hook: Hook, id: str, payload: bytes, *, settled: Callable[[Fate, str], None]
    ) -> bool:
        """Hands over and returns at once; False when too much waits, and `settled` is not called.

        Raises `ValueError` for a hook that never was right, an id with other characters than
        letters, digits, `_` and `-`, and a payload above the bound.
        """
        target_of(hook.url, may_be_near=self._may_be_near)
        signature(hook.secret, id=id, timestamp=0, body=b"")
        if len(payload) > self._bounds.payload_bytes:
            raise ValueError(f"{len(payload)} bytes are too many to be posted at once")
        if self._is_closed:
            return False
        delivery = Delivery(hook, id, payload, self._clock.now(), settled)
        if not self._outgoing.add(delivery):
            self._meter.count("hooks_turned_away")
            return False
        self.look()
        return True

    def forget(self, hook: Hook) -> None:
        """Drops what waits for the hook."""
        self._outgoing.forget(hook)

    def health(self, hook: Hook) -> Health:
        """Returns how it goes with a hook."""
        return self._outgoing.health(hook)

    def look(self) -> None:
        """Starts what is due, and has itself called when something will be."""
        if self._is_closed:
            return
        now = self._clock.now()
        for delivery in self._outgoing.due(now):
            task = self._group.create_task(self._attempt(delivery), name=f"hook {delivery.id}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self._outgoing.next_due()
        if due is not None:
            self._timer = self._call_later(max(0, due - now) / 1000, self.look)

    def close(self) -> None:
        """Ends every attempt; what was not settled never will be."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()

    async def _attempt(self, delivery: Delivery) -> None:
        target = target_of(delivery.hook.url, may_be_near=self._may_be_near)
        try:
            answer = await self._posted(delivery)
        except Exception:
            # Whatever a receiver may have found to send us: it is this attempt's end, no other's.
            _log.exception("hook attempt failed host=%s id=%s", target.host, delivery.id)
            answer = Answer(None, "the attempt failed by our own fault")
        if answer.verdict is not Verdict.DELIVERED:
            self._meter.count("hooks_failed")
        settled = self._outgoing.settle(delivery, answer, now=self._clock.now())
        for each, fate in settled:
            self._meter.count(_FATES[fate])
            if fate is not Fate.DELIVERED:
                _log.info("hook %s host=%s id=%s", fate.value, target.host, each.id)
            each.settled(fate, answer.said)
        self.look()

    async def _posted(self, delivery: Delivery) -> Answer:
        timestamp = self._clock.now() // 1000
        hook, id, body = delivery.hook, delivery.id, delivery.payload
        headers = [
            ("content-type", "application/json"),
            ("user-agent", f"samedeal/{VERSION}"),
            ("webhook-id", id),
            ("webhook-timestamp", str(timestamp)),
            ("webhook-signature", signature(hook.secret, id=id, timestamp=timestamp, body=body)),
        ]
        return await post(
            target_of(hook.url, may_be_near=self._may_be_near),
            headers,
            body,
            resolve=self._resolve,
            tls=self._tls,
            may_be_near=self._may_be_near,
            within_s=self._within_s,
        )


@asynccontextmanager
async def open_webhooks(
    *, clock: Clock, meter: Meter, may_be_near: bool
) -> AsyncIterator[Webhooks]:
    """Posts for as long as the block lasts; at its end attempts are cut short.

    With `may_be_near`, which is for tests and trials, URLs may also lead to this machine and into
    its private networks.
    """
    resolver = SystemResolver()
    try:
        async with asyncio.TaskGroup() as group:
            hooks = Webhooks(
                clock=clock,
                meter=meter,
                group=group,
                call_later=asyncio.get_running_loop().call_later,
                resolve=resolver,
                tls=tls_context(),
                may_be_near=may_be_near,
            )
            try:
                yield hooks
            finally:
                hooks.close()
    finally:
        resolver.close()
