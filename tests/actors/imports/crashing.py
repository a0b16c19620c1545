"""A program that takes an import back, killed on the way at one statement after another.

    python -m tests.actors.imports.crashing DIRECTORY [STATEMENT…]

As `tests.actors.workflows.crashing`: the next life goes on alone, from the rows.
"""

import sys
from pathlib import Path

import trio
from sqlalchemy import Connection, select

from svc.domain.imports.imports import ReadingSettings
from svc.domain.imports.limits import IMPORT_BATCH_LINES
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.imports import jobs, uploads
from svc.storage.imports import steps as import_steps
from svc.storage.imports.jobs import NewImport, Start
from svc.storage.imports.tables import imports
from svc.storage.imports.undo import starting
from svc.storage.imports.undo import steps as undo_steps
from svc.storage.records import records
from svc.storage.store import Tx
from tests.actors.workflows.crashing import PATIENCE_SECONDS, armed, life, main
from tests.http.tools.crashing import Steps
from tests.people import a_member, call_of

NEW = 5
DATA = "name,email\r\nAda L,ada@example.com\r\n" + "".join(f"{n},{n}@example.com\r\n" for n in range(NEW))


def fill(tx: Tx) -> None:
    """An import that has made `NEW` contacts and changed one, and of which one record is taken back."""
    starting.IMPORT_UNDO_RECORDS = 1  # type: ignore[attr-defined]  # so that it goes on as a job
    organization = provisioning.create(tx, NewOrganization(name="Lamps"))
    call = call_of(a_member(tx, organization.id, "owner@example.com"))
    known = {"name": "Ada", "email": "ada@example.com"}
    records.create(tx, organization, "contact", known, source=call.source())
    data = DATA.encode()
    new = NewImport(object_type="contact", name="contacts.csv", format="csv", bytes=len(data))
    import_id = jobs.open_upload(tx, organization.id, new).id
    uploads.put_part(tx, organization.id, import_id, 0, data=data)
    jobs.start(tx, call, import_id, Start(by="email", settings=ReadingSettings()))
    import_steps.step(tx, organization.id, IMPORT_BATCH_LINES)
    starting.start(tx, call, import_id, dry_run=False)


async def work(path: Path, steps: Steps | None) -> None:
    """Live until the undo has ended."""
    undo_steps.IMPORT_UNDO_RECORDS = 2  # type: ignore[attr-defined]  # several pieces
    async with life(path, steps) as store, armed(steps):
        with trio.fail_after(PATIENCE_SECONDS):
            while "done" not in await store.read(_states):  # noqa: ASYNC110  # the actors tell nobody
                await trio.sleep(0.01)


def _states(conn: Connection) -> list[str | None]:
    return list(conn.scalars(select(imports.c.undo_state)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:], fill=fill, work=work)
