"""In whose name imports write: judged when they are started, and again at each batch."""

from svc.domain.errors import Forbidden, Unauthenticated
from svc.domain.identity.access import admit_again, admit_person
from svc.domain.identity.callers import Caller, permit
from svc.domain.identity.organizations import Organization
from svc.domain.imports.starters import Starter
from svc.storage.identity import access
from svc.storage.store import Tx


class ImportEnded(Exception):
    """Raised where an import cannot go on. Its message is for the person who started it."""


def starter_of(caller: Caller) -> Starter:
    """What has to be kept of *caller*."""
    return Starter(kind=caller.kind, id=caller.id, person_id=caller.person_id, role_id=caller.role_id)


def check(tx: Tx, organization: Organization, starter: Starter, tool: str = "import.start") -> None:
    """Check that what *tool* has begun may go on in the name of *starter*. Raises `ImportEnded`."""
    if organization.closed_at is not None:
        raise ImportEnded("the organization was closed")
    if starter.kind == "operator":
        return
    try:
        caller = admit(tx, organization.id, starter)
        permit(caller, tool, needs="records.write", runs="open")
    except Unauthenticated:
        what = "app" if starter.kind == "grant" else starter.kind
        raise ImportEnded(f"the {what} that started it has no access to the organization any more") from None
    except Forbidden as error:
        raise ImportEnded(f"what started it may not go on: {error}") from None


def admit(tx: Tx, organization_id: str, starter: Starter) -> Caller:
    """The starter as a caller, with what it may now. Raises `Unauthenticated`."""
    facts = access.load(tx.conn, organization_id, tx.now)
    if starter.kind == "workflow":  # it runs in a person's name
        return admit_person(facts, starter.person_id or "", None)
    caller = Caller(
        organization_id=organization_id,
        kind=starter.kind,
        id=starter.id,
        person_id=starter.person_id,
        role_id=starter.role_id,
        permissions=frozenset(),
    )
    return admit_again(facts, caller, tx.now)
