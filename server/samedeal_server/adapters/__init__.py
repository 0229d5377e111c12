"""Each port made real: one module a library, the only one that imports it."""

from __future__ import annotations
