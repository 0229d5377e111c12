"""The wire: what clients and servers say to each other, as types, without I/O."""

from __future__ import annotations
