"""`apikey.roll`: another value for a key that stays what it is."""

from typing import Annotated, Final

from svc.domain.errors import ConfirmationRequired, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import KEY_OVERLAP_HOURS_MAX
from svc.domain.locale.times import HOUR_MS, Timestamp
from svc.storage.identity import key_rolls
from svc.storage.identity.key_rolls import RolledKey
from svc.storage.store import Tx
from svc.tools.identity.api_keys import EXAMPLE, ApiKeyId, KeyName
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput, about, writes


class RollApiKey(ToolInput, frozen=True, kw_only=True):
    """Which key to roll, and how long its value of now still works."""

    id: ApiKeyId
    overlap_hours: Annotated[
        int,
        about(
            description="For how many hours the value before still works, but not past its own end.",
            ge=0,
            le=KEY_OVERLAP_HOURS_MAX,
        ),
    ] = 0


class RolledApiKey(ToolOutput, frozen=True, kw_only=True):
    """A key with another value."""

    id: ApiKeyId
    name: KeyName
    key: Annotated[str, about(description="The key. It is shown this once.")]
    visible_start: Annotated[str, about(description="How the key begins.", examples=["svck_7Tn3Xw"])]
    expires_at: Timestamp
    previous_ends_at: Annotated[Timestamp, about(description="Until when the value before works.")]


_rolled_of: Final = Projection(RolledKey, RolledApiKey)


@writes(
    "apikey.roll",
    needs="security",
    runs="person",
    raises=(NotFound, ConfirmationRequired),
    shows_secret=True,
    example=RollApiKey(id=EXAMPLE.id, overlap_hours=24),
    answer=RolledApiKey(
        id=EXAMPLE.id,
        name=EXAMPLE.name,
        key="svck_7Tn3XwYp9KmB2vRc5LdQ8sHfJ1gZeA4u6tNr0W",
        visible_start="svck_7Tn3Xw",
        expires_at="2027-02-19T09:30:00.000Z",
        previous_ends_at="2026-11-22T09:30:00.000Z",
    ),
)
def roll(tx: Tx, call: Call, request: RollApiKey) -> RolledApiKey:
    """Give a key another value, shown this once; what it may do stays, and its life begins anew.

    It lives as long as was asked for when it was minted. The value before still works for `overlapHours`, but
    not past its own end; one that was still in an overlap ends at once. Only the person who made the key
    rolls it, within two hours of having shown who they are; others revoke it and mint their own.
    """
    return _rolled_of(key_rolls.roll(tx, call, request.id, request.overlap_hours * HOUR_MS))
