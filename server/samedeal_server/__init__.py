"""The server: opens races, judges every move, keeps the log, tells the world."""

from __future__ import annotations
