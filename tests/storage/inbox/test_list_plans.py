"""How SQLite goes about the lists of an inbox: each view along an index that is in the list's order."""

from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from svc.storage.inbox import lists, unread
from svc.storage.inbox.lists import ConversationFilter
from tests.town import town

pytestmark = pytest.mark.sqlite

BY_STATUS = "ix_conversations_organization_id_status_active_at_id (organization_id=? AND status=?)"
OF_MEMBERS = "ix_conversations_of_members (organization_id=? AND status=? AND member_id=?)"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, "ix_conversations_organization_id_active_at_id (organization_id=?)"),
        ({"status": "open", "snoozed": False}, BY_STATUS),
        ({"status": "closed"}, BY_STATUS),
        ({"status": "open", "snoozed": False, "of_person": "usr_1"}, OF_MEMBERS),
        ({"status": "open", "snoozed": False, "assigned": False}, OF_MEMBERS),
    ],
    ids=["every one", "open", "closed", "mine", "nobody's"],
)
async def test_a_view_is_read_along_its_index(asked: dict[str, Any], expected: str) -> None:
    """Nothing is sorted, so a page reads about as many rows as it has."""

    def plan(conn: Connection) -> list[str]:
        found: list[str] = []

        def explain(statement: sa.Select[Any]) -> None:
            text = str(statement.compile(dialect=conn.dialect, compile_kwargs={"literal_binds": True}))
            found.extend(row[-1] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}"))

        explain(lists.latest("org_1", ConversationFilter(**asked), now=1).limit(51))
        return found

    async with town() as here:
        [step] = await here.store.read(plan)

    assert step.endswith(expected)
    assert "SCAN" not in step


async def test_what_is_unread_is_counted_along_indexes() -> None:
    """One's own and nobody's from the index of those lists; then a look-up for each, and what came since."""

    def plan(conn: Connection) -> list[str]:
        statement = unread._UNREAD._statement
        assert isinstance(statement, sa.Select)
        compiled = statement.compile(dialect=conn.dialect)
        values = (None,) * len(compiled.positiontup or ())
        return [row[-1] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values)]

    async with town() as here:
        steps = await here.store.read(plan)

    assert [
        *("SEARCH conversations USING INDEX " + OF_MEMBERS,) * 2,
        "SEARCH messages USING INDEX ix_messages_conversation_id_id (conversation_id=? AND id>?)",
        "SEARCH conversation_reads USING PRIMARY KEY (conversation_id=? AND person_id=?)",
    ] == [step for step in steps if step.startswith("SEARCH")]
    # What is scanned is what those searches have found and bounded.
    assert {"SCAN latest", "SCAN mine", "SCAN free", "SCAN since"} >= {
        step for step in steps if step.startswith("SCAN")
    }
    assert not [step for step in steps if "TEMP B-TREE" in step]
