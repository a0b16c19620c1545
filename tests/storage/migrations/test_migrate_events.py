"""The migration to events that are dispatched: what was recorded before counts as dispatched."""

from pathlib import Path

import pytest
from alembic import command

from svc.storage.events import events
from svc.storage.events import pages as event_pages
from svc.storage.migrations import migrate
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.store import migrate_to_head

pytestmark = pytest.mark.sqlite

ORGANIZATION = (
    "INSERT INTO organizations VALUES (?, 'O', 'DE', 'EUR', 'de', 'UTC', 'pro', NULL, 1, 1, NULL, 0)"
)
EVENT = "INSERT INTO events (id, organization_id, type, at, data) VALUES (?, ?, 'record.created', 1, ?)"

SUBJECTS = {
    '{"objectType":"deal","recordId":"rec_1"}': ("rec_1", "deal"),
    '{"messageId":"msg_1","conversationId":"cnv_1","connectionId":"con_1"}': ("cnv_1", None),
    '{"formId":"frm_1","submissionId":"sub_1"}': ("sub_1", None),
    '{"connectionId":"con_1"}': ("con_1", None),
    "{}": ("evt_4", None),
    "what is no JSON": ("evt_5", None),
}
"""What events said, to what they are about."""


def test_events_of_before_count_as_dispatched(tmp_path: Path) -> None:
    """In the order of their ids, so that no webhook is told of them; new ones come after them."""
    with make_engine(tmp_path / "svc.db").connect() as conn:
        with schema_change(conn):
            command.upgrade(migrate.alembic_config(conn), "0012")
            for organization in ("org_1", "org_2", "org_3"):
                conn.exec_driver_sql(ORGANIZATION, (organization,))
            for number, data in reversed([*enumerate(SUBJECTS)]):
                conn.exec_driver_sql(EVENT, (f"evt_{number}", "org_1", data))
            conn.exec_driver_sql(EVENT, ("evt_other", "org_2", "{}"))

        migrate_to_head(conn)

        found = event_pages.list_page(conn, "org_1").events
        assert list(SUBJECTS.values()) == [(event.subject, event.object_type) for event in found]
        assert [1, 2, 3, 4, 5, 6] == [event.position for event in found]
        assert {0} == {event.depth for event in found}
        assert [] == events.organizations_with_undispatched(conn)
        newest = conn.exec_driver_sql("SELECT * FROM event_positions ORDER BY organization_id").all()
        assert [("org_1", 6, 0), ("org_2", 1, 0)] == [tuple(row) for row in newest]


def test_what_was_pruned_before_is_known(tmp_path: Path) -> None:
    """As the first event that is kept tells it; where none is, all were."""
    with make_engine(tmp_path / "svc.db").connect() as conn:
        with schema_change(conn):
            command.upgrade(migrate.alembic_config(conn), "0012")
            for organization in ("org_1", "org_2"):
                conn.exec_driver_sql(ORGANIZATION, (organization,))
                for number in range(3):
                    conn.exec_driver_sql(EVENT, (f"evt_{organization}_{number}", organization, "{}"))
            command.upgrade(migrate.alembic_config(conn), "0016")
            conn.exec_driver_sql("DELETE FROM events WHERE organization_id = 'org_2' OR position < 3")

        migrate_to_head(conn)

        positions = conn.exec_driver_sql("SELECT * FROM event_positions ORDER BY organization_id").all()
        assert [("org_1", 3, 2), ("org_2", 3, 3)] == [tuple(row) for row in positions]
