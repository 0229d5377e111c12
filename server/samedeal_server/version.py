"""Which version of samedeal this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

__all__ = ["VERSION"]


def _installed() -> str:
    try:
        return version("samedeal")
    except PackageNotFoundError:
        # The sources were put on the path without being installed.
        return "0+source"


VERSION = _installed()
