"""Limits of imports. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS

IMPORT_BYTES_MAX: Final = 2 * 1024 * 1024 * 1024
"""One upload: some twenty million lines of contacts."""
IMPORT_PART_BYTES: Final = 1024 * 1024
"""Each part of an upload but the last, which may be shorter: a few milliseconds of the writer's time."""
IMPORT_CHUNK_BYTES: Final = 64 * 1024
"""A row of an upload: what a batch reads of it is one or two of these."""
IMPORT_NAME_CHARS_MAX: Final = 200
"""The name of a file, as its import shows it."""
IMPORT_FINGERPRINT_CHARS_MAX: Final = 200
"""What tells a file from others: a digest in any form."""
IMPORT_COLUMNS_MAX: Final = 500
"""Columns of a file: twice as many as an object has properties."""
IMPORT_CELL_CHARS_MAX: Final = 128 * 1024
"""One cell: twice what the longest text may have."""
IMPORT_LINE_BYTES_MAX: Final = 1024 * 1024
"""One line, or one record whose cells have several: four times what a record may have."""
IMPORT_BATCH_LINES: Final = 200
"""Lines of one transaction while nothing else is written: some tens of milliseconds."""
IMPORT_BATCH_LINES_SHARED: Final = 10
"""Lines of one transaction while others write: a millisecond or two that each of them may wait."""
IMPORT_SAMPLE_LINES: Final = 5
"""Lines of a file that are shown beside its headings."""
IMPORT_DATES_LINES_MAX: Final = 5_000
"""Lines, of the first 1 MiB, in which the order of day, month and year is looked for: some milliseconds."""
IMPORT_REFUSALS_SHOWN: Final = 50
"""Refused lines that `import.get` shows; the file of refused lines has all of them."""
IMPORT_REASON_CHARS_MAX: Final = 500
"""Of one of their reasons; the file has all of it."""
IMPORT_FAULT_GROUPS_MAX: Final = 50
"""Reasons by which faults are grouped; what is more counts as one of other reasons."""
IMPORT_FAULT_EXAMPLES_MAX: Final = 3
"""Lines that are shown of one reason."""
IMPORT_EXAMPLE_CHARS_MAX: Final = 100
"""Of the cell in such a line."""
IMPORT_WAIT_MS: Final = DAY_MS
"""How long an import waits for the next part of its upload, or to be started, before it is cancelled."""
IMPORT_LIFE_MS: Final = 30 * DAY_MS
"""How long an import is kept after its end, with the lines that it refused."""
IMPORT_UNDO_RECORDS: Final = 100
"""Records that are taken back in one transaction, while there is time: a few tens of milliseconds."""
IMPORT_UNDO_CHANGES_MAX: Final = 100
"""Changes of one record that are looked at for what the import did; behind more, it is left as it is."""
IMPORT_UNDO_REFERENCES_MAX: Final = 10_000
"""Records referring to one that are looked at for whether they stay."""
IMPORT_UNDO_SHOWN: Final = 50
"""Records that an undo tells of each kind: those that it has undone, and those that it has left."""
IMPORTS_PRUNED_MAX: Final = 16
"""Rows of ended imports that are deleted in one step: some of them are as large as a chunk."""
