"""Attempts to sign in: admitted by the gate, counted until they succeed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar, Final

from svc.actors.identity.sign_in_gate import SignInGate
from svc.actors.system import System
from svc.domain.crypto.keys import digest
from svc.domain.errors import DomainError, TooManyAttempts
from svc.domain.identity.known_browsers import read_mark
from svc.storage.identity import accounts, sign_in
from svc.storage.identity.accounts import Credentials
from svc.storage.identity.sign_in import Failure
from svc.storage.store import Owner

GATE: Final = "main"


class WrongCredentials(DomainError):
    """Raised for a wrong account, password or link. It never says which of them was wrong."""

    code: ClassVar[str] = "wrong_credentials"


async def enter(
    system: System, email: str, address: str, mark: str | None, organization_id: str | None
) -> tuple[Failure, list[Credentials]]:
    """Admit an attempt at the accounts with *email*: the failure that it counts as, and their credentials.

    Where unknown browsers have to wait, a known one may try the accounts that it has signed in to before, and
    no others. Raises `TooManyAttempts`.
    """
    gate = SignInGate(system, GATE)
    try:
        attempt = await gate.enter(email, address)
    except TooManyAttempts:
        known = read_mark(mark, system.secrets.sender)
        if known is None or not known.person_ids:
            raise
        own = await system.store.of(Owner.PEOPLE).read(
            accounts.credentials_of, known.person_ids, email, organization_id
        )
        if not own:
            raise
        return await gate.enter_known(f"address {email}", f"browser {known.name}"), own
    return attempt, await system.store.of(Owner.PEOPLE).read(accounts.credentials, email, organization_id)


async def enter_link(system: System, token: str, address: str) -> Failure:
    """Admit a look at the link of *token*, paced as sign-ins are. Raises `TooManyAttempts`."""
    return await SignInGate(system, GATE).enter(f"link {digest(token)}", address)


def take_back(system: System, attempt: Failure) -> None:
    """No longer count an attempt that succeeded. An inactive gate counts only what is stored."""
    SignInGate(system, GATE).take_back.tell_if_active(attempt)


@asynccontextmanager
async def counted(
    system: System, attempt: Failure, wrong: type[DomainError] = WrongCredentials
) -> AsyncIterator[None]:
    """Store the attempt as failed on *wrong*; take it back on success and on any other refusal."""
    try:
        yield
    except wrong:
        await system.store.of(Owner.PEOPLE).write(sign_in.note_failure, attempt)
        raise
    except DomainError:
        take_back(system, attempt)
        raise
    take_back(system, attempt)
