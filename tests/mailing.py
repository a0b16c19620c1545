"""A town that sends mail, and what is mailed there."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from svc.actors.system import System
from svc.domain.identity.people import Person
from svc.domain.mail.kinds import NOTICE_KINDS, NoticeKind
from svc.domain.mail.letters import MailData
from svc.storage.identity import accounts
from svc.storage.mail import notices
from svc.storage.mail.notices import Notice
from svc.storage.store import Tx
from tests.mail_servers import ServerInMemory
from tests.people import a_member
from tests.town import Town, town

ADA = "ada@example.com"


class PostTown(Town):
    """A town with a mail server, and Ada, who wants to be told of everything at her proven address."""

    mails: ServerInMemory
    ada: Person

    async def tell(self, *causes: str, kind: NoticeKind = "webhook.disabled") -> None:
        """Have something happen for each of *causes*."""
        await self.store.write(tell, self.organization.id, *causes, kind=kind)


def tell(tx: Tx, /, organization_id: str, *causes: str, kind: NoticeKind = "webhook.disabled") -> None:
    def happened() -> Iterable[Notice]:
        return [Notice(cause, MailData(id="whk_1", name=cause, reason="gone", at=tx.now)) for cause in causes]

    notices.tell(tx, organization_id, kind, happened)


def a_reader(
    tx: Tx,
    /,
    organization_id: str,
    email: str = ADA,
    role_id: str = "owner",
    *,
    kinds: Iterable[NoticeKind] = NOTICE_KINDS,
    proven: bool = True,
) -> Person:
    """A member who wants to be told of *kinds*."""
    person = a_member(tx, organization_id, email, role_id)
    if proven:
        accounts.note_proven(tx, person.id)
    notices.choose(tx, organization_id, person.id, kinds)
    return person


@asynccontextmanager
async def post_town() -> AsyncIterator[PostTown]:
    async with town(mails=True) as plain:
        here = PostTown(plain.store, plain.clock, plain.organization, plain.random)
        here.mails = here.mail_server = ServerInMemory()
        here.ada = await here.store.write(a_reader, here.organization.id)
        yield here


@asynccontextmanager
async def live_post_town() -> AsyncIterator[tuple[PostTown, System]]:
    async with post_town() as here, here.live_system() as system:
        yield here, system
