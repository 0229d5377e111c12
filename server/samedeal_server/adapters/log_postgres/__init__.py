"""The log and the leases in one PostgreSQL, for servers on several machines.

`schema` is what the database must hold, `lanes` the connections, `log` and `leases` the ports. What
several nodes must agree on is decided in the database, by the functions of `migrations`.
"""

from __future__ import annotations

from samedeal_server.adapters.log_postgres.leases import PostgresLeases
from samedeal_server.adapters.log_postgres.log import PostgresLog
from samedeal_server.adapters.log_postgres.schema import check, migrate
from samedeal_server.adapters.opening import CannotOpen

__all__ = ["CannotOpen", "PostgresLeases", "PostgresLog", "check", "migrate"]
