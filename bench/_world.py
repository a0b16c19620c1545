"""A prepared database: organizations with sites, forms and contacts, made by the program's own functions."""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, Self

import msgspec
import trio

from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.forms.forms import NewForm
from svc.domain.records.objects import CONTACT
from svc.storage import provisioning
from svc.storage.forms import forms
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import bulk, contacts, objects
from svc.storage.sites import sites
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

RESULTS: Final = Path(__file__).with_name("results")
DATABASE: Final = DataDirectory(Path()).database.name
BACKLOG_SECONDS_MAX: Final = 120
CONTACTS_OF_EACH: Final = 20
FIELD_MAP: Final = {"city": "city"}
DEAL_TITLE: Final = "Enquiry from {{company}}"


class WorldForm(msgspec.Struct, frozen=True):
    """A form's key, and the e-mail addresses of its organization's contacts with `%d` for 0 to 19."""

    key: str
    customer: str


def make_world(data: Path, *, organizations_count: int, forms_count: int) -> Path:
    """Make a data directory at *data*, and a list of its forms for the load; returns that list's path.

    Half of the forms are bound to a site of theirs, a quarter maps a field, and a quarter opens deals.
    """
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()

    async def make() -> list[WorldForm]:
        async with inline_store(WallClock(), directory.database, prepare=migrate_to_head) as store:
            return await store.write(_fill, organizations_count, forms_count)

    listed = data.with_suffix(".forms")
    listed.write_text("".join(f"{form.key} {form.customer}\n" for form in trio.run(make)))
    return listed


def _fill(tx: Tx, organizations_count: int, forms_count: int) -> list[WorldForm]:
    made: list[WorldForm] = []
    for index in range(organizations_count):
        organization = provisioning.create(
            tx, NewOrganization(name=f"Organization {index}", country="DE", plan="pro")
        )
        site = sites.create(tx, organization.id, f"site{index}.example") if index % 2 else None
        customer = f"%d@customers{index}.example"
        _add_contacts(tx, organization.id, customer)
        for number in range(forms_count // organizations_count):
            form = forms.create(
                tx,
                organization,
                NewForm(
                    name=f"Form {number}",
                    site_id=site.id if site else None,
                    field_map=FIELD_MAP if number % 4 == 0 else {},
                    deal_title=DEAL_TITLE if number % 4 == 1 else None,
                ),
            )
            made.append(WorldForm(form.form_key, customer))
    return made


def _add_contacts(tx: Tx, organization_id: str, customer: str) -> None:
    ids = {tx.new_id("rec"): customer % number for number in range(CONTACTS_OF_EACH)}
    object_id = objects.ids_by_slug(tx.conn, organization_id)[CONTACT]
    bulk.insert_many(
        tx.conn,
        organization_id,
        object_id,
        tx.now,
        [(record_id, {"name": "Anna Petrova", "email": email}) for record_id, email in ids.items()],
    )
    contacts.remember(
        tx.conn, organization_id, [(record_id, "email", email) for record_id, email in ids.items()]
    )


@contextmanager
def workspace() -> Iterator[Path]:
    """A directory on the disk of this checkout, gone afterwards: what is measured is a real disk's fsync."""
    RESULTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=RESULTS, prefix="work-") as made:
        yield Path(made)


def copy_of(data: Path, to: Path) -> Path:
    """A fresh copy of a data directory."""
    if to.exists():
        shutil.rmtree(to)
    shutil.copytree(data, to)
    return to


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What is on the disk."""

    states: dict[str, int]
    contacts: int
    deals: int
    notes: int
    events: int
    doubled: int
    """Identities that two contacts have, submissions with more than one note or outcome: none, ever."""

    def __sub__(self, before: Self) -> Self:
        """What came since *before*."""
        return type(self)(
            states={state: many - before.states.get(state, 0) for state, many in self.states.items()},
            contacts=self.contacts - before.contacts,
            deals=self.deals - before.deals,
            notes=self.notes - before.notes,
            events=self.events - before.events,
            doubled=self.doubled,
        )

    @property
    def kept(self) -> int:
        return sum(self.states.values())

    @property
    def filed(self) -> int:
        return self.states.get("filed", 0)

    @property
    def waiting(self) -> int:
        return self.states.get("due", 0) + self.states.get("queued", 0)


_DOUBLED: Final = (
    """SELECT count(*) FROM
       (SELECT 1 FROM identities GROUP BY organization_id, kind, value HAVING count(*) > 1)""",
    "SELECT count(*) FROM (SELECT 1 FROM notes GROUP BY submission_id HAVING count(*) > 1)",
    """SELECT count(*) FROM (SELECT 1 FROM events WHERE type LIKE 'submission.%'
       GROUP BY json_extract(data, '$.submissionId') HAVING count(*) > 1)""",
)


def counts(data: Path) -> Counts:
    """Count what is in the database of *data*."""
    with _reading(data) as db:
        db.execute("BEGIN")

        def one(sql: str) -> int:
            found: int = db.execute(sql).fetchone()[0]
            return found

        of_object = "SELECT count(*) FROM records r JOIN objects o ON o.id = r.object_id WHERE o.slug = '{}'"
        return Counts(
            states=dict(db.execute("SELECT state, count(*) FROM submissions GROUP BY state")),
            contacts=one(of_object.format("contact")),
            deals=one(of_object.format("deal")),
            notes=one("SELECT count(*) FROM notes"),
            events=one("SELECT count(*) FROM events"),
            doubled=sum(one(sql) for sql in _DOUBLED),
        )


@contextmanager
def _reading(data: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True, timeout=10)) as db:
        yield db


def wait_filed(data: Path) -> None:
    """Wait until everything that is due in the database of *data* has been filed."""
    deadline = time.monotonic() + BACKLOG_SECONDS_MAX
    with _reading(data) as db:
        while db.execute("SELECT EXISTS (SELECT 1 FROM submissions WHERE state = 'due')").fetchone()[0]:
            if time.monotonic() > deadline:
                raise SystemExit(f"not everything was filed after {BACKLOG_SECONDS_MAX} s")
            time.sleep(0.01)
