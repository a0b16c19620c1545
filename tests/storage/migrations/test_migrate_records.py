"""The migration to records: what was stored before is found as what is stored after."""

from pathlib import Path

import msgspec
import pytest
from alembic import command

from svc.storage.migrations import migrate
from svc.storage.records.listing import search as record_search
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.store import migrate_to_head

pytestmark = pytest.mark.sqlite

ORGANIZATION = (
    "INSERT INTO organizations VALUES ('org_1', 'O', 'DE', 'EUR', 'de', 'UTC', 'pro', NULL, 1, 1, NULL)"
)
OBJECT = "INSERT INTO objects VALUES (?, 'org_1', ?, 'L', 'Ls', 0, 1)"
PROPERTY = "INSERT INTO properties VALUES (?, 'org_1', ?, ?, 'L', ?, ?, 0, ?, 1)"
RECORD = "INSERT INTO records VALUES (?, 'org_1', ?, ?, 1, 1, ?)"


def test_records_of_before_are_found(tmp_path: Path) -> None:
    """Their words and relations are there, those of deleted ones are not."""
    contact, deal = "obj_contact12345678", "obj_deal1234567890ab"
    with make_engine(tmp_path / "svc.db").connect() as conn:
        with schema_change(conn):
            command.upgrade(migrate.alembic_config(conn), "0001")
            run = conn.exec_driver_sql
            run(ORGANIZATION)
            run(OBJECT, (contact, "contact"))
            run(OBJECT, (deal, "deal"))
            run(PROPERTY, ("prp_1", contact, "name", "text", "[]", 0))
            run(PROPERTY, ("prp_2", deal, "contact", "relation", '["contact"]', 0))
            for number in range(600):
                values = msgspec.json.encode({"name": f"Ada n{number}"}).decode()
                run(RECORD, (f"rec_{number:03}", contact, values, 5 if number == 7 else None))
            run(RECORD, ("rec_deal", deal, '{"contact":"rec_003"}', None))

        migrate_to_head(conn)

        for word, expected in (("n3", ["rec_003"]), ("n599", ["rec_599"]), ("n7", [])):
            found = record_search.search(conn, "org_1", f"ada {word}", object_slug="contact")
            assert expected == [hit.record.id for hit in found]
        related = conn.exec_driver_sql("SELECT target_id, property_id, record_id FROM relations").all()
        assert [("rec_003", "prp_2", "rec_deal")] == [tuple(row) for row in related]
