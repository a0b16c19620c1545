"""The client kit: the Tool API, the channel doors, and bridges, from a program of your own.

It stands alone: `pip install svc-platform` brings anyio, httpx and msgspec, nothing of the server. It runs
in asyncio programs as in Trio ones.
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
    Received,
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
    "Received",
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
