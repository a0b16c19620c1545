"""Connections: the accounts at messengers that an organization's bridges serve."""

from collections.abc import Collection
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

from svc.domain.errors import Forbidden, InvalidValue
from svc.domain.identity.callers import Caller
from svc.domain.records.limits import URL_CHARS_MAX

Messenger = Literal[
    "telegram",
    "whatsapp",
    "viber",
    "signal",
    "instagram",
    "messenger",
    "line",
    "wechat",
    "discord",
    "matrix",
    "xmpp",
    "sms",
    "other",
]

Delivery = Literal["push", "pull"]
"""How replies reach the bridge; fixed when the connection is made."""

ConnectionStatus = Literal["active", "paused", "removed"]
PauseReason = Literal["person", "gone"]
"""Why a connection is paused: by a person, or because its bridge's address answered 410."""

ConnectionState = Literal["active", "paused", "offline"]
"""What one word says of a connection that is there."""

HealthState = Literal["online", "offline"]
HealthReason = Literal["token_revoked", "network", "rate_limited", "other"]

AccountKind = Literal["organization", "team", "member"]

CONTRACT: Final = "2026-09"
"""The contract that new connections are made with. A connection keeps its own; a superseded
contract is served for another twelve months."""


class Account(msgspec.Struct, frozen=True):
    """The owner of an account at a messenger; `id` is the team's or the person's."""

    kind: AccountKind
    id: str | None = None


class Health(msgspec.Struct, frozen=True):
    """The health that a bridge last reported; `at` is the time of the report, ms since the epoch."""

    state: HealthState
    reason: HealthReason | None
    detail: str | None
    at: int


class Connection(msgspec.Struct, frozen=True, kw_only=True):
    """A connection. Times are ms since the epoch."""

    id: str
    organization_id: str
    name: str
    account: Account
    messenger: Messenger
    delivery: Delivery
    url: str | None
    """The address that replies are pushed to."""
    contract: str
    status: ConnectionStatus
    pause_reason: PauseReason | None = None
    health: Health | None = None
    """None until the bridge has reported."""
    previous_secret_until: int | None = None
    """Until when the signing secret before the present one signs as well; None if none was replaced."""
    created_at: int
    updated_at: int

    @property
    def is_paused(self) -> bool:
        """Whether replies wait without expiring."""
        return self.status == "paused"

    @property
    def state(self) -> ConnectionState:
        """What people set comes before what the bridge reports."""
        if self.is_paused:
            return "paused"
        return "offline" if self.health is not None and self.health.state == "offline" else "active"

    @property
    def hands_out(self) -> bool:
        """Whether replies are handed out: not while the connection is paused or offline."""
        return self.status == "active" and (self.health is None or self.health.state == "online")


def check_url(url: str) -> str:
    """*url*, if a push can be sent to it: absolute, `http` or `https`, with no user and no fragment.

    The address that it resolves to is checked at each push. Raises `InvalidValue`.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or len(url) > URL_CHARS_MAX or not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidValue("not an absolute http or https address")
    if parts.username is not None or parts.password is not None or "#" in url:
        raise InvalidValue("an address with a user, a password or a fragment is not pushed to")
    return url


def manages_all(caller: Caller) -> bool:
    """Whether *caller* may manage all connections, not only their own."""
    return "channels" in caller.permissions


def check_may_manage(caller: Caller, account: Account) -> None:
    """Raises `Forbidden` unless *caller* may set up and change connections of *account*.

    A member who may answer conversations may connect their own account; all else needs `channels`.
    """
    own = account.kind == "member" and caller.person_id == account.id
    if not manages_all(caller) and not (own and "conversations" in caller.permissions):
        raise Forbidden("only a member's own account does without the permission channels")


def check_may_connect(caller: Caller, account: Account) -> None:
    """Raises `Forbidden` as `check_may_manage`, and for the account of another member."""
    check_may_manage(caller, account)
    if account.kind == "member" and caller.person_id != account.id:
        raise Forbidden("a member connects their own account, and nobody else's")


def check_may_answer(caller: Caller, account: Account, team: Collection[str]) -> None:
    """Raises `Forbidden` unless *caller* may write from *account*; *team* are the members of a team's.

    Only the member answers from a member's own account, and only members of the team from a team's; and the
    agent of a connection, which was set by a person who manages them all.
    """
    if account.kind == "member" and caller.person_id != account.id:
        raise Forbidden("only the member whose account it is answers from it")
    if account.kind == "team" and caller.kind != "agent" and caller.person_id not in team:
        raise Forbidden("only who is in the team answers from its account")
