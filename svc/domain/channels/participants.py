"""The person at the other end of a conversation."""

import msgspec


class Participant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The person at the other end, as the bridge last described them."""

    name: str | None = None
    phone: str | None = None
    email: str | None = None
    username: str | None = None
