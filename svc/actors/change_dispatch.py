"""Dispatch of committed changes to the actors and caches that they concern."""

from typing import assert_never

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
from svc.actors.system import System
from svc.actors.webhooks.webhook import Webhook
from svc.actors.workflows.workflows import Workflows
from svc.domain.changes import (
    AccessChanged,
    AgentDue,
    ApprovalDecided,
    Change,
    ChannelKeysChanged,
    DeliveriesDue,
    EmbedsChanged,
    EventsDispatched,
    EventsDue,
    ExportsDue,
    FilesRemoved,
    FormChanged,
    GrantsChanged,
    ImportsDue,
    KeysChanged,
    MailsDue,
    MembersChanged,
    ModelsChanged,
    ObjectsChanged,
    OrganizationChanged,
    OutboxChanged,
    QueueChanged,
    ResetsDue,
    ResourceChanged,
    RolesChanged,
    RunsDue,
    ServerKeysChanged,
    SessionsChanged,
    SitesChanged,
    StateChanged,
    SubmissionsDue,
    WorkDue,
)


class ChangeDispatcher:
    """The listener of the store that notifies *system*; see `Store.listen`."""

    def __init__(self, system: System) -> None:
        self._system = system

    def __call__(self, change: Change) -> None:
        """Dispatch *change*. An actor that is not active needs no notice: it loads the current state."""
        if isinstance(change, ResourceChanged):
            self._system.screen_hints.note(change.organization_id, change.noun, change.id)
        else:
            self._note_state(change)

    def _note_state(self, change: StateChanged | WorkDue) -> None:
        """Have what is in memory compared with the store again, or evicted."""
        match change:
            case MembersChanged() | RolesChanged() | KeysChanged() | GrantsChanged():
                self._note_access(change)
            case ModelsChanged(organization_id):
                self._system.ai.revisions.note(organization_id)
            case SessionsChanged(digests):
                self._system.identity.sessions.evict(*digests)
                self._system.screen_hints.recheck_sessions(digests)
            case FormChanged(key) | OrganizationChanged(key) | ServerKeysChanged(key):
                self._system.forms.revisions.note(key)
                self._system.forms.unknown_keys.evict(key)  # a no-op for other keys; a form may be new
            case SitesChanged(organization_id):
                self._system.forms.revisions.note(organization_id)
                # A site matches all hosts below its domain, so any unknown host may be known now.
                self._system.sites.unknown_hosts.clear()
            case ChannelKeysChanged(digests):
                self._system.channels.keys.evict(*digests)
            case OutboxChanged(connection_id):
                outbox = Outbox(self._system, connection_id)
                # An active Outbox remembers that it is empty, so it has to be notified in any case.
                if not outbox.wake.tell_if_active():
                    self._system.wake(outbox.wake)
                # After the Outbox, which the waiting long polls will ask.
                self._system.wakeups.notify(connection_id)
            case EmbedsChanged(_, str(embed_key)):
                self._system.embeds.unknown_keys.evict(embed_key)
                self._system.embeds.snapshots.evict(embed_key)
            case EmbedsChanged(organization_id) | ObjectsChanged(organization_id):
                self._system.embeds.snapshots.evict_organization(organization_id)
            case _:
                self._note_work(change)

    def _note_access(self, change: AccessChanged) -> None:
        # Seen by the very next turn, even of a message already in the mailbox: see `Organization`.
        self._system.identity.access_revisions.note(change.organization_id)
        if isinstance(change, KeysChanged):
            self._system.identity.keys.evict(change.digest)
        if isinstance(change, GrantsChanged):
            self._system.identity.access_tokens.evict(*change.digests)
        if isinstance(change, MembersChanged):
            # The organization may be closed, and its channel keys with it.
            self._system.channels.keys.clear()
        self._system.screen_hints.recheck_organization(change.organization_id)

    def _note_work(self, change: WorkDue) -> None:
        """Wake what does the work that waits, or that waits for it."""
        match change:
            case SubmissionsDue() | QueueChanged():
                self._note_submissions(change)
            case ImportsDue(organization_id) | ExportsDue(organization_id):
                worker = Importer if isinstance(change, ImportsDue) else Exporter
                self._system.wake(worker(self._system, organization_id).wake)
            case EventsDue(organization_id):
                self._system.wake(EventDispatcher(self._system, organization_id).wake)
            case EventsDispatched(organization_id):
                self._system.wakeups.notify(organization_id)
            case DeliveriesDue(webhook_id):
                self._system.wake(Webhook(self._system, webhook_id).wake)
            case MailsDue(organization_id):
                self._system.wake(Mailer(self._system, organization_id).wake)
            case ResetsDue():
                self._system.wake(PasswordResets(self._system, "main").wake)
            case ApprovalDecided():
                self._note_decision(change)
            case AgentDue(organization_id, conversation_id):
                key = key_of(organization_id, conversation_id)
                self._system.wakeups.notify(conversation_id)  # for the call of a model that is under way
                self._system.wake(AgentConversation(self._system, key).wake)
            case FilesRemoved():
                self._system.wake(FileSweeper(self._system, FILE_SWEEPER).wake)
            case RunsDue(organization_id):
                self._system.wake(Workflows(self._system, organization_id).wake)
            case _:
                assert_never(change)

    def _note_submissions(self, change: SubmissionsDue | QueueChanged) -> None:
        if isinstance(change, QueueChanged):
            self._system.wake(FormWindow(self._system, change.form_key).count_queue)
        else:
            self._system.wake(Filer(self._system, change.organization_id).wake)

    def _note_decision(self, change: ApprovalDecided) -> None:
        if change.conversation_id is None:
            self._system.wake(Workflows(self._system, change.organization_id).wake)
        else:
            key = key_of(change.organization_id, change.conversation_id)
            self._system.wake(AgentConversation(self._system, key).collect)
