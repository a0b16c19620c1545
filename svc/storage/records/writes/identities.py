"""What contacts are known by, as the writes of a unit leave it."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from svc.domain.records.matching import IDENTITY_KINDS
from svc.storage.records import contacts

_Identity = tuple[str, str]
"""A kind, `email` or `phone`, and a normalized value."""


class Identities:
    """Which contacts are known by which e-mails and phones: stored, or written by this unit before."""

    def __init__(self, conn: sa.Connection, organization_id: str) -> None:
        self._conn = conn
        self._organization_id = organization_id
        self._stored: dict[_Identity, set[str]] = {}
        self._changed: dict[_Identity, dict[str, bool]] = {}
        """By identity and contact, whether a write of this unit has added or removed it."""

    def load(self, several: Iterable[Mapping[str, Any]]) -> None:
        """Look up who is known by any e-mail or phone of *several*, values by slug, at once."""
        several = list(several)
        for kind in IDENTITY_KINDS:
            values = list(dict.fromkeys(str(values[kind]) for values in several if kind in values))
            if values:
                found = contacts.ids_known_by_any(self._conn, self._organization_id, kind, values)
                self._stored.update({(kind, value): ids for value, ids in found.items()})

    def having(self, kind: str, value: str) -> set[str]:
        """The ids of the contacts that are known by it."""
        identity = kind, value
        if identity not in self._stored:
            ids = contacts.ids_known_by(self._conn, self._organization_id, kind, value)
            self._stored[identity] = ids
        changed = self._changed.get(identity)
        if changed is None:
            return self._stored[identity]
        ids = self._stored[identity] | changed.keys()
        return {record_id for record_id in ids if changed.get(record_id, True)}

    def write(self, record_id: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Note that a contact has the values *after* instead of *before*."""
        for kind in IDENTITY_KINDS:
            if before.get(kind) == after.get(kind):
                continue
            if kind in before:
                self._changed.setdefault((kind, before[kind]), {})[record_id] = False
            if kind in after:
                self._changed.setdefault((kind, after[kind]), {})[record_id] = True

    def store(self, new: Collection[str]) -> None:
        """Store what the writes have changed; *new* are the ids of new contacts."""
        gone, of_new, others = [], [], []
        for (kind, value), by_contact in self._changed.items():
            for record_id, is_known in by_contact.items():
                identity = record_id, kind, value
                if not is_known:
                    gone.append(identity)
                elif record_id in new:
                    of_new.append(identity)
                else:
                    others.append(identity)
        if gone:
            contacts.forget(self._conn, self._organization_id, gone)
        if of_new:
            contacts.remember(self._conn, self._organization_id, of_new)
        if others:
            contacts.keep(self._conn, self._organization_id, others)
