"""The reader of an import's lines, by its settings and the object as it is now."""

from svc.domain.identity.organizations import Organization
from svc.domain.imports.lines import CsvLineReader, JsonLineReader, LineReader
from svc.domain.records.cells.formats import formats_of
from svc.storage.imports.rows import Import
from svc.storage.records.objects import StoredObject


def line_reader_of(import_: Import, organization: Organization, object_: StoredObject) -> LineReader:
    """What reads the lines of *import_*, which was started. Columns of what is gone are read as text."""
    layout, settings = import_.layout, import_.settings
    if layout is None or settings is None:
        raise ValueError("this import was not started")
    if import_.format == "ndjson":
        return JsonLineReader()
    return CsvLineReader(
        layout.headings,
        settings,
        object_.properties,
        formats_of(organization, settings.decimal, settings.dates),
        encoding=layout.encoding,
        separator=layout.separator,
    )
