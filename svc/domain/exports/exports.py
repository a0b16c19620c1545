"""An export: what is listed, written to a file by a job."""

from typing import Final, Literal

import msgspec

from svc.domain.identity.callers import Caller
from svc.domain.identity.roles import Permission
from svc.domain.imports.starters import Starter
from svc.domain.records.queries import Filter, Sort

ExportState = Literal["waiting", "running", "done", "failed", "cancelled"]
ExportSource = Literal["records", "submissions", "audit", "requests"]

NEEDS: Final[dict[ExportSource, Permission]] = {
    "records": "records.read",
    "submissions": "forms",
    "audit": "security",
    "requests": "settings",
}
"""The permission of the list that is exported."""


class ExportQuery(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What of a list is written, and how."""

    filters: tuple[Filter, ...] = ()
    search: str | None = None
    """Words that the records have, as `record.list` finds them."""
    sort: tuple[Sort, ...] = ()
    fields: tuple[str, ...] | None = None
    """The properties of records that are written, in this order; None for all."""
    bom: bool = False
    """Whether CSV begins with a byte order mark."""


def may_fetch(caller: Caller, starter: Starter) -> bool:
    """Whether *caller* may see an export and fetch its file: who started it may, and `security`.

    A person may fetch what a key in their name has started.
    """
    if "security" in caller.permissions or caller.kind == "operator":
        return True
    return caller.id == starter.id or (caller.by_hand and caller.person_id == starter.person_id)
