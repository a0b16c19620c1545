"""The contacts, deals and lamps of the demo's shop, created by calls of tools.

Every name and number is made up; see `demo_shop` for whose they might have been.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from svc.demo.lamps import LAMP_PROPERTIES, LAMPS
from svc.domain.identity.callers import Call
from svc.domain.locale.times import DAY_MS, HOUR_MS, rfc3339
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.records import objects, properties, records
from svc.tools.records.objects import CreateObject, PublishObject
from svc.tools.records.properties import CreateProperty
from svc.tools.records.records import CreateRecord
from svc.tools.tool import Tool, ToolInput

_COMPANIES: Final[tuple[dict[str, Any], ...]] = (
    {"name": "Hotel Bellevue", "website": "https://bellevue.example", "city": "Brighton", "country": "GB"},
    {
        "name": "Marlowe & Reid Architects",
        "website": "https://marlowe-reid.example",
        "phone": "+441134960110",
        "city": "Leeds",
        "country": "GB",
    },
    {
        "name": "The Old Net Loft",
        "website": "https://old-net-loft.example",
        "email": "hello@old-net-loft.example",
        "city": "Whitby",
        "country": "GB",
    },
    {
        "name": "Fenwick Joinery",
        "website": "https://fenwick-joinery.example",
        "city": "York",
        "country": "GB",
    },
    {"name": "Atelier Vasseur", "website": "https://vasseur.example", "city": "Lille", "country": "FR"},
    {
        "name": "Quayside Books",
        "website": "https://quayside-books.example",
        "city": "Bristol",
        "country": "GB",
    },
)
_CONTACTS: Final[tuple[dict[str, Any], ...]] = (
    {
        "name": "Ines Duarte",
        "email": "ines@bellevue.example",
        "phone": "+447700900101",
        "company": 0,
        "job_title": "Housekeeping manager",
        "city": "Brighton",
    },
    {
        "name": "Tom Reid",
        "email": "tom@marlowe-reid.example",
        "phone": "+441134960102",
        "company": 1,
        "job_title": "Architect",
        "city": "Leeds",
    },
    {"name": "Grace Okafor", "email": "grace.okafor@example.com", "phone": "+442079460103", "city": "London"},
    {"name": "Per Lindqvist", "phone": "+447700900104", "city": "York"},
    {
        "name": "Saoirse Byrne",
        "email": "saoirse@old-net-loft.example",
        "phone": "+447700900105",
        "company": 2,
        "job_title": "Owner",
        "city": "Whitby",
    },
    {
        "name": "Daniel Fenwick",
        "email": "daniel@fenwick-joinery.example",
        "phone": "+441904960106",
        "company": 3,
        "job_title": "Joiner",
        "city": "York",
    },
    {
        "name": "Camille Vasseur",
        "email": "camille@vasseur.example",
        "company": 4,
        "job_title": "Interior designer",
        "city": "Lille",
        "country": "FR",
    },
    {
        "name": "Malik Rahman",
        "email": "malik@quayside-books.example",
        "phone": "+441174960107",
        "company": 5,
        "job_title": "Shop manager",
        "city": "Bristol",
    },
    {"name": "Eleanor Pryce", "email": "eleanor.pryce@example.org", "city": "Cardiff"},
    {
        "name": "Yusuf Demir",
        "email": "yusuf.demir@example.com",
        "phone": "+447700900108",
        "city": "Leicester",
    },
    {"name": "Anneke de Wit", "email": "anneke.dewit@example.net", "city": "Utrecht", "country": "NL"},
    {
        "name": "Priya Nair",
        "email": "priya@marlowe-reid.example",
        "company": 1,
        "job_title": "Lighting designer",
        "city": "Leeds",
    },
)
_DEALS: Final[tuple[dict[str, Any], ...]] = (
    {"name": "Brass pendant, repaired", "amount": 85, "stage": "Won", "contact": 2, "close_date": -9},
    {
        "name": "Bar lights for the Net Loft",
        "amount": 1_740,
        "stage": "Won",
        "contact": 4,
        "company": 2,
        "close_date": -4,
    },
    {
        "name": "40 reading lamps for the west wing",
        "amount": 3_160,
        "stage": "Proposal",
        "contact": 0,
        "company": 0,
        "close_date": 12,
    },
    {
        "name": "Lighting for the library in Ilkley",
        "amount": 12_400,
        "stage": "Qualified",
        "contact": 1,
        "company": 1,
        "close_date": 40,
    },
    {
        "name": "Shelf lights for the shop window",
        "amount": 620,
        "stage": "New",
        "contact": 7,
        "company": 5,
        "close_date": 20,
    },
    {
        "name": "Samples for a flat in Lille",
        "amount": 240,
        "amount_currency": "EUR",
        "stage": "Lost",
        "contact": 6,
        "company": 4,
        "close_date": -2,
    },
    {
        "name": "Wall lights along the stairs",
        "amount": 1_140,
        "stage": "Proposal",
        "contact": 11,
        "company": 1,
        "close_date": 25,
    },
)
_LAMP: Final = "lamp"


def fill(tx: Tx, call: Call) -> None:
    """Create the companies, contacts and deals of the last weeks, and the lamps that the shop sells."""
    maker = _Maker(tx, call)
    companies = maker.make("company", _COMPANIES)
    people = maker.make("contact", (_leading(contact, company=companies) for contact in _CONTACTS))
    maker.make("deal", (_dated(_leading(deal, company=companies, contact=people), tx.now) for deal in _DEALS))
    maker.run(objects.create, CreateObject(slug=_LAMP, label="Lamp", label_plural="Lamps"))
    for definition in LAMP_PROPERTIES:
        maker.run(properties.create, CreateProperty(object_type=_LAMP, **definition))
    maker.run(objects.publish, PublishObject(object_type=_LAMP, publishable=True))
    maker.make(_LAMP, LAMPS)


class _Maker:
    """Runs tools as if some hours apart, from twenty days ago on."""

    def __init__(self, tx: Tx, call: Call) -> None:
        self._tx = tx
        self._call = call
        self._at = tx.now - 20 * DAY_MS

    def make(self, object_type: str, several: Iterable[dict[str, Any]]) -> list[str]:
        """Create a record for each of the values, and return their ids."""
        return [self._make(object_type, values) for values in several]

    def _make(self, object_type: str, values: dict[str, Any]) -> str:
        self._at += 5 * HOUR_MS
        body = self.run(records.create, CreateRecord(object_type=object_type, properties=values))
        return msgspec.json.decode(body, type=_NewId).id

    def run(self, tool: Tool[Any, Any], arguments: ToolInput) -> bytes:
        """Call a tool, and return its answer."""
        return execution.write(self._tx.at(self._at), tool, self._call, arguments).body


class _NewId(msgspec.Struct):
    """The part of an answer that is used here."""

    id: str


def _leading(values: dict[str, Any], **to: list[str]) -> dict[str, Any]:
    """*values*, with indexes into the lists *to* replaced by ids."""
    return values | {slug: ids[values[slug]] for slug, ids in to.items() if slug in values}


def _dated(deal: dict[str, Any], now: int) -> dict[str, Any]:
    """*deal*, with its closing date computed from days from now."""
    return deal | {"close_date": rfc3339(now + deal["close_date"] * DAY_MS)[:10]}
