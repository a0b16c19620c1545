"""The value that a record has of a property, as an expression."""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import Property
from svc.storage.records import tables
from svc.storage.sql import json_values
from svc.storage.sql.json_values import ValueKind

_BY_ORDER: Final[dict[str, ValueKind]] = {"number": "number", "boolean": "boolean"}


def stored_value(prop: Property) -> sa.ColumnElement[Any]:
    """What is stored of *prop* in a row of `records`; NULL for none. True is 1, and a list is its JSON."""
    kind = _BY_ORDER.get(KINDS[prop.type].order, "text")
    return json_values.value(tables.records.c.properties, prop.slug, kind)
