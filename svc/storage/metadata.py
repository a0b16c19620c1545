"""The metadata with every table in it, for creating, migrating and checking all of them."""

from svc.storage import tables as _tables  # noqa: F401  # it adds its tables
from svc.storage.agent import tables as _agent  # noqa: F401  # it adds its tables
from svc.storage.ai import tables as _ai  # noqa: F401  # it adds its tables
from svc.storage.approvals import tables as _approvals  # noqa: F401  # it adds its tables
from svc.storage.channels import tables as _channels  # noqa: F401  # it adds its tables
from svc.storage.embeds import tables as _embeds  # noqa: F401  # it adds its tables
from svc.storage.files import tables as _files  # noqa: F401  # it adds its tables
from svc.storage.forms import tables as _forms  # noqa: F401  # it adds its tables
from svc.storage.identity import tables as _identity  # noqa: F401  # it adds its tables
from svc.storage.imports import tables as _imports  # noqa: F401  # it adds its tables
from svc.storage.mail import tables as _mail  # noqa: F401  # it adds its tables
from svc.storage.records import tables as _records  # noqa: F401  # it adds its tables
from svc.storage.schema import metadata
from svc.storage.sites import tables as _sites  # noqa: F401  # it adds its tables
from svc.storage.views import tables as _views  # noqa: F401  # it adds its tables
from svc.storage.webhooks import tables as _webhooks  # noqa: F401  # it adds its tables
from svc.storage.workflows import tables as _workflows  # noqa: F401  # it adds its tables

__all__ = ["metadata"]
