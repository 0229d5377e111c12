"""The command `samedeal`, one module a group of commands."""

from __future__ import annotations

from .command import main

__all__ = ["main"]
