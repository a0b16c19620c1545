"""Every tool that there is. A module's tools are here once the module is."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from svc.tools import (
    connections,
    conversations,
    forms,
    messages,
    notes,
    objects,
    properties,
    record_history,
    record_lists,
    records,
    sites,
    submissions,
    suggestions,
)
from svc.tools.tool import Registry, Tool

_MODULES: Final = (
    connections,
    conversations,
    forms,
    messages,
    notes,
    objects,
    properties,
    record_history,
    record_lists,
    records,
    sites,
    submissions,
    suggestions,
)


def _tools(*modules: ModuleType) -> Iterator[Tool[Any, Any]]:
    for module in modules:
        yield from (one for one in vars(module).values() if isinstance(one, Tool))


REGISTRY: Final = Registry(_tools(*_MODULES))
