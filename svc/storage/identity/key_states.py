"""Whether a key works: its own end, and whether the person who made it may have keys here now."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, Protocol

import msgspec
import sqlalchemy as sa

from svc.domain.errors import KeyLimit
from svc.domain.identity.access import KeyStop, Membership, key_stop
from svc.domain.identity.limits import LIVE_KEYS_MAX
from svc.storage.identity import access, tables

KeyState = Literal["live", "stopped", "expired"]

_key: Final = tables.api_keys.c
_NAMED_MAX: Final = 5
"""Keys that a refusal names."""


class KeyStanding(msgspec.Struct, frozen=True):
    """Whether a key that is not revoked works; of a stopped one, why it does not."""

    state: KeyState
    stopped_because: KeyStop | None = None


class _Key(Protocol):
    @property
    def creator_id(self) -> str: ...

    @property
    def expires_at(self) -> int: ...


class Standings:
    """How the keys of an organization stand at *now*; its creators are read once."""

    def __init__(self, conn: sa.Connection, organization_id: str, now: int) -> None:
        self._creators = access.of_creators(conn, organization_id)
        self._now = now

    def of(self, key: _Key) -> KeyStanding:
        """How *key*, which is not revoked, stands."""
        if key.expires_at <= self._now:
            return KeyStanding("expired")
        stop = key_stop(self._creators.get(key.creator_id))
        return KeyStanding("live") if stop is None else KeyStanding("stopped", stop)


def count_live(conn: sa.Connection, organization_id: str, now: int) -> int:
    """How many keys work: neither revoked nor expired, and their creators may have them."""
    creators = access.of_creators(conn, organization_id)
    counts = _unexpired(organization_id, now, _key.creator_id, sa.func.count()).group_by(_key.creator_id)
    return sum(count for creator_id, count in conn.execute(counts) if _may(creators, creator_id))


def check_room(conn: sa.Connection, organization_id: str, person_id: str, now: int) -> None:
    """Raises `KeyLimit` where the keys of a person who was let in again make too many live ones.

    It names some of them.
    """
    over = count_live(conn, organization_id, now) - LIVE_KEYS_MAX
    if over > 0:
        own = _unexpired(organization_id, now, _key.name).where(_key.creator_id == person_id)
        names = conn.scalars(own.order_by(_key.id)).all()
        raise KeyLimit(
            f"with the keys of this person, {over + LIVE_KEYS_MAX} would be live, and {LIVE_KEYS_MAX} may be:"
            f" revoke {over} first, such as {_named(names)}"
        )


def _unexpired(organization_id: str, now: int, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    return sa.select(*columns).where(
        _key.organization_id == organization_id, _key.revoked_at.is_(None), _key.expires_at > now
    )


def _may(creators: Mapping[str, Membership], person_id: str) -> bool:
    return key_stop(creators.get(person_id)) is None


def _named(names: Iterable[str]) -> str:
    quoted = [f"“{name}”" for name in names]
    more = len(quoted) - _NAMED_MAX
    return ", ".join(quoted[:_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")
