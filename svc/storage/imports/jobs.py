"""Imports, opened for an upload, started, and cancelled; an organization has one at a time."""

from collections.abc import Mapping, Sequence

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, Fault, InvalidInput, at, named_at
from svc.domain.identity.callers import Call
from svc.domain.imports.columns import ID, IF_VERSION, check_columns, proposals, usable
from svc.domain.imports.dates import order_of
from svc.domain.imports.encodings import Encoding
from svc.domain.imports.exported import FileFormat
from svc.domain.imports.imports import BY_ID, BY_MATCH, Counts, Layout, ReadingSettings
from svc.domain.imports.layouts import HEAD_BYTES, layout_of
from svc.domain.imports.limits import IMPORT_BYTES_MAX
from svc.domain.input.near_names import hint, shown
from svc.domain.records.cells.formats import DateOrder, Decimal
from svc.domain.records.matching import IDENTITY_KINDS
from svc.domain.records.objects import CONTACT
from svc.storage.imports import rows as import_rows
from svc.storage.imports import slices, uploads
from svc.storage.imports.announcing import announce_progress, announce_start
from svc.storage.imports.rows import IMPORTS, Import
from svc.storage.imports.starters import starter_of
from svc.storage.records import objects
from svc.storage.records.objects import StoredObject
from svc.storage.store import Tx


class NewImport(msgspec.Struct, frozen=True, kw_only=True):
    """An import to be opened."""

    object_type: str
    name: str
    format: FileFormat
    bytes: int
    fingerprint: str | None = None
    """What tells the file from others: the import of the same one is answered instead of another."""
    again: bool = False
    """Whether a file may be imported that was imported before."""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """How an import is to be read; what is not given is found out, or proposed."""

    columns: dict[str, str] | None = None
    by: str | None = None
    encoding: Encoding | None = None
    separator: str | None = None
    decimal: Decimal | None = None
    dates: DateOrder | None = None
    make_missing: tuple[str, ...] = ()
    settings: ReadingSettings
    """All else."""


def open_upload(tx: Tx, organization_id: str, new: NewImport) -> Import:
    """Open an import, whose upload comes next; or the one of the same fingerprint that is open, or has ended
    and has written lines, unless *new* is to import them `again`.

    Raises `InvalidInput` if there is no such object, or the file is empty or too large; and `Conflict` if
    another import is open.
    """
    with named_at("/objectType"):
        objects.get(tx.conn, organization_id, new.object_type)
    if not 0 < new.bytes <= IMPORT_BYTES_MAX:
        detail = f"must be 1 to {IMPORT_BYTES_MAX:,}: import a larger file in pieces"
        raise InvalidInput([Fault("/bytes", "invalid_value", detail)])
    other = import_rows.open_one(tx.conn, organization_id)
    if other is not None:
        if new.fingerprint is not None and _is_of(other, new):
            return other
        raise Conflict(
            f"an organization has one import at a time, and {shown(other.id)} is {other.state}:"
            " wait for its end, or cancel it"
        )
    earlier = None if new.again else _earlier(tx, organization_id, new)
    if earlier is not None:
        return earlier
    import_ = Import(
        id=tx.new_id("imp"),
        organization_id=organization_id,
        object_type=new.object_type,
        name=new.name,
        format=new.format,
        fingerprint=new.fingerprint,
        state="uploading",
        bytes=new.bytes,
        created_at=tx.now,
        updated_at=tx.now,
    )
    IMPORTS.insert(tx.conn, import_)
    announce_progress(tx, import_)
    return import_


def start(tx: Tx, call: Call, import_id: str, asked: Start) -> Import:
    """Have an import read whose upload is complete, in the name of the caller.

    Raises:
        NotFound: no such import.
        InvalidInput: columns or what records are looked up by do not fit the file or the object.
        Conflict: its upload is not complete, it is being read already, or it has ended.
    """
    import_ = import_rows.find(tx.conn, call.caller.organization_id, import_id)
    object_ = objects.get(tx.conn, import_.organization_id, import_.object_type)
    layout = import_.layout = layout_as(tx.conn, import_, asked.encoding, asked.separator)
    by = _check_by(object_, asked.by)
    columns = _columns(import_.format, layout, object_, asked)
    import_.settings = msgspec.structs.replace(
        asked.settings,
        by=by,
        columns=columns,
        make_missing=_check_missing(object_, columns, asked.make_missing),
        # Spreadsheets write a semicolon where a comma stands before the decimals.
        decimal=asked.decimal or ("," if layout.separator == ";" else "."),
        dates=asked.dates or _order_of_dates(tx, import_, layout, object_, columns),
    )
    import_.state = "running"
    import_.starter, import_.source = starter_of(call.caller), dict(call.source())
    import_.run += 1
    import_.at_byte, import_.at_line, import_.in_long_line = layout.begins_at, layout.first_line, False
    import_.counts, import_.refusals, import_.faults = Counts(), [], []
    import_.updated_at = tx.now
    IMPORTS.replace(tx.conn, import_)
    announce_progress(tx, import_)
    announce_start(tx, import_)
    return import_


def cancel(tx: Tx, organization_id: str, import_id: str) -> Import:
    """End an import; what it has written stays. One that was cancelled before is answered again.

    Raises `NotFound`, and `Conflict` if it has ended otherwise.
    """
    import_ = import_rows.find(tx.conn, organization_id, import_id)
    if import_.state == "cancelled":
        return import_
    if not import_.is_open:
        raise Conflict(f"it is {import_.state} already")
    import_.state, import_.updated_at, import_.ended_at = "cancelled", tx.now, tx.now
    IMPORTS.replace(tx.conn, import_)
    announce_progress(tx, import_)
    return import_


def proposed_columns(import_: Import, object_: StoredObject) -> dict[str, str]:
    """What the columns of an uploaded file are probably for."""
    return {} if import_.layout is None else proposals(import_.layout.headings, object_.properties)


def layout_as(
    conn: sa.Connection, import_: Import, encoding: Encoding | None, separator: str | None
) -> Layout:
    """How the file of an uploaded import is written, if with that *encoding* and that *separator*.

    Raises `Conflict` if its upload is not complete or it is being read or has ended, and `InvalidInput` for
    what the file cannot be read with.
    """
    if import_.state not in {"uploaded", "checked"} or import_.layout is None:
        waits = {"uploading": f"the part {import_.next_part} of its upload comes next"}
        raise Conflict(waits.get(import_.state, f"it is {import_.state}"))
    if encoding is None and separator is None:
        return import_.layout
    head = uploads.read(conn, import_.id, 0, HEAD_BYTES)
    with at("/separator" if encoding is None else "/encoding"):
        return layout_of(
            head,
            import_.format,
            whole=len(head) == import_.bytes,
            encoding=encoding,
            separator=separator,
        )


def _earlier(tx: Tx, organization_id: str, new: NewImport) -> Import | None:
    """The last import of the same file that has ended and has written lines."""
    if new.fingerprint is None:
        return None
    ended = import_rows.ended_of(tx.conn, organization_id, new.fingerprint)
    return next((one for one in ended if one.has_written and _is_of(one, new)), None)


def _is_of(import_: Import, new: NewImport) -> bool:
    return (import_.fingerprint, import_.bytes, import_.object_type, import_.format) == (
        new.fingerprint,
        new.bytes,
        new.object_type,
        new.format,
    )


def _order_of_dates(
    tx: Tx, import_: Import, layout: Layout, object_: StoredObject, columns: Mapping[str, str]
) -> DateOrder | None:
    """The order of day, month and year in the file's beginning. Raises `InvalidInput` where it is unclear."""
    dated = {slug for slug, prop in object_.properties.items() if prop.type in {"date", "datetime"}}
    places = [place for place, name in enumerate(layout.headings) if columns.get(name) in dated]
    return order_of(slices.first_cells(tx.conn, import_, layout, places)) if places else None


def _check_by(object_: StoredObject, by: str | None) -> str | None:
    """*by*, if records of *object_* can be looked up by it. Raises `InvalidInput`."""
    identities = IDENTITY_KINDS if object_.slug == CONTACT else ()
    ways = [BY_ID, *([BY_MATCH] if identities else []), *identities]
    ways += [slug for slug, prop in object_.properties.items() if prop.unique and slug not in ways]
    if by is None or by in ways:
        return by
    raise InvalidInput(
        [Fault("/by", "invalid_value", f"records are not looked up by {shown(by)}{hint(by, ways)}")]
    )


def _check_missing(
    object_: StoredObject, columns: Mapping[str, str], make_missing: Sequence[str]
) -> tuple[str, ...]:
    """*make_missing*, if *columns* have relations to these objects. Raises `InvalidInput`."""
    mapped = (object_.properties.get(slug) for slug in columns.values())
    related = {prop.options[0] for prop in mapped if prop is not None and prop.type == "relation"}
    faults = [
        Fault(
            f"/makeMissing/{place}",
            "invalid_value",
            f"no column is mapped to a relation with {shown(slug)}{hint(slug, related)}",
        )
        for place, slug in enumerate(make_missing)
        if slug not in related
    ]
    if faults:
        raise InvalidInput(faults)
    return tuple(dict.fromkeys(make_missing))


def _columns(file_format: FileFormat, layout: Layout, object_: StoredObject, asked: Start) -> dict[str, str]:
    """The columns to read: those that are asked for, or else proposed."""
    if file_format == "ndjson":
        if asked.columns:
            raise InvalidInput([Fault("/columns", "invalid_value", "lines of JSON have no columns")])
        return {}
    columns = asked.columns
    if columns is None:
        columns = usable(proposals(layout.headings, object_.properties), asked.by)
    check_columns(columns, layout.headings, object_.properties)
    faults = [
        Fault("/columns", "invalid_value", f"a column is mapped to {target}, which needs {needs}")
        for target, needs, is_met in (
            (ID, "`by`: `id`", asked.by == BY_ID),
            (IF_VERSION, "`by`", asked.by is not None),
        )
        if target in columns.values() and not is_met
    ]
    needed = {None: set[str](), BY_ID: {ID}, BY_MATCH: {*IDENTITY_KINDS}}.get(asked.by, {asked.by or ""})
    if needed and not needed & {*columns.values()}:
        either = " or ".join(f"`{slug}`" for slug in sorted(needed))
        faults.append(Fault("/columns", "missing", f"no column is mapped to {either}, which `by` needs"))
    if faults:
        raise InvalidInput(faults)
    return columns
