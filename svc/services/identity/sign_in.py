"""Signing in and out, and looking up sessions."""

from contextlib import suppress
from typing import Final

import msgspec
import trio
from sqlalchemy import Connection

from svc.actors.identity.sign_in_gate import SignInGate
from svc.actors.system import System
from svc.domain.crypto.keys import SESSION, digest, new_key
from svc.domain.crypto.passwords import salt_for, salt_of
from svc.domain.errors import (
    ConfirmationRequired,
    InvalidValue,
    NotFound,
    OrganizationRequired,
    Unauthenticated,
    Unavailable,
    at,
)
from svc.domain.identity.known_browsers import mark_of, read_mark
from svc.domain.identity.limits import SESSION_SEEN_NOTED_MS
from svc.domain.identity.people import Person
from svc.domain.identity.sessions import Session, csrf_token, is_fresh
from svc.domain.records.contact_points import normalise_email
from svc.services.identity.attempts import GATE, WrongCredentials, counted, enter, take_back
from svc.storage.identity import accounts, invitations, sessions, sign_in
from svc.storage.identity.accounts import Credentials, JoinedOrganization
from svc.storage.mail import address_changes
from svc.storage.store import Owner, Tx

_REFUSED: Final = "no such account, or another password"


class Browser(msgspec.Struct, frozen=True):
    """The browser that signs in."""

    address: str
    user_agent: str
    session_token: str | None = None
    """Its previous session, which ends."""
    mark: str | None = None
    """Its device cookie: see `svc.domain.identity.known_browsers`."""


class Profile(msgspec.Struct, frozen=True):
    """A signed-in person, and the organizations that they may work in."""

    person: Person
    organizations: list[JoinedOrganization]


class SignedIn(msgspec.Struct, frozen=True):
    """A new session. Token and mark are for cookies, and not stored."""

    token: str
    csrf_token: str
    profile: Profile
    mark: str
    """The browser's new device cookie."""


async def with_password(
    system: System, email: str, password: str, browser: Browser, organization_id: str | None = None
) -> SignedIn:
    """Sign in with e-mail and password: to the account at home in *organization_id*, or to the only match.

    The work is that of one hash, however many accounts the address has, so timing does not tell how many.

    Raises:
        OrganizationRequired: several accounts match.
        WrongCredentials: none does, or the person is not an active member of any organization.
        TooManyAttempts: too many sign-ins have failed.
        Unavailable: too many passwords are being checked.
    """
    try:
        address = normalise_email(email)
    except InvalidValue:
        address = _without_nul(email)
    if organization_id is not None:
        organization_id = _without_nul(organization_id)
    attempt, known = await enter(system, address, browser.address, browser.mark, organization_id)
    token = new_key(SESSION, system.random)
    async with counted(system, attempt):
        hashes = [credentials.password_hash for credentials in known]
        opened = await system.identity.passwords.matching(
            hashes, password, salt_for(address, system.secrets.sender)
        )
        if not opened:
            raise WrongCredentials(_REFUSED)
        people = [credentials.person_id for credentials in known if credentials.password_hash in opened]
        try:
            profile = await system.store.of(Owner.PEOPLE).write(_open_one_of, people, token, browser)
        except trio.Cancelled:
            take_back(system, attempt)  # the password was right, though the client has disconnected
            raise
    await _renew_hash(system, known, profile.person.id, password)
    return signed_in(system, token, profile, browser)


def _without_nul(text: str) -> str:
    """Another text that is nobody's either: PostgreSQL takes no NUL, not even to look for it."""
    return text.replace("\0", " ")


async def with_link(system: System, link_token: str, browser: Browser) -> SignedIn:
    """Sign in with a one-time link, and use it up. Raises `WrongCredentials`."""
    token = new_key(SESSION, system.random)
    profile = await system.store.of(Owner.PEOPLE).write(_open_by_link, digest(link_token), token, browser)
    return signed_in(system, token, profile, browser)


async def sign_up(
    system: System, invitation_token: str, name: str, password: str, browser: Browser
) -> SignedIn:
    """Accept an invitation with a new account at home in the inviting organization, and sign it in.

    Raises:
        NotFound: no such invitation waits.
        Forbidden: its inviter may no longer give that role.
        Conflict: that organization has an account with the e-mail address.
        InvalidInput: the name or the password does not meet the rules.
        Unavailable: too many passwords are being hashed.
    """
    units = system.store.of(Owner.PEOPLE)
    invited = digest(invitation_token)
    invitation = await units.read(invitations.waiting, invited, system.clock.now())
    hashed = await new_hash(system, invitation.email, password)
    token = new_key(SESSION, system.random)

    def unit(tx: Tx) -> Profile:
        with at("/name"):
            person = invitations.accept_as_new(tx, invited, name, hashed)
        return open_session(tx, person.id, token, browser)

    profile = await system.store.alone.write(unit)
    return signed_in(system, token, profile, browser)


async def accept(system: System, token: str, invitation_token: str) -> Profile:
    """Accept an invitation as the signed-in person; return where they may work now.

    Raises:
        Unauthenticated: there is no such session.
        NotFound: no such invitation waits.
        Forbidden: its inviter may no longer give that role.
        Conflict: the person is a member already, or was one.
    """
    session = await session_of(system, token)
    await system.store.alone.write(invitations.accept, digest(invitation_token), session.person_id)
    return await profile_of(system, session.person_id)


async def session_of(system: System, token: str, address: str | None = None) -> Session:
    """Look up the session of *token*, and note its use from *address*, to the minute.

    Raises `Unauthenticated` if there is none.
    """
    token_digest = digest(token)
    session = await system.identity.sessions.find(token_digest)
    if session is None:
        raise Unauthenticated
    if not session.seen_at <= system.clock.now() < session.seen_at + SESSION_SEEN_NOTED_MS:
        await system.store.of(Owner.PEOPLE).write(sessions.note_seen, token_digest, address)
    return session


async def profile_of(system: System, person_id: str) -> Profile:
    """The person, and the organizations that they may work in now."""
    return await system.store.of(person_id).read(_profile, person_id)


async def confirm(system: System, token: str, password: str) -> None:
    """Check the signed-in person's password once more, and count the session as fresh.

    Each session is paced by itself, so failed sign-ins of others do not hold up a person who is signed in.

    Raises:
        Unauthenticated: there is no such session.
        WrongCredentials: the password is not theirs.
        TooManyAttempts: too many attempts have failed.
        Unavailable: too many passwords are being checked.
    """
    session = await session_of(system, token)
    profile = await profile_of(system, session.person_id)
    units = system.store.of(Owner.PEOPLE)
    attempt = await SignInGate(system, GATE).enter_known(
        f"person {session.person_id}", f"session {session.id}"
    )
    async with counted(system, attempt):
        hashed = await units.read(accounts.password_hash, session.person_id)
        salt = salt_for(profile.person.email, system.secrets.sender)
        if not await system.identity.passwords.matching([] if hashed is None else [hashed], password, salt):
            raise WrongCredentials(_REFUSED)
    try:
        await units.write(sessions.confirm, digest(token))
    except NotFound:
        raise Unauthenticated from None


async def set_password(system: System, token: str, password: str) -> None:
    """Set a new password for the signed-in person, and end their other sessions.

    Raises:
        Unauthenticated: there is no such session.
        ConfirmationRequired: the session is not fresh.
        InvalidInput: the password does not meet the rules.
        Unavailable: too many passwords are being hashed.
    """
    session = await session_of(system, token)
    if not is_fresh(session.confirmed_at, system.clock.now()):
        raise ConfirmationRequired("confirm who you are first")
    profile = await profile_of(system, session.person_id)
    hashed = await new_hash(system, profile.person.email, password)
    units = system.store.of(Owner.PEOPLE)
    await units.write(address_changes.set_password, session.person_id, hashed, digest(token))


async def sign_out(system: System, token: str) -> None:
    """End the session; does nothing if there is none with that token."""
    await system.store.of(Owner.PEOPLE).write(sessions.end, digest(token))


def signed_in(system: System, token: str, profile: Profile, browser: Browser) -> SignedIn:
    """The session of *token*, with what the browser is given for it."""
    secret = system.secrets.sender
    mark = mark_of(read_mark(browser.mark, secret), profile.person.id, secret, system.random)
    return SignedIn(token, csrf_token(token), profile, mark)


async def new_hash(system: System, email: str, password: str) -> str:
    """The hash of a new password. Raises `InvalidInput` and `Unavailable`."""
    salt = await system.store.of(Owner.PEOPLE).read(accounts.salt, email, system.secrets.sender)
    with at("/password"):
        return await system.identity.passwords.hash(password, salt)


async def _renew_hash(system: System, known: list[Credentials], person_id: str, password: str) -> None:
    """Hash a password anew that was hashed with outdated parameters, or with the salt of another address.

    Its plain text is known now. Accounts of an address share the salt of the first. While too many passwords
    wait to be hashed, this is left to the next sign-in.
    """
    [hashed] = [credentials.password_hash for credentials in known if credentials.person_id == person_id]
    salt = salt_of(known[0].password_hash)
    if system.identity.passwords.are_outdated(hashed) or salt_of(hashed) != salt:
        with suppress(Unavailable):
            renewed = await system.identity.passwords.hash(password, salt)
            await system.store.of(Owner.PEOPLE).write(accounts.replace_hash, person_id, renewed)


def _open_one_of(tx: Tx, people: list[str], token: str, browser: Browser) -> Profile:
    """Sign in the only one of *people* that is an active member of an organization.

    Raises `WrongCredentials`, and `OrganizationRequired` for several.
    """
    members = [person_id for person_id in people if accounts.memberships(tx.conn, person_id)]
    if not members:
        raise WrongCredentials(_REFUSED)
    if len(members) > 1:
        raise OrganizationRequired([accounts.home_of(tx.conn, person_id) for person_id in members])
    return open_session(tx, members[0], token, browser)


def _open_by_link(tx: Tx, link_digest: str, token: str, browser: Browser) -> Profile:
    try:
        person_id = sign_in.use_link(tx, link_digest)
    except NotFound as error:
        raise WrongCredentials(str(error)) from None
    return open_session(tx, person_id, token, browser)


def open_session(tx: Tx, person_id: str, token: str, browser: Browser) -> Profile:
    """Sign the person in with the session *token*. Raises `WrongCredentials` if no organization lets them."""
    profile = _profile(tx.conn, person_id)
    if not profile.organizations:
        raise WrongCredentials("no organization lets this person in")
    replaces = None if browser.session_token is None else digest(browser.session_token)
    sessions.create(tx, person_id, digest(token), browser.user_agent, replaces, browser.address)
    return profile


def _profile(conn: Connection, person_id: str) -> Profile:
    return Profile(accounts.get(conn, person_id), accounts.memberships(conn, person_id))
