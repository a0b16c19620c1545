"""Limits of embeds. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import MINUTE_MS

EMBEDS_MAX: Final = 500
"""Embeds of one organization that are not removed. Ours: more than there are pages to put them on."""
EMBED_BLOCKS_MAX: Final = 30
EMBED_BLOCKS_ON_SCREEN_MAX: Final = 20
EMBED_FIELDS_MAX: Final = 12
"""Fields of one block of records."""
EMBED_ROWS: Final = 12
"""Rows of one block of records that does not say how many. Ours: what a page shows well."""
EMBED_ROWS_MAX: Final = 48
EMBED_TITLE_CHARS_MAX: Final = 200
"""Titles, headings and labels of blocks. Ours."""
EMBED_SUBTITLE_CHARS_MAX: Final = 500
EMBED_BODY_CHARS_MAX: Final = 20_000
"""Markdown of one block of text. Ours: a long page."""
EMBED_FRESH_MS: Final = MINUTE_MS
"""How long a snapshot of an embed is fresh."""
EMBED_STALE_MS: Final = 5 * MINUTE_MS
"""How much longer it is served stale while it is rendered again."""
EMBED_RECORDS_BYTES_MAX: Final = 1024 * 1024
"""What the records of one embed may take in an answer; rows that do not fit are left out. Ours."""
EMBED_SNAPSHOTS_BYTES_MAX: Final = 128 * 1024 * 1024
"""Cached snapshots of all embeds together. Ours: some thousands of large ones."""
EMBED_CACHES_MAX: Final = 20_000
"""Active embed caches at once. Ours."""
