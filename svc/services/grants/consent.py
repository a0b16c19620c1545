"""Consent: what a signed-in person is asked by an app, and what they decide."""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from svc.actors.system import System
from svc.domain.crypto.keys import digest, new_key
from svc.domain.errors import DomainError, Fault, InvalidInput
from svc.domain.grants.oauth import Scope, answer_address
from svc.domain.identity.callers import Call, person_call
from svc.domain.identity.limits import ExpiresIn
from svc.domain.identity.sessions import Session, is_fresh
from svc.services.identity import sign_in
from svc.storage.grants import grants, requests
from svc.storage.grants.grants import Choice
from svc.storage.grants.requests import AuthorizationRequest
from svc.storage.identity.accounts import JoinedOrganization
from svc.storage.store import Owner
from svc.tools.catalogue import REGISTRY
from svc.tools.identity.api_keys import known_tools

CODE: Final = "svcx_"
"""The prefix of authorization codes."""


class OfferedOrganization(msgspec.Struct, frozen=True):
    """An organization of the person's, and why the app cannot be connected to it, if so."""

    joined: JoinedOrganization
    refusal: str | None


class Question(msgspec.Struct, frozen=True):
    """What the person is asked."""

    request: AuthorizationRequest
    organizations: Sequence[OfferedOrganization]
    home_id: str
    is_fresh: bool
    """Whether they confirmed their identity within the last two hours; without it nothing can be allowed."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What the person allows: in which organization, which tools, and for how long."""

    organization_id: str
    tools: Literal["all", "read"] | tuple[str, ...]
    expires_in: ExpiresIn


async def show(system: System, session_token: str, request_token: str) -> Question:
    """What the request asks the person with that session.

    Raises `Unauthenticated`, and `NotFound` for a request that was decided or is too old.
    """
    session = await sign_in.session_of(system, session_token)
    profile = await sign_in.profile_of(system, session.person_id)
    request = await _request(system, request_token)
    offered = [
        OfferedOrganization(joined, await _refusal(system, session, joined.organization_id, request))
        for joined in profile.organizations
        if request.organization_id in {None, joined.organization_id}
    ]
    return Question(
        request,
        offered,
        profile.person.home_organization_id,
        is_fresh(session.confirmed_at, system.clock.now()),
    )


async def allow(
    system: System, session_token: str, request_token: str, decision: Decision, request_id: str
) -> str:
    """Make the grant, and return the address where the app takes its code.

    The request is used up first, by a unit of people's, and the grant is one of the organization's: a crash
    between them leaves nothing, and the person begins again in the app.

    Raises:
        Unauthenticated: there is no such session.
        NotFound: the request was decided, or is too old.
        InvalidInput: the decision does not fit the request.
        Forbidden, ConfirmationRequired, GrantLimit: as `grants.check` raises.
    """
    session = await sign_in.session_of(system, session_token)
    request = await _request(system, request_token)
    choice = _choice(request.scope, decision)
    call = msgspec.structs.replace(_call(session, decision.organization_id), request_id=request_id)
    units = system.store.of(decision.organization_id)
    await units.read(grants.check, call, request, system.clock.now())
    request = await system.store.of(Owner.PEOPLE).write(requests.take, digest(request_token))
    code = new_key(CODE, system.random)
    await units.write(grants.allow, call, request, choice, digest(code))
    return answer_address(request.redirect_uri, code=code, state=request.state, iss=request.issuer)


async def deny(system: System, session_token: str, request_token: str) -> str:
    """Use the request up, and return the address where the app is told. Raises as `show` does."""
    await sign_in.session_of(system, session_token)
    request = await system.store.of(Owner.PEOPLE).write(requests.take, digest(request_token))
    return answer_address(
        request.redirect_uri,
        error="access_denied",
        error_description="the person did not allow it",
        state=request.state,
        iss=request.issuer,
    )


async def _request(system: System, request_token: str) -> AuthorizationRequest:
    units = system.store.of(Owner.PEOPLE)
    return await units.read(requests.get, digest(request_token), system.clock.now())


async def _refusal(
    system: System, session: Session, organization_id: str, request: AuthorizationRequest
) -> str | None:
    call = _call(session, organization_id)
    try:
        await system.store.of(organization_id).read(grants.check_member, call, request, system.clock.now())
    except DomainError as error:
        return str(error)
    return None


def _call(session: Session, organization_id: str) -> Call:
    return person_call(organization_id, session.person_id, confirmed_at=session.confirmed_at)


def _choice(scope: Scope, decision: Decision) -> Choice:
    """What the grant holds. Raises `InvalidInput` where more is allowed than was asked."""
    only_reads = scope == "tools.read"
    match decision.tools:
        case "all" if only_reads:
            raise InvalidInput([Fault("/tools", "invalid_value", "the app asks for tools that read")])
        case "all" | "read":
            return Choice(reach=decision.tools, tools=None, expires_in=decision.expires_in)
    tools = known_tools(decision.tools, REGISTRY)
    faults = [
        Fault(f"/tools/{place}", "invalid_value", f"{name} writes, and the app asks for tools that read")
        for place, name in enumerate(tools)
        if only_reads and REGISTRY[name].effect != "reads"
    ]
    if not tools:
        faults.append(Fault("/tools", "invalid_value", "name at least one tool"))
    if faults:
        raise InvalidInput(faults)
    return Choice(reach="list", tools=tools, expires_in=decision.expires_in)
