"""The kinds of actors, in the order in which they start; they stop in reverse."""

from collections.abc import Iterable
from typing import Any, Final

from svc.actors._core import Actor
from svc.actors.agent.agent_conversation import AgentConversation
from svc.actors.backups.backup_keeper import BackupKeeper
from svc.actors.certificates.certificate_keeper import CertificateKeeper
from svc.actors.channels.outbox import Outbox
from svc.actors.embeds.embed_cache import EmbedCache
from svc.actors.event_dispatcher import EventDispatcher
from svc.actors.exports.exporter import Exporter
from svc.actors.files.file_sweeper import FileSweeper
from svc.actors.forms.filer import Filer
from svc.actors.forms.form_window import FormWindow
from svc.actors.identity.organization import Organization
from svc.actors.identity.sign_in_gate import SignInGate
from svc.actors.imports.importer import Importer
from svc.actors.mail.mailer import Mailer
from svc.actors.mail.password_resets import PasswordResets
from svc.actors.reconciler import LOOKS, Reconciler
from svc.actors.records.indexer import Indexer
from svc.actors.sites.site_traffic import SiteTraffic
from svc.actors.webhooks.webhook import Webhook
from svc.actors.workflows.workflows import Workflows

KINDS: Final[tuple[type[Actor[Any, Any]], ...]] = (
    Organization,
    Filer,
    Indexer,
    FileSweeper,
    Importer,
    Exporter,
    EventDispatcher,
    Workflows,
    Mailer,
    PasswordResets,
    AgentConversation,
    FormWindow,
    Outbox,
    Webhook,
    SiteTraffic,
    EmbedCache,
    SignInGate,
    CertificateKeeper,
    BackupKeeper,
    Reconciler,
)
NOTHING_LEFT: Final[dict[type[Actor[Any, Any]], str]] = {
    Organization: "it is asked, and stores nothing",
    SiteTraffic: "it stores each page view as it comes",
    EmbedCache: "what it had is rendered again at the next request",
    SignInGate: "it is asked, and what it counts is stored",
    CertificateKeeper: "it is woken at each start",
    BackupKeeper: "it is woken at each start",
    Reconciler: "it is what looks",
}
"""Why the Reconciler does not look for work of these kinds."""


def check_looks(kinds: Iterable[type[Actor[Any, Any]]]) -> None:
    """Raise `TypeError` for one of *kinds* that the Reconciler neither looks for nor has a reason not to."""
    for kind in kinds:
        if (kind in LOOKS) == (kind in NOTHING_LEFT):
            raise TypeError(
                f"say once, in `LOOKS` or in `NOTHING_LEFT`, what a crash leaves of {kind.__name__}"
            )


check_looks(KINDS)
