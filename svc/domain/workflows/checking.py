"""Checks of a document when it is saved, so that what can be seen to fail is not found out by its runs."""

from collections.abc import Collection
from typing import Protocol

from svc.domain.identity.roles import Permission
from svc.domain.workflows.documents import Document
from svc.domain.workflows.scopes import Objects


class KnownToWorkflows(Protocol):
    """What an organization has that documents may refer to."""

    @property
    def country(self) -> str: ...

    @property
    def currency(self) -> str: ...

    @property
    def objects(self) -> Objects: ...

    @property
    def event_types(self) -> Collection[str]: ...

    @property
    def form_ids(self) -> Collection[str]: ...

    @property
    def connection_ids(self) -> Collection[str]: ...

    @property
    def webhook_ids(self) -> Collection[str]: ...

    @property
    def member_ids(self) -> Collection[str]: ...

    @property
    def team_ids(self) -> Collection[str]: ...


def checked(
    document: Document, known: KnownToWorkflows, permissions: Collection[Permission], *, now: int
) -> Document:
    """*document*, checked, with its name trimmed.

    *permissions* are those of the caller who saves it. Raises `InvalidInput` with every fault, each with the
    pointer to its place in the document.
    """
    raise NotImplementedError
