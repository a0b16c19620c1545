"""Units of work that record events, with no subscription and with 20: they must not cost more for it."""

import time
from collections.abc import Callable
from statistics import median
from typing import Final, NamedTuple

import trio

from bench._event_life import SECRETS
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.domain.events import EVENT_TYPES
from svc.domain.forms.forms import Form, NewForm
from svc.domain.identity.organizations import Organization
from svc.domain.webhooks.subscriptions import SubscriptionSettings
from svc.storage import provisioning
from svc.storage.forms import filing, forms, submissions
from svc.storage.forms.filing import FilingTarget
from svc.storage.forms.submissions import NewSubmission
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import records
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks

SUBSCRIPTIONS: Final = 20
UNITS: Final = 200
ROUNDS: Final = 21
SOURCE: Final = {"kind": "api", "id": "key_1", "personId": "usr_1"}


class Shop(NamedTuple):
    """An organization, its form, and where that files."""

    organization: Organization
    form: Form
    target: FilingTarget


def make_shop(tx: Tx, many: int) -> Shop:
    made = provisioning.create(tx, NewOrganization(name="Lamps"))
    for _ in range(many):
        settings = SubscriptionSettings(url="https://receiver.example/", events=EVENT_TYPES)
        webhooks.create(tx, made.id, settings)
    return Shop(made, forms.create(tx, made, NewForm(name="Contact")), filing.target(tx.conn, made.id))


def create_record(tx: Tx, shop: Shop, name: str) -> None:
    values = {"name": "Ada", "email": f"{name}@example.com"}
    records.create(tx, shop.organization, "contact", values, source=SOURCE)


def file_submission(tx: Tx, shop: Shop, name: str) -> None:
    email = f"{name}@example.com"
    submissions.create(
        tx,
        NewSubmission(
            organization_id=shop.organization.id,
            form_id=shop.form.id,
            queued=False,
            sender="0" * 32,
            visitors=(),
            email=email,
            phone=None,
            name="Ada",
            fields={"email": email, "name": "Ada"},
            recognised=("email", "name"),
            mapped={},
            dropped=0,
            spam=False,
        ),
    )
    filing.file_due(tx, shop.target)


Unit = Callable[[Tx, Shop, str], None]


def time_units() -> dict[str, tuple[float, float, float]]:
    """µs of CPU of a unit with no subscription and with `SUBSCRIPTIONS`; and the median of their ratios."""
    return trio.run(_time_units)


async def _time_units() -> dict[str, tuple[float, float, float]]:
    sealer = Sealer(SECRETS.sealing)
    units: dict[str, Unit] = {"record.create": create_record, "a filing": file_submission}
    async with inline_store(WallClock(), prepare=migrate_to_head, sealer=sealer) as store:
        shops = [await store.write(make_shop, many) for many in (0, SUBSCRIPTIONS)]
        took: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in units}
        for number in range(ROUNDS):
            for name, unit in units.items():
                turns = list(enumerate(shops))
                for which, shop in turns if number % 2 else turns[::-1]:
                    began = time.process_time()
                    for place in range(UNITS):
                        await store.write(unit, shop, f"{name[:1]}{number}.{place}")
                    took[name][which].append((time.process_time() - began) / UNITS * 1e6)
        return {
            name: (
                median(none),
                median(some),
                median(more / less for less, more in zip(none, some, strict=True)),
            )
            for name, (none, some) in took.items()
        }
