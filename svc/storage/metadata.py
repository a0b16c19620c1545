"""The metadata with every table in it, for creating, migrating and checking all of them.

Tables add themselves when their module is imported: `tables` here, and the one of each noun.
"""

from svc import storage
from svc.packages import modules_called
from svc.storage import tables as _tables  # noqa: F401  # it adds its tables
from svc.storage.schema import metadata

_NOUNS = tuple(modules_called("tables", storage))

__all__ = ["metadata"]
