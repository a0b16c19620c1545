"""Versions of what several people edit: they count up, and a change may say which one it was made from."""

from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec

from svc.domain.errors import Conflict, Fault
from svc.domain.events import Source

Version = Annotated[
    int, msgspec.Meta(description="Counts up with each change; see `ifVersion`.", ge=1, examples=[3])
]
FIRST_VERSION: Final = 1
ERASED_VERSION: Final = 0
"""Of a record that was erased: it has no values, no history, and no version to come back to."""


class ChangedProperty(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A property that a call would write, and that was changed since the version that the call names."""

    property: str
    yours: Any
    """The value that the call would write; None for no value."""
    theirs: Any
    """The value that is there now; None for no value."""
    changed_by: Source
    """The source of the latest change, as timelines have it."""
    changed_at: str
    """When that was, as RFC 3339."""
    pointer: str | msgspec.UnsetType = msgspec.UNSET
    """Of several records: which of them, and which value, as a JSON pointer into what was asked."""


class ChangedSince(Conflict):
    """Raised when what a call would write was changed since the version that it names: nothing is written."""

    def __init__(
        self, message: str, conflicts: tuple[ChangedProperty, ...], faults: Iterable[Fault] = ()
    ) -> None:
        super().__init__(message, faults)
        self.conflicts = conflicts

    @classmethod
    def version(cls, if_version: int, conflicts: tuple[ChangedProperty, ...]) -> "ChangedSince":
        """The error of one record that was changed since its version *if_version*."""
        names = ", ".join(conflict.property for conflict in conflicts)
        return cls(f"changed since version {if_version}: {names}", conflicts)


def check_version(version: int, if_version: int | None) -> None:
    """Raises `Conflict` unless *if_version*, if there is one, is the stored *version*."""
    if if_version not in {None, version}:
        raise Conflict(f"it is at version {version}, not at {if_version}: look at it again")
