"""What people do with links that are mailed to them: choose a new password, and prove their address."""

from svc.actors.system import System
from svc.domain.crypto.keys import digest
from svc.domain.errors import InvalidValue, NotFound, TooManyAttempts
from svc.domain.records.contact_points import normalise_email
from svc.services import sign_in
from svc.storage.identity import accounts
from svc.storage.mail import letters, links
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
    if system.reset_pace.next_at(wanted, address, system.clock.now()) is None:
        await system.store.of(Owner.SIGN_IN).write(letters.ask_reset, wanted)


async def reset(system: System, token: str, password: str) -> None:
    """Set a new password by a mailed link. All sessions of its person end, and the address is proven.

    Raises:
        NotFound: the link is unknown, used or expired.
        InvalidInput: the password does not meet the rules.
        Unavailable: too many passwords are being hashed.
    """
    units = system.store.of(Owner.SIGN_IN)
    person_id = await units.read(links.person_of, digest(token), "reset", system.clock.now())
    person = await units.read(accounts.get, person_id)
    hashed = await sign_in.new_hash(system, person.email, password)
    await units.write(letters.reset_password, digest(token), hashed)


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
    next_at = system.reset_pace.next_at(profile.person.email, address, now)
    if next_at is not None:
        raise TooManyAttempts("too many mails were asked for", retry_after_ms=next_at - now)
    await system.store.of(session.person_id).write(letters.mail_proof, session.person_id)


async def prove(system: System, token: str) -> None:
    """Note that the person of a mailed link receives mail at their address. Raises `NotFound`."""
    await system.store.of(Owner.SIGN_IN).write(letters.prove_address, digest(token))


def _require_mail(system: System) -> None:
    if system.mailing.server is None:
        raise NotFound("this service sends no mail")
