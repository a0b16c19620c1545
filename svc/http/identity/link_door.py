"""`POST /app/api/link`: what a link is for, before anybody does anything with it."""

from typing import assert_never

import msgspec
from quart import Response

from svc.domain.locale.times import rfc3339
from svc.http.identity.exchange import PersonDoor, json_answer, read_body
from svc.services.identity import link_purposes
from svc.services.identity.link_purposes import (
    FirstOwnerPurpose,
    InvitationPurpose,
    LinkPurpose,
    MailedPurpose,
    SignInPurpose,
)


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The request: the token of a link, which no address and so no log has."""

    token: str


class FirstOwnerLink(msgspec.Struct, frozen=True, tag_field="kind", tag="firstOwner"):
    """The link that makes the first organization."""


class SignInLink(msgspec.Struct, frozen=True, tag_field="kind", tag="signIn"):
    """A one-time link to sign in: whom, and where to."""

    name: str
    email: str
    organizations: list[str]


class NamedOrganization(msgspec.Struct, frozen=True):
    """An organization, by its name."""

    id: str
    name: str


class InvitationLink(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="invitation"):
    """An invitation: to what, as what, under which address, by whom; null is the operator."""

    organization: NamedOrganization
    role: str
    email: str
    invited_by: str | None
    expires_at: str


class MailedLink(msgspec.Struct, frozen=True, tag_field="kind", tag="account"):
    """A link that was mailed to the person of an account; `email` is where to."""

    purpose: str
    name: str
    email: str


LinkAnswer = FirstOwnerLink | SignInLink | InvitationLink | MailedLink


class LinkDoor(PersonDoor):
    """The view."""

    async def show(self) -> Response:
        """Answer 200 with what the link is for; 404 once it does not work any more."""
        body = await read_body(Link)
        self._check_origin()
        found = await link_purposes.find(self._system, body.token, self._browser().address)
        return json_answer(answer_of(found))


def answer_of(found: LinkPurpose) -> LinkAnswer:
    """*found*, as it is answered."""
    match found:
        case FirstOwnerPurpose():
            return FirstOwnerLink()
        case SignInPurpose(profile):
            names = [joined.name for joined in profile.organizations]
            return SignInLink(profile.person.name, profile.person.email, names)
        case InvitationPurpose(details):
            invitation = details.invitation
            return InvitationLink(
                organization=NamedOrganization(invitation.organization_id, details.organization),
                role=details.role,
                email=invitation.email,
                invited_by=details.inviter,
                expires_at=rfc3339(invitation.expires_at),
            )
        case MailedPurpose(purpose, person, email):
            return MailedLink(purpose, person.name, email)
    assert_never(found)
