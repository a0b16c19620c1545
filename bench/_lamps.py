"""Lamps: many records of one custom object, with an index on each of its properties but the name."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection

from svc.domain.identity.organizations import Organization
from svc.domain.records.properties import Property
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import bulk, objects, properties
from svc.storage.records.listing import index_builds
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Sources, Tx

SIZES: Final = (10_000, 100_000, 1_000_000)
SEED: Final = 7
_CHUNK: Final = 5_000
_SOURCES: Final = Sources()
NOW: Final = 1_789_689_600_000
REGIONS: Final = ("North", "East", "South", "West", "Isles")
GIVEN: Final = tuple(f"given{number}" for number in range(2_000))
KINDS: Final = tuple(f"kind{number}" for number in range(10, 30))
FAMILY: Final = tuple(f"family{number}" for number in range(20_000))


@contextmanager
def database(path: Path) -> Iterator[Connection]:
    """A connection to the database at *path*, which is made if it is not there."""
    with make_engine(path).connect() as conn:
        migrate_to_head(conn)
        yield conn


@contextmanager
def unit(conn: Connection, now: int = NOW) -> Iterator[Tx]:
    """A unit of work in a transaction of its own."""
    with conn.begin():
        raw(conn).execute("BEGIN IMMEDIATE")
        yield Tx(conn, now, _SOURCES)
        raw(conn).execute("COMMIT")


def fill(conn: Connection, size: int, *, indexed: bool = True) -> Organization:
    """Make an organization with so many records of a custom object, and with *indexed* its indexes."""
    chance = random.Random(SEED)  # the same records every time
    with unit(conn) as tx:
        organization = provisioning.create(tx, NewOrganization(name="Lamps & Co", country="DE"))
        objects.create(tx, organization.id, "lamp", "Lamp", "Lamps")
        for prop in (
            Property(slug="region", label="Region", type="select", options=REGIONS),
            Property(slug="price", label="Price", type="number"),
            Property(slug="serial", label="Serial", type="number"),
            Property(slug="made", label="Made", type="date"),
        ):
            properties.create(tx, organization.id, "lamp", prop)
        of = objects.get(conn, organization.id, "lamp")
    for first in range(0, size, _CHUNK):
        with unit(conn) as tx:
            made = [
                (tx.new_id("rec"), lamp(chance, number * 5_000 // size))
                for number in range(first, min(size, first + _CHUNK))
            ]
            bulk.insert_many(conn, organization.id, of.id, NOW + first, made)
    if not indexed:
        return organization
    with unit(conn) as tx:
        index_builds.want(
            tx, organization.id, [prop.id for slug, prop in of.properties.items() if slug != "name"]
        )
    with unit(conn) as tx:
        index_builds.build(tx, organization.id, _CHUNK)
    return organization


def lamp(chance: random.Random, serial: int) -> dict[str, Any]:
    """The properties of one."""
    return {
        "name": f"{chance.choice(KINDS)} {chance.choice(GIVEN)} {chance.choice(FAMILY)}",
        "region": chance.choice(REGIONS),
        "price": round(chance.random() * 1_000, 2),
        "serial": serial,
        "made": f"20{chance.randrange(10, 26)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
    }
