"""Dispatch of committed changes to the actors and caches that they concern."""

from svc.actors.agent.agent_conversation import AgentConversation
from svc.actors.channels.outbox import Outbox
from svc.actors.event_dispatcher import EventDispatcher
from svc.actors.files.file_sweeper import FILE_SWEEPER, FileSweeper
from svc.actors.forms.filer import Filer
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
    FilesRemoved,
    FormChanged,
    ImportsDue,
    KeysChanged,
    MailsDue,
    MembersChanged,
    ModelsChanged,
    ObjectsChanged,
    OrganizationChanged,
    OutboxChanged,
    ResetsDue,
    ResourceChanged,
    RunsDue,
    ServerKeysChanged,
    SessionsChanged,
    SitesChanged,
    SubmissionsDue,
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

    def _note_state(self, change: Change) -> None:
        """Have what is in memory compared with the store again, or evicted."""
        match change:
            case AccessChanged():
                self._note_access(change)
            case ModelsChanged(organization_id):
                self._system.model_revisions.note(organization_id)
            case SessionsChanged(digests):
                self._system.sessions.evict(*digests)
                self._system.screen_hints.recheck_sessions(digests)
            case FormChanged(key) | OrganizationChanged(key) | ServerKeysChanged(key):
                self._system.form_revisions.note(key)
                self._system.unknown_forms.evict(key)  # a no-op for other keys; a form may be new
            case SitesChanged(organization_id):
                self._system.form_revisions.note(organization_id)
                # A site matches all hosts below its domain, so any unknown host may be known now.
                self._system.unknown_hosts.clear()
            case ChannelKeysChanged(digests):
                self._system.channel_keys.evict(*digests)
            case OutboxChanged(connection_id):
                outbox = Outbox(self._system, connection_id)
                # An active Outbox remembers that it is empty, so it has to be notified in any case.
                if not outbox.wake.tell_if_active():
                    self._system.wake(outbox.wake)
                # After the Outbox, which the waiting long polls will ask.
                self._system.wakeups.notify(connection_id)
            case EmbedsChanged(_, str(embed_key)):
                self._system.unknown_embeds.evict(embed_key)
                self._system.embed_snapshots.evict(embed_key)
            case EmbedsChanged(organization_id) | ObjectsChanged(organization_id):
                self._system.embed_snapshots.evict_organization(organization_id)
            case _:
                self._note_work(change)

    def _note_access(self, change: AccessChanged) -> None:
        # Seen by the very next turn, even of a message already in the mailbox: see `Organization`.
        self._system.access_revisions.note(change.organization_id)
        if isinstance(change, KeysChanged):
            self._system.keys.evict(change.digest)
        if isinstance(change, MembersChanged):
            # The organization may be closed, and its channel keys with it.
            self._system.channel_keys.clear()
        self._system.screen_hints.recheck_organization(change.organization_id)

    def _note_work(self, change: Change) -> None:
        """Wake what does the work that waits, or that waits for it."""
        match change:
            case SubmissionsDue(organization_id):
                self._system.wake(Filer(self._system, organization_id).wake)
            case ImportsDue(organization_id):
                self._system.wake(Importer(self._system, organization_id).wake)
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
            case ApprovalDecided(_, _, str(conversation_id)):
                self._system.wake(AgentConversation(self._system, conversation_id).collect)
            case AgentDue(conversation_id):
                self._system.wakeups.notify(conversation_id)  # for the call of a model that is under way
                self._system.wake(AgentConversation(self._system, conversation_id).wake)
            case FilesRemoved():
                self._system.wake(FileSweeper(self._system, FILE_SWEEPER).wake)
            case RunsDue(organization_id) | ApprovalDecided(organization_id, _, None):
                self._system.wake(Workflows(self._system, organization_id).wake)
