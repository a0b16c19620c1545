"""The operator's commands: what has to be done from the machine, before there is a caller that could do it.

Organizations, first accounts and keys must exist before anybody can sign in. Each command is a typed function
that runs as one unit of work, as a tool is, but without organization and caller: access to the shell, or the
operator's token, authorizes it. For all else an operator calls the tools of the registry.
"""

from typing import Annotated, Final, Literal

import msgspec
from sqlalchemy import Connection

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import operator_call, person_call
from svc.domain.identity.limits import ExpiresIn
from svc.domain.identity.organizations import Plan
from svc.domain.identity.roles import OWNER
from svc.domain.input.near_names import shown
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.records.contact_points import normalise_email
from svc.storage import audit, provisioning
from svc.storage.identity import accounts, api_keys, members, organizations, sign_in
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.api_keys import NewKey
from svc.storage.identity.members import Member
from svc.storage.identity.organizations import NewOrganization
from svc.storage.store import Tx
from svc.tools.catalogue import REGISTRY
from svc.tools.command import command
from svc.tools.identity.api_keys import known_tools
from svc.tools.tool import ToolInput, ToolOutput, about

FIRST_KEY: Final = "Set up"
"""The name of the key that is made with a new organization."""


class OrganizationSummary(ToolOutput, frozen=True, kw_only=True):
    """A new organization."""

    id: str


class CreateOrganization(ToolInput, frozen=True, kw_only=True):
    """An organization to be made; it starts on its trial."""

    name: str
    country: str = "US"
    currency: str = "USD"
    locale: str = "en_US"
    time_zone: str = "UTC"
    plan: Plan = "free"
    starting_micro_credits: int = 0


@command("organization.create", alone=True)
def create_organization(tx: Tx, request: CreateOrganization) -> OrganizationSummary:
    """Make an organization. Raises `InvalidInput`."""
    facts = msgspec.structs.asdict(request)
    given = facts.pop("starting_micro_credits")
    organization = provisioning.create(tx, NewOrganization(**facts), starting_micro_credits=given)
    audit.note(tx, operator_call(organization.id), "organization.create", organization.id)
    return OrganizationSummary(id=organization.id)


class ChangePlan(ToolInput, frozen=True, kw_only=True):
    """The plan that applies after the trial."""

    organization_id: str
    plan: Plan


class NothingToShow(ToolOutput, frozen=True, kw_only=True):
    """Nothing to answer."""


@command("organization.plan")
def change_plan(tx: Tx, request: ChangePlan) -> NothingToShow:
    """Put the organization on a plan. Raises `NotFound`."""
    organizations.update_plan(tx, request.organization_id, plan=request.plan)
    audit.note(tx, operator_call(request.organization_id), "organization.plan", request.organization_id)
    return NothingToShow()


class CloseOrganization(ToolInput, frozen=True, kw_only=True):
    """Which organization to close."""

    organization_id: str


@command("organization.close")
def close_organization(tx: Tx, request: CloseOrganization) -> NothingToShow:
    """Close the organization for good; its data stays. Raises `NotFound`, and `Conflict` if it is closed."""
    call = operator_call(request.organization_id)
    provisioning.close(tx, request.organization_id, source=call.source())
    audit.note(tx, call, "organization.close", request.organization_id)
    return NothingToShow()


class AccountSummary(ToolOutput, frozen=True, kw_only=True):
    """A new account."""

    id: str


class CreateUser(ToolInput, frozen=True, kw_only=True):
    """An account at home in an organization, and a member of it."""

    organization_id: str
    email: str
    name: str
    role: str = OWNER.id
    password_hash: str | None = None
    """Made with the salt of the e-mail address, `accounts.salt`; without it the person signs in by a link."""


@command("user.create", alone=True)
def create_user(tx: Tx, request: CreateUser) -> AccountSummary:
    """Make the account.

    Raises:
        InvalidInput, InvalidValue: the e-mail address or the name is none.
        NotFound: no such organization or role.
        Conflict: the organization has an account with the address.
    """
    organizations.get(tx.conn, request.organization_id)
    person = accounts.create(
        tx,
        NewAccount(
            email=request.email,
            name=request.name,
            home_organization_id=request.organization_id,
            password_hash=request.password_hash,
        ),
    )
    members.add(tx, operator_call(request.organization_id), person.id, request.role)
    return AccountSummary(id=person.id)


class NewLinkAnswer(ToolOutput, frozen=True, kw_only=True):
    """A one-time sign-in link."""

    token: str
    """It is shown this once."""
    expires_at: Timestamp


class MakeLink(ToolInput, frozen=True, kw_only=True):
    """The account to make a link for: by e-mail, and by home organization if several have that e-mail."""

    email: str
    organization_id: str | None = None


@command("user.link", alone=True)
def make_link(tx: Tx, request: MakeLink) -> NewLinkAnswer:
    """Make a link that signs the person in once. Raises `NotFound`, and `Conflict` for several accounts."""
    people = [
        person
        for person in accounts.with_email(tx.conn, normalise_email(request.email))
        if request.organization_id in {None, person.home_organization_id}
    ]
    if not people:
        raise NotFound("there is no account with this e-mail address: `svc user create` makes one")
    if len(people) > 1:
        homes = ", ".join(person.home_organization_id for person in people)
        raise Conflict(
            f"several accounts have this e-mail address: choose one with --organization, of {homes}"
        )
    [person] = people
    audit.note(tx, operator_call(person.home_organization_id), "member.sign_in_link", person.id)
    link = sign_in.make_link(tx, person.id)
    return NewLinkAnswer(token=link.token, expires_at=rfc3339(link.expires_at))


class OperatorKey(ToolOutput, frozen=True, kw_only=True):
    """A new key."""

    id: str
    key: str
    """It is shown this once."""
    expires_at: Timestamp


class MintKey(ToolInput, frozen=True, kw_only=True):
    """A key that acts as a member, as one that the member made: see `apikey.mint`."""

    organization_id: str
    email: str
    """The member's."""
    name: str
    expires_in: ExpiresIn | None = None
    role: str | None = None
    tools: tuple[str, ...] | None = None
    limited_to: Annotated[Literal["ai.gateway"] | None, about()] = None


@command("apikey.mint")
def mint_key(tx: Tx, request: MintKey) -> OperatorKey:
    """Make the key. Access to the machine counts as a fresh sign-in; the operator is audited.

    Raises what `api_keys.mint` raises, and `NotFound` if no active member has the e-mail address.
    """
    person = _active_member(tx.conn, request.organization_id, request.email)
    key = api_keys.mint(
        tx,
        person_call(request.organization_id, person.id, door="cli", confirmed_at=tx.now),
        NewKey(
            name=request.name,
            expires_in=request.expires_in,
            role_id=request.role,
            tools=None if request.tools is None else known_tools(request.tools, REGISTRY),
            limited_to=request.limited_to,
        ),
    )
    audit.note(tx, operator_call(request.organization_id, person_id=person.id), "apikey.mint", key.id)
    return OperatorKey(id=key.id, key=key.key, expires_at=rfc3339(key.expires_at))


class SetUp(ToolInput, frozen=True, kw_only=True):
    """An organization, its first person, and a key that acts as that person."""

    organization: CreateOrganization
    email: str
    name: str
    password_hash: str | None = None


class SetUpResult(ToolOutput, frozen=True, kw_only=True):
    """What a set-up made. The key, and the token of the sign-in link, are shown this once."""

    organization_id: str
    person_id: str
    key_id: str
    key: str
    key_expires_at: Timestamp
    sign_in_token: str | None
    """None for a person with a password."""
    sign_in_expires_at: Timestamp | None


@command("setup", alone=True)
def set_up(tx: Tx, request: SetUp) -> SetUpResult:
    """Make organization, person and key in one transaction. Raises `InvalidInput` and `InvalidValue`."""
    home = create_organization(tx, request.organization).id
    person = create_user(
        tx,
        CreateUser(
            organization_id=home, email=request.email, name=request.name, password_hash=request.password_hash
        ),
    )
    link = None
    if request.password_hash is None:
        link = make_link(tx, MakeLink(email=request.email, organization_id=home))
    key = mint_key(tx, MintKey(organization_id=home, email=request.email, name=FIRST_KEY))
    return SetUpResult(
        organization_id=home,
        person_id=person.id,
        key_id=key.id,
        key=key.key,
        key_expires_at=key.expires_at,
        sign_in_token=None if link is None else link.token,
        sign_in_expires_at=None if link is None else link.expires_at,
    )


def _active_member(conn: Connection, organization_id: str, email: str) -> Member:
    organizations.get(conn, organization_id)
    for member in members.with_email(conn, organization_id, normalise_email(email)):
        if member.status == "active":
            return member
    raise NotFound(f"{shown(email)} is no active member of the organization: `svc user list` shows them")
