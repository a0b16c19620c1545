"""The registry of all tools: those at the top level of the modules of each noun, and their old names."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from svc import tools
from svc.packages import modules_of, nouns_of
from svc.tools.nouns import NOUNS
from svc.tools.old_names import old_names
from svc.tools.registry import Registry
from svc.tools.tool import Tool


def _tools_of(module: ModuleType) -> Iterator[Tool[Any, Any]]:
    yield from (member for member in vars(module).values() if isinstance(member, Tool))


def tools_of(layer: ModuleType) -> list[Tool[Any, Any]]:
    """The tools in the packages of *layer*. Raises `TypeError` for one whose noun `NOUNS` does not have."""
    found = [tool for noun in nouns_of(layer) for module in modules_of(noun) for tool in _tools_of(module)]
    for tool in found:
        if tool.name.partition(".")[0] not in NOUNS:
            raise TypeError(f"no noun in `svc.tools.nouns` for the tool {tool.name}")
    return found


_TOOLS: Final = tools_of(tools)

REGISTRY: Final = Registry([*_TOOLS, *old_names(_TOOLS)])
