"""Limits of files. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS, HOUR_MS

FILE_BYTES_MAX: Final = 25 * 1024 * 1024
FILES_MAX: Final = 100_000
"""Files of one organization. Ours: a picture for each of as many records; unused ones are removed."""
FILES_BYTES_MAX: Final = 10 * 1024**3
"""These files together; the same bytes count with each file that has them. Ours: 10 GiB hold 400 of the
largest, or 50,000 photographs, and ten organizations fit on a small disk."""
UPLOADS_AT_ONCE: Final = 4
"""Uploads of one organization under way. Ours: beyond, the disk is no faster, and slow senders pile up."""
UPLOADS_AT_ONCE_OF_SENDER: Final = 2
"""Of these, those of one key or person, so that one program does not keep the others out."""
FILE_NAME_CHARS_MAX: Final = 255
"""Ours: what file systems take."""
FILE_UNUSED_LIFE_MS: Final = 7 * DAY_MS
"""A file is kept for so long after its upload, or after the last use of it ended. Ours: a form that was left
open over a weekend can still be saved, and a value that was replaced can be put back."""
FILE_ADDRESS_LIFE_MS: Final = HOUR_MS
"""A signed address of a file opens it for so long: as long as a reply waits."""
FILE_USES_SHOWN_MAX: Final = 50
"""Uses of a file that are named. Ours: more are no list that a person reads."""
FILES_SWEPT_MAX: Final = 200
"""Files that are looked at in one unit of work when unused ones are removed. Ours: some milliseconds."""
