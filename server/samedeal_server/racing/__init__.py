"""Races as values: commands in, events out. Nothing here reads a clock or does I/O."""

from __future__ import annotations
