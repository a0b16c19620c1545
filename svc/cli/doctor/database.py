"""The check of a PostgreSQL database."""

from collections.abc import Iterator
from typing import Final

from svc.cli import data_store
from svc.cli.doctor.findings import Finding, Install
from svc.cli.failures import Failure
from svc.storage.store import StoreError

_ABOUT: Final = "database"


def database(install: Install) -> Iterator[Finding]:
    """Whether the database can be used, where it is not the embedded one."""
    directory = install.directory
    try:
        has_data = data_store.has_data(directory)
    except (Failure, StoreError) as error:
        yield Finding(_ABOUT, "problem", f"{getattr(error, 'message', error)}.")
        return
    says = f"{directory.place} can be used"
    yield Finding(
        _ABOUT, "ok", f"{says}." if has_data else f"{says}, and is empty; the first start fills it."
    )
