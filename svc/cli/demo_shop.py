"""The demo's shop: a small organization with a few weeks behind it. Every name and number is made up.

Telephone numbers are of the ranges that Ofcom keeps for drama, domains and addresses of those that RFC 2606
and RFC 5737 keep for examples.
"""

from typing import Any, Final

import msgspec

from svc.cli.demo_embeds import ShopEmbeds, publish_lamps
from svc.domain.fields import field_map
from svc.domain.forms import Form, Scalar
from svc.domain.ids import new_id
from svc.domain.objects import COMPANY, CONTACT, DEAL
from svc.domain.organizations import Organization
from svc.domain.senders import sender_of, visitor_of
from svc.domain.submissions import prepare
from svc.domain.times import DAY_MS, HOUR_MS, MINUTE_MS
from svc.domain.visits import page_view, visitor_digests
from svc.storage import (
    contacts,
    filing,
    forms,
    objects,
    organizations,
    records,
    server_keys,
    sites,
    submissions,
    visits,
)
from svc.storage.forms import NewForm
from svc.storage.organizations import NewOrganization
from svc.storage.store import Tx
from svc.storage.submissions import NewSubmission

NAME: Final = "Harbour Lamps"
HONEYPOT: Final = "fax"
"""The field of both forms that people never see."""

_SHOP: Final = NewOrganization(
    name=NAME,
    country="GB",
    currency="GBP",
    locale="en_GB",
    time_zone="Europe/London",
    plan="pro",
)
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
"""Both are names of this machine, and the shop's page may be opened under either."""
_BROWSER: Final = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"

_COMPANIES: Final = (
    {"name": "Hotel Bellevue", "website": "https://bellevue.example", "city": "Brighton"},
    {"name": "Marlowe & Reid Architects", "website": "https://marlowe-reid.example", "city": "Leeds"},
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
)
_DEALS: Final[tuple[dict[str, Any], ...]] = (
    {
        "name": "40 reading lamps for the west wing",
        "amount": 3_160,
        "amount_currency": "GBP",
        "stage": "Proposal",
        "contact": 0,
        "company": 0,
    },
    {
        "name": "Lighting for the library in Ilkley",
        "amount": 12_400,
        "amount_currency": "GBP",
        "stage": "Qualified",
        "contact": 1,
        "company": 1,
    },
    {"name": "Brass pendant, repaired", "amount": 85, "amount_currency": "GBP", "stage": "Won", "contact": 2},
)


class Shop(msgspec.Struct, frozen=True):
    """What was made, and the one secret that is shown this once."""

    organization_id: str
    form_key: str
    bound_form_key: str
    server_key: str
    embeds: ShopEmbeds


def open_shop(tx: Tx, domain: str, sender_secret: bytes) -> Shop:
    """Make the shop with its site at *domain*, and what came in there so far."""
    # In the order of time, since ids are made in that order.
    opened = Tx(tx.conn, tx.now - 21 * DAY_MS)
    shop = organizations.create(opened, _SHOP)
    site = sites.create(opened, shop.id, domain)
    for other in _LOOPBACK - {domain} if domain in _LOOPBACK else ():
        sites.create(opened, shop.id, other)
    unbound = forms.create(
        opened,
        shop.id,
        NewForm(
            name="Ask about a lamp",
            field_map={"town": "city"},
            deal_title="{{lamp}} for {{name}}",
            honeypot=HONEYPOT,
        ),
    )
    bound = forms.create(
        opened,
        shop.id,
        NewForm(
            name="Trade enquiries",
            site_id=site.id,
            field_map={"website": "website", "town": "city", "role": "job_title"},
            deal_title="{{name}}: {{quantity}} × {{product}}",
            honeypot=HONEYPOT,
        ),
    )
    closed = forms.create(opened, shop.id, NewForm(name="Summer sale", site_id=site.id))
    forms.set_status(opened, shop.id, closed.id, "paused")
    server_key = server_keys.mint(opened, shop.id, "Shop server")
    _import(opened, shop)
    embeds = publish_lamps(opened, shop, site, unbound)
    inbox = _Inbox(tx, shop, sender_secret)
    inbox.fill(unbound, bound)
    inbox.take_from_visitor(unbound, domain)
    return Shop(shop.id, unbound.form_key, bound.form_key, server_key.key, embeds)


def _import(tx: Tx, shop: Organization) -> None:
    """Store what the shop brought along from its address book."""
    ids = objects.ids_by_slug(tx.conn, shop.id)
    companies = [(new_id("rec", tx.now), dict(one)) for one in _COMPANIES]

    def related(one: dict[str, Any], slug: str, others: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        return one | {slug: others[one[slug]][0]} if slug in one else one

    people = [(new_id("rec", tx.now), related(one, COMPANY, companies)) for one in _CONTACTS]
    deals = [
        (new_id("rec", tx.now), related(related(one, COMPANY, companies), CONTACT, people)) for one in _DEALS
    ]
    for slug, made in ((COMPANY, companies), (CONTACT, people), (DEAL, deals)):
        records.insert_many(tx.conn, shop.id, ids[slug], tx.now, made)
    contacts.remember(
        tx.conn,
        shop.id,
        [
            (contact_id, kind, properties[kind])
            for contact_id, properties in people
            for kind in ("email", "phone")
            if kind in properties
        ],
    )


class _Inbox:
    """Takes submissions as the form's door and the organization would have, at times gone by."""

    def __init__(self, tx: Tx, shop: Organization, sender_secret: bytes) -> None:
        self._tx = tx
        self._shop = shop
        self._secret = sender_secret
        self._cabinet = filing.cabinet(tx.conn, shop.id)

    def fill(self, unbound: Form, bound: Form) -> None:
        """One of each kind: new people, one who is known, one who may be, and one who is no person."""
        self._take(
            11 * DAY_MS,
            bound,
            "198.51.100.20",
            {
                "name": "Ola Brandt",
                "email": "ola@nordlys-interiors.example",
                "phone": "+44 7700 900 201",
                "website": "nordlys-interiors.example",
                "town": "Aberdeen",
                "product": "Skerry wall light",
                "quantity": 24,
                "message": "Do you deliver to the islands?",
            },
        )
        self._take(
            6 * DAY_MS,
            unbound,
            "198.51.100.21",
            {
                "name": "Grace Okafor",
                "email": "Grace.Okafor@example.com",
                "town": "Margate",
                "lamp": "Brass pendant",
                "message": "It is back on the wall and lovely. A second one, please. We have moved!",
            },
        )
        self._take(
            2 * DAY_MS,
            unbound,
            "198.51.100.22",
            {
                "name": "I. Duarte",
                "email": "ines.duarte@example.com",
                "phone": "07700 900101",
                "lamp": "Skerry wall light",
                "message": "For my own hallway this time.",
            },
        )
        self._take(
            7 * HOUR_MS,
            unbound,
            "203.0.113.66",
            {"name": "SEO Team", "email": "rank@first-page.example", "lamp": "", HONEYPOT: "555 0100"},
        )

    def take_from_visitor(self, form: Form, domain: str) -> None:
        """A submission whose sender looked around first, so that there are visits to attach."""
        address = "198.51.100.23"
        keys = visits.rotate_keys(self._tx)
        seen_by = sites.at_domains(self._tx.conn, [domain])
        for minutes, path, title in ((55, "/", "Harbour Lamps"), (52, "/lamps/skerry", "Skerry wall light")):
            visits.insert_view(
                Tx(self._tx.conn, self._tx.now - minutes * MINUTE_MS),
                seen_by,
                visitor_of(address, _BROWSER, keys[0]),
                page_view(f"https://{domain}{path}", None, title),
            )
        self._take(
            50 * MINUTE_MS,
            form,
            address,
            {
                "name": "Hanna Weiss",
                "email": "hanna.weiss@example.com",
                "town": "Bristol",
                "lamp": "Skerry wall light",
                "message": "Is it bright enough to read by?",
            },
            visitor_digests(address, _BROWSER, keys),
        )

    def _take(
        self,
        ago_ms: int,
        form: Form,
        address: str,
        values: dict[str, Scalar],
        visitors: tuple[str, ...] = (),
    ) -> None:
        at = Tx(self._tx.conn, self._tx.now - ago_ms)
        said = prepare(values, field_map(form.field_map), self._shop.country)
        submissions.insert_one(
            at,
            NewSubmission(
                organization_id=self._shop.id,
                form_id=form.id,
                queued=False,
                sender=sender_of(address, self._secret),
                visitors=visitors,
                email=said.email,
                phone=said.phone,
                name=said.name,
                fields=said.fields,
                recognised=said.recognised,
                mapped=said.mapped,
                dropped=said.dropped,
                spam=bool(values.get(HONEYPOT)),
            ),
        )
        filing.file_due(at, self._cabinet)
