"""The import and the export of the reference's examples, in the demo's shop."""

from svc.domain.exports.exports import ExportQuery
from svc.domain.identity.callers import Caller
from svc.storage.exports import jobs as export_jobs
from svc.storage.exports.jobs import NewExport
from svc.storage.imports import jobs
from svc.storage.imports.jobs import NewImport
from svc.storage.store import Tx


def example_imports(tx: Tx, organization_id: str, example_id: str) -> dict[str, dict[str, str]]:
    """An import that was cancelled, so that it is in no other's way."""
    new = NewImport(object_type="contact", name="contacts.csv", format="csv", bytes=5_120)
    opened = jobs.open_upload(tx, organization_id, new)
    return {"*": {example_id: jobs.cancel(tx, organization_id, opened.id).id}}


def example_exports(tx: Tx, caller: Caller, example_id: str) -> dict[str, dict[str, str]]:
    """An export that was cancelled, which may be cancelled again."""
    new = NewExport(source="records", object_type="contact", format="csv", query=ExportQuery())
    started = export_jobs.start(tx, caller, new)
    return {"*": {example_id: export_jobs.cancel(tx, started).id}}
