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
_IN: Final = b"in"
_messages, _conversations = channels_tables.messages, channels_tables.conversations
_MORE: Final = {_messages: ("direction",), _conversations: ("contact_id",)}
"""Further columns by which a row is judged."""


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
    more = _MORE.get(treatment.table, ())
    columns = list(dict.fromkeys((*own_ids, *treatment.texts, *treatment.codes, *treatment.kept, *more)))

    def is_own(row: sa.Row[Any]) -> bool:
        if any(_text(row, column) in ids for column, ids in own_ids.items()):
            return True
        # In a group, what a person wrote is theirs; a copy of what the organization wrote is not.
        of_group = treatment.table is _messages and row.direction == _IN
        return of_group and anywhere.finds(_text(row, "sender"))

    def examine(key: tuple[Any, ...], row: sa.Row[Any]) -> Hit | None:
        if is_own(row):
            is_empty = treatment.table is records_tables.records and row.properties == _EMPTY
            return None if is_empty else Hit(key=key, how="own")
        texts = b"\n".join(texts_of(row, treatment.texts))
        text = texts.decode(errors="replace")
        leading = ids_in(texts) & subjects
        if treatment.table is _conversations and _text(row, "contact_id") in subjects:
            leading.add(_text(row, "contact_id"))
        if leading:
            hit = Hit(key=key, how="linked", ids=tuple(sorted(leading)))
            if _is_to_change(treatment, row, hit, has_mark=linked.finds(text)):
                return hit
        if anywhere.finds(text) or any(
            anywhere.code(code) != code for code in (_text(row, name) for name in treatment.codes)
        ):
            return Hit(key=key, how="marked")
        kept = next((name for name in treatment.kept if anywhere.finds(_text(row, name))), None)
        return None if kept is None else Hit(key=key, how="kept", column=kept)

    yield from scan(read, treatment, organization_id, columns, examine)


def _text(row: sa.Row[Any], column: str) -> str:
    stored: bytes | None = getattr(row, column)
    return "" if stored is None else stored.decode(errors="replace")


def _is_to_change(treatment: Treatment, row: sa.Row[Any], hit: Hit, *, has_mark: bool) -> bool:
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
