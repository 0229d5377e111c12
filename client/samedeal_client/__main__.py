"""`python -m samedeal_client` is the command `samedeal`."""

from __future__ import annotations

import sys

from samedeal_client.cli import main

sys.exit(main())
