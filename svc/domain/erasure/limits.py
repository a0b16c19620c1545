"""Limits of an erasure of a person. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

ERASED_ROWS_MAX: Final = 100
"""Rows of one unit of an erasure. Ours: some milliseconds, so that nothing waits for it."""
ERASURE_PASSES_MAX: Final = 4
"""How often all rows are looked through, until nothing more is found. Ours: a service that is running may
have copied something meanwhile."""
MARK_CHARS_MIN: Final = 5
"""Of a name that is looked for everywhere. Ours: shorter ones are too often part of something else."""
PHONE_DIGITS_MIN: Final = 6
"""Of a phone number that is found however it is written. Ours: shorter ones are found as they are stored."""
SEARCH_MERGED_PAGES: Final = 256
"""Pages of the index of words that one unit merges, after an erasure. Ours: some milliseconds."""
