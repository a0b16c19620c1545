"""What waits for somebody: each kind with its count, the oldest, and the screen where it is seen to."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Final, Literal

from svc.domain.channels.connections import manages_all
from svc.domain.errors import NotFound
from svc.domain.home.limits import (
    HOME_CONVERSATIONS_EXAMINED_MAX,
    HOME_FAILED_IMPORT_MS,
    HOME_KEY_ENDS_MS,
    HOME_QUEUED_MS,
    HOME_WAITING_MAX,
    HOME_WEBHOOK_FAILING_MS,
)
from svc.domain.identity.access import KeyKind
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.ai import ledger
from svc.storage.approvals import approvals
from svc.storage.channels import connections
from svc.storage.forms import bounded_counts, server_keys
from svc.storage.identity import api_keys
from svc.storage.imports import rows as import_rows
from svc.storage.inbox import unanswered
from svc.storage.records import suggestions
from svc.storage.store import View
from svc.storage.webhooks import webhooks
from svc.tools.approvals.rights import visible_to
from svc.tools.home.rights import may_read
from svc.tools.registry import registry_of
from svc.tools.tool import ToolOutput, about

WaitingKind = Literal[
    "approvals",
    "unanswered",
    "submissions_held",
    "submissions_queued",
    "suggestions",
    "import_failed",
    "import_stopped",
    "api_keys_ending",
    "gateway_keys_ending",
    "server_keys_ending",
    "credits_low",
    "webhooks_failing",
    "connections_offline",
]
ScreenPath = Annotated[
    str,
    about(
        description="The screen's address on this service, without the organization.",
        examples=["/app/submissions?state=Held"],
    ),
]


class WaitingThings(ToolOutput, frozen=True, kw_only=True):
    """Things of one kind that wait for somebody."""

    kind: WaitingKind
    count: Annotated[
        int,
        about(description="How many; of more, the limit is told.", ge=1, le=HOME_WAITING_MAX),
    ]
    oldest_at: Annotated[
        Timestamp,
        about(
            description="Since when the oldest waits; of keys, when the first of them ends; of credits, when"
            " they were given."
        ),
    ]
    path: ScreenPath


def waiting(view: View, call: Call) -> tuple[WaitingThings, ...]:
    """What waits, of the kinds whose list the caller may read; kinds of which nothing waits are left out."""
    return tuple(found for tool, look in _LOOKS if may_read(call, tool) for found in look(view, call))


def _approvals(view: View, call: Call) -> Iterator[WaitingThings]:
    """Those that the caller may decide."""
    visible = visible_to(call.caller, registry_of(call))
    waiting = approvals.waiting(view, call.caller.organization_id, visible)
    if waiting.since is not None:
        yield _things("approvals", waiting.many, waiting.since, "/app/approvals")


def _unanswered(view: View, call: Call) -> Iterator[WaitingThings]:
    """Those that the caller or nobody looks after."""
    found = unanswered.of_person(
        view.conn,
        call.caller.organization_id,
        call.caller.person_id,
        now=view.now,
        examined=HOME_CONVERSATIONS_EXAMINED_MAX,
    )
    if found.since is not None:
        yield _things("unanswered", min(found.many, HOME_WAITING_MAX), found.since, "/app/inbox")


def _credits(view: View, call: Call) -> Iterator[WaitingThings]:
    since = ledger.low_since(view.conn, call.caller.organization_id)
    if since is not None:
        yield _things("credits_low", 1, since, "/app/settings/ai")


def _held(view: View, call: Call) -> Iterator[WaitingThings]:
    held = bounded_counts.waiting(view.conn, call.caller.organization_id, "Held", HOME_WAITING_MAX)
    if held.since is not None:
        yield _things("submissions_held", held.many, held.since, "/app/submissions?state=Held")


def _queued(view: View, call: Call) -> Iterator[WaitingThings]:
    """A queue moves on within the minute, unless its form takes in more than it files."""
    queued = bounded_counts.waiting(view.conn, call.caller.organization_id, "Queued", HOME_WAITING_MAX)
    if queued.since is not None and queued.since <= view.now - HOME_QUEUED_MS:
        yield _things("submissions_queued", queued.many, queued.since, "/app/submissions?state=Queued")


def _suggestions(view: View, call: Call) -> Iterator[WaitingThings]:
    oldest = suggestions.oldest_open(view.conn, call.caller.organization_id)
    if oldest is not None:
        count = suggestions.count_open(view.conn, call.caller.organization_id, HOME_WAITING_MAX)
        path = f"/app/records/{oldest.object_slug}/{oldest.record_id}"
        yield _things("suggestions", count, oldest.created_at, path)


def _imports(view: View, call: Call) -> Iterator[WaitingThings]:
    """The newest alone: whoever begins another has seen what became of the one before."""
    try:
        newest = import_rows.latest(view.conn, call.caller.organization_id)
    except NotFound:
        return
    path = f"/app/settings/objects/{newest.object_type}/import?import={newest.id}"
    if newest.state == "failed" and newest.updated_at > view.now - HOME_FAILED_IMPORT_MS:
        yield _things("import_failed", 1, newest.updated_at, path)
    elif newest.is_open and newest.state != "running":
        yield _things("import_stopped", 1, newest.updated_at, path)


def _api_keys(view: View, call: Call) -> Iterator[WaitingThings]:
    keys = api_keys.list_all(view.conn, call.caller.organization_id, view.now)
    for kind, of, path in _KEYS:
        yield from _ending(view, kind, [key.expires_at for key in keys if key.kind == of], path)


def _server_keys(view: View, call: Call) -> Iterator[WaitingThings]:
    keys = server_keys.list_all(view.conn, call.caller.organization_id, view.now)
    ends = [key.expires_at for key in keys]
    yield from _ending(view, "server_keys_ending", ends, "/app/settings/server-keys")


def _ending(view: View, kind: WaitingKind, ends: Sequence[int], path: str) -> Iterator[WaitingThings]:
    soon = [end for end in ends if view.now < end <= view.now + HOME_KEY_ENDS_MS]
    if soon:
        yield _things(kind, len(soon), min(soon), path)


def _webhooks(view: View, call: Call) -> Iterator[WaitingThings]:
    """Those that keep failing, and those that were disabled for it. Where it is one, its own screen."""
    failing = [
        (one.id, one.failing_since if one.active and one.failing_since is not None else one.updated_at)
        for one in webhooks.of_organization(view.conn, call.caller.organization_id)
        if one.disabled_reason is not None
        or (one.active and (one.failing_since or view.now) <= view.now - HOME_WEBHOOK_FAILING_MS)
    ]
    if failing:
        path = f"/app/settings/webhooks/{failing[0][0]}" if len(failing) == 1 else "/app/settings/webhooks"
        yield _things("webhooks_failing", len(failing), min(since for _, since in failing), path)


def _connections(view: View, call: Call) -> Iterator[WaitingThings]:
    """Those whose bridge says that it is offline, or whose address is gone; to most members, their own."""
    caller = call.caller
    sees_all = manages_all(caller)
    many, since = connections.out_of_order(
        view.conn,
        caller.organization_id,
        member_id=None if sees_all else caller.person_id,
        limit=HOME_WAITING_MAX,
    )
    if since is not None:
        path = "/app/settings/messengers" if sees_all else "/app/account/messengers"
        yield _things("connections_offline", many, since, path)


def _things(kind: WaitingKind, count: int, oldest_at: int, path: str) -> WaitingThings:
    return WaitingThings(kind=kind, count=count, oldest_at=rfc3339(oldest_at), path=path)


_KEYS: Final[tuple[tuple[WaitingKind, KeyKind, str], ...]] = (
    ("api_keys_ending", "api", "/app/settings/api-keys"),
    ("gateway_keys_ending", "gateway", "/app/settings/gateway-keys"),
)
_Look = Callable[[View, Call], Iterator[WaitingThings]]
_LOOKS: Final[tuple[tuple[str, _Look], ...]] = (
    ("approval.list", _approvals),
    ("conversation.list", _unanswered),
    ("connection.list", _connections),
    ("submission.list", _held),
    ("suggestion.list", _suggestions),
    ("import.list", _imports),
    ("submission.list", _queued),
    ("ai.statement", _credits),
    ("webhook.list", _webhooks),
    ("apikey.list", _api_keys),
    ("serverkey.list", _server_keys),
)
"""By the tool that lists them, in the order in which they are shown."""

EXAMPLE: Final = WaitingThings(
    kind="submissions_held", count=3, oldest_at="2026-09-18T07:12:00.000Z", path="/app/submissions?state=Held"
)
