"""What the doors of people answer about a session, which the shell of the screens has too."""

import msgspec

from svc.services.sign_in import Profile


class PersonAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """The person who is signed in."""

    id: str
    email: str
    name: str
    home_organization_id: str


class OrganizationAnswer(msgspec.Struct, frozen=True):
    """An organization of which the person is a member, and the role there."""

    id: str
    name: str
    role: str


class SessionAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """A session without its token, which only the cookie carries."""

    csrf_token: str
    person: PersonAnswer
    organizations: list[OrganizationAnswer]


def session_answer(token: str, profile: Profile) -> SessionAnswer:
    """The session with the CSRF *token*."""
    person = profile.person
    return SessionAnswer(
        csrf_token=token,
        person=PersonAnswer(person.id, person.email, person.name, person.home_organization_id),
        organizations=[
            OrganizationAnswer(organization.organization_id, organization.name, organization.role_id)
            for organization in profile.organizations
        ],
    )
