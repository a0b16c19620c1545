"""Conditions: the filters of records, over what a run sees.

A filter's `property` is a path, or a slug of the record; its `value` may hold templates, as a step that waits
for an event needs to say which. Where nothing is known of the value at a path, such as a field of a form, it
is read as one of the type of the value that it is compared with.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args

import msgspec

from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.limits import FILTERS_MAX
from svc.domain.near_names import hint, shown
from svc.domain.records.properties import Property, coerce
from svc.domain.records.queries import OPS, Condition, Filter, Op
from svc.domain.workflows.contexts import Context
from svc.domain.workflows.paths import Path, lookup, parse, parse_property
from svc.domain.workflows.scopes import Scope, value_of
from svc.domain.workflows.templates import fill, holes, is_template, texts, written_out


class Conditions:
    """Filters that must all hold, ready to be asked many times."""

    def __init__(self, filters: Sequence[Filter], scope: Scope, country: str) -> None:
        """*scope* is of the place where they stand. Raises `InvalidInput` with every fault."""
        raise NotImplementedError

    def holds(self, context: Context) -> bool:
        """Whether all of them hold. A value that cannot be read as its type counts as none."""
        raise NotImplementedError


def filled(filters: Sequence[Filter], context: Context) -> tuple[Filter, ...]:
    """*filters* with the templates in their values filled in: what a step that waits for an event keeps."""
    raise NotImplementedError


def filter_faults(
    filters: Sequence[Filter], at: str, scope: Scope, values: Scope, country: str
) -> Iterator[Fault]:
    """The faults of *filters* at the pointer *at*: their paths in *scope*, their templates in *values*."""
    raise NotImplementedError
