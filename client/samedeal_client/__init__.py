"""The client: the library for bot authors, honest bots, and the command samedeal."""

from __future__ import annotations
