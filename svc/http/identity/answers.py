"""What the doors of people answer about a session, which the shell of the screens has too."""

import msgspec

from svc.domain.locale.times import rfc3339
from svc.services.identity.own_accounts import OwnSessions
from svc.services.identity.sign_in import Profile


class PersonAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """The person who is signed in."""

    id: str
    email: str
    name: str
    home_organization_id: str
    email_proven: bool


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


class OpenSession(msgspec.Struct, frozen=True, rename="camel"):
    """A live session of the person. `current` is the one that asks.

    `lastAddress` is that of its last request, to the minute; it is in no other answer.
    """

    id: str
    created_at: str
    seen_at: str
    user_agent: str
    last_address: str | None
    current: bool


class OpenSessions(msgspec.Struct, frozen=True):
    """The person's live sessions, the newest first."""

    sessions: list[OpenSession]


def sessions_answer(own: OwnSessions) -> OpenSessions:
    """The person's *own* sessions."""
    return OpenSessions(
        [
            OpenSession(
                id=one.id,
                created_at=rfc3339(one.created_at),
                seen_at=rfc3339(one.seen_at),
                user_agent=one.user_agent,
                last_address=one.last_address,
                current=one.id == own.current,
            )
            for one in own.sessions
        ]
    )


def session_answer(token: str, profile: Profile) -> SessionAnswer:
    """The session with the CSRF *token*."""
    person = profile.person
    return SessionAnswer(
        csrf_token=token,
        person=PersonAnswer(
            person.id,
            person.email,
            person.name,
            person.home_organization_id,
            email_proven=person.email_proven_at is not None,
        ),
        organizations=[
            OrganizationAnswer(organization.organization_id, organization.name, organization.role_id)
            for organization in profile.organizations
        ],
    )
