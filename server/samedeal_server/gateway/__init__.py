"""The edge: listener, transports, connections, outboxes and pages.

What comes in is judged here as far as no race is needed for it (frames, encodings, rates, sizes);
what is a message goes to the hall, and what the hall says leaves through one outbox a connection.

listener      the one port; `heads` reads what is asked of it first
transport     what carries frames: `transport_fast`, or by documented calls `transport_plain`
connection    one client's; `outbox` what waits to be sent to it
rounds        when each connection is looked at again

pages         what is served beside the WebSocket; `answers` how, `queries` what stands behind `?`
patience      how long a visitor may take over one
site          the pages that people see; `previews` what is said of them where they are shared
web           the browser client's files; `modules` what they need of each other
start_page    instead of them, where there are none
cup_pages     tournaments; `board_pages` leaderboards; `daily_pages` the daily deal
reels         races that are over, as files
press         answers that are much work, one after the other
"""

from __future__ import annotations
