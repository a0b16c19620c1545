"""What a link with a secret token is for, told without using it up.

So a page can say who invites, and to what, before anything is typed; or that its link does not work any more.
"""

from typing import Final

import msgspec

from svc.actors.system import System
from svc.domain.crypto.keys import (
    FIRST_OWNER,
    INVITATION,
    SIGN_IN_LINK,
    digest,
    well_formed,
)
from svc.domain.errors import NotFound
from svc.domain.identity.people import Person
from svc.services.identity import attempts, sign_in
from svc.services.identity.sign_in import Profile
from svc.storage.identity import accounts, invitations
from svc.storage.identity import sign_in as sign_in_links
from svc.storage.identity.invitations import InvitationDetails
from svc.storage.mail import links
from svc.storage.mail.links import Purpose
from svc.storage.store import Owner

_GONE: Final = "no such link, or it was used, or is too old"
_MAILED: Final[dict[str, Purpose]] = {prefix: purpose for purpose, prefix in links.PREFIXES.items()}


class FirstOwnerPurpose(msgspec.Struct, frozen=True):
    """It makes the first organization of the installation."""


class SignInPurpose(msgspec.Struct, frozen=True):
    """It signs a person in."""

    profile: Profile


class InvitationPurpose(msgspec.Struct, frozen=True):
    """It makes somebody a member."""

    details: InvitationDetails


class MailedPurpose(msgspec.Struct, frozen=True):
    """It does something with a person's account."""

    purpose: Purpose
    person: Person
    email: str
    """The address that it was mailed to: the account's, or the one that it gets."""


LinkPurpose = FirstOwnerPurpose | SignInPurpose | InvitationPurpose | MailedPurpose


async def find(system: System, token: str, address: str) -> LinkPurpose:
    """What the link of *token* is for. It stays as it is.

    Looks that find nothing are paced as failed sign-ins are, by the address and by the link.

    Raises:
        NotFound: it is unknown, used, withdrawn or expired; or nobody may come in by it.
        Forbidden: whoever sent this invitation may no longer do so.
        TooManyAttempts: too many have failed.
    """
    prefix = next((prefix for prefix in _FINDERS if well_formed(token, prefix)), None)
    if prefix is None:  # a mistyped one is no attempt to guess
        raise NotFound(_GONE)
    attempt = await attempts.enter_link(system, token, address)
    async with attempts.counted(system, attempt, NotFound):
        return await _FINDERS[prefix](system, token)


async def _first_owner(system: System, token: str) -> LinkPurpose:
    if not system.identity.first_owner.opens(token, system.clock.now()):
        raise NotFound(_GONE)
    return FirstOwnerPurpose()


async def _signing_in(system: System, token: str) -> LinkPurpose:
    units = system.store.of(Owner.PEOPLE)
    person_id = await units.read(sign_in_links.person_of, digest(token), system.clock.now())
    profile = await sign_in.profile_of(system, person_id)
    if not profile.organizations:
        raise NotFound("no organization lets this person in")
    return SignInPurpose(profile)


async def _invitation(system: System, token: str) -> LinkPurpose:
    units = system.store.of(Owner.PEOPLE)
    return InvitationPurpose(await units.read(invitations.details, digest(token), system.clock.now()))


async def _mailed(system: System, token: str) -> LinkPurpose:
    [purpose] = [purpose for prefix, purpose in _MAILED.items() if well_formed(token, prefix)]
    units = system.store.of(Owner.PEOPLE)
    link = await units.read(links.find, digest(token), purpose, system.clock.now())
    person = await units.read(accounts.get, link.person_id)
    return MailedPurpose(purpose, person, link.email or person.email)


_FINDERS: Final = {
    FIRST_OWNER: _first_owner,
    SIGN_IN_LINK: _signing_in,
    INVITATION: _invitation,
    **dict.fromkeys(_MAILED, _mailed),
}
"""By the prefix of a token."""
