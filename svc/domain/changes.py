"""Changes that units of work announce, and that are dispatched to actors after the commit."""

from typing import TypeAlias

import msgspec


class ResourceChanged(msgspec.Struct, frozen=True):
    """Something of the organization was changed, for the screens that show it; it has no other effect."""

    organization_id: str
    noun: str
    """As in the names of tools."""
    id: str | None
    """None where any of that noun may have changed."""


class OrganizationChanged(msgspec.Struct, frozen=True):
    """The organization's name, formats, plan or hubs were changed, or it was closed."""

    organization_id: str


class SitesChanged(msgspec.Struct, frozen=True):
    """A site of the organization is tracked, has another domain, or is not tracked any more."""

    organization_id: str


class ServerKeysChanged(msgspec.Struct, frozen=True):
    """A server key of the organization was made or revoked."""

    organization_id: str


class FormChanged(msgspec.Struct, frozen=True):
    """The form was made, changed, paused, resumed or removed; it is named by its public key."""

    form_key: str


class EmbedsChanged(msgspec.Struct, frozen=True):
    """An embed is new, or what it shows may have changed; or so may all embeds of the organization."""

    organization_id: str
    embed_key: str | None
    """None for all of them."""


class SubmissionsDue(msgspec.Struct, frozen=True):
    """Stored submissions of the organization wait to be filed."""

    organization_id: str


class QueueChanged(msgspec.Struct, frozen=True):
    """Queued submissions of the form were discarded, or are queued again; it is named by its public key."""

    form_key: str


class MembersChanged(msgspec.Struct, frozen=True):
    """A member was added or has another role or status; or the organization was closed."""

    organization_id: str


class RolesChanged(msgspec.Struct, frozen=True):
    """A custom role was made, changed or deleted."""

    organization_id: str


class KeysChanged(msgspec.Struct, frozen=True):
    """An API or gateway key was made or revoked."""

    organization_id: str
    digest: str


class GrantsChanged(msgspec.Struct, frozen=True):
    """Grants of connected apps were made or ended, or tokens of them; these are named by their digests."""

    organization_id: str
    digests: tuple[str, ...] = ()


class ObjectsChanged(msgspec.Struct, frozen=True):
    """The organization's objects or their properties changed, and with them what embeds may show."""

    organization_id: str


class SessionsChanged(msgspec.Struct, frozen=True):
    """These sessions were seen, confirmed or revoked; they are named by the digests of their tokens."""

    digests: tuple[str, ...]


class OutboxChanged(msgspec.Struct, frozen=True):
    """The connection has other replies to hand out, or was paused or resumed."""

    connection_id: str


class ChannelKeysChanged(msgspec.Struct, frozen=True):
    """Channel keys were revoked; they are named by their digests."""

    digests: tuple[str, ...]


class ModelsChanged(msgspec.Struct, frozen=True):
    """The organization has other AI providers of its own, may run other models, or may use credits."""

    organization_id: str


class EventsDue(msgspec.Struct, frozen=True):
    """Events of the organization were recorded, and wait to be dispatched to webhooks and workflows."""

    organization_id: str


class EventsDispatched(msgspec.Struct, frozen=True):
    """Events of the organization got their places in the order of dispatch, and can be listed."""

    organization_id: str


class DeliveriesDue(msgspec.Struct, frozen=True):
    """Deliveries of the webhook wait to be sent, or it was changed, or its deliveries are to be ended."""

    webhook_id: str


class MailsDue(msgspec.Struct, frozen=True):
    """Mails of the organization wait to be sent."""

    organization_id: str


class ResetsDue(msgspec.Struct, frozen=True):
    """Password resets were asked for, and wait to be looked up."""


class RunsDue(msgspec.Struct, frozen=True):
    """Runs of the organization's workflows may go on: what they wait for has ended, or they are new."""

    organization_id: str


class ImportsDue(msgspec.Struct, frozen=True):
    """An import of the organization was started, and waits to be read."""

    organization_id: str


class ExportsDue(msgspec.Struct, frozen=True):
    """An export of the organization was started, and waits to be made."""

    organization_id: str


class ApprovalDecided(msgspec.Struct, frozen=True):
    """A card was decided, and the agent's or the workflow's run that asked may go on."""

    organization_id: str
    approval_id: str
    conversation_id: str | None
    """Of an agent's card; None for a workflow's."""
    run_id: str | None


class FilesRemoved(msgspec.Struct, frozen=True):
    """Files of the organization were removed, and their contents are to go from the disk."""

    organization_id: str


class AgentDue(msgspec.Struct, frozen=True):
    """The conversation's agent has something to answer, or its run was stopped."""

    organization_id: str
    conversation_id: str


AccessChanged: TypeAlias = MembersChanged | RolesChanged | KeysChanged | GrantsChanged
"""The organization's access facts changed: its members, roles, keys or grants."""

StateChanged: TypeAlias = (
    AccessChanged
    | OrganizationChanged
    | SitesChanged
    | ServerKeysChanged
    | FormChanged
    | EmbedsChanged
    | ObjectsChanged
    | SessionsChanged
    | OutboxChanged
    | ChannelKeysChanged
    | ModelsChanged
)
"""What is in memory may be older than the store."""

WorkDue: TypeAlias = (
    SubmissionsDue
    | QueueChanged
    | EventsDue
    | EventsDispatched
    | DeliveriesDue
    | MailsDue
    | ResetsDue
    | RunsDue
    | ImportsDue
    | ExportsDue
    | ApprovalDecided
    | FilesRemoved
    | AgentDue
)
"""Work waits, or what waits for it can go on."""

Change: TypeAlias = ResourceChanged | StateChanged | WorkDue
"""Every announced change: a plain value, dispatched once, after the commit.

A closed union: a kind that `svc.actors.change_dispatch` does not handle does not type-check.
"""
