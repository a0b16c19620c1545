"""Eighty tools: those of the catalogue that a key may call, and more of the same kind."""

from collections.abc import Iterator
from typing import Any, Final

from svc.domain.identity.callers import CALLED_BY_ALL, Call
from svc.domain.records.answers import RecordAnswer
from svc.storage.store import View
from svc.tools.catalogue import REGISTRY
from svc.tools.records.records import GetRecord
from svc.tools.registry import Registry
from svc.tools.tool import Tool, reads

TOOLS: Final = 80


def eighty() -> Registry:
    """The tools, with `tool.search` and `tool.describe` among the eighty."""
    finding = [REGISTRY[name] for name in CALLED_BY_ALL]
    real = [one for one in REGISTRY.values() if one.runs == "open" and one.name not in CALLED_BY_ALL]
    real = real[: TOOLS - len(finding)]
    return Registry([*finding, *real, *_more(TOOLS - len(finding) - len(real))])


def _more(count: int) -> Iterator[Tool[Any, Any]]:
    get = REGISTRY["record.get"]
    for number in range(count):

        @reads(f"more.get_{number:02}", needs="records.read", example=get.example, answer=get.answer)
        def more(view: View, call: Call, request: GetRecord) -> RecordAnswer:
            """Show a record.

            The id of a record that was merged into another shows the other.
            """
            shown: RecordAnswer = get(view, call, request)
            return shown

        yield more
