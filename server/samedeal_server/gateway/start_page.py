"""The start page of a server without the browser client: what this is and how to play."""

from __future__ import annotations

import base64
import hashlib
import html
from http import HTTPStatus
from typing import Final

from samedeal_server.gateway.answers import FRESH, Origin, Page

__all__ = ["start_page"]

_STYLE: Final = """
:root { color-scheme: light dark }
body { font: 1.05rem/1.6 system-ui, sans-serif }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
code, pre { font: 0.95em ui-monospace, monospace }
pre { border: 1px solid; border-radius: 0.5rem; padding: 0.8rem 1rem; overflow-x: auto }
"""

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


def start_page(origin: Origin, *, unready: str | None) -> Page:
    """Returns the page; `unready` says why players should go elsewhere for now, if they should."""
    address = html.escape(origin.address)
    state = f"<p><strong>Not now: {html.escape(unready)}.</strong></p>" if unready else ""
    body = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>samedeal</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>samedeal</h1>
<p>This is a samedeal server: solitaire races in which everyone gets the identical deal at the same
instant, every move is checked, and the finishers are ranked.</p>
{state}
<p>It listens at <code>{address}</code>. To play, type in a terminal:</p>
<pre>samedeal play --server {address}</pre>
<h2>To look at</h2>
<ul>
<li><a href="/api/v1/races">the races that are open or running</a></li>
<li><a href="/api/v1/games">the games</a></li>
<li><a href="/readyz">whether the server is ready</a> and <a href="/version">its version</a></li>
</ul>
</main>
</body>
</html>
"""
    return Page(
        HTTPStatus.OK,
        body.encode(),
        "text/html; charset=utf-8",
        {**FRESH, "Content-Security-Policy": _POLICY},
    )
