"""Solitaire, and nothing else: no players, no races, no time, no I/O."""

from __future__ import annotations
