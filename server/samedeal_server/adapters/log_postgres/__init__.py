"""The log and the leases in one PostgreSQL, for servers on several machines.

`schema` is what the database must hold, `lanes` the connections, `log` and `leases` the ports,
`stored` a look from outside, `restoring` the way back from a backup, `rulings` what is written
beside servers. What several nodes must agree on is decided in the database, by the functions of
`migrations`.
"""

from __future__ import annotations

from samedeal_server.adapters.log_postgres.leases import PostgresLeases
from samedeal_server.adapters.log_postgres.log import PostgresLog
from samedeal_server.adapters.log_postgres.restoring import restore
from samedeal_server.adapters.log_postgres.rulings import rule
from samedeal_server.adapters.log_postgres.schema import check, migrate
from samedeal_server.adapters.log_postgres.stored import Stored
from samedeal_server.adapters.opening import CannotOpen

__all__ = [
    "CannotOpen",
    "PostgresLeases",
    "PostgresLog",
    "Stored",
    "check",
    "migrate",
    "restore",
    "rule",
]
