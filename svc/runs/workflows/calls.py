"""Calls of webhooks by runs: a delivery is queued, and the run waits for its row to end."""

from typing import Any, Final

from svc.domain.errors import Conflict
from svc.domain.input.near_names import shown
from svc.storage.store import Tx
from svc.storage.webhooks import attempts, deliveries
from svc.storage.workflows.run_rows import Run

NOT_SENT: Final[dict[str, Any]] = {"deliveryId": None, "state": None, "statusCode": None, "answer": None}
"""What a dry run has of a call."""


class CallFailed(Conflict):
    """Raised where a call was not delivered, or not in time; `output` is what later steps see of it."""

    def __init__(self, message: str, output: dict[str, Any]) -> None:
        super().__init__(message)
        self.output = output


def queue(tx: Tx, run: Run, key: str, webhook_id: str, body: Any) -> str:
    """Queue the delivery of the step *key*, and return its id. Raises `NotFound` and `Conflict`."""
    return deliveries.queue_call(
        tx, run.organization_id, webhook_id, run_id=run.id, key=key, body={} if body is None else body
    )


def outcome(tx: Tx, run: Run, delivery_id: str) -> dict[str, Any]:
    """What became of a delivery, as later steps see it. Raises `CallFailed`."""
    delivery = deliveries.get(tx.conn, run.organization_id, delivery_id)
    made = attempts.history(tx.conn, [delivery_id]).get(delivery_id, [])
    last = made[-1] if made else None
    output = {
        "deliveryId": delivery_id,
        "state": delivery.state,
        "statusCode": None if last is None else last.status_code,
        "answer": None if last is None else last.answer,
    }
    if delivery.state == "delivered":
        return output
    if delivery.state == "waiting":
        raise CallFailed("the call was not delivered in time", output)
    why = "" if last is None or last.error is None else f": {shown(last.error)}"
    raise CallFailed(f"the call was not delivered: it is {delivery.state}{why}", output)
