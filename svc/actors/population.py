"""Who lives in the house, in the order in which they start; they stop in reverse."""

from typing import Any, Final

from svc.actors._core import Actor
from svc.actors.caretaker import Caretaker
from svc.actors.embed_cache import EmbedCache
from svc.actors.filer import Filer
from svc.actors.form_window import FormWindow
from svc.actors.indexer import Indexer
from svc.actors.organization import Organization
from svc.actors.outbox import Outbox
from svc.actors.sign_in_gate import SignInGate
from svc.actors.site_traffic import SiteTraffic

KINDS: Final[tuple[type[Actor[Any, Any]], ...]] = (
    Organization,
    Filer,
    Indexer,
    FormWindow,
    Outbox,
    SiteTraffic,
    EmbedCache,
    SignInGate,
    Caretaker,
)
