"""Changes that units of work announce, and that are dispatched to actors after the commit."""

import msgspec


class Change(msgspec.Struct, frozen=True):
    """The base of every announced change: a plain value, dispatched once, after the commit."""


class ResourceChanged(Change, frozen=True):
    """Something of the organization was changed, for the screens that show it; it has no other effect."""

    organization_id: str
    noun: str
    """As in the names of tools."""
    id: str | None
    """None where any of that noun may have changed."""


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
    """An embed is new, or what it shows may have changed; or so may all embeds of the organization."""

    organization_id: str
    embed_key: str | None
    """None for all of them."""


class SubmissionsDue(Change, frozen=True):
    """Stored submissions of the organization wait to be filed."""

    organization_id: str


class AccessChanged(Change, frozen=True):
    """The organization's access facts changed: its members, roles or keys."""

    organization_id: str


class MembersChanged(AccessChanged, frozen=True):
    """A member was added or has another role or status; or the organization was closed."""


class RolesChanged(AccessChanged, frozen=True):
    """A custom role was made, changed or deleted."""


class KeysChanged(AccessChanged, frozen=True):
    """An API or gateway key was made or revoked."""

    digest: str


class ObjectsChanged(Change, frozen=True):
    """The organization's objects or their properties changed, and with them what embeds may show."""

    organization_id: str


class SessionsChanged(Change, frozen=True):
    """These sessions were seen, confirmed or revoked; they are named by the digests of their tokens."""

    digests: tuple[str, ...]


class OutboxChanged(Change, frozen=True):
    """The connection has other replies to hand out, or was paused or resumed."""

    connection_id: str


class ChannelKeysChanged(Change, frozen=True):
    """Channel keys were revoked; they are named by their digests."""

    digests: tuple[str, ...]


class ModelsChanged(Change, frozen=True):
    """The organization has other AI providers of its own, may run other models, or may use credits."""

    organization_id: str


class EventsDue(Change, frozen=True):
    """Events of the organization were recorded, and wait to be dispatched to webhooks and workflows."""

    organization_id: str


class EventsDispatched(Change, frozen=True):
    """Events of the organization got their places in the order of dispatch, and can be listed."""

    organization_id: str


class DeliveriesDue(Change, frozen=True):
    """Deliveries of the webhook wait to be sent, or it was changed, or its deliveries are to be ended."""

    webhook_id: str


class MailsDue(Change, frozen=True):
    """Mails of the organization wait to be sent."""

    organization_id: str


class ResetsDue(Change, frozen=True):
    """Password resets were asked for, and wait to be looked up."""


class RunsDue(Change, frozen=True):
    """Runs of the organization's workflows may go on: what they wait for has ended, or they are new."""

    organization_id: str


class ImportsDue(Change, frozen=True):
    """An import of the organization was started, and waits to be read."""

    organization_id: str


class ApprovalDecided(Change, frozen=True):
    """A card was decided, and the agent's or the workflow's run that asked may go on."""

    organization_id: str
    approval_id: str
    conversation_id: str | None
    """Of an agent's card; None for a workflow's."""
    run_id: str | None


class FilesRemoved(Change, frozen=True):
    """Files of the organization were removed, and their contents are to go from the disk."""

    organization_id: str


class AgentDue(Change, frozen=True):
    """The conversation's agent has something to answer, or its run was stopped."""

    conversation_id: str
