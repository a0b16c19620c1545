"""The migration of months: calls without a key have none."""

import pytest
from alembic import command

from svc.storage.migrations import migrate
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.store import migrate_to_head

pytestmark = pytest.mark.sqlite


def test_months_that_several_organizations_shared_are_removed() -> None:
    """They stood with the organization that called first, and went with its export; those of keys stay."""
    with make_engine(None).connect() as conn:
        with schema_change(conn):
            command.upgrade(migrate.alembic_config(conn), "0037")
            conn.exec_driver_sql(
                "INSERT INTO organizations (id, name, country, currency, locale, time_zone, plan,"
                " marketing_hub, created_at) VALUES ('org_1', 'O', 'DE', 'EUR', 'de', 'UTC', 'pro', 1, 1)"
            )
            for key_id in ("agent", "trial", "key_1"):
                conn.exec_driver_sql(
                    "INSERT INTO ai_key_months (key_id, month, organization_id, used_micro_credits,"
                    " reserved_micro_credits) VALUES (?, '2026-09', 'org_1', 5, 0)",
                    (key_id,),
                )

        migrate_to_head(conn)

        found = conn.exec_driver_sql("SELECT key_id, used_micro_credits FROM ai_key_months").tuples().all()
    assert [("key_1", 5)] == found
