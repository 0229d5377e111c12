"""The edge: listener, connections, outboxes and pages."""

from __future__ import annotations
