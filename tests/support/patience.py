"""How long a test waits for what must come.

So long that nothing is late on a machine with too much to do: only what never comes is.
"""

from __future__ import annotations

from typing import Final

__all__ = ["PATIENCE_S"]

PATIENCE_S: Final = 60.0
