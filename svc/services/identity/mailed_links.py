"""What people do with links that are mailed to them: choose a new password, and prove their address."""

from svc.actors.system import System
from svc.domain.crypto.keys import ADDRESS_LINK, digest, well_formed
from svc.domain.errors import ConfirmationRequired, InvalidValue, NotFound, TooManyAttempts, at
from svc.domain.identity.sessions import is_fresh
from svc.domain.records.contact_points import normalise_email
from svc.services.identity import sign_in
from svc.storage.identity import accounts
from svc.storage.mail import address_changes, letters, links
from svc.storage.store import Owner


async def ask_reset(system: System, email: str, address: str) -> None:
    """Have links mailed with which the accounts of an e-mail address get new passwords.

    What it does is the same whether or not there is an account: it stores that somebody asked. It does
    nothing for what is no address, and beyond the pace. Raises `NotFound` where the service sends no mail.
    """
    _require_mail(system)
    try:
        wanted = normalise_email(email)
    except InvalidValue:
        return
    if system.mail.reset_pace.next_at(wanted, address, system.clock.now()) is None:
        await system.store.of(Owner.PEOPLE).write(letters.ask_reset, wanted)


async def reset(system: System, token: str, password: str) -> None:
    """Set a new password by a mailed link. All sessions of its person end, and the address is proven.

    Raises:
        NotFound: the link is unknown, used or expired.
        InvalidInput: the password does not meet the rules.
        Unavailable: too many passwords are being hashed.
    """
    units = system.store.of(Owner.PEOPLE)
    link = await units.read(links.find, digest(token), "reset", system.clock.now())
    person = await units.read(accounts.get, link.person_id)
    hashed = await sign_in.new_hash(system, person.email, password)
    await system.store.alone.write(letters.reset_password, digest(token), hashed)


async def ask_proof(system: System, token: str, address: str) -> None:
    """Mail the signed-in person a link that proves their address.

    Raises:
        NotFound: the service sends no mail.
        Unauthenticated: there is no such session.
        TooManyAttempts: too many were asked for.
    """
    _require_mail(system)
    session = await sign_in.session_of(system, token)
    profile = await sign_in.profile_of(system, session.person_id)
    now = system.clock.now()
    next_at = system.mail.reset_pace.next_at(profile.person.email, address, now)
    if next_at is not None:
        raise TooManyAttempts("too many mails were asked for", retry_after_ms=next_at - now)
    await system.store.alone.write(letters.mail_proof, session.person_id)


async def ask_address(system: System, token: str, email: str, address: str) -> None:
    """Mail a link to *email*, with which it becomes the address of the signed-in person's account.

    Raises:
        NotFound: the service sends no mail.
        Unauthenticated: there is no such session.
        ConfirmationRequired: the session is not fresh.
        InvalidInput: it is no address.
        Conflict: it is the account's already, or another's of the same home.
        TooManyAttempts: too many mails were asked for.
    """
    _require_mail(system)
    session = await sign_in.session_of(system, token, address)
    now = system.clock.now()
    if not is_fresh(session.confirmed_at, now):
        raise ConfirmationRequired("confirm who you are first")
    with at("/email"):
        wanted = normalise_email(email)
    next_at = system.mail.reset_pace.next_at(wanted, address, now)
    if next_at is not None:
        raise TooManyAttempts("too many mails were asked for", retry_after_ms=next_at - now)
    await system.store.alone.write(address_changes.ask, session.person_id, wanted)


async def prove(system: System, token: str) -> None:
    """Note that the person of a mailed link receives mail at their address, or give the account a new one.

    Raises `NotFound`, and `Conflict` where another account of the same home has the new address by now.
    """
    units = system.store.alone
    if well_formed(token, ADDRESS_LINK):
        await units.write(address_changes.change, digest(token))
    else:
        await units.write(letters.prove_address, digest(token))


def _require_mail(system: System) -> None:
    if system.mail.mailing.server is None:
        raise NotFound("this service sends no mail")
