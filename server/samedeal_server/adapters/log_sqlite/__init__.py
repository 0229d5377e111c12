"""The log in one SQLite file, for one server on one machine.

`schema` opens the file, `journal` is the table that grows, `worker` the two threads, `log` the
port, `stored` a look from outside, `restoring` the way back from a backup, `rulings` what is
written beside a server.
"""

from __future__ import annotations

from samedeal_server.adapters.log_sqlite.log import SqliteLog
from samedeal_server.adapters.log_sqlite.restoring import restore
from samedeal_server.adapters.log_sqlite.rulings import rule
from samedeal_server.adapters.log_sqlite.schema import CannotOpen
from samedeal_server.adapters.log_sqlite.stored import Stored

__all__ = ["CannotOpen", "SqliteLog", "Stored", "restore", "rule"]
