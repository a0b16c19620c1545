"""Who lives in the house, in the order in which they start; they stop in reverse."""

from typing import Any, Final

from svc.actors._core import Actor
from svc.actors.caretaker import Caretaker
from svc.actors.embed_cache import EmbedCache
from svc.actors.form_window import FormWindow
from svc.actors.organization import Organization
from svc.actors.outbox import Outbox
from svc.actors.sign_in_gate import SignInGate
from svc.actors.site_traffic import SiteTraffic

KINDS: Final[tuple[type[Actor[Any, Any]], ...]] = (
    Organization,
    FormWindow,
    Outbox,
    SiteTraffic,
    EmbedCache,
    SignInGate,
    Caretaker,
)
