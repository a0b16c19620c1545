"""Limits of the request log. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS

REQUEST_LIFE_MS: Final = 7 * DAY_MS
"""How long a call is kept."""
REQUESTS_MAX: Final = 1_000_000
"""Calls of one organization that are kept, the newest."""
REQUESTS_BUFFERED_MAX: Final = 20_000
"""Calls of all organizations that are in memory while they wait to be written; further ones are not logged.
Ours: some ten seconds of the busiest server, and some 10 MB."""
REQUEST_BATCH_ROWS: Final = 500
"""Calls that one unit of work writes. Ours: some milliseconds of the writer's time."""
