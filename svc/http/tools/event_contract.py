"""The part of the contract about events: what webhooks send, as OpenAPI 3.1's `webhooks`."""

from collections.abc import Iterable
from typing import Final

import msgspec

from svc.domain.channels.connections import CONTRACT
from svc.domain.channels.limits import PUSH_ANSWER_SECONDS
from svc.domain.webhooks.limits import WEBHOOK_RETRIES_MS
from svc.http.docs.example_ids import ExampleIds, with_ids
from svc.http.tools.contract_parts import Json
from svc.tools.webhooks.payloads import EXAMPLES, EventPayload

_DELIVERY: Final = "dlv_01K5D3V7Q2M8Z4X6C9B1N0T5RA"
_SIGNATURE: Final = "v1,mDLlJ7mfW0mWoKpDHjJvXb2nzhBYlxq5VE3mrmBv2Zk="


def _parameter(name: str, description: str, example: str) -> Json:
    return {
        "name": name,
        "in": "header",
        "required": True,
        "description": description,
        "schema": {"type": "string"},
        "example": example,
    }


_SENT_AT: Final = "Unix time of this attempt, in seconds."
_SIGNED: Final = (
    "`v1,` and the base64 of HMAC-SHA256 over `<delivery>.<timestamp>.<body>` (Standard Webhooks); two of"
    " them, parted by a space, while a secret is being replaced."
)
_SAME_ID: Final = "The delivery's id, the same on every attempt: drop what you have had already."

PARAMETERS: Final = {
    "ServiceEvent": _parameter("X-Service-Event", "The event's type.", "record.created"),
    "ServiceDelivery": _parameter("X-Service-Delivery", _SAME_ID, _DELIVERY),
    "ServiceTimestamp": _parameter("X-Service-Timestamp", _SENT_AT, "1789723800"),
    "ServiceSignature": _parameter("X-Service-Signature", _SIGNED, _SIGNATURE),
    "ServiceContract": _parameter(
        "X-Service-Contract", "The contract that the subscription was made with.", CONTRACT
    ),
    "WebhookId": _parameter("webhook-id", _SAME_ID, _DELIVERY),
    "WebhookTimestamp": _parameter("webhook-timestamp", _SENT_AT, "1789723800"),
    "WebhookSignature": _parameter("webhook-signature", _SIGNED, _SIGNATURE),
}
"""The headers of a delivery: our own names, and those that stock verifiers look for."""

_RESPONSES: Final = {
    "2XX": {"description": f"Taken. Answer within {PUSH_ANSWER_SECONDS} seconds; the body is not looked at."},
    "410": {"description": "The address is gone for good: the subscription is disabled."},
    "429": {"description": "Too much: the subscription waits for as long as `Retry-After` says."},
    "default": {"description": f"Not taken: tried again up to {len(WEBHOOK_RETRIES_MS)} times over days."},
}


def payload_types() -> Iterable[type[EventPayload]]:
    """The types of all payloads."""
    return [type(example) for example in EXAMPLES.values()]


def webhooks(ids: ExampleIds) -> Json:
    """The operation of each type of event at a receiver."""
    return {name: {"post": _operation(example, ids)} for name, example in EXAMPLES.items()}


def _operation(example: EventPayload, ids: ExampleIds) -> Json:
    kind = type(example)
    description = (kind.__doc__ or "").strip()
    return {
        "operationId": f"on_{example.type.replace('.', '_')}",
        "tags": ["webhook"],
        "summary": description.removesuffix("."),
        "description": description,
        "security": [],
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in PARAMETERS],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": f"#/components/schemas/{kind.__name__}"},
                    "example": with_ids("event.list", msgspec.to_builtins(example), ids),
                }
            },
        },
        "responses": _RESPONSES,
    }
