"""The dispatch of changes: tells actors what the store committed."""

import structlog

from svc.actors._core import ActorError
from svc.actors.channels.outbox import Outbox
from svc.actors.forms.filer import Filer
from svc.actors.system import System
from svc.domain.changes import (
    AccessChanged,
    Change,
    ChannelKeysChanged,
    EmbedsChanged,
    FormChanged,
    KeysChanged,
    MembersChanged,
    ObjectsChanged,
    OrganizationChanged,
    OutboxChanged,
    ServerKeysChanged,
    SessionsChanged,
    SitesChanged,
    SubmissionsDue,
)
from svc.domain.errors import Unavailable

log = structlog.get_logger("svc.actors.change_dispatch")


class ChangeDispatcher:
    """Listens to the store on behalf of *system*; see `Store.listen`."""

    def __init__(self, system: System) -> None:
        self._system = system

    def __call__(self, change: Change) -> None:
        """Tell *change* to whoever it concerns. An actor that is not live will load it by itself."""
        match change:
            case AccessChanged(organization_id):
                # Seen by the very next turn, those already in the mailbox included: see `Organization`.
                self._system.access_revisions[organization_id] += 1
                if isinstance(change, KeysChanged):
                    self._system.keys.forget(change.digest)
                if isinstance(change, MembersChanged):
                    # The organization may be closed, and its channel keys with it.
                    self._system.channel_keys.forget_all()
            case SessionsChanged(digests):
                self._system.sessions.forget(*digests)
            case FormChanged(key) | OrganizationChanged(key) | ServerKeysChanged(key):
                self._system.form_revisions.note(key)
                self._system.unknown_forms.forget(key)  # if it is a form's, which may be new
            case SitesChanged(organization_id):
                self._system.form_revisions.note(organization_id)
                # Of a domain all hosts below it: the look-up of any of them may find something now.
                self._system.unknown_hosts.forget_all()
            case ChannelKeysChanged(digests):
                self._system.channel_keys.forget(*digests)
            case OutboxChanged(connection_id):
                outbox = Outbox(self._system, connection_id)
                # One that is live thinks it knows when there is nothing to hand out: it must hear of it.
                if not outbox.wake.tell_if_active():
                    _wake(outbox)
                # Who waits there asks the Outbox, which has heard of it by then.
                self._system.wakeups.notify(connection_id)
            case EmbedsChanged(_, str(embed_key)):
                self._system.unknown_embeds.forget(embed_key)
                self._system.embed_snapshots.drop(embed_key)
            case EmbedsChanged(organization_id) | ObjectsChanged(organization_id):
                self._system.embed_snapshots.drop_all_of(organization_id)
            case SubmissionsDue(organization_id):
                _wake(Filer(self._system, organization_id))


def _wake(actor: Filer | Outbox) -> None:
    try:
        actor.wake.tell()
    except (ActorError, Unavailable) as error:
        # What is to be done are rows; the Reconciler's next round finds them.
        log.warning("not told of work", actor=repr(actor), why=repr(error))
