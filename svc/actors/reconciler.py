"""The Reconciler: does each minute what nobody asks for.

It wakes actors that have stored work, ends snoozes, gives notice of keys that end soon, collects what was
decided for agents, rotates the visitor keys, deletes expired data, and stores the mark from which the clock
continues after a restart.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec

from svc.actors._core import Actor, Policy, turn
from svc.actors.agent.agent_conversation import AgentConversation, key_of
from svc.actors.channels.outbox import Outbox
from svc.actors.event_dispatcher import EventDispatcher
from svc.actors.exports.exporter import Exporter
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
from svc.domain.locale.times import SECOND_MS, day_of
from svc.storage import retention
from svc.storage.agent import cards
from svc.storage.agent import runs as agent_runs
from svc.storage.approvals import decisions
from svc.storage.channels import conversations, outboxes
from svc.storage.clock import marks as clock_marks
from svc.storage.events import events
from svc.storage.exports import rows as export_rows
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


async def _wake_file_sweeper(system: System, _until: int) -> None:
    system.wake(FileSweeper(system, FILE_SWEEPER).wake)


async def _wake_filers(system: System, _until: int) -> None:
    for organization_id in await system.store.read_long(submissions.organizations_with_due):
        system.wake(Filer(system, organization_id).wake)


async def _wake_indexers(system: System, _until: int) -> None:
    for organization_id in await system.store.read_long(index_builds.organizations_building):
        system.wake(Indexer(system, organization_id).wake)


async def _wake_importers(system: System, _until: int) -> None:
    for organization_id in await system.store.read_long(import_rows.organizations_with_work):
        system.wake(Importer(system, organization_id).wake)


async def _wake_exporters(system: System, _until: int) -> None:
    """Those with exports to make, and those whose files may be over."""
    with_work = await system.store.read_long(export_rows.organizations_with_work)
    for organization_id in {*with_work, *await system.exports.organizations()}:
        system.wake(Exporter(system, organization_id).wake)


async def _activate_form_windows(system: System, _until: int) -> None:
    for form_key in await system.store.read_long(submissions.forms_with_queue):
        system.wake(FormWindow(system, form_key).activate)


async def _wake_outboxes(system: System, until: int) -> None:
    for connection_id in await system.store.read_long(outboxes.due, until):
        system.wake(Outbox(system, connection_id).wake)


async def _wake_event_dispatchers(system: System, _until: int) -> None:
    for organization_id in await system.store.read_long(events.organizations_with_undispatched):
        system.wake(EventDispatcher(system, organization_id).wake)


async def _wake_webhooks(system: System, until: int) -> None:
    for webhook_id in await system.store.read_long(batches.webhooks_due, until):
        system.wake(Webhook(system, webhook_id).wake)


async def _wake_workflows(system: System, until: int) -> None:
    """Those with runs that are due, and those whose cards were decided."""
    for organization_id in await system.store.read_long(runs.organizations_with_runs, until):
        system.wake(Workflows(system, organization_id).wake)
    for organization_id in await system.store.read_long(decisions.organizations_with_uncollected, "workflow"):
        system.wake(Workflows(system, organization_id).wake)


async def _wake_agents(system: System, until: int) -> None:
    """Have decided cards collected, which makes runs due, and wake the conversations that have some."""
    for organization_id in await system.store.read_long(decisions.organizations_with_uncollected, "agent"):
        await system.store.of(organization_id).write_behind(cards.collect, organization_id)
    for due in await system.store.read_long(agent_runs.conversations_due, until):
        system.wake(AgentConversation(system, key_of(due.organization_id, due.conversation_id)).wake)


async def _wake_mailers(system: System, until: int) -> None:
    """Wake what sends mail, if there is a mail server, and tell of keys that end soon."""
    if system.mail.mailing.server is None:
        return
    store = system.store
    for organization_id in await store.read_long(key_endings.organizations_due, system.clock.now()):
        await store.of(organization_id).write_behind(key_endings.note, organization_id)
    for organization_id in await store.read_long(outbox.organizations_due, until):
        system.wake(Mailer(system, organization_id).wake)


async def _wake_password_resets(system: System, _until: int) -> None:
    if system.mail.mailing.server is not None and await system.store.read_long(mail_letters.any_asked):
        system.wake(PasswordResets(system, "main").wake)


async def _end_snoozes(system: System) -> None:
    """Have conversations come up again whose snooze is over."""
    for organization_id in await system.store.read_long(
        conversations.organizations_waking, system.clock.now()
    ):
        units = system.store.of(organization_id)
        while await units.write_behind(conversations.wake_due, organization_id):
            pass  # each unit wakes some, so that none holds up others


Look = Callable[[System, int], Awaitable[None]]
"""Wakes the actors of one kind that have stored work, or will have until a time in ms since the epoch."""
LOOKS: Final[Mapping[type[Actor[Any, Any]], Look]] = {
    FileSweeper: _wake_file_sweeper,
    Filer: _wake_filers,
    Indexer: _wake_indexers,
    Importer: _wake_importers,
    Exporter: _wake_exporters,
    FormWindow: _activate_form_windows,
    Outbox: _wake_outboxes,
    EventDispatcher: _wake_event_dispatchers,
    Webhook: _wake_webhooks,
    Workflows: _wake_workflows,
    AgentConversation: _wake_agents,
    Mailer: _wake_mailers,
    PasswordResets: _wake_password_resets,
}
"""The kinds of actors that a crash may leave with work; `svc.actors.kinds` has those that it does not."""


class ReconcilerState(msgspec.Struct):
    """The day of the current visitor key, in days since the epoch."""

    day: int
    prune_step: int = 0
    """The number of the pruner that goes on."""


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
        if self.state.day != day_of(self.system.clock.now()):
            self.state.day = await self._rotate_keys()
        until = self.system.clock.now() + ROUND_SECONDS * SECOND_MS
        for wake_due in LOOKS.values():
            await wake_due(self.system, until)
        await _end_snoozes(self.system)

    @turn
    async def prune(self) -> None:
        """Store the clock's mark, and delete some expired data; repeat until none is left.

        What is over is found by a read over all organizations, and deleted by units of each owner.
        """
        state, store, life_ms = self.state, self.system.store, self.system.event_life_ms
        if not state.prune_step:
            await store.alone.write_behind(clock_marks.mark)
        overdue = await store.read_long(retention.find, self.system.clock.now(), life_ms, state.prune_step)
        if overdue is None:
            state.prune_step = 0
            return
        for owner, rows in overdue.by_owner.items():
            await store.of(owner).write_behind(retention.prune, overdue.number, rows, life_ms)
        state.prune_step = overdue.number
        self.prune.after(0)

    async def _rotate_keys(self) -> int:
        now = self.system.clock.now()
        self.system.sites.visitor_keys = tuple(await self.system.store.alone.write(_rotate_visitor_keys))
        return day_of(now)


def _rotate_visitor_keys(tx: Tx) -> list[bytes]:
    submissions.forget_visitors(tx)
    return visits.rotate_keys(tx)
