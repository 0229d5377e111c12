"""One task owns one race: inbox, deadline, log, then tell."""

from __future__ import annotations
