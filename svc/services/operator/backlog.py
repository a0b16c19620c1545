"""What waits in the database, for operators: read at most every few seconds, however many look."""

from collections.abc import Mapping
from math import inf
from typing import Any, Final

import msgspec
import trio

from svc.actors._core import Actor
from svc.actors.agent.agent_conversation import AgentConversation, key_of
from svc.actors.channels.outbox import Outbox
from svc.actors.event_dispatcher import EventDispatcher
from svc.actors.exports.exporter import Exporter
from svc.actors.forms.filer import Filer
from svc.actors.forms.form_window import FormWindow
from svc.actors.imports.importer import Importer
from svc.actors.mail.mailer import Mailer
from svc.actors.system import System
from svc.actors.webhooks.webhook import Webhook
from svc.actors.workflows.workflows import Workflows
from svc.storage.backlog import backlog
from svc.storage.backlog.queues import Backlog, Noun, Queue

FRESH_SECONDS: Final = 5.0
"""For so long what was read is shown again."""

RESTS: Final = 20
"""And for this many times as long as reading took: with very many items, counting them takes a while."""


class WaitingQueue(msgspec.Struct, frozen=True, kw_only=True):
    """What waits of one noun for one actor, or one organization's people."""

    organization_id: str
    count: int
    oldest_id: str
    oldest_since: int
    """Since when it waits, in ms since the epoch."""
    why: str
    actor: str | None
    """The actor that is to do it, as `<kind>/<key>`; None where a person is."""


class WaitingNoun(msgspec.Struct, frozen=True, kw_only=True):
    """What waits of one noun."""

    noun: Noun
    count: int
    organizations: int
    """In how many organizations."""
    oldest_since: int | None
    queues: list[WaitingQueue]
    """Those with the oldest items, the oldest first."""


class Waiting:
    """The backlog of an installation, read again once it is no longer fresh."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._reading = trio.Lock()
        self._nouns: list[WaitingNoun] = []
        self._fresh_until = -inf

    async def read(self) -> list[WaitingNoun]:
        """What waits, as it was some seconds ago at most. Raises `Unavailable` if the data cannot be read."""
        if trio.current_time() >= self._fresh_until:
            async with self._reading:
                if trio.current_time() >= self._fresh_until:
                    await self._read()
        return self._nouns

    async def _read(self) -> None:
        began_at = trio.current_time()
        system = self._system
        mailing = system.mail.mailing
        no_mail = None
        if mailing.server is None:
            no_mail = "no mail server is set"
        elif mailing.failures:
            no_mail = f"the mail server fails: {mailing.failure_class}"
        nouns = await system.store.read_long(backlog.read, system.clock.now())
        self._nouns = [_told(one, no_mail if one.noun == "mails" else None) for one in nouns]
        now = trio.current_time()
        self._fresh_until = now + max(FRESH_SECONDS, RESTS * (now - began_at))


def _told(of_noun: Backlog, why: str | None) -> WaitingNoun:
    queues = [
        WaitingQueue(
            organization_id=queue.organization_id,
            count=queue.count,
            oldest_id=queue.oldest_id,
            oldest_since=queue.oldest_since,
            why=why or queue.why,
            actor=_actor(of_noun.noun, queue),
        )
        for queue in of_noun.queues
    ]
    return WaitingNoun(
        noun=of_noun.noun,
        count=of_noun.count,
        organizations=of_noun.organizations,
        oldest_since=of_noun.oldest_since,
        queues=queues,
    )


_KINDS: Final[Mapping[Noun, type[Actor[Any, Any]]]] = {
    "events": EventDispatcher,
    "deliveries": Webhook,
    "replies": Outbox,
    "mails": Mailer,
    "runs": Workflows,
    "imports": Importer,
    "exports": Exporter,
}


def _actor(noun: Noun, queue: Queue) -> str | None:
    """The actor that does the oldest item of *queue*."""
    match noun:
        case "approvals":
            return None
        case "agentRuns":
            return f"{AgentConversation.__name__}/{key_of(queue.organization_id, queue.worker)}"
        case "submissions":
            kind: type[Actor[Any, Any]] = Filer if queue.worker == queue.organization_id else FormWindow
        case _:
            kind = _KINDS[noun]
    return f"{kind.__name__}/{queue.worker}"
