"""The import of the reference's examples, in the demo's shop."""

from svc.storage.imports import jobs
from svc.storage.imports.jobs import NewImport
from svc.storage.store import Tx


def example_imports(tx: Tx, organization_id: str, example_id: str) -> dict[str, dict[str, str]]:
    """An import that was cancelled, so that it is in no other's way."""
    new = NewImport(object_type="contact", name="contacts.csv", format="csv", bytes=5_120)
    opened = jobs.open_upload(tx, organization_id, new)
    return {"*": {example_id: jobs.cancel(tx, organization_id, opened.id).id}}
