"""What an organization has that documents may refer to, and the faults of references to what it has not."""

from collections.abc import Collection, Iterator
from typing import Protocol

from svc.domain.errors import Fault
from svc.domain.input.near_names import hint, shown
from svc.domain.workflows.expressions.scopes import Objects


class WorkflowVocabulary(Protocol):
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


def reference_fault(at: str, what: str, id_: str | None, known: Collection[str]) -> Iterator[Fault]:
    """The fault of an id that is not *known*; none where there is no id."""
    if id_ is not None and id_ not in known:
        yield Fault(at, "not_found", f"there is no {what} {shown(id_)}")


def object_fault(at: str, slug: str, objects: Objects) -> Iterator[Fault]:
    """The fault of the slug of an object that there is not."""
    if slug not in objects:
        yield Fault(at, "not_found", f"there is no object {shown(slug)}{hint(slug, objects)}")
