"""What people do with their own accounts: their sessions, and their name."""

from collections.abc import Sequence
from typing import Final

import msgspec

from svc.actors.system import System
from svc.domain.errors import at
from svc.services.identity import sign_in
from svc.services.identity.sign_in import Profile
from svc.storage.identity import accounts, sessions
from svc.storage.identity.sessions import ListedSession
from svc.storage.store import Owner

OTHERS: Final = "others"


class OwnSessions(msgspec.Struct, frozen=True):
    """A person's live sessions, the newest first, and the id of the one that asks."""

    sessions: Sequence[ListedSession]
    current: str


async def list_sessions(system: System, token: str, address: str) -> OwnSessions:
    """The sessions of the person with the session of *token*, who asks from *address*.

    Raises `Unauthenticated`.
    """
    session = await sign_in.session_of(system, token, address)
    units = system.store.of(session.person_id)
    return OwnSessions(
        await units.read(sessions.of_person, session.person_id, system.clock.now()), session.id
    )


async def revoke_session(system: System, token: str, session_id: str) -> None:
    """End one of the person's sessions, or all but this one for `OTHERS`.

    Raises `Unauthenticated`, and `NotFound` for a session that is not theirs or has ended.
    """
    session = await sign_in.session_of(system, token)
    units = system.store.of(Owner.PEOPLE)
    if session_id == OTHERS:
        await units.write(sessions.revoke_others, session.person_id, session.id)
    else:
        await units.write(sessions.revoke, session.person_id, session_id)


async def rename(system: System, token: str, name: str) -> Profile:
    """Change the person's name. Raises `Unauthenticated`, and `InvalidInput` for a name that is none."""
    session = await sign_in.session_of(system, token)
    with at("/name"):
        await system.store.alone.write(accounts.rename, session.person_id, name)
    return await sign_in.profile_of(system, session.person_id)
