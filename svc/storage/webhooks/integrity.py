"""What must always hold of webhooks; `svc check` finds where it does not.

Whether each event made the deliveries that it should cannot be checked: what a subscription wanted when the
event was dispatched is not kept.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import sqlalchemy as sa

from svc.storage.webhooks import tables

_webhooks: Final = tables.webhooks
_deliveries: Final = tables.webhook_deliveries
_earlier: Final = _deliveries.alias("earlier")
_WAITS: Final = _deliveries.c.state == "waiting"


def _query(*where: sa.ColumnElement[bool]) -> Callable[[sa.Connection], Iterable[str]]:
    """Names the deliveries for which this holds."""
    return lambda conn: conn.scalars(sa.select(_deliveries.c.id).where(*where))


_is_ahead: Final = (
    sa.select(_earlier.c.id)
    .where(
        _earlier.c.webhook_id == _deliveries.c.webhook_id,
        _earlier.c.subject == _deliveries.c.subject,
        tables.waiting("earlier"),
        sa.tuple_(_earlier.c.place, _earlier.c.id) < sa.tuple_(_deliveries.c.place, _deliveries.c.id),
    )
    .exists()
)
_may_wait: Final = (
    sa.select(_webhooks.c.id)
    .where(
        _webhooks.c.id == _deliveries.c.webhook_id,
        sa.or_(_webhooks.c.active, _webhooks.c.ending.is_not(None)),
    )
    .exists()
)


def _without_secret(conn: sa.Connection) -> Iterable[str]:
    return conn.scalars(
        sa.select(_webhooks.c.id).where(_webhooks.c.removed_at.is_(None) != _webhooks.c.secret.is_not(None))
    )


INVARIANTS: Final[Mapping[str, Callable[[sa.Connection], Iterable[str]]]] = {
    "every webhook that is not deleted has a secret, and no other does": _without_secret,
    "every delivery waits for its next attempt, or has ended": _query(
        sa.or_(
            _deliveries.c.next_attempt_at.is_not(None) != _WAITS, _deliveries.c.done_at.is_(None) != _WAITS
        )
    ),
    "no delivery waits for a webhook that is disabled or deleted": _query(_WAITS, ~_may_wait),
    "of what waits for a webhook, the earliest of each subject may go out, and no other": _query(
        _deliveries.c.is_first != sa.and_(_WAITS, ~_is_ahead)
    ),
    "every delivery has an event, or a body of its own": _query(
        _deliveries.c.event_id.is_(None) == _deliveries.c.body.is_(None)
    ),
}
