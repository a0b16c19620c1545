"""What the pages of a service with a demo say about it: where the shop is, and how its owner signs in."""

import msgspec

from svc.http.docs.example_ids import ExampleIds


class DemoShop(msgspec.Struct, frozen=True, kw_only=True):
    """The shop, and the form on its page."""

    name: str
    form_key: str
    """Of a form that is bound to no site: this machine has more names than one to open the page under."""
    honeypot: str
    """The form's field that people never see."""
    embed_key: str
    """Of the embed with what is in the workshop now."""
    owner_email: str = ""
    """Who signs in."""
    directory: str = ""
    """Of the data, as the person who started the service named it."""
    example_ids: ExampleIds = msgspec.field(default_factory=dict)
    """What takes the place of ids in examples."""
