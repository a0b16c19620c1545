"""The first start of an installation: its first owner makes the organization, and is signed in."""

from typing import Final

import msgspec

from svc.actors.system import System
from svc.domain.crypto.keys import SESSION, new_key
from svc.domain.crypto.passwords import salt_for
from svc.domain.errors import at
from svc.domain.identity.people import clean_name
from svc.domain.records.contact_points import normalise_email
from svc.services.identity import sign_in
from svc.services.identity.attempts import WrongCredentials
from svc.services.identity.sign_in import Browser, Profile, SignedIn
from svc.storage.identity import organizations
from svc.storage.store import Owner, Tx
from svc.tools.operator_commands import CreateOrganization, CreateUser, create_organization, create_user

_REFUSED: Final = "this link does not work any more: restart the service, and it prints another"


class FirstOwner(msgspec.Struct, frozen=True):
    """What the first owner says of themselves and of the organization."""

    organization: str
    name: str
    email: str
    password: str
    time_zone: str = "UTC"


async def link(system: System) -> str | None:
    """A token for the first owner, which replaces the one before; None if there is an organization."""
    if await system.store.of(Owner.PEOPLE).read(organizations.is_any):
        return None
    return system.identity.first_owner.renew(system.clock.now(), system.random)


async def set_up(
    system: System, link_token: str, first: FirstOwner, browser: Browser, *, starting_micro_credits: int
) -> SignedIn:
    """Make the organization and the account of its owner, sign them in, and use the link up.

    Raises:
        WrongCredentials: the link is not the present one, or there is an organization by now.
        InvalidInput: a name, the address, the time zone or the password does not meet the rules.
        Unavailable: too many passwords are being hashed.
    """
    link_ = system.identity.first_owner
    if not link_.opens(link_token, system.clock.now()):
        raise WrongCredentials(_REFUSED)
    with at("/organization"):
        organization_name = clean_name(first.organization)
    with at("/name"):
        name = clean_name(first.name)
    with at("/email"):
        email = normalise_email(first.email)
    with at("/password"):
        hashed = await system.identity.passwords.hash(first.password, salt_for(email, system.secrets.sender))
    token = new_key(SESSION, system.random)

    def unit(tx: Tx) -> Profile:
        if organizations.is_any(tx.conn) or not link_.opens(link_token, tx.now):
            raise WrongCredentials(_REFUSED)
        home = create_organization(
            tx,
            CreateOrganization(
                name=organization_name,
                time_zone=first.time_zone,
                starting_micro_credits=starting_micro_credits,
            ),
        ).id
        owner = create_user(
            tx, CreateUser(organization_id=home, email=email, name=name, password_hash=hashed)
        )
        return sign_in.open_session(tx, owner.id, token, browser)

    profile = await system.store.alone.write(unit)
    link_.end()
    return sign_in.signed_in(system, token, profile, browser)
