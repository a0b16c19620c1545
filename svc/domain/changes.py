"""What changed, as units of work announce it and actors hear of it after the commit."""

import msgspec


class Change(msgspec.Struct, frozen=True):
    """The base of every announced change: a plain value, told once, after the commit."""


class OrganizationChanged(Change, frozen=True):
    """The organization's name, formats, plan or hubs were changed, or it was closed."""

    organization_id: str


class SitesChanged(Change, frozen=True):
    """A site of the organization is tracked, has another domain, or is not tracked any more."""

    organization_id: str


class ServerKeysChanged(Change, frozen=True):
    """A server key of the organization was made or revoked."""

    organization_id: str


class FormChanged(Change, frozen=True):
    """The form was made, changed, paused, resumed or removed; it is named by its public key."""

    form_key: str


class EmbedsChanged(Change, frozen=True):
    """What decides about what an embed shows is not as it was, or it is new; or all of the organization."""

    organization_id: str
    embed_key: str | None
    """None for all of them."""


class SubmissionsDue(Change, frozen=True):
    """Stored submissions of the organization wait to be filed."""

    organization_id: str


class AccessChanged(Change, frozen=True):
    """What decides who may do what in the organization is not as it was."""

    organization_id: str


class MembersChanged(AccessChanged, frozen=True):
    """Who is a member, in which role and standing; or whether the organization is open at all."""


class RolesChanged(AccessChanged, frozen=True):
    """A custom role was made, changed or deleted."""


class KeysChanged(AccessChanged, frozen=True):
    """An API or gateway key was made or revoked."""

    digest: str


class ObjectsChanged(Change, frozen=True):
    """The organization's objects or their properties are not as they were: what embeds may show, say."""

    organization_id: str


class SessionsChanged(Change, frozen=True):
    """These sessions were seen, confirmed or revoked; they are named by the digests of their tokens."""

    digests: tuple[str, ...]


class OutboxChanged(Change, frozen=True):
    """What the connection hands out, or whether it does, is not as it was."""

    connection_id: str


class ChannelKeysChanged(Change, frozen=True):
    """Channel keys were revoked; they are named by their digests."""

    digests: tuple[str, ...]
