"""Calls of tools: admit the caller, find the tool, run it. Every door calls this."""

from time import perf_counter
from typing import Any

import msgspec
import structlog
import trio
from sqlalchemy import Connection

from svc.actors._core import ActorError
from svc.actors.identity.organization import Admission, Organization
from svc.actors.records.indexer import Indexer
from svc.actors.system import System
from svc.domain.crypto.keys import ACCESS_TOKEN, digest
from svc.domain.errors import (
    Fault,
    Forbidden,
    Gone,
    InvalidInput,
    NotFound,
    TooManyAttempts,
    Unauthenticated,
    Unavailable,
    UnknownTool,
)
from svc.domain.grants.oauth import McpDoorName
from svc.domain.identity.access import admit_again
from svc.domain.identity.callers import Call, operator_call
from svc.domain.input.near_names import shown
from svc.domain.limits import POLLS_WAITING_MAX
from svc.domain.locale.times import SECOND_MS
from svc.domain.records.limits import UNINDEXED_LIST_MS
from svc.domain.tool_results import ToolResult
from svc.services.identity import sign_in
from svc.services.tools import in_flight
from svc.services.tools.long_polls import WaitGone, has_gone
from svc.storage import audit, idempotency
from svc.storage.identity import access, organizations
from svc.storage.records.listing.index_builds import IndexNotReady
from svc.storage.store import TakesLong, Tx
from svc.telemetry.spans import note
from svc.tools import execution
from svc.tools.catalogue import REGISTRY
from svc.tools.registry import Registry
from svc.tools.tool import Tool, ToolInput

log = structlog.get_logger("svc.services.tools.calls")


async def admit_key(system: System, key: str | None) -> Admission:
    """Admit a call with an API key, and count it. Raises `Unauthenticated`."""
    if key is None:
        raise Unauthenticated
    key_digest = digest(key)
    route = await system.identity.keys.find(key_digest)
    if route is None:
        raise Unauthenticated
    async with system.calls.admissions.of(route.organization_id):
        return await Organization(system, route.organization_id).admit_key(key_digest)


async def admit_at_mcp(system: System, token: str | None, door: McpDoorName) -> Admission:
    """Admit a call at an MCP door, with an API key or a connected app's token for it, and count it.

    Raises `Unauthenticated`.
    """
    if token is None or not token.startswith(ACCESS_TOKEN):
        return await admit_key(system, token)
    route = await system.identity.access_tokens.find(digest(token))
    if route is None or route.door != door:
        raise Unauthenticated
    async with system.calls.admissions.of(route.organization_id):
        return await Organization(system, route.organization_id).admit_grant(route.grant_id)


async def admit_person(
    system: System,
    session_token: str,
    organization_id: str | None,
    address: str | None = None,
    *,
    by_hand: bool = True,
) -> Admission:
    """Admit a signed-in person's call to the organization, by default their home, and count it.

    What a page does *by_hand* is a use of the session; what it does of itself is none, so that the session of
    a page that is left open ends.

    Raises `Unauthenticated` without a session, and `Forbidden` for a person who is no active member there.
    """
    if by_hand:
        session = await sign_in.session_of(system, session_token, address)
    else:
        found = await system.identity.sessions.find(digest(session_token))
        if found is None:
            raise Unauthenticated
        session = found
    if organization_id is None:
        profile = await sign_in.profile_of(system, session.person_id)
        organization_id = profile.person.home_organization_id
    try:
        async with system.calls.admissions.of(organization_id):
            return await Organization(system, organization_id).admit_person(session)
    except (Unauthenticated, NotFound):
        raise Forbidden("you are no active member of that organization") from None


async def admit_operator(system: System, organization_id: str, request_id: str) -> Call:
    """A call of the operator in the organization, which no budget counts. Raises `NotFound`."""
    await system.store.of(organization_id).read(organizations.get, organization_id)
    call = operator_call(
        organization_id, installation=system.installation(REGISTRY), base_url=system.base_url
    )
    return msgspec.structs.replace(call, request_id=request_id, file_links=system.files.addresses)


def check_budget(admission: Admission) -> None:
    """Raises `TooManyAttempts` if the caller's budget was used up."""
    allowance = admission.allowance
    if not allowance.granted:
        raise TooManyAttempts(
            f"more than {allowance.limit} calls in a minute",
            retry_after_ms=allowance.reset_seconds * SECOND_MS,
        )


async def check_reach(system: System, call: Call) -> None:
    """Raises `Forbidden` for a key that is not for tools, and audits that."""
    limited_to = call.caller.limited_to
    if limited_to is not None:
        error = Forbidden(f"this key is limited to {limited_to}")
        await note_refusal(system, call, call.door, error)
        raise error


async def find(system: System, registry: Registry, call: Call, name: str) -> Tool[Any, Any]:
    """The tool called *name*, with dots or underscores, if this call may run it.

    Raises:
        UnknownTool: there is no such tool.
        Gone: it is an old name, and its time is over.
        Forbidden: the caller may not run it; this is audited.
    """
    tool = registry.named(name)
    if tool is None:
        await check_reach(system, call)
        raise UnknownTool(f"there is no tool {shown(name)}{registry.hint(name)}")
    if tool.deprecated is not None and system.clock.now() >= tool.deprecated.times.gone_at:
        raise Gone(f"{tool.name} is gone: call {tool.deprecated.replacement}")
    note("svc.tool", tool.name)
    try:
        tool.permit(call.caller)
    except Forbidden as error:
        await note_refusal(system, call, tool.lasting_name, error)
        raise
    return tool


async def run(
    system: System,
    tool: Tool[Any, Any],
    call: Call,
    request: ToolInput,
    idempotency_key: str | None = None,
    *,
    wait_gone: WaitGone = trio.sleep_forever,
) -> ToolResult:
    """Run a tool that `find` returned. A write is on disk when this returns.

    A read may wait for something to answer, but not for a client that is gone: *wait_gone* returns then.

    Raises:
        DomainError: the tool refuses, and nothing is written unless it says so.
        IdempotencyInProgress, IdempotencyMismatch: the *idempotency_key* is in use, or was used for another
            write.
        Unauthenticated, Forbidden: the caller's access has changed since it was admitted.
        Unavailable: the call cannot be served now.
    """

    def write(tx: Tx, key: str | None = None) -> ToolResult:
        return execution.write(tx, tool, permitted_now(system, tx.conn, tx.now, tool, call), request, key)

    units = system.store.of(call.caller.organization_id)
    try:
        if tool.effect == "reads":
            return await _poll(system, tool, call, request, wait_gone)
        if idempotency_key is None:
            async with system.calls.writes.of(call.caller.organization_id):
                return (await units.write(write)).answered()
        _check_repeatable(tool, idempotency_key)
        with in_flight.exclusive(
            system, call.caller.organization_id, call.caller.id, tool.lasting_name, idempotency_key
        ):
            async with system.calls.writes.of(call.caller.organization_id):
                return (await units.write(write, idempotency_key)).answered()
    except Forbidden as error:
        await note_refusal(system, call, tool.lasting_name, error)
        raise


async def _poll(
    system: System, tool: Tool[Any, Any], call: Call, request: ToolInput, wait_gone: WaitGone
) -> ToolResult:
    """Read; where the tool would wait, read again whenever there may be more, until its time is over."""
    result = await _read(system, tool, call, request)
    if result.wait is None or system.wakeups.waiting(result.wait.key) >= POLLS_WAITING_MAX:
        return result
    until = trio.current_time() + result.wait.seconds  # monotonic, so changes of the clock do not matter
    with system.wakeups.register(result.wait.key) as wakeup:
        # Once more, for what was committed before the wakeup was registered.
        result = await _read(system, tool, call, request)
        while result.wait is not None and not system.wakeups.closed:
            seconds = until - trio.current_time()
            if seconds <= 0 or await has_gone(wait_gone, wakeup, seconds):
                break
            result = await _read(system, tool, call, request)
    return result


async def _read(system: System, tool: Tool[Any, Any], call: Call, request: ToolInput) -> ToolResult:
    now = system.clock.now()
    late_at = perf_counter() + UNINDEXED_LIST_MS / SECOND_MS  # a thread cannot read the system's clock

    def read(conn: Connection, *, patient: bool = False) -> ToolResult:
        current = permitted_now(system, conn, now, tool, call)
        return execution.read(
            conn, now, tool, current, request, patient=patient, is_late=lambda: perf_counter() > late_at
        )

    units = system.store.of(call.caller.organization_id)
    try:
        async with system.calls.reads.of(call.caller.organization_id):
            result = await units.read(read)
    except TakesLong:
        try:
            result = await units.read_long(read, patient=True)
        except IndexNotReady as refusal:
            _have_indexed(system, call.caller.organization_id, refusal.unindexed)
            raise
    if result.unindexed or result.unindexed_submissions:
        _have_indexed(
            system,
            call.caller.organization_id,
            result.unindexed,
            submissions=result.unindexed_submissions,
        )
    return result


def _have_indexed(
    system: System, organization_id: str, property_ids: tuple[str, ...], *, submissions: bool = False
) -> None:
    try:
        Indexer(system, organization_id).index.tell(property_ids, submissions=submissions)
    except (ActorError, Unavailable) as error:
        # The next list that misses the index tells the Indexer again.
        log.warning("not told of a missing index", organization=organization_id, why=error)


def permitted_now(system: System, conn: Connection, now: int, tool: Tool[Any, Any], call: Call) -> Call:
    """The call with its caller's current access.

    Raises `Unauthenticated`, and as `permit` where the caller may no longer run *tool*.
    """
    current = as_of_now(system, conn, now, call)
    if current is not call:
        tool.permit(current.caller)
    return current


def as_of_now(system: System, conn: Connection, now: int, call: Call) -> Call:
    """The call with its caller's current access, which may have changed while it waited for body and store.

    This runs inside the unit of work. A change of access is counted before it is answered, so units that run
    after that answer see it. Raises `Unauthenticated`.
    """
    organization_id = call.caller.organization_id
    revision = call.caller.access_revision
    if revision is None or not system.identity.access_revisions.changed(organization_id, revision):
        return call
    caller = admit_again(access.load(conn, organization_id, now), call.caller, now)
    return msgspec.structs.replace(call, caller=caller)


def _check_repeatable(tool: Tool[Any, Any], key: str) -> None:
    idempotency.check_key(key)
    if tool.shows_secret:
        detail = (
            f"{tool.name} shows a secret once, so its answer is not kept: call it without an idempotency key"
        )
        raise InvalidInput([Fault("", "invalid_value", detail)])


async def note_refusal(system: System, call: Call, action: str, forbidden: Forbidden) -> None:
    """Audit the refusal, in a unit of its own: the unit that was refused is rolled back."""
    try:
        units = system.store.of(call.caller.organization_id)
        await units.write(audit.note_refusal, call, action, forbidden.code)
    except Unavailable as error:
        log.warning("a refusal is not in the audit trail", action=action, why=error)
