"""The kinds of actors, in the order in which they start; they stop in reverse."""

from typing import Any, Final

from svc.actors._core import Actor
from svc.actors.agent.agent_conversation import AgentConversation
from svc.actors.backups.backup_keeper import BackupKeeper
from svc.actors.certificates.certificate_keeper import CertificateKeeper
from svc.actors.channels.outbox import Outbox
from svc.actors.embeds.embed_cache import EmbedCache
from svc.actors.event_dispatcher import EventDispatcher
from svc.actors.files.file_sweeper import FileSweeper
from svc.actors.forms.filer import Filer
from svc.actors.forms.form_window import FormWindow
from svc.actors.identity.organization import Organization
from svc.actors.identity.sign_in_gate import SignInGate
from svc.actors.imports.importer import Importer
from svc.actors.mail.mailer import Mailer
from svc.actors.mail.password_resets import PasswordResets
from svc.actors.reconciler import Reconciler
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
