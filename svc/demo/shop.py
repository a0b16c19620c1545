"""The demo's shop: a small organization with data of a few weeks. Every name and number is made up.

Telephone numbers are from the ranges that Ofcom reserves for drama, domains and addresses from those that RFC
2606 and RFC 5737 reserve for examples.
"""

from typing import Any, Final

import msgspec

from svc.demo import channels as demo_channels
from svc.demo import embeds as demo_embeds
from svc.demo import records as demo_records
from svc.demo.channels import PullConnection, PushConnection
from svc.demo.examples import ExampleIds, Examples
from svc.domain.forms.fields import field_map
from svc.domain.forms.forms import Form, NewForm
from svc.domain.forms.submissions import prepare
from svc.domain.identity.callers import Call, Caller, operator_call
from svc.domain.identity.organizations import Organization
from svc.domain.identity.roles import OWNER, VIEWER
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS
from svc.domain.net.client_addresses import sender_of, visitor_of
from svc.domain.scalars import Scalar
from svc.domain.sites.visits import page_view, visitor_digests
from svc.storage import provisioning
from svc.storage.forms import filing, forms, server_keys, submissions
from svc.storage.forms.submissions import NewSubmission
from svc.storage.identity import accounts, api_keys, members
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.api_keys import NewKey
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sites import sites, visits
from svc.storage.store import Tx

NAME: Final = "Harbour Lamps"
OWNER_NAME: Final = "Maren Holt"
OWNER_EMAIL: Final = "maren@harbour-lamps.example"
HONEYPOT: Final = "fax"
"""The hidden field of both forms."""

_SHOP: Final = NewOrganization(
    name=NAME,
    country="GB",
    currency="GBP",
    locale="en_GB",
    time_zone="Europe/London",
    plan="pro",
)
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
"""The two names of this machine: the shop's page may be opened under either."""
_BROWSER: Final = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"


class Shop(msgspec.Struct, frozen=True, kw_only=True):
    """The ids and keys of the shop. The secrets are not stored in clear."""

    organization_id: str
    form_key: str
    bound_form_key: str
    server_key: str
    api_key: str
    viewer_key: str
    gateway_key: str
    pull_connection: PullConnection
    push_connection: PushConnection
    embed_key: str
    bound_embed_key: str
    paused_embed_key: str
    example_ids: ExampleIds


def open_shop(
    tx: Tx, domain: str, sender_secret: bytes, password_hash: str, starting_micro_credits: int = 0
) -> Shop:
    """Create the shop with its site at *domain*, its owner, and its data so far."""
    # In chronological order, since ids are too.
    opened = tx.at(tx.now - 21 * DAY_MS)
    shop = provisioning.create(opened, _SHOP, starting_micro_credits=starting_micro_credits)
    owner = _owner_call(opened, shop, password_hash)
    site = sites.create(opened, shop.id, domain)
    for alias in _LOOPBACK - {domain} if domain in _LOOPBACK else ():
        sites.create(opened, shop.id, alias)
    unbound = forms.create(
        opened,
        shop,
        NewForm(
            name="Ask about a lamp",
            field_map={"town": "city"},
            deal_title="{{lamp}} for {{name}}",
            honeypot=HONEYPOT,
        ),
    )
    bound = forms.create(
        opened,
        shop,
        NewForm(
            name="Trade enquiries",
            site_id=site.id,
            field_map={"website": "website", "town": "city", "role": "job_title"},
            deal_title="{{name}}: {{quantity}} × {{product}}",
            honeypot=HONEYPOT,
        ),
    )
    closed = forms.create(opened, shop, NewForm(name="Summer sale", site_id=site.id))
    forms.pause(opened, shop.id, closed.id)
    server_key = server_keys.mint(opened, operator_call(shop.id), "Shop server")
    demo_records.fill(tx, owner)
    price_list, own_site, sale = demo_embeds.show(opened, shop.id, site, unbound)
    inbox = _Inbox(tx, shop, sender_secret)
    inbox.fill(unbound, bound)
    inbox.take_from_visitor(unbound, domain)
    today = msgspec.structs.replace(owner, caller=msgspec.structs.replace(owner.caller, confirmed_at=tx.now))
    pull_connection, push_connection = demo_channels.connect(tx, shop.id)
    examples = Examples(tx, today).fill(form_id=unbound.id, embed_id=price_list.id)
    return Shop(
        organization_id=shop.id,
        form_key=unbound.form_key,
        bound_form_key=bound.form_key,
        server_key=server_key.key,
        api_key=_mint(tx, today, name="Everything", expires_in="1y"),
        viewer_key=_mint(tx, today, name="Read only", expires_in="1y", role_id=VIEWER.id),
        gateway_key=_mint(tx, today, name="AI gateway", limited_to="ai.gateway"),
        pull_connection=pull_connection,
        push_connection=push_connection,
        embed_key=price_list.embed_key,
        bound_embed_key=own_site.embed_key,
        paused_embed_key=sale.embed_key,
        example_ids=examples,
    )


def _owner_call(tx: Tx, shop: Organization, password_hash: str) -> Call:
    """Create the shop's owner, and return a call as the owner, who has just signed in."""
    new = NewAccount(
        email=OWNER_EMAIL, name=OWNER_NAME, home_organization_id=shop.id, password_hash=password_hash
    )
    person = accounts.create(tx, new)
    members.add(tx, operator_call(shop.id), person.id, OWNER.id)
    caller = Caller(
        organization_id=shop.id,
        kind="person",
        id=person.id,
        person_id=person.id,
        permissions=OWNER.permissions,
        confirmed_at=tx.now,
    )
    return Call(caller=caller, door="app")


def _mint(tx: Tx, call: Call, **body: Any) -> str:
    """Create an API key of the owner."""
    return api_keys.mint(tx, call, NewKey(**body)).key


class _Inbox:
    """Stores and files submissions at past times, as the form endpoint would have done."""

    def __init__(self, tx: Tx, shop: Organization, sender_secret: bytes) -> None:
        self._tx = tx
        self._shop = shop
        self._secret = sender_secret
        self._target = filing.target(tx.conn, shop.id)

    def fill(self, unbound: Form, bound: Form) -> None:
        """Submissions of new people, of a contact, of a possible contact, and spam."""
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
        """Store a submission of a visitor of the site, so that there are visits to attach."""
        address = "198.51.100.23"
        keys = visits.rotate_keys(self._tx)
        tracked_sites = sites.at_host(self._tx.conn, domain)
        for minutes, path, title in ((55, "/", "Harbour Lamps"), (52, "/lamps/skerry", "Skerry wall light")):
            visits.create(
                self._tx.at(self._tx.now - minutes * MINUTE_MS),
                tracked_sites,
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
        at = self._tx.at(self._tx.now - ago_ms)
        prepared = prepare(values, field_map(form.field_map), self._shop.country)
        submissions.create(
            at,
            NewSubmission(
                organization_id=self._shop.id,
                form_id=form.id,
                queued=False,
                sender=sender_of(address, self._secret),
                visitors=visitors,
                email=prepared.email,
                phone=prepared.phone,
                name=prepared.name,
                fields=prepared.fields,
                recognised=prepared.recognised,
                mapped=prepared.mapped,
                dropped=prepared.dropped,
                spam=bool(values.get(HONEYPOT)),
            ),
        )
        filing.file_due(at, self._target)
