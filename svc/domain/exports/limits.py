"""Limits of exports. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS

EXPORT_ROWS_MAX: Final = 2_000_000
"""Rows of one export."""
EXPORT_BYTES_MAX: Final = 2 * 1024 * 1024 * 1024
"""The size of its file."""
EXPORTS_WAITING_MAX: Final = 5
"""Exports of an organization that wait for their turn."""
EXPORT_LIFE_MS: Final = DAY_MS
"""How long an export and its file are kept after its end."""
EXPORT_SECONDS_MAX: Final = 900
"""How long one export may read its snapshot. Ours: as long, the database keeps in its log what others write
meanwhile."""
EXPORTS_AT_ONCE: Final = 2
"""Exports of all organizations that are made at once. Ours: each has a thread and a snapshot of its own."""
EXPORT_ATTEMPTS_MAX: Final = 5
"""How often an export is begun that did not come to its end, such as when the service was stopped. Ours."""
EXPORT_PIECE_ROWS: Final = 200
"""Rows that are read and written at once: some milliseconds."""
EXPORT_FIELDS_MAX: Final = 500
"""Different fields of submissions that have a column of their own. Ours: as many columns as an import
reads."""
