"""Pruning: cards that ended long ago are deleted."""

from typing import Final

import sqlalchemy as sa

from svc.storage.approvals.tables import approvals
from svc.storage.pruning import UNTIL, deletion

_NEEDED: Final = sa.or_(
    approvals.c.uncollected_since.is_not(None),
    (approvals.c.asker_kind == "workflow") & (approvals.c.state == "waiting"),
)
"""It was decided, and what asked has not gone on from it; or a workflow's run has yet to see its end."""

PRUNERS: Final = (deletion(approvals, approvals.c.over_at <= UNTIL, ~_NEEDED, oldest_by=approvals.c.over_at),)
