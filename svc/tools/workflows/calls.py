"""Calls of webhooks by runs: a delivery is queued, and the run waits for its row to end."""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.storage.store import Tx
from svc.storage.workflows.run_rows import Run

NOT_SENT: Final[dict[str, Any]] = {"deliveryId": None, "state": None, "statusCode": None, "answer": None}
"""What a dry run has of a call."""


def queue(tx: Tx, run: Run, key: str, webhook_id: str, body: Any) -> str:
    """Queue the delivery of a step, once however often it is begun, and return its id. Raises `NotFound`."""
    raise NotFound("there is no webhook")


def outcome(conn: sa.Connection, delivery_id: str) -> dict[str, Any]:
    """What became of a delivery, as the steps after it see it."""
    raise NotFound(delivery_id)
