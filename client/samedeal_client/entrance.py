"""How a bot comes in: under a name that is free, and into a race of its own.

A bot that keeps no token is somebody new each time, so who was called like it may be itself.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.messages import Cancel
from samedeal_protocol.requests import NAME_CHARACTERS
from samedeal_protocol.terms import Terms

from .client import Hall
from .errors import ClientError, Refused

__all__ = ["named_alike", "opened"]

_NAMESAKES: Final = 9
_PARTING_S: Final = 2.0
"""How long a bot that ends tries to call its race off."""


@asynccontextmanager
async def named_alike(
    base: str, come_in: Callable[[str], AbstractAsyncContextManager[Hall]]
) -> AsyncIterator[Hall]:
    """Comes in as `base`, or as the next of `base-2`, `base-3`, ... that nobody else is called.

    `come_in` connects under a name. Raises what it raises.
    """
    async with AsyncExitStack() as stack:
        yield await _greeted(stack, base, come_in)


async def _greeted(
    stack: AsyncExitStack, base: str, come_in: Callable[[str], AbstractAsyncContextManager[Hall]]
) -> Hall:
    for name in _names(base):
        try:
            return await stack.enter_async_context(come_in(name))
        except Refused as refusal:
            if refusal.code != ErrorCode.NAME_TAKEN.code:
                raise
    raise ClientError(f"{base} and all names like it are taken: choose another name")


def _names(base: str) -> Iterator[str]:
    yield base
    for number in range(2, _NAMESAKES + 1):
        yield _with(base, str(number))
    yield _with(base, secrets.token_hex(3))


def _with(base: str, ending: str) -> str:
    return f"{base[: NAME_CHARACTERS - len(ending) - 1].rstrip()}-{ending}"


@asynccontextmanager
async def opened(hall: Hall, terms: Terms, *, deal: str | None = None) -> AsyncIterator[str]:
    """Opens a race and yields its code; calls it off if its bot fails or is stopped too soon.

    `deal` is the seed of the deal. A race that has started goes on: others play in it.
    """
    race = await hall.create(terms, seed=deal)
    try:
        yield race
    except BaseException:
        # Whoever would enter it now would wait for a host that is gone.
        with suppress(ClientError, TimeoutError):
            async with asyncio.timeout(_PARTING_S):
                await hall.ask(lambda id: Cancel(id=id, race=race))
        raise
