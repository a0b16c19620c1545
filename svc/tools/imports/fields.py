"""Members of what `import.*` take and answer."""

from typing import Annotated, Literal

from svc.domain.imports.encodings import Encoding
from svc.domain.imports.exported import FileFormat
from svc.domain.imports.imports import EmptyCells, OnBadCell, OnError
from svc.domain.imports.limits import (
    IMPORT_BYTES_MAX,
    IMPORT_FINGERPRINT_CHARS_MAX,
    IMPORT_NAME_CHARS_MAX,
)
from svc.domain.records.cells.formats import DateOrder, Decimal
from svc.tools.tool import about

ImportId = Annotated[str, about(description="An import's id.", examples=["imp_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
ImportName = Annotated[
    str,
    about(
        description="What people call it, such as the name of the file.",
        max_length=IMPORT_NAME_CHARS_MAX,
        examples=["contacts.csv"],
    ),
]
ImportFormat = Annotated[
    FileFormat,
    about(description="`csv` with a line of headings, or `ndjson`: a line of JSON for each record."),
]
ImportBytes = Annotated[int, about(description="The size of the file.", ge=1, le=IMPORT_BYTES_MAX)]
ImportColumns = Annotated[
    dict[str, str],
    about(
        description="What the columns are for: by heading, the slug of a property, the currency of an "
        "amount, `id` or `ifVersion`. Several columns may be for one `text` or `long_text`, such as a name: "
        "their cells are joined by blanks, in the order of the file. Columns that are not named are left "
        "out.",
        examples=[{"E-mail": "email", "First name": "name", "Last name": "name"}],
    ),
]
LookedUpBy = Annotated[
    str,
    about(
        description="What records are looked up by: a unique property, a contact's `email` or `phone`, `id`, "
        "or `match`, as forms find contacts: values that differ are suggested. Without it, each line is a "
        "new record.",
        examples=["email"],
    ),
]
Fingerprint = Annotated[
    str,
    about(
        description="What tells the file, and how it is to be read, from others, such as a SHA-256. An "
        "import with the same one is answered instead of another: one that is open, to go on with its "
        "upload, or one that has ended and has written lines, as long as it is kept.",
        max_length=IMPORT_FINGERPRINT_CHARS_MAX,
    ),
]
ImportAgain = Annotated[
    bool, about(description="Import a file although one of the same `fingerprint` was imported before.")
]
FileEncoding = Annotated[Encoding, about(description="How the text of the file is encoded.")]
CellSeparator = Annotated[
    Literal[",", ";", "\t", "|"], about(description="What stands between two cells of a line.")
]
DecimalMark = Annotated[Decimal, about(description="What stands before the decimals of a number.")]
WithEmptyCells = Annotated[
    EmptyCells, about(description="Whether an empty cell keeps the value that a record has, or clears it.")
]
WithRefused = Annotated[
    OnError, about(description="Whether a refused line is skipped, or ends the import. Lines before it stay.")
]
OnBadCells = Annotated[
    OnBadCell,
    about(
        description="Whether a cell that does not fit its property refuses the line, or is left out: "
        "`faults` says why. What records are found by is never left out, nor all that a line says."
    ),
]
OrderOfDates = Annotated[
    DateOrder,
    about(
        description="The order of day, month and year in dates that are written with numbers. Without it "
        "the file tells, by its first lines; where they do not, the start is refused at `/dates`, with two."
    ),
]
MakeMissing = Annotated[
    tuple[str, ...],
    about(
        description="The objects of which a record is made where a relation names one that is not there: "
        "once for equal names, whatever their case.",
        examples=[["company"]],
    ),
]
DryRun = Annotated[
    bool, about(description="Only find out what would become of each line; then it may be started again.")
]
