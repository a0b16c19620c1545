"""The client kit: call tools, use the channel doors, and run a bridge, from your own program.

- `Tools` calls the Tool API with an API key.
- `Bridge` connects a messenger: subclass it, and pass it to `run_bridge` or `run_as_program`. `PushReceiver`
  receives pushed replies; without it, replies are pulled.
- `Channel` calls the channel doors directly, with a channel key.
- `verify` checks the signature of a push or of a webhook.

`pip install svc-platform` installs the kit without the server; it depends on anyio, httpx and msgspec. It
works under asyncio and under Trio.
"""

from svc.client.bridge import Bridge, Delivery, Event, NotDelivered, Offline
from svc.client.channel import Channel
from svc.client.errors import BadAnswer, Refused, ServiceError, Unreachable
from svc.client.messages import (
    Attachment,
    Author,
    Conversation,
    DeliveryError,
    Evidence,
    Identification,
    Message,
    ReceiveResult,
    Reply,
    Sender,
    StatusReport,
)
from svc.client.receiver import PushReceiver
from svc.client.runner import run_as_program, run_bridge
from svc.client.tools import Tools
from svc.client.webhooks import BadSignature, verify

__all__ = [
    "Attachment",
    "Author",
    "BadAnswer",
    "BadSignature",
    "Bridge",
    "Channel",
    "Conversation",
    "Delivery",
    "DeliveryError",
    "Event",
    "Evidence",
    "Identification",
    "Message",
    "NotDelivered",
    "Offline",
    "PushReceiver",
    "ReceiveResult",
    "Refused",
    "Reply",
    "Sender",
    "ServiceError",
    "StatusReport",
    "Tools",
    "Unreachable",
    "run_as_program",
    "run_bridge",
    "verify",
]
