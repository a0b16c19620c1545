"""What forms share."""

from svc.actors.revisions import Revisions
from svc.actors.unknown_keys import UnknownKeys
from svc.clock import Clock
from svc.storage.forms import forms
from svc.storage.store import Owner, Store


class FormResources:
    """Changes of forms, and keys of none."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.revisions = Revisions()
        """Changes of forms, their sites and server keys, by form key and by organization."""
        self.unknown_keys = UnknownKeys(store.of(Owner.FORMS), clock, forms.by_key)
        """Form keys that do not exist."""
