"""Keys by which the runs that wait for an event are found, without judging all that wait.

A run has the key of one of its filters `eq`; an event has those of all that such a filter may ask for. An
event that matches a run has its key, so a run with another key need not be judged. One with the key is
judged as any: a key says less than the filter.

A property that is deleted and made anew as another type may write the same value in another way. To the runs
that wait with a key it is another property: they go on when their time is over.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from svc.domain.errors import InvalidValue
from svc.domain.records.conditions import Condition
from svc.domain.records.queries import Filter
from svc.domain.records.sort_keys import fold
from svc.domain.workflows.expressions.conditions import has_template
from svc.domain.workflows.expressions.contexts import Context
from svc.domain.workflows.expressions.paths import RECORD_ID, parse_property
from svc.domain.workflows.expressions.scopes import Scope, value_of
from svc.domain.workflows.expressions.templates import written_out

_TEXT: Final = value_of("long_text")
_PREFIX: Final = "eq_"
_DIGITS: Final = 32

FIRST: Final = _PREFIX
LAST: Final = _PREFIX + "~"
"""Keys other than ids of records are between these."""


def awaited_key(asked: Sequence[Filter], filled: Sequence[Filter], scope: Scope, country: str) -> str | None:
    """The key of a run that waits with the filters *asked*, once they are *filled* in; None if it has none.

    It is the id of the record that the event has to be of, if they say which. Else it is of a value that was
    filled in, which is the run's own more often than one that stands in the document.
    """
    keys: dict[bool, str] = {}
    for before, after in zip(asked, filled, strict=True):
        if after.op != "eq" or not isinstance(after.value, str):
            continue  # of a group, too: an event may match any of its filters
        path = parse_property(str(after.property))
        if path == RECORD_ID:
            return after.value.strip()
        try:
            compared = Condition(scope.type_at(path) or _TEXT, "eq", after.value, country).wanted
        except InvalidValue:
            continue  # nothing is equal to it, and judging says why
        # What is no single value is compared as its JSON, and no event has a key of that.
        if isinstance(compared, str) and not fold(compared).lstrip().startswith("{"):
            keys.setdefault(has_template(before.value), _key(str(path), compared))
    return keys.get(True) or keys.get(False)


def keys_of(context: Context) -> Iterator[str]:
    """The keys of the event in *context*, beside the id of its record."""
    for root, value in context.items():
        for path, text in _texts(root, value):
            yield _key(path, text)


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """The values at and below *path* that are no objects, as they are compared with a text."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(f"{path}.{name}", item)
    elif value is not None:
        yield path, written_out(value)


def _key(path: str, text: str) -> str:
    # Blanks do not count, since around a text they do not always.
    compared = "".join(fold(text).split())
    return _PREFIX + sha256(f"{path}={compared}".encode()).hexdigest()[:_DIGITS]
