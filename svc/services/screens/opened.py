"""What a screen opens with: the session, the organization, and the answers that it asks for first."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
import structlog
import trio
from sqlalchemy import Connection

from svc.actors._core import ActorError
from svc.actors.identity.organization import Admission, Organization
from svc.actors.system import System
from svc.domain.errors import DomainError, NotFound, Unauthenticated
from svc.domain.identity import organizations as facts
from svc.domain.identity.callers import Call
from svc.domain.identity.roles import Permission
from svc.domain.identity.sessions import csrf_token
from svc.domain.locale.times import DAY_MS
from svc.services.identity import sign_in
from svc.services.identity.sign_in import Profile
from svc.services.tools import calls as tool_calls
from svc.storage.identity import organizations
from svc.tools.identity.organizations import OrganizationAnswer, answer_of
from svc.tools.registry import Registry

log = structlog.get_logger("svc.services.screens.opened")

_ANSWERS_SECONDS: Final = 0.25
"""How long the shell waits for first answers; the page asks for the rest itself."""


class OpenOrganization(msgspec.Struct, frozen=True, kw_only=True):
    """The organization that a screen works in, and what the person may do there."""

    answer: OrganizationAnswer
    """As `organization.get` has it."""
    role: str
    permissions: frozenset[Permission]
    hint: int
    """The number of the last hint before all of this was read: see `svc.actors.screen_hints`."""
    trial_days_left: int | None
    """Days of the trial, the begun one included; None once it is over."""
    admission: Admission


class OpenScreen(msgspec.Struct, frozen=True, kw_only=True):
    """A signed-in person's screen."""

    csrf_token: str
    profile: Profile
    organization: OpenOrganization | None
    """None where the person is no active member of the organization that the address names, or of any."""


async def open_screen(
    system: System, token: str, organization_id: str | None, address: str | None = None
) -> OpenScreen:
    """Open a screen from *address* in the organization, by default the person's home, or their oldest one.

    Raises `Unauthenticated` without a session.
    """
    session = await sign_in.session_of(system, token, address)
    profile = await sign_in.profile_of(system, session.person_id)
    roles = {joined.organization_id: joined.role_id for joined in profile.organizations}
    if organization_id is None:
        home = profile.person.home_organization_id
        organization_id = home if home in roles else next(iter(roles), None)
    opened = None
    if organization_id is not None and organization_id in roles:
        hint = system.screen_hints.newest(organization_id)
        try:
            async with system.calls.admissions.of(organization_id):
                admission = await Organization(system, organization_id).admit_person(session)
            found = await system.store.of(organization_id).read(_organization, organization_id)
        except (Unauthenticated, NotFound):
            pass  # the membership ended just now
        else:
            opened = OpenOrganization(
                answer=answer_of(found),
                role=roles[organization_id],
                permissions=admission.caller.permissions,
                hint=hint,
                trial_days_left=_days_left(found, system.clock.now()),
                admission=admission,
            )
    return OpenScreen(csrf_token=csrf_token(token), profile=profile, organization=opened)


async def first_answers(
    system: System,
    registry: Registry,
    admission: Admission,
    asked: Iterable[tuple[str, dict[str, Any]]],
    request_id: str,
) -> dict[str, msgspec.Raw]:
    """The answers of the tools that the person may call, by name and input: `form.list {}`.

    What is refused, fails or takes too long is left out: the page asks for it, and shows why. So is all of it
    once the person's budget is used up, so that pages do not read what calls may not.
    """
    if not admission.allowance.granted:
        return {}
    call = Call(
        caller=admission.caller,
        door="app",
        request_id=request_id,
        installation=system.installation(registry),
        base_url=system.base_url,
        file_links=system.files.addresses,
    )
    answers: dict[str, msgspec.Raw] = {}

    async def answer(name: str, given: dict[str, Any]) -> None:
        tool = registry[name]
        body = msgspec.json.encode(given)
        try:
            tool.permit(call.caller)
            result = await tool_calls.run(system, tool, call, tool.read(body))
        except (DomainError, ActorError) as error:
            log.debug("a first answer was left out", tool=name, why=type(error).__name__)
        else:
            answers[f"{name} {body.decode()}"] = msgspec.Raw(result.body)

    # All at once, so that one that takes long (a search of very many) delays and costs none of the others.
    with trio.move_on_after(_ANSWERS_SECONDS):
        async with trio.open_nursery() as nursery:
            for name, given in asked:
                nursery.start_soon(answer, name, given)
    return answers


def _organization(conn: Connection, organization_id: str) -> facts.Organization:
    return organizations.get(conn, organization_id)


def _days_left(organization: facts.Organization, now: int) -> int | None:
    if not organization.in_trial(now):
        return None
    return -(-((organization.trial_ends_at or now) - now) // DAY_MS)
