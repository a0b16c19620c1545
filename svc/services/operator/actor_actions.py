"""What an operator does to one actor, with its line in the log and in the audit trail."""

from typing import Final, Literal

import structlog

from svc.actors.system import System
from svc.domain.errors import Conflict, NotFound, Unavailable
from svc.domain.identity.callers import operator_call
from svc.storage import audit
from svc.storage.identity import organizations
from svc.storage.store import Tx

log = structlog.get_logger("svc.actors")

Action = Literal["passivate", "restart", "release"]

_ORGANIZATION: Final = "org_"


async def act(system: System, action: Action, kind: str, key: str) -> bool:
    """Do *action* to an actor; returns whether it is in an audit trail.

    It is in that of the organization that *key* begins with, if it does and the data can be written: an
    operator has to be able to act while it cannot.

    Raises `Conflict` if the actor is in no state for it.
    """
    do = {"passivate": system.passivate, "restart": system.restart, "release": system.release}[action]
    refusal = do(kind, key)
    if refusal is not None:
        raise Conflict(f"{kind}/{key}: {refusal}")
    log.warning("operator acted on an actor", action=action, kind=kind, key=key)
    if not key.startswith(_ORGANIZATION):
        return False
    organization_id = key.partition("/")[0]
    try:
        return await system.store.of(organization_id).write(
            _note, organization_id, f"actor.{action}", f"{kind}/{key}"
        )
    except (NotFound, Unavailable):
        return False


def _note(tx: Tx, organization_id: str, action: str, target: str) -> bool:
    organizations.get(tx.conn, organization_id)
    audit.note(tx, operator_call(organization_id), action, target)
    return True
