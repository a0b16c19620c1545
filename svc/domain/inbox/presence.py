"""Presence: who else has a conversation open, and whether they write in it."""

from typing import Literal

import msgspec

Activity = Literal["looks", "writes"]
"""What somebody does at a conversation: that they look or write, and never what."""


class Presence(msgspec.Struct, frozen=True):
    """A person at a conversation."""

    person_id: str
    activity: Activity
