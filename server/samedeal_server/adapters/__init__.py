"""Each port made real: one module a library, the only one that imports it.

log_sqlite     the log in a file; `leases_local` the leases of a server alone
log_postgres   log and leases in a PostgreSQL
opening        what the opening of a store may be refused with; `names` when a name is in use
bus_local      the bus within one process; `bus_mqtt` over a broker
clock          the time; `seeds` what must not be guessed
metrics        what is counted, for Prometheus
webhooks       what hosts want to be posted
house_bots     the house as a process of its own; `house_seats` who of it sits where
open_files     how many files there may be
"""

from __future__ import annotations
