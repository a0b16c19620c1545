"""The facts about a demo that pages show: its keys, and the sign-in of its owner."""

import msgspec

from svc.http.docs.example_ids import ExampleIds


class DemoShop(msgspec.Struct, frozen=True, kw_only=True):
    """The shop, and the form on its page."""

    name: str
    form_key: str
    """Key of a form without a site, since the demo's page can be opened under several host names."""
    honeypot: str
    """Name of the form's hidden field."""
    embed_key: str
    """Key of the embed of the shop's stock."""
    owner_email: str = ""
    """E-mail address to sign in with."""
    directory: str = ""
    """The data directory, as given on the command line."""
    example_ids: ExampleIds = msgspec.field(default_factory=dict)
    """Ids of the demo for the placeholders in examples."""
