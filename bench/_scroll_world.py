"""What is scrolled: many records with a value in every column, and many conversations."""

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import trio

from bench._world import DATABASE, make_world
from svc.clock import WallClock
from svc.domain.channels.connections import Account
from svc.domain.channels.messages import InboundMessage, Sender
from svc.domain.crypto.keys import SESSION, digest, new_key
from svc.domain.identity.callers import operator_call
from svc.domain.identity.organizations import Organization
from svc.domain.randomness import SYSTEM
from svc.domain.records.objects import CONTACT
from svc.domain.records.properties import Property
from svc.storage.channels import connections, messages
from svc.storage.channels.connections import NewConnection
from svc.storage.identity import accounts, members, organizations, sessions
from svc.storage.identity.accounts import NewAccount
from svc.storage.records import bulk, objects, properties
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

OBJECT: Final = "order"
_SEED: Final = 7
_UNIT: Final = 5_000
_NAMES: Final = ("Anna Petrova", "Björn Öst", "Chidi Okafor", "Dana Levy", "Emre Yıldız", "Fatima Haddad")
_STAGES: Final = ("Asked", "Offered", "Ordered", "Sent", "Paid")
_TAGS: Final = ("Urgent", "Wholesale", "Gift", "Repair")
_TEXTS: Final = (
    "Is the brass one still to be had?",
    "Thank you, it came this morning, and all of it works.",
    "We would like a quote for 25 of them. Please call back.",
)
_FIRST_DAY: Final = date(2024, 1, 1)
_PROPERTIES: Final = (
    Property(slug="stage", label="Stage", type="select", options=_STAGES),
    Property(slug="price", label="Price", type="amount"),
    Property(slug="due", label="Due", type="date"),
    Property(slug="mail", label="Mail", type="email"),
    Property(slug="pieces", label="Pieces", type="number"),
    Property(slug="customer", label="Customer", type="relation", options=(CONTACT,)),
    Property(slug="tags", label="Tags", type="multi_select", options=_TAGS),
)
"""Beside the name they are the eight columns that a list shows at first."""


def make(data: Path, *, records: int, conversations: int) -> str:
    """Make a data directory at *data*; returns the session of its owner."""
    make_world(data, organizations_count=1, forms_count=1)

    async def fill() -> str:
        async with inline_store(WallClock(), data / DATABASE, prepare=migrate_to_head) as store:
            token = await store.write(_owner)
            await store.write(_add_object)
            for first in range(0, records, _UNIT):
                await store.write(_add_records, range(first, min(records, first + _UNIT)))
            connection_id = await store.write(_connect)
            for first in range(0, conversations, _UNIT):
                numbers = range(first, min(conversations, first + _UNIT))
                await store.write(_add_conversations, connection_id, numbers)
            return token

    return trio.run(fill)


def _organization(tx: Tx) -> Organization:
    [organization] = organizations.list_all(tx.conn)
    return organization


def _owner(tx: Tx) -> str:
    organization = _organization(tx)
    new = NewAccount(email="owner@bench.example", name="Olga", home_organization_id=organization.id)
    person = accounts.create(tx, new)
    members.add(tx, operator_call(organization.id), person.id, "owner")
    token = new_key(SESSION, SYSTEM)
    sessions.create(tx, person.id, digest(token), "bench")
    return token


def _add_object(tx: Tx) -> None:
    organization = _organization(tx)
    objects.create(tx, organization.id, OBJECT, "Order", "Orders")
    for one in _PROPERTIES:
        properties.create(tx, organization.id, OBJECT, one)


def _add_records(tx: Tx, numbers: range) -> None:
    organization_id = _organization(tx).id
    ids = objects.ids_by_slug(tx.conn, organization_id)
    customers = tx.conn.exec_driver_sql(
        "SELECT id FROM records WHERE object_id = ? LIMIT 20", (ids[CONTACT],)
    ).scalars()
    chance = random.Random(_SEED + numbers.start)  # the same records every time
    known = list(customers)
    made = [(tx.new_id("rec"), _order(chance, number, known)) for number in numbers]
    bulk.insert_many(tx.conn, organization_id, ids[OBJECT], tx.now, made)


def _order(chance: random.Random, number: int, customers: list[str]) -> dict[str, Any]:
    return {
        "name": f"{chance.choice(_NAMES)}, order {number}",
        "stage": chance.choice(_STAGES),
        "price": chance.randrange(1_000, 900_000) / 100,
        "price_currency": "EUR",
        "due": (_FIRST_DAY + timedelta(days=chance.randrange(1_500))).isoformat(),
        "mail": f"buyer{number}@mail.example",
        "pieces": chance.randrange(1, 400),
        "customer": chance.choice(customers),
        "tags": sorted(chance.sample(_TAGS, chance.randrange(1, 3))),
    }


def _connect(tx: Tx) -> str:
    new = NewConnection(name="Shop", account=Account("organization"), messenger="telegram", delivery="pull")
    made, _ = connections.create(tx, _organization(tx).id, new)
    return made.id


def _add_conversations(tx: Tx, connection_id: str, numbers: range) -> None:
    organization_id = _organization(tx).id
    for number in numbers:
        message = InboundMessage(
            conversation_id=f"chat-{number}",
            message_id=f"{number}",
            direction="in",
            sender=Sender(name=f"{_NAMES[number % len(_NAMES)]} {number}"),
            text=_TEXTS[number % len(_TEXTS)],
        )
        messages.receive(tx, organization_id, connection_id, message)
