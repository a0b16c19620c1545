"""What an organization has that documents may refer to, each read once, when it is first asked for."""

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Final, get_args

import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.events import EventType
from svc.domain.identity.organizations import Organization
from svc.storage.channels import tables as channels_tables
from svc.storage.forms import tables as forms_tables
from svc.storage.identity import organizations
from svc.storage.identity import tables as identity_tables
from svc.storage.records import objects
from svc.storage.records.objects import StoredObject
from svc.storage.webhooks import tables as webhooks_tables


class StoredVocabulary:
    """See `svc.domain.workflows.known.WorkflowVocabulary`."""

    def __init__(self, conn: sa.Connection, organization_id: str) -> None:
        self._conn = conn
        self._organization_id = organization_id

    event_types: Final = get_args(EventType)

    @cached_property
    def organization(self) -> Organization:
        return organizations.get(self._conn, self._organization_id)

    @property
    def country(self) -> str:
        return self.organization.country

    @property
    def currency(self) -> str:
        return self.organization.currency

    @cached_property
    def objects(self) -> Mapping[str, StoredObject]:
        return _Objects(self._conn, self._organization_id)

    @cached_property
    def form_ids(self) -> Collection[str]:
        forms = forms_tables.forms
        return self._ids(forms.c.id, forms.c.organization_id, forms.c.status != "removed")

    @cached_property
    def connection_ids(self) -> Collection[str]:
        connections = channels_tables.connections
        return self._ids(connections.c.id, connections.c.organization_id, connections.c.status != "removed")

    @cached_property
    def webhook_ids(self) -> Collection[str]:
        webhooks = webhooks_tables.webhooks
        return self._ids(webhooks.c.id, webhooks.c.organization_id, webhooks.c.removed_at.is_(None))

    @cached_property
    def member_ids(self) -> Collection[str]:
        members = identity_tables.members
        return self._ids(members.c.person_id, members.c.organization_id, members.c.status == "active")

    @cached_property
    def team_ids(self) -> Collection[str]:
        teams = identity_tables.teams
        return self._ids(teams.c.id, teams.c.organization_id)

    def _ids(
        self, column: "sa.Column[str]", of: "sa.Column[str]", *where: sa.ColumnElement[bool]
    ) -> Collection[str]:
        ids = sa.select(column).where(of == self._organization_id, *where)
        return frozenset(self._conn.scalars(ids))


class _Objects(Mapping[str, StoredObject]):
    """An organization's objects by slug: each is read when it is asked for, and all for a list of them.

    Most documents are about one or two, and events are matched with the documents of an organization.
    """

    def __init__(self, conn: sa.Connection, organization_id: str) -> None:
        self._conn = conn
        self._organization_id = organization_id
        self._read: dict[str, StoredObject] = {}

    @cached_property
    def _all(self) -> Mapping[str, StoredObject]:
        return {one.slug: one for one in objects.list_all(self._conn, self._organization_id)}

    def __getitem__(self, slug: str) -> StoredObject:
        if slug not in self._read:
            try:
                self._read[slug] = objects.get(self._conn, self._organization_id, slug)
            except NotFound:
                raise KeyError(slug) from None
        return self._read[slug]

    def __iter__(self) -> Iterator[str]:
        self._read.update(self._all)
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)
