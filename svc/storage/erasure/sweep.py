"""The sweep: which rows of an organization an erasure has to touch."""

from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.erasure.marks import ids_in, scrubber
from svc.storage.channels import tables as channels_tables
from svc.storage.erasure.person import Person, texts_of
from svc.storage.erasure.scans import Reads, scan
from svc.storage.erasure.treatments import BY_TABLE, Treatment
from svc.storage.records import tables as records_tables

How = Literal["own", "linked", "marked", "kept"]


class Hit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row to be touched: the person's own, one that leads to the person, or one with a mark in it.

    Of one with a mark in a column that is kept, nothing is touched.
    """

    key: tuple[str | int, ...]
    how: How
    ids: tuple[str, ...] = ()
    """The person's ids in the texts of a row that leads to them."""
    column: str | None = None
    """The column that is kept."""


_EMPTY: Final = b"{}"
_messages, _conversations = channels_tables.messages, channels_tables.conversations


def hits(read: Reads, organization_id: str, treatment: Treatment, person: Person) -> Iterator[Hit]:
    """The rows of one table. Of records, the person's own come last, when no other leads to them any more."""
    if treatment.table is not records_tables.records:
        yield from _hits(read, organization_id, treatment, person)
        return
    own: list[Hit] = []
    for hit in _hits(read, organization_id, treatment, person):
        if hit.how == "own":
            own.append(hit)
        else:
            yield hit
    yield from own


def _hits(read: Reads, organization_id: str, treatment: Treatment, person: Person) -> Iterator[Hit]:
    if not (treatment.own or treatment.texts or treatment.codes or treatment.kept):
        return
    marks, subjects = person.marks, person.subjects
    anywhere, linked = scrubber(marks, linked=False), scrubber(marks, linked=True)
    own_ids = {column: getattr(person, ids) for column, ids in treatment.own.items()}
    of_contact = treatment.table is _conversations
    is_of_records = treatment.table is records_tables.records
    more = ["contact_id"] if of_contact else []
    columns = list(dict.fromkeys((*own_ids, *treatment.texts, *treatment.codes, *treatment.kept, *more)))

    def examine(key: tuple[Any, ...], row: sa.Row[Any]) -> Hit | None:
        for column, ids in own_ids.items():
            if (value := getattr(row, column)) is not None and value.decode(errors="replace") in ids:
                return None if is_of_records and row.properties == _EMPTY else Hit(key=key, how="own")
        texts = b"\n".join(texts_of(row, treatment.texts))
        text = texts.decode(errors="replace")
        if (
            treatment.table is _messages
            and row.sender
            and anywhere.finds(row.sender.decode(errors="replace"))
        ):
            return Hit(key=key, how="own")
        leading = ids_in(texts) & subjects
        if of_contact and row.contact_id is not None and row.contact_id.decode() in subjects:
            leading.add(row.contact_id.decode())
        if leading:
            hit = Hit(key=key, how="linked", ids=tuple(sorted(leading)))
            if _is_to_change(treatment, row, hit, linked.finds(text)):
                return hit
        if anywhere.finds(text) or any(
            anywhere.code(code.decode(errors="replace")) != code.decode(errors="replace")
            for code in texts_of(row, treatment.codes)
        ):
            return Hit(key=key, how="marked")
        for column in treatment.kept:
            stored = getattr(row, column)
            if stored is not None and anywhere.finds(stored.decode(errors="replace")):
                return Hit(key=key, how="kept", column=column)
        return None

    yield from scan(read, treatment, organization_id, columns, examine)


def _is_to_change(treatment: Treatment, row: sa.Row[Any], hit: Hit, has_mark: bool) -> bool:
    """Whether anything of a row that leads to the person has to change: an id alone says nothing of them."""
    if has_mark or treatment.table in _RELATED:
        return True
    return any(ids_in(bytes(getattr(row, column) or b"")) & set(hit.ids) for column in treatment.blanked)


_RELATED: Final = (
    records_tables.records,
    BY_TABLE["submissions"].table,
    BY_TABLE["workflow_bursts"].table,
    _conversations,
)
"""Tables whose rows lose the id itself."""
