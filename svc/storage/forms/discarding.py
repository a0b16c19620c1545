"""Throwing submissions away, and bringing them back.

A discarded submission has a state of its own, so that whatever asks for those of a state leaves it out: it is
neither filed nor counted. It says which state it had. After `DISCARDED_LIFE_MS` the `pruning` removes it.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import QueueChanged
from svc.storage.forms import tables
from svc.storage.forms.submissions import DISCARDED, ERASED
from svc.storage.statements import Statement
from svc.storage.store import Tx

RefusalCode = Literal["conflict", "not_found"]


class Outcome(msgspec.Struct, frozen=True):
    """What became of submissions, by id, in the order in which they were named."""

    done: list[str]
    refused: list[tuple[str, RefusalCode]]


class _Submission(NamedTuple):
    """A submission to be discarded or restored."""

    id: str
    form_key: str
    state: str
    discarded_from: str | None


_column: Final = tables.submissions.c
_FOUND: Final = Statement(
    sa.select(_column.id, tables.forms.c.form_key, _column.state, _column.discarded_from)
    .join(tables.forms, tables.forms.c.id == _column.form_id)
    .where(
        _column.id.in_(sa.bindparam("ids", expanding=True)),
        _column.organization_id == sa.bindparam("organization_id"),
        _column.state != ERASED,
    ),
    _Submission,
)
_DISCARD: Final = Statement(
    sa.update(tables.submissions)
    .where(_column.id == sa.bindparam("submission_id"))
    .values(
        state=DISCARDED,
        discarded_from=_column.state,
        discarded_at=sa.bindparam("at"),
        discarded_by=sa.bindparam("by"),
    )
)
_NOT_DISCARDED: Final[dict[str, Any]] = {
    "discarded_from": None,
    "discarded_at": None,
    "discarded_by": None,
}
_HOLD_AGAIN: Final = Statement(
    sa.update(tables.submissions)
    .where(_column.id == sa.bindparam("submission_id"))
    .values(state="held", **_NOT_DISCARDED)
)
_QUEUE_AGAIN: Final = Statement(
    sa.update(tables.submissions)
    .where(_column.id == sa.bindparam("submission_id"))
    .values(
        state="queued",
        queued_at=sa.bindparam("at"),
        paced_at=None,
        restored_at=sa.bindparam("at"),
        **_NOT_DISCARDED,
    )
)


def discard(tx: Tx, organization_id: str, ids: Sequence[str], discarded_by: str | None) -> Outcome:
    """Discard those of *ids* that are due, queued or held.

    One that is discarded already stays as it is, and is done. A filed one is refused as `conflict`, one that
    the organization does not have as `not_found`.
    """
    found = _found(tx, organization_id, ids)
    changed = [one for one in found.values() if one.state not in {DISCARDED, "filed"}]
    _DISCARD.many(tx.conn, [{"submission_id": one.id, "at": tx.now, "by": discarded_by} for one in changed])
    _announce(tx, (one.form_key for one in changed if one.state == "queued"))
    return _outcome(ids, found, refused_state="filed")


def restore(tx: Tx, organization_id: str, ids: Sequence[str]) -> Outcome:
    """Bring those of *ids* back that are discarded: to be held, or at the end of their form's queue.

    One that is not discarded stays as it is, and is done. One that the organization does not have is refused
    as `not_found`.
    """
    found = _found(tx, organization_id, ids)
    changed = [one for one in found.values() if one.state == DISCARDED]
    held = [one for one in changed if one.discarded_from == "held"]
    queued = [one for one in changed if one.discarded_from != "held"]
    _HOLD_AGAIN.many(tx.conn, [{"submission_id": one.id} for one in held])
    _QUEUE_AGAIN.many(tx.conn, [{"submission_id": one.id, "at": tx.now} for one in queued])
    _announce(tx, (one.form_key for one in queued))
    return _outcome(ids, found, refused_state=None)


def _found(tx: Tx, organization_id: str, ids: Sequence[str]) -> dict[str, _Submission]:
    wanted = list(dict.fromkeys(ids))
    return {one.id: one for one in _FOUND.all(tx.conn, ids=wanted, organization_id=organization_id)}


def _outcome(ids: Sequence[str], found: dict[str, _Submission], refused_state: str | None) -> Outcome:
    outcome = Outcome([], [])
    for id_ in dict.fromkeys(ids):
        one = found.get(id_)
        if one is None:
            outcome.refused.append((id_, "not_found"))
        elif one.state == refused_state:
            outcome.refused.append((id_, "conflict"))
        else:
            outcome.done.append(id_)
    return outcome


def _announce(tx: Tx, form_keys: Iterable[str]) -> None:
    """Tell of the forms whose queue has others now."""
    for form_key in sorted(set(form_keys)):
        tx.announce(QueueChanged(form_key))
