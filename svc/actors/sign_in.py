"""Signing in and out, and knowing who is signed in."""

from typing import ClassVar, Final, NoReturn

import msgspec
from sqlalchemy import Connection

from svc.actors.house import House
from svc.actors.sign_in_gate import SignInGate
from svc.domain.contacts import normalise_email
from svc.domain.errors import ConfirmationRequired, DomainError, InvalidValue, NotFound, Unauthenticated, at
from svc.domain.keys import SESSION, digest, new_key
from svc.domain.limits import SESSION_SEEN_NOTED_MS
from svc.domain.people import Person
from svc.domain.sessions import Session, csrf_token, is_fresh
from svc.storage import accounts, invitations, sessions, sign_in
from svc.storage.accounts import Membership
from svc.storage.sign_in import Failure
from svc.storage.store import Owner, Tx

GATE: Final = "main"


class WrongCredentials(DomainError):
    """Raised for an account, a password or a link that opens nothing. It never says which was wrong."""

    code: ClassVar[str] = "wrong_credentials"


class Browser(msgspec.Struct, frozen=True):
    """From where somebody signs in."""

    address: str
    user_agent: str
    session_token: str | None = None
    """The session that it had until now, which ends."""


class Profile(msgspec.Struct, frozen=True):
    """Who is signed in, and where they may work."""

    person: Person
    organizations: list[Membership]


class SignedIn(msgspec.Struct, frozen=True):
    """A new session. The token is for the cookie, and kept nowhere else."""

    token: str
    csrf_token: str
    profile: Profile


async def with_password(house: House, email: str, password: str, browser: Browser) -> SignedIn:
    """Sign in with e-mail and password.

    An unknown account costs the same work as a wrong password. Raises `WrongCredentials`, also for a person
    who is nowhere an active member; `TooManyAttempts`; and `Unavailable`.
    """
    try:
        address = normalise_email(email)
    except InvalidValue:
        address = email
    attempt = await SignInGate(house, GATE).enter(address, browser.address)
    known = await house.store.of(Owner.SIGN_IN).read(accounts.credentials, address)
    hashed = None if known is None else known.password_hash
    if not await house.passwords.match(hashed, password) or known is None or hashed is None:
        await _failed(house, attempt)
    units = house.store.of(known.person_id)
    if house.passwords.are_outdated(hashed):
        await units.write(accounts.replace_hash, known.person_id, await house.passwords.hash(password))
    token = new_key(SESSION)
    try:
        profile = await units.write(_open, known.person_id, token, browser)
    except WrongCredentials:
        await _failed(house, attempt)
    await SignInGate(house, GATE).take_back(attempt)
    return SignedIn(token, csrf_token(token), profile)


async def with_link(house: House, link_token: str, browser: Browser) -> SignedIn:
    """Sign in with a one-time link, which is used up. Raises `WrongCredentials`."""
    token = new_key(SESSION)
    profile = await house.store.of(Owner.SIGN_IN).write(_open_by_link, digest(link_token), token, browser)
    return SignedIn(token, csrf_token(token), profile)


async def sign_up(
    house: House, invitation_token: str, name: str, password: str, browser: Browser
) -> SignedIn:
    """Accept an invitation with a new account, and sign it in.

    Raises `NotFound` for no such invitation, `Forbidden` for one that its inviter could not give any more,
    `Conflict` where its e-mail address has an account, `InvalidInput` and `Unavailable`.
    """
    units = house.store.of(Owner.SIGN_IN)
    invited = digest(invitation_token)
    await units.read(invitations.waiting, invited, house.clock.now())  # before the work of a hash
    with at("/password"):
        hashed = await house.passwords.hash(password)
    token = new_key(SESSION)

    def unit(tx: Tx) -> Profile:
        with at("/name"):
            person = invitations.accept_as_new(tx, invited, name, hashed)
        return _open(tx, person.id, token, browser)

    profile = await units.write(unit)
    return SignedIn(token, csrf_token(token), profile)


async def accept(house: House, token: str, invitation_token: str) -> Profile:
    """Accept an invitation as the signed-in person, and tell where they may work now.

    Raises `Unauthenticated`, `NotFound`, `Forbidden` and `Conflict`.
    """
    session = await session_of(house, token)
    units = house.store.of(session.person_id)
    await units.write(invitations.accept, digest(invitation_token), session.person_id)
    return await profile_of(house, session.person_id)


async def session_of(house: House, token: str) -> Session:
    """The session of that token, noted as seen. Raises `Unauthenticated` where there is none any more."""
    token_digest = digest(token)
    found = await house.sessions.find(token_digest)
    if found is None:
        raise Unauthenticated
    if house.clock.now() >= found.seen_at + SESSION_SEEN_NOTED_MS:
        await house.store.of(found.person_id).write(sessions.note_seen, token_digest)
    return found


async def profile_of(house: House, person_id: str) -> Profile:
    """Who the person is, and where they may work now."""
    return await house.store.of(person_id).read(_profile, person_id)


async def confirm(house: House, token: str, password: str, address: str) -> None:
    """Have a signed-in person show once more who they are, and count the session as fresh.

    Raises `Unauthenticated`, `WrongCredentials`, `TooManyAttempts` and `Unavailable`.
    """
    session = await session_of(house, token)
    profile = await profile_of(house, session.person_id)
    attempt = await SignInGate(house, GATE).enter(profile.person.email, address)
    units = house.store.of(session.person_id)
    hashed = await units.read(accounts.password_hash, session.person_id)
    if not await house.passwords.match(hashed, password):
        await _failed(house, attempt)
    await SignInGate(house, GATE).take_back(attempt)
    try:
        await units.write(sessions.confirm, digest(token))
    except NotFound:
        raise Unauthenticated from None


async def set_password(house: House, token: str, password: str) -> None:
    """Give the signed-in person a new password; their other sessions end.

    Raises `Unauthenticated`, `ConfirmationRequired` unless they showed who they are within the last two
    hours, `InvalidInput` and `Unavailable`.
    """
    session = await session_of(house, token)
    if not is_fresh(session.confirmed_at, house.clock.now()):
        raise ConfirmationRequired("confirm who you are first")
    with at("/password"):
        hashed = await house.passwords.hash(password)
    units = house.store.of(session.person_id)
    await units.write(accounts.set_password, session.person_id, hashed, digest(token))


async def sign_out(house: House, token: str) -> None:
    """End the session; a token of none is as good as signed out."""
    await house.store.of(Owner.SIGN_IN).write(sessions.end, digest(token))


async def _failed(house: House, attempt: Failure) -> NoReturn:
    await house.store.of(Owner.SIGN_IN).write(sign_in.note_failure, attempt)
    raise WrongCredentials("no such account, or another password")


def _open_by_link(tx: Tx, link_digest: str, token: str, browser: Browser) -> Profile:
    try:
        person_id = sign_in.use_link(tx, link_digest)
    except NotFound as error:
        raise WrongCredentials(str(error)) from None
    return _open(tx, person_id, token, browser)


def _open(tx: Tx, person_id: str, token: str, browser: Browser) -> Profile:
    profile = _profile(tx.conn, person_id)
    if not profile.organizations:
        raise WrongCredentials("no organization lets this person in")
    replaces = None if browser.session_token is None else digest(browser.session_token)
    sessions.open_one(tx, person_id, digest(token), browser.user_agent, replaces)
    return profile


def _profile(conn: Connection, person_id: str) -> Profile:
    return Profile(accounts.get(conn, person_id), accounts.memberships(conn, person_id))
