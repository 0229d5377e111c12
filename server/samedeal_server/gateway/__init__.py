"""The edge: listener, transports, connections, outboxes and pages.

What comes in is judged here as far as no race is needed for it (frames, encodings, rates, sizes);
what is a message goes to the hall, and what the hall says leaves through one outbox a connection.
"""

from __future__ import annotations
