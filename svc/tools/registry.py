"""The registry: tools by name, and suggestions for names that are no tool's."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from svc.domain.identity.callers import Call, Installation, ToolRegistry
from svc.domain.input import near_names
from svc.domain.limits import NEAR_NAMES_MAX, SHOWN_NAME_CHARS_MAX
from svc.tools.finding import vocabulary
from svc.tools.finding.documents import document_of
from svc.tools.finding.ranking import Ranking
from svc.tools.schemas import Schemas, schemas_of
from svc.tools.tool import Tool

_RECORD: Final = "record"
_SEPARATOR: Final = re.compile(r"[._]")
"""Between noun and verb, in dotted names and in wire names."""


class Registry(ToolRegistry, Mapping[str, Tool[Any, Any]]):
    """Tools by name, in the order of their names."""

    def __init__(self, tools: Iterable[Tool[Any, Any]]) -> None:
        """Raises `ValueError` for two names that are the same on the wire."""
        self._tools: dict[str, Tool[Any, Any]] = {}
        self._by_wire_name: dict[str, Tool[Any, Any]] = {}
        for tool in sorted(tools, key=lambda tool: tool.name):
            if tool.wire_name in self._by_wire_name:
                raise ValueError(
                    f"{tool!r} and {self._by_wire_name[tool.wire_name]!r} have one name on the wire"
                )
            self._tools[tool.name] = self._by_wire_name[tool.wire_name] = tool

    def __getitem__(self, name: str) -> Tool[Any, Any]:
        return self._tools[name]

    def __iter__(self) -> Any:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def named(self, name: str) -> Tool[Any, Any] | None:
        """The tool called *name*, with dots or with underscores."""
        return self._tools.get(name) or self._by_wire_name.get(name)

    def rank(self, sentence: str) -> list[str]:
        """The names of the tools that share words with *sentence*, best first, regardless of permissions.

        Deprecated ones are not among them: they would be as good as their replacements.
        """
        return self._ranking.rank(sentence)

    @cached_property
    def schemas(self) -> Mapping[str, Schemas]:
        """The schemas of each tool."""
        return _SchemasByName(self._tools)

    @cached_property
    def _ranking(self) -> Ranking:
        """Built at the first search: most processes are commands, which never search."""
        return Ranking({name: document_of(self._tools[name], self.schemas[name]) for name in self._lasting()})

    def nearest(self, name: str) -> list[str]:
        """The names that *name* is close to, by spelling or by synonym; never deprecated ones."""
        return self._in_other_words(name) or near_names.nearest(name, self._lasting())

    def hint(self, name: str) -> str:
        """What follows "there is no tool *name*": the names that were probably meant."""
        return near_names.meant(self.nearest(name)) or near_names.guess(name, self._lasting())

    def _in_other_words(self, name: str) -> list[str]:
        """The names for which *name* uses a synonym of the noun: `record.list` for `contacts.list`.

        A noun that is neither known nor a synonym is taken for an object's name, and so for its records.
        Compared as a whole, such a name would be close to every name with the same verb.
        """
        noun, *rest = _SEPARATOR.split(name[:SHOWN_NAME_CHARS_MAX].casefold(), maxsplit=1)
        if not noun or not any(rest):
            return []
        [verb] = rest
        verbs_of: dict[str, list[str]] = {}
        for known in self._lasting():
            known_noun, _, known_verb = known.partition(".")
            verbs_of.setdefault(known_noun, []).append(known_verb)
        nouns = vocabulary.nouns_meant(noun)
        # A slip rarely changes the first letter: so a ticket, another word for a conversation, is no notice.
        near = [one for one in near_names.nearest(noun, verbs_of) if not nouns or one[0] == noun[0]]
        if noun in verbs_of or (_RECORD not in nouns and near):
            return []
        names = [f"{noun}.{near}" for noun in nouns for near in _verbs_near(verb, verbs_of.get(noun, []))]
        names = names or [f"{_RECORD}.{near}" for near in _verbs_near(verb, verbs_of.get(_RECORD, []))]
        return names[:NEAR_NAMES_MAX]

    def _lasting(self) -> list[str]:
        return [name for name, tool in self._tools.items() if tool.deprecated is None]


class _SchemasByName(Mapping[str, Schemas]):
    """The schemas of each tool, made when they are first asked for.

    Those of all tools are 2.6 MiB and a tenth of a start. A service that no client asks for a list needs two.
    """

    def __init__(self, tools: Mapping[str, Tool[Any, Any]]) -> None:
        self._tools = tools
        self._made: dict[str, Schemas] = {}

    def __getitem__(self, name: str) -> Schemas:
        schemas = self._made.get(name)
        if schemas is None:
            schemas = self._made[name] = schemas_of(self._tools[name])
        return schemas

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)


def _verbs_near(verb: str, known: list[str]) -> list[str]:
    if verb in known:
        return [verb]
    synonyms = vocabulary.verbs_meant(verb)
    return [known_verb for known_verb in known if known_verb in synonyms] or near_names.nearest(verb, known)


def registry_of(call: Call) -> Registry:
    """The registry of the door that *call* came through. Raises `TypeError` if it came through none."""
    return registry_in(call.installation)


def registry_in(installation: Installation) -> Registry:
    """The registry of *installation*. Raises `TypeError` if none is known."""
    if not isinstance(installation.registry, Registry):
        raise TypeError("this call came through no door, so no registry is known for it")
    return installation.registry
