"""The Reconciler: wakes actors that have stored work, rotates the visitor keys, and deletes expired data.

It also stores the mark from which the clock continues after a restart.
"""

from typing import Final

import msgspec

from svc.actors._core import Actor, Policy, turn
from svc.actors.agent.agent_conversation import AgentConversation
from svc.actors.channels.outbox import Outbox
from svc.actors.event_dispatcher import EventDispatcher
from svc.actors.files.file_sweeper import FILE_SWEEPER, FileSweeper
from svc.actors.forms.filer import Filer
from svc.actors.forms.form_window import FormWindow
from svc.actors.imports.importer import Importer
from svc.actors.mail.mailer import Mailer
from svc.actors.mail.password_resets import PasswordResets
from svc.actors.records.indexer import Indexer
from svc.actors.system import System
from svc.actors.webhooks.webhook import Webhook
from svc.actors.workflows.workflows import Workflows
from svc.domain.times import SECOND_MS, day_of
from svc.storage import retention
from svc.storage.agent import cards
from svc.storage.agent import runs as agent_runs
from svc.storage.approvals import decisions
from svc.storage.channels import outboxes
from svc.storage.clock import marks as clock_marks
from svc.storage.events import events
from svc.storage.forms import submissions
from svc.storage.imports import rows as import_rows
from svc.storage.mail import key_endings, outbox
from svc.storage.mail import letters as mail_letters
from svc.storage.records.listing import index_builds
from svc.storage.sites import visits
from svc.storage.store import Tx
from svc.storage.webhooks import batches
from svc.storage.workflows import runs

ROUND_SECONDS: Final = 60
"""Interval of the rounds. Actors are woken at once; a round finds what a crash or a full mailbox lost."""


class ReconcilerState(msgspec.Struct):
    """The day of the current visitor key, in days since the epoch."""

    day: int


class Reconciler(Actor[System, ReconcilerState]):
    """A singleton, with the key `main`."""

    # It must restart after every crash, since no other actor would wake it.
    policy = Policy(crashes_max=1_000_000, idle_seconds=float("inf"), turn_seconds=60)

    async def load(self) -> ReconcilerState:
        self.make_round.after(0)
        return ReconcilerState(day=await self._rotate_keys())

    @turn
    async def start(self) -> None:
        """Activate the Reconciler. Returns once the visitor keys are loaded, which actors need."""

    @turn
    async def make_round(self) -> None:
        """Wake all actors that have stored work, and rotate the visitor keys at midnight."""
        self.make_round.after(ROUND_SECONDS)
        self.prune.after(0)
        self.system.wake(FileSweeper(self.system, FILE_SWEEPER).wake)
        if self.state.day != day_of(self.system.clock.now()):
            self.state.day = await self._rotate_keys()
        for organization_id in await self.system.store.read_long(submissions.organizations_with_due):
            self.system.wake(Filer(self.system, organization_id).wake)
        for organization_id in await self.system.store.read_long(index_builds.organizations_building):
            self.system.wake(Indexer(self.system, organization_id).wake)
        for organization_id in await self.system.store.read_long(import_rows.organizations_with_work):
            self.system.wake(Importer(self.system, organization_id).wake)
        for form_key in await self.system.store.read_long(submissions.forms_with_queue):
            self.system.wake(FormWindow(self.system, form_key).activate)
        until = self.system.clock.now() + ROUND_SECONDS * SECOND_MS
        for connection_id in await self.system.store.read_long(outboxes.due, until):
            self.system.wake(Outbox(self.system, connection_id).wake)
        for organization_id in await self.system.store.read_long(events.organizations_with_undispatched):
            self.system.wake(EventDispatcher(self.system, organization_id).wake)
        for webhook_id in await self.system.store.read_long(batches.webhooks_due, until):
            self.system.wake(Webhook(self.system, webhook_id).wake)
        for organization_id in await self.system.store.read_long(runs.organizations_with_runs, until):
            self.system.wake(Workflows(self.system, organization_id).wake)
        for organization_id in await self.system.store.read_long(
            decisions.organizations_with_uncollected, "agent"
        ):
            await self.system.store.of(organization_id).write_behind(cards.collect, organization_id)
        for conversation_id in await self.system.store.read_long(agent_runs.conversations_due, until):
            self.system.wake(AgentConversation(self.system, conversation_id).wake)
        for organization_id in await self.system.store.read_long(
            decisions.organizations_with_uncollected, "workflow"
        ):
            self.system.wake(Workflows(self.system, organization_id).wake)
        await self._wake_mailers(until)

    @turn
    async def prune(self) -> None:
        """Store the clock's mark and delete a batch of expired data; repeat until none is left."""
        if await self.system.store.write_behind(_mark_and_prune, self.system.event_life_ms):
            self.prune.after(0)

    async def _wake_mailers(self, until: int) -> None:
        """Wake what sends mail, if there is a mail server, and tell of keys that end soon."""
        if self.system.mailing.server is None:
            return
        store = self.system.store
        for organization_id in await store.read_long(key_endings.organizations_due, self.system.clock.now()):
            await store.of(organization_id).write_behind(key_endings.note, organization_id)
        for organization_id in await store.read_long(outbox.organizations_due, until):
            self.system.wake(Mailer(self.system, organization_id).wake)
        if await store.read_long(mail_letters.any_asked):
            self.system.wake(PasswordResets(self.system, "main").wake)

    async def _rotate_keys(self) -> int:
        now = self.system.clock.now()
        self.system.visitor_keys = tuple(await self.system.store.write(_rotate_visitor_keys))
        return day_of(now)


def _rotate_visitor_keys(tx: Tx) -> list[bytes]:
    submissions.forget_visitors(tx)
    return visits.rotate_keys(tx)


def _mark_and_prune(tx: Tx, event_life_ms: int) -> bool:
    clock_marks.mark(tx)
    return retention.prune(tx, event_life_ms)
