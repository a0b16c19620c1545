"""What the tools of webhooks say of a subscription."""

from typing import Annotated, Any, Final

from svc.domain.events import EVENT_TYPES, EventType
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.locale.times import Timestamp
from svc.domain.records.limits import OBJECTS_MAX, URL_CHARS_MAX
from svc.domain.versions import Version
from svc.domain.webhooks.health import DisabledReason
from svc.domain.webhooks.limits import WEBHOOK_PER_SECOND_MAX
from svc.tools.tool import ToolInput, ToolOutput, about

WebhookId = Annotated[
    str, about(description="The webhook's id.", examples=["whk_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
EXAMPLE_DELIVERY_ID: Final = "dlv_01K5D3V7Q2M8Z4X6C9B1N0T5RA"
DeliveryId = Annotated[str, about(description="The delivery's id.", examples=[EXAMPLE_DELIVERY_ID])]
Name = Annotated[str, about(description="What people call it.", min_length=1, max_length=NAME_CHARS_MAX)]
Url = Annotated[
    str,
    about(
        description="Where events are sent: absolute, `http` or `https`, without credentials. A private"
        " address is refused unless the configuration allows it; where a name leads is looked at"
        " when it is sent to.",
        max_length=URL_CHARS_MAX,
    ),
]
Events = Annotated[
    tuple[EventType, ...],
    about(
        description="The types of events that are sent. Each takes the permission to see it.",
        max_length=len(EVENT_TYPES),
    ),
]
ObjectTypes = Annotated[
    tuple[str, ...],
    about(
        description="Of events of records, only those of these objects, by slug; of all if there are none."
        " Other events are not left out.",
        max_length=OBJECTS_MAX,
    ),
]
PerSecond = Annotated[
    int,
    about(description="How many attempts begin in a second at most.", ge=1, le=WEBHOOK_PER_SECOND_MAX),
]
SigningSecret = Annotated[
    str, about(description="What deliveries are signed with (Standard Webhooks). Shown this once.")
]


class WebhookAnswer(ToolOutput, frozen=True, kw_only=True):
    """A subscription to events."""

    id: WebhookId
    name: Name | None
    url: Url
    events: Annotated[list[str], about(description="The types of events that are sent.")]
    object_types: ObjectTypes
    max_per_second: Annotated[PerSecond | None, about(description="Null for as many as come.")]
    contract: Annotated[str, about(description="The date of the contract that it was made with.")]
    active: Annotated[bool, about(description="While it is not, events make no deliveries for it.")]
    disabled_reason: Annotated[
        DisabledReason | None,
        about(
            description="`gone`: the address answered 410. `failing`: nothing but failures for five days."
            " Null while it is active, and where it was switched off by hand."
        ),
    ]
    failing_since: Annotated[
        Timestamp | None, about(description="The first failure since the last success; null without one.")
    ]
    held_until: Annotated[
        Timestamp | None, about(description="Until when its receiver has asked for a pause, if it has.")
    ]
    previous_secret_until: Annotated[
        Timestamp | None,
        about(description="Until then the secret before signs as well; null if none was replaced."),
    ]
    version: Version
    created_at: Timestamp
    updated_at: Timestamp


class WebhookById(ToolInput, frozen=True, kw_only=True):
    """Which webhook."""

    id: WebhookId


EXAMPLE_FACTS: Final[dict[str, Any]] = {
    "id": "whk_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    "name": "Order system",
    "url": "https://orders.harbourlamps.example/events",
    "events": ["record.created", "submission.filed"],
    "object_types": ("contact",),
    "max_per_second": None,
    "contract": "2026-09",
    "active": True,
    "disabled_reason": None,
    "failing_since": None,
    "held_until": None,
    "previous_secret_until": None,
    "version": 1,
    "created_at": "2026-09-18T09:30:00.000Z",
    "updated_at": "2026-09-18T09:30:00.000Z",
}
EXAMPLE: Final = WebhookAnswer(**EXAMPLE_FACTS)
EXAMPLE_SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwM2Ih0Q5Jx5s="  # noqa: S105  # an example
