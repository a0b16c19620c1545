"""The person to be erased: their ids in an organization, and the marks that tell them."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.erasure.marks import Marks, is_mark

LESSER_CHARS_MIN: Final = 3
"""Of a word that is a mark only in what leads to the person."""


class PersonQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What the operator knows of the person. At least one is given."""

    email: str | None = None
    phone: str | None = None
    record_id: str | None = None


class Person(msgspec.Struct, kw_only=True):
    """A person, as far as an organization's data tell."""

    records: set[str] = msgspec.field(default_factory=set)
    """Contacts, those that were merged into them, and deleted ones."""
    submissions: set[str] = msgspec.field(default_factory=set)
    conversations: set[str] = msgspec.field(default_factory=set)
    visitors: set[str] = msgspec.field(default_factory=set)
    agent_runs: set[str] = msgspec.field(default_factory=set)
    replies: set[str] = msgspec.field(default_factory=set)
    events: set[str] = msgspec.field(default_factory=set)
    deliveries: set[str] = msgspec.field(default_factory=set)
    workflow_runs: set[str] = msgspec.field(default_factory=set)
    emails: set[str] = msgspec.field(default_factory=set)
    phones: set[str] = msgspec.field(default_factory=set)
    names: set[str] = msgspec.field(default_factory=set)
    lesser: set[str] = msgspec.field(default_factory=set)
    shared: set[str] = msgspec.field(default_factory=set)
    """E-mails, phones and names that another contact has, too, so that they are no marks."""

    @property
    def subjects(self) -> set[str]:
        """The ids by which something leads to the person."""
        return self.records | self.submissions | self.conversations

    @property
    def marks(self) -> Marks:
        """What is looked for in texts."""
        names = {name for name in self.names - self.shared if is_mark(name)}
        words = {word for name in self.names for word in name.split() if len(word) >= LESSER_CHARS_MIN}
        return Marks(
            emails=tuple(sorted(self.emails - self.shared)),
            phones=tuple(sorted(self.phones - self.shared)),
            names=tuple(sorted(names)),
            lesser=tuple(sorted((self.lesser | self.names | words) - names)),
        )


def texts_of(row: sa.Row[Any], columns: Iterable[str]) -> Iterator[bytes]:
    """The texts of a row of a scan, as bytes."""
    for column in columns:
        if (stored := getattr(row, column)) is not None:
            yield bytes(stored)
