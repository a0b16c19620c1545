"""News: tells actors what the store committed."""

import structlog

from svc.actors._core import ActorError
from svc.actors.form_window import FormWindow
from svc.actors.house import House
from svc.actors.organization import Organization
from svc.domain.changes import (
    AccessChanged,
    Change,
    EmbedsChanged,
    FormsChanged,
    KeysChanged,
    ObjectsChanged,
    SessionsChanged,
    SubmissionsDue,
)
from svc.domain.errors import Unavailable

log = structlog.get_logger("svc.actors.news")


class News:
    """Listens to the store on behalf of *house*; see `Store.listen`."""

    def __init__(self, house: House) -> None:
        self._house = house

    def __call__(self, change: Change) -> None:
        """Tell *change* to whoever it concerns. An actor that is not live will load it by itself."""
        match change:
            case AccessChanged(organization_id):
                # Seen by the very next turn, those already in the mailbox included: see `Organization`.
                self._house.access_revisions[organization_id] += 1
                if isinstance(change, KeysChanged):
                    self._house.keys.forget(change.digest)
            case SessionsChanged(digests):
                self._house.sessions.forget(*digests)
            case FormsChanged(form_keys):
                for form_key in form_keys:
                    FormWindow(self._house, form_key).reload.tell_if_active()
            case EmbedsChanged(_, str(embed_key)):
                self._house.embed_snapshots.drop(embed_key)
            case EmbedsChanged(organization_id) | ObjectsChanged(organization_id):
                self._house.embed_snapshots.drop_all_of(organization_id)
            case SubmissionsDue(organization_id):
                try:
                    Organization(self._house, organization_id).wake.tell()
                except (ActorError, Unavailable) as error:
                    # The submissions are rows; the Caretaker's next round finds them.
                    log.warning("not told of due submissions", organization=organization_id, why=repr(error))
