"""Records of all kinds in a ledger, and all that is stored of them, to compare two ways of writing."""

import re
from typing import Any

import pytest

from svc.domain.records.properties import Property
from svc.storage.records import merges as record_merges
from svc.storage.records import objects, properties, records
from svc.storage.records.listing import index_builds
from svc.storage.store import Tx
from tests import tables
from tests.storage.ledger import API, Ledger

TABLES = (
    tables.records,
    tables.record_keys,
    tables.unique_values,
    tables.duplicate_keys,
    tables.distinct_records,
    tables.relations,
    tables.search_texts,
    tables.record_changes,
    tables.identities,
    tables.suggestions,
    tables.events,
)
_ID = re.compile(r"\b[a-z]{3}_[0-9A-Z]{26}")


def filled(here: Ledger) -> list[str]:
    """Contacts, one of them merged and one deleted, and a company; their ids, and one of nothing."""
    org = here.organization
    for prop in (
        Property(slug="code", label="Code", type="text", unique=True),
        Property(slug="worth", label="Worth", type="amount"),
    ):
        here.write(properties.create, org.id, "contact", prop)
    of = objects.get(here.conn, org.id, "contact")
    indexed = [of.properties[slug].id for slug in ("name", "email")]

    def made(kind: str, **values: Any) -> str:
        return here.write(records.create, org, kind, values, source=API).id

    ada = made("contact", name="Ada", email="ada@example.com", code="x1", worth=5)
    bob = made("contact", name="Bob", email="bob@example.com", phone="030 1234567")
    twin = made("contact", email="eve@example.com", phone="030 1234567")
    gone = made("contact", name="Gone", email="zoe@example.com", code="x3")
    company = made("company", name="Lamps")
    here.write(records.update, org, "contact", bob, {"city": "Bonn"}, source=API)
    here.write(records.update, org, "contact", ada, {"name": "Ada L."}, source=API)
    here.write(record_merges.merge, org.id, "contact", ada, twin, source=API)
    here.write(records.delete, org.id, "contact", gone, source=API)
    here.write(index_builds.want, org.id, [*indexed, of.id])
    here.write(index_builds.build, org.id, 100)
    return [ada, bob, twin, gone, company, "rec_nothing"]


def dump(here: Ledger) -> list[Any]:
    """All that is stored of records, with each id as its place among those of its kind."""
    rows = [(table.name, repr(tuple(row))) for table in TABLES for row in here.rows(table)]
    places: dict[str, int] = {}
    ids: dict[str, str] = {}
    for id_ in sorted(set(_ID.findall(str(rows)))):
        kind = id_[:3]
        places[kind] = places.get(kind, 0) + 1
        ids[id_] = f"{kind}-{places[kind]}"
    return sorted((name, _ID.sub(lambda found: ids[found[0]], row)) for name, row in rows)


def announced(tx: Tx) -> list[str]:
    return sorted(type(change).__name__ for change in set(tx.changes))


class _Undo(Exception):
    """Raised to have a unit undone."""


def undone(here: Ledger, unit: Any) -> Any:
    """What *unit* returns; it leaves nothing behind."""
    result: list[Any] = []
    now = here.now

    def run(tx: Tx) -> None:
        result.append(unit(tx))
        raise _Undo

    with pytest.raises(_Undo):
        here.write(run)
    here.now = now
    return result[0]
