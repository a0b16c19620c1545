"""The metadata with every table in it, for what is done to all of them: creating, migrating, checking."""

from svc.storage import tables  # noqa: F401  # each adds its tables
from svc.storage.channels import tables as channel_tables  # noqa: F401  # each adds its tables
from svc.storage.schema import metadata

__all__ = ["metadata"]
