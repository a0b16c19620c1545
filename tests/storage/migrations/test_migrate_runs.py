"""The migration of runs: those of before are shown with the record that they are about."""

import msgspec
import pytest
from alembic import command

from svc.storage.migrations import migrate
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.store import migrate_to_head

pytestmark = pytest.mark.sqlite

RECORD = (
    "INSERT INTO records (id, organization_id, object_id, properties, created_at, updated_at, merged_into)"
    " VALUES (?, ?, 'obj_1', '{}', 1, 1, ?)"
)
RUN = (
    "INSERT INTO workflow_runs (id, organization_id, workflow_id, version, state, depth, attempts, event,"
    " enabler, started_at) VALUES (?, 'org_1', 'wfl_1', 1, 'done', 1, 0, ?, '{}', 1)"
)


def test_runs_of_before_lead_to_their_records() -> None:
    """By the record of the event or its contact; of a merged one, to the survivor."""
    events = {
        "run_1": {"data": {"recordId": "rec_a"}},
        "run_2": {"data": {"contactId": "rec_b"}},
        "run_3": {"data": {"recordId": "rec_none"}},
        "run_4": {"data": {}},
        "run_5": {"data": {"recordId": "rec_other"}},
    }
    with make_engine(None).connect() as conn:
        with schema_change(conn):
            command.upgrade(migrate.alembic_config(conn), "0026")
            run = conn.exec_driver_sql
            for organization_id in ("org_1", "org_2"):
                run(
                    "INSERT INTO organizations (id, name, country, currency, locale, time_zone, plan,"
                    " marketing_hub, created_at) VALUES (?, 'O', 'DE', 'EUR', 'de', 'UTC', 'pro', 1, 1)",
                    (organization_id,),
                )
            run(
                "INSERT INTO objects (id, organization_id, slug, label, label_plural, publishable,"
                " created_at) VALUES ('obj_1', 'org_1', 'contact', 'C', 'Cs', 0, 1)"
            )
            for id_, merged_into in (("rec_a", None), ("rec_c", "rec_a"), ("rec_b", "rec_c")):
                run(RECORD, (id_, "org_1", merged_into))
            run(RECORD, ("rec_other", "org_2", None))
            run(
                "INSERT INTO workflows (id, organization_id, name, enabled, version, created_at, updated_at)"
                " VALUES ('wfl_1', 'org_1', 'W', 0, 1, 1, 1)"
            )
            for id_, event in events.items():
                run(RUN, (id_, msgspec.json.encode(event).decode()))
            run(RUN, ("run_6", "no JSON"))

        migrate_to_head(conn)

        found = dict(conn.exec_driver_sql("SELECT id, record_id FROM workflow_runs").tuples().all())
    expected = {"run_1": "rec_a", "run_2": "rec_a"}
    assert dict.fromkeys(["run_3", "run_4", "run_5", "run_6"]) | expected == found
