"""How SQLite goes about the statements of hot paths: by an index that knows every value it is given."""

from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from svc.domain.records.conditions import KeyRange
from svc.storage import audit
from svc.storage.channels import conversations, messages, open_replies, reply_batches
from svc.storage.channels import keys as channel_keys
from svc.storage.embeds import embeds
from svc.storage.forms import (
    bounded_counts,
    forms,
    search_blocks,
    stored_submissions,
    submission_selection,
    submissions,
)
from svc.storage.forms import pruning as forms_pruning
from svc.storage.forms.submission_selection import Kind
from svc.storage.home import names as home_names
from svc.storage.identity import organizations
from svc.storage.records import contacts, suggestions
from svc.storage.records.listing import creations, index_builds, list_plans, narrowing, related
from svc.storage.records.listing.narrowing import NarrowedCondition
from svc.storage.sites import sites, visits
from svc.storage.statements import Statement
from svc.storage.workflows import runs, triggering, waking
from tests.town import town

pytestmark = pytest.mark.sqlite


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        pytest.param(
            contacts._KNOWN_BY,
            "pk_identities (organization_id=? AND kind=? AND value=?)",
            id="contacts known by",
        ),
        pytest.param(stored_submissions._DUE, "ix_submissions_due (organization_id=? AND state=?)", id="due"),
        pytest.param(submissions._WAITING, "ix_submissions_queued (form_id=? AND state=?)", id="queue"),
        pytest.param(
            submissions._RECENT, "ix_submissions_form_id_id (form_id=? AND id>?)", id="a form's last hour"
        ),
        pytest.param(submissions._LAST, "ix_submissions_form_id_id (form_id=?)", id="a form's pace"),
        pytest.param(
            submissions._RESTORED,
            "ix_submissions_restored (form_id=? AND paced_at>?)",
            id="those in it that were restored",
        ),
        pytest.param(
            Statement(forms_pruning._OVER),
            "ix_submissions_discarded_at (discarded_at<?)",
            id="what to remove for good",
        ),
        pytest.param(submissions._RELEASE, "ix_submissions_queued (form_id=? AND state=?)", id="head"),
        pytest.param(
            submission_selection._NEWEST[Kind(None, False)],
            "ix_submissions_form_id_id (form_id=? AND id<?)",
            id="a form's list",
        ),
        pytest.param(
            submission_selection._NEWEST[Kind("Filed", False)],
            "ix_submissions_form_id_id (form_id=? AND id<?)",
            id="a form's list of what is filed",
        ),
        pytest.param(
            submission_selection._NEWEST[Kind("Held", False)],
            "ix_submissions_held (form_id=? AND state=? AND id<?)",
            id="a form's list of what is held",
        ),
        pytest.param(
            submission_selection._NEWEST[Kind("Queued", False)],
            "ix_submissions_queued (form_id=? AND state=? AND id<?)",
            id="a form's list of what is queued",
        ),
        pytest.param(
            submission_selection._NEWEST[Kind(None, True)],
            "ix_submissions_discarded (form_id=? AND state=? AND id<?)",
            id="a form's list of what is discarded",
        ),
        pytest.param(
            submission_selection._NEWEST[Kind("Held", True)],
            "ix_submissions_discarded (form_id=? AND state=? AND id<?)",
            id="a form's list of what is discarded of the held",
        ),
        pytest.param(
            submission_selection._DUE,
            "ix_submissions_due (organization_id=? AND state=? AND id<?)",
            id="a list of what is due",
        ),
        pytest.param(
            submission_selection._WITH_TEXT[Kind(None, False)],
            "ix_submissions_form_id_id (form_id=? AND id>? AND id<?)",
            id="a search of a form's latest submissions",
        ),
        pytest.param(
            search_blocks._TEXTS,
            "PRIMARY KEY (organization_id=? AND first_id<?)",
            id="a search of an organization's blocks",
        ),
        pytest.param(
            search_blocks._LAST, "PRIMARY KEY (organization_id=?)", id="the last block of an organization"
        ),
        pytest.param(
            search_blocks._WITH, "PRIMARY KEY (organization_id=? AND first_id<?)", id="a submission's block"
        ),
        pytest.param(
            search_blocks._OF_FORM,
            "COVERING INDEX ix_submissions_form_id_id (form_id=? AND id>?)",
            id="a form's submissions for the next block",
        ),
        pytest.param(
            bounded_counts._CAME,
            "COVERING INDEX ix_submissions_form_id_id (form_id=? AND id>? AND id<?)",
            id="how many came on a day",
        ),
        pytest.param(
            bounded_counts._CAME_DISCARDED,
            "COVERING INDEX ix_submissions_discarded (form_id=? AND state=? AND id>? AND id<?)",
            id="how many of them are discarded",
        ),
        pytest.param(
            bounded_counts._IN_STATE["Held"][0],
            "COVERING INDEX ix_submissions_held (form_id=? AND state=?)",
            id="how many are held",
        ),
        pytest.param(
            bounded_counts._IN_STATE["Held"][1],
            "COVERING INDEX ix_submissions_held (form_id=? AND state=?)",
            id="the first that is held",
        ),
        pytest.param(
            creations._MADE,
            "ix_records_created_at (object_id=? AND created_at>? AND created_at<?)",
            id="how many records were made on a day",
        ),
        pytest.param(
            suggestions._OLDEST,
            "ix_suggestions_organization_id_state_id (organization_id=? AND state=?)",
            id="the oldest open suggestion",
        ),
        pytest.param(audit._LATEST, "ix_audit_organization_id_id (organization_id=?)", id="the latest acts"),
        pytest.param(home_names._RECORDS, "sqlite_autoindex_records_1 (id=?)", id="names of records"),
        pytest.param(forms._BY_KEY, "(form_key=?)", id="a form by its key"),
        pytest.param(channel_keys._ROUTE, "ix_channel_keys_live (digest=?)", id="a channel key"),
        pytest.param(conversations._FIND, "(connection_id=? AND external_id=?)", id="a conversation"),
        pytest.param(
            messages._BY_EXTERNAL_ID,
            "(connection_id=? AND conversation_id=? AND external_id=?)",
            id="a message that was told before",
        ),
        pytest.param(reply_batches._HEADS, "ix_replies_open (connection_id=?)", id="replies to hand out"),
        pytest.param(
            reply_batches._HEADS, "ix_replies_ahead (conversation_id=? AND id<?)", id="replies before them"
        ),
        pytest.param(
            open_replies._OVERDUE, "ix_replies_open (connection_id=?)", id="replies that are overdue"
        ),
        pytest.param(reply_batches._NEXT, "ix_replies_open (connection_id=?)", id="when something is due"),
        pytest.param(embeds._BY_KEY, "(embed_key=?)", id="an embed by its key"),
        pytest.param(organizations._GET, "(id=?)", id="an organization"),
        pytest.param(
            sites._ANY, "ix_sites_organization_id (organization_id=?)", id="whether sites are tracked"
        ),
        pytest.param(
            index_builds._BEGUN, "ix_properties_building (organization_id=?)", id="indexes that are begun"
        ),
        pytest.param(related._ROWS, "sqlite_autoindex_records_1 (id=?)", id="records that relations lead to"),
        pytest.param(
            visits._ATTACH,
            "ix_visits_organization_id_visitor (organization_id=? AND visitor=?)",
            id="a visitor's visits",
        ),
        pytest.param(runs._DUE, "ix_workflow_runs_wake_at (organization_id=? AND wake_at<?)", id="due runs"),
        *(
            pytest.param(runs._NEXT_WAKE, f"{index} (organization_id=?{more})", id=f"the next by {index}")
            for index, more in {
                "ix_workflow_runs_wake_at": " AND wake_at>?",
                "ix_workflows_next_at": " AND next_at>?",
                "ix_workflow_bursts_due_at": "",
            }.items()
        ),
        pytest.param(
            waking._ANY, "ix_workflow_runs_awaited (organization_id=? AND awaited=?)", id="awaited types"
        ),
        pytest.param(
            waking._OF_KEY,
            "ix_workflow_runs_awaited (organization_id=? AND awaited=? AND awaited_record=?)",
            id="runs that wait for an event with a key",
        ),
        pytest.param(
            waking._WITHOUT_KEY,
            "ix_workflow_runs_awaited (organization_id=? AND awaited=? AND awaited_record=?)",
            id="runs that wait for an event without a key",
        ),
        pytest.param(
            waking._COUNT_WITHOUT,
            "COVERING INDEX ix_workflow_runs_awaited (organization_id=? AND awaited=? AND awaited_record=?)",
            id="how many wait without a key",
        ),
        pytest.param(
            waking._ANY_OF_VALUE,
            "(organization_id=? AND awaited=? AND awaited_record>? AND awaited_record<?)",
            id="whether runs wait for an event with some value",
        ),
        *(
            pytest.param(
                statement,
                "ix_workflow_runs_awaited (organization_id=? AND awaited>? AND awaited<?)",
                id=f"{what} that wait for calls",
            )
            for what, statement in {"any runs": waking._ANY_CALL, "runs": waking._CALLED}.items()
        ),
        pytest.param(
            waking._CALLED_SINCE, "ix_webhook_deliveries_done_at (done_at>?)", id="calls that ended lately"
        ),
        pytest.param(
            waking._WAKE_ASKER,
            "ix_workflow_runs_awaited (organization_id=? AND awaited=?)",
            id="the run that waits for an approval",
        ),
        pytest.param(
            triggering._TRIGGERED,
            "ix_workflows_event_type (organization_id=? AND event_type>?)",
            id="workflows that events start",
        ),
    ],
)
async def test_a_hot_statement_searches_by_its_index(
    autojump_clock, statement: Statement[Any], expected: str
):
    """No statement of a hot path looks at more rows than it was asked for."""
    async with town() as here:
        plan = await here.store.read(_plan_of, statement)

        assert any(expected in step for step in plan), plan
        scans = [step for step in plan if step.startswith("SCAN") and step != "SCAN CONSTANT ROW"]
        scans = [
            step for step in scans if "anon_" not in step
        ]  # of rows that a subquery has found and bounded
        assert [] == [step for step in scans if "VIRTUAL TABLE" not in step]  # a list that was passed along


async def test_due_runs_are_read_in_the_order_of_their_index(autojump_clock):
    """Ten thousand that are due at once are not sorted for the few that a unit of work steps."""
    async with town() as here:
        plan = await here.store.read(_plan_of, runs._DUE)

        assert [] == [step for step in plan if "TEMP B-TREE" in step]


async def test_organizations_with_begun_indexes_are_read_from_the_index_of_those_alone(autojump_clock):
    """A round of the Reconciler reads as many rows as there are indexes being made, most often none."""
    async with town() as here:
        plan = await here.store.read(_plan_of, index_builds._ORGANIZATIONS_BUILDING)

        assert [
            "SCAN properties USING INDEX ix_properties_building",
            "SCAN objects USING INDEX ix_objects_building",
        ] == [step for step in plan if step.startswith(("SCAN properties", "SCAN objects"))]


_GROUP = tuple(NarrowedCondition(f"prp_{number}", [KeyRange(b"a", b"b")]) for number in range(2))
_KEYS = "ix_record_keys_key (property_id=? AND key>? AND key<?)"


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        pytest.param(narrowing.ids_within(_GROUP), [_KEYS, _KEYS], id="ids, by the index of each property"),
        pytest.param(
            sa.select(narrowing.key_exists(_GROUP, sa.literal("rec_1"))),
            ["PRIMARY KEY (property_id=? AND record_id=?)"] * 2,
            id="whether a record is one, by a look-up of each property",
        ),
        pytest.param(
            list_plans.driven(_GROUP),
            [_KEYS, _KEYS, "sqlite_autoindex_records_1 (id=?)"],
            id="records, by their ids",
        ),
    ],
)
async def test_a_group_of_filters_is_found_by_indexes(autojump_clock, select: Any, expected: list[str]):
    """Every one of its filters; no record is read that none of them leaves."""
    async with town() as here:
        plan = await here.store.read(_plan_of_select, select)

        found = [step for step in plan if step.startswith("SEARCH")]
        assert len(expected) == len(found), plan
        assert all(any(index in step for step in found) for index in expected), plan
        assert [] == [step for step in plan if step.startswith("SCAN record")]


def _plan_of_select(conn: Connection, select: Any) -> list[str]:
    compiled = select.compile(dialect=conn.dialect)
    values = (None,) * len(compiled.positiontup)
    return [row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values)]


def _plan_of(conn: Connection, statement: Statement[Any]) -> list[str]:
    sql = statement._plan(conn.dialect).sql
    values = (None,) * sql.count("?")
    return [row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)]
