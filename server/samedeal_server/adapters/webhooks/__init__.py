"""News posted to the URLs that hosts gave: signed, tried for a day, and to public places only.

addresses  which addresses are public
urls       which URLs can be a hook's
signing    signatures and secrets, as Standard Webhooks 1.0.0 has them
outgoing   what waits, what is due, and what an answer means; a value without a clock
posting    one attempt, over the network
service    all of it together behind the port `Hooks`

Whoever may name a URL may have this server connect to it from the inside of its network. So a name
is resolved once for every attempt, all that it stands for is looked at, and the connection goes to
an address that was looked at: who changes the name in between gains nothing. Redirects are not
followed, and nothing of an answer is read but its head.

HTTP is spoken by h11 over a stream of asyncio: that leaves the connection to us, and with it the
choice of the address. Clients that resolve and connect by themselves would have to be opened up.
"""

from __future__ import annotations

from samedeal_server.adapters.webhooks.service import Webhooks, open_webhooks

__all__ = ["Webhooks", "open_webhooks"]
