"""Kept databases: small ones of each schema version, as SQL, for the migrations to bring forward.

`python -m tests.storage.keeping` writes one of the newest revision into `tests/storage/kept/`. With a name
and a directory of migrations it writes one of those: so the files of earlier versions were made, from the
migrations as the commits in `kept/README.md` had them.
"""

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, inspect

from svc.storage.migrations import migrate
from svc.storage.sql import full_text
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.schema_changes import schema_change

KEPT: Final = Path(__file__).parent / "kept"
AT: Final = 1_789_689_600_000
BUILTIN: Final = ("contact", "company", "deal")
ROWS: Final = 2
"""Rows of each table: the second has NULL wherever it may, and is of another organization."""


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _contact(n: int) -> str:
    return _json({"name": f"Person {n}", "email": f"person{n}@example.com"})


_STARTER: Final = _json({"kind": "operator", "id": "operator", "personId": None})
_ENABLER: Final = _json({"personId": "usr_1"})
_UNDO: Final = _json(
    {
        "number": 1,
        "dryRun": False,
        "state": "done",
        "starter": {"kind": "operator", "id": "operator", "personId": None},
        "source": {},
        "counts": {"deleted": 1},
        "startedAt": AT,
        "endedAt": AT,
    }
)
_EVENT: Final = _json(
    {
        "id": "evt_1",
        "type": "record.created",
        "timestamp": "2026-09-18T00:00:00.000Z",
        "organizationId": "org_1",
        "data": {},
    }
)
_DOCUMENT: Final = _json(
    {
        "name": "Wait",
        "trigger": {"type": "record.created", "objectType": "contact"},
        "steps": [{"key": "pause", "type": "wait", "seconds": 60}],
    }
)

VALUES: Final[dict[str, tuple[Any, Any]]] = {
    "conversation_notes.mentions": (_json(["usr_1"]), None),
    "organizations.country": ("DE", "GB"),
    "organizations.currency": ("EUR", "GBP"),
    "organizations.locale": ("de_DE", "en_GB"),
    "organizations.time_zone": ("Europe/Berlin", "UTC"),
    "organizations.plan": ("pro", "free"),
    "organizations.closed_at": (None, None),
    "properties.slug": ("email", "name"),
    "properties.type": ("email", "text"),
    "properties.options": ("[]", "[]"),
    "properties.index_state": ("ready", None),
    "properties.index_cursor": (None, None),
    "properties.deleted_at": (None, None),
    "records.properties": (_contact(1), _contact(2)),
    "records.deleted_at": (None, None),
    "records.merged_into": (None, None),
    "identities.kind": ("email", "email"),
    "identities.value": ("person1@example.com", "person2@example.com"),
    "search_texts.id": (0, 1),
    "search_texts.words": ("contactx person", "contactx person"),
    "record_changes.kind": ("created", "created"),
    "record_changes.changed": ("{}", "{}"),
    "record_changes.source": ("{}", "{}"),
    "notes.source": ("{}", None),
    "sites.domain": ("shop.example", "blog.example"),
    "forms.status": ("active", "paused"),
    "forms.field_map": ("{}", "{}"),
    "embeds.status": ("active", "paused"),
    "embeds.blocks": ("[]", "[]"),
    "sites.last_view_at": (AT, None),
    "imports.format": ("csv", "ndjson"),
    "imports.state": ("done", "uploading"),
    "imports.object_type": ("contact", "contact"),
    "imports.layout": ("{}", None),
    "imports.settings": ("{}", None),
    "imports.starter": (_STARTER, None),
    "imports.source": ("{}", None),
    "imports.counts": ("{}", "{}"),
    "imports.refusals": ("[]", "[]"),
    "imports.faults": ("[]", None),
    "imports.undo": (_UNDO, None),
    "imports.undo_state": ("done", None),
    "imports.ended_at": (AT, None),
    "exports.object_type": ("contact", None),
    "exports.format": ("csv", "ndjson"),
    "exports.source": ("records", "audit"),
    "exports.state": ("done", "waiting"),
    "exports.query": ("{}", "{}"),
    "exports.starter": (_STARTER, _STARTER),
    "exports.ended_at": (AT, None),
    "requests.door": ("tools", "channels"),
    "requests.caller_kind": ("key", "channel_key"),
    "requests.status": (200, 404),
    "requests.code": (None, "not_found"),
    "requests.failed_in": (None, "organizations.id"),
    "views.tool": ("record.list", "submission.list"),
    "views.input": (_json({"objectType": "deal"}), "{}"),
    "views.board_by": ("stage", None),
    "submissions.state": ("filed", "held"),
    "submissions.queued_at": (None, None),
    "submissions.paced_at": (AT, AT),
    "submissions.held_reason": (None, "similar"),
    "submissions.candidates": (None, "[]"),
    "submissions.visitors": ("[]", None),
    "submissions.fields": (_json({"email": "person1@example.com"}), "{}"),
    "submissions.recognised": ("[]", "[]"),
    "submissions.mapped": ("{}", "{}"),
    "submissions.contact_id": ("records.id", None),
    "submissions.deal_id": (None, None),
    "submissions.discarded_from": (None, None),
    "submissions.discarded_at": (None, None),
    "submissions.discarded_by": (None, None),
    "submissions.restored_at": (None, AT),
    "submission_blocks.first_id": ("submissions.id", "submissions.id"),
    "submission_blocks.end_id": ("sub_~", "sub_~"),
    "submission_blocks.texts": (b"email 1\nphone 1\nname 1", b""),
    "submission_blocks.ids": (b"sub_01J00000000000000000000001", b"sub_01J00000000000000000000002"),
    "suggestions.state": ("accepted", "open"),
    "suggestions.value": ('"x"', '"y"'),
    "people.email": ("ada@example.com", "grace@example.com"),
    "people.password_hash": ("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA", None),
    "members.role_id": ("owner", "owner"),
    "members.status": ("active", "active"),
    "roles.permissions": ('["forms"]', "[]"),
    "invitations.role_id": ("viewer", "viewer"),
    "invitations.team_ids": ("[]", "[]"),
    "invitations.email": ("new1@example.com", "new2@example.com"),
    "api_keys.role_id": ("viewer", "owner"),
    "grants.role_id": ("viewer", "owner"),
    "grants.reach": ("list", "all"),
    "grants.tools": ('["record.get"]', None),
    "grants.door": ("mcp", "mcp_full"),
    "grants.ended_at": (None, AT),
    "grants.ended_because": (None, "ended"),
    "apps.redirect_uris": ('["https://app.example/callback"]', '["app.example:/callback"]'),
    "apps.removed_at": (None, None),
    "registered_apps.redirect_uris": ('["http://localhost/callback"]', '["cursor://callback"]'),
    "authorization_requests.scope": ("tools", "tools.read"),
    "authorization_requests.door": ("mcp", "mcp_full"),
    "api_keys.tools": ('["record.get"]', None),
    "api_keys.limited_to": (None, None),
    "api_keys.models": (None, '["small"]'),
    "ai_calls.payer": ("credits", "organization"),
    "ai_calls.ended": ("answered", None),
    "ai_calls.ended_at": (AT, None),
    "ai_calls.process": ("prc_1", "prc_1"),
    "ai_calls.reserved_micro_credits": (None, None),
    "ai_calls.budgeted_micro_credits": (None, None),
    "ai_calls.charged_micro_credits": (0, 0),
    "ai_key_months.reserved_micro_credits": (0, 0),
    "ai_ledger.kind": ("grant", "grant"),
    "ai_ledger.amount": (5, 7),
    "ai_ledger.balance_after": (5, 7),
    "ai_ledger.call_id": (None, None),
    "ai_providers.models": ('[{"id":"small","upstream":"small","prices":null}]', "[]"),
    "ai_restrictions.models": ('["small"]', "[]"),
    "agents.enabled": (1, 0),
    "agents.role_id": ("viewer", "owner"),
    "agents.tools": (None, '["record.get"]'),
    "agent_runs.state": ("running", "stopped"),
    "agent_runs.reason": (None, "the agent is off"),
    "agent_runs.wake_at": (AT, None),
    "agent_runs.ended_at": (None, AT),
    "agent_runs.message_id": (None, None),
    "agent_steps.kind": ("model", "tool"),
    "agent_steps.state": ("running", "done"),
    "agent_steps.tool": (None, "record.get"),
    "agent_steps.input": (None, "{}"),
    "agent_steps.answer": (None, "{}"),
    "agent_cards.run_id": ("agent_runs.id", None),
    "agent_days.day": (20_714, 20_714),
    "audit.outcome": ("refused", "done"),
    "audit.asked_by": (_json({"kind": "agent", "runId": "agr_1"}), None),
    "approvals.state": ("expired", "expired"),
    "approvals.decided_by": (None, None),
    "approvals.decided_at": (None, None),
    "approvals.rejection_reason": (None, None),
    "approvals.uncollected_since": (None, None),
    "approvals.input": ('{"id":"rec_1"}', None),
    "approvals.asker_kind": ("agent", "workflow"),
    "approvals.connection_id": ("connections.id", None),
    "approvals.conversation_id": ("conversations.id", None),
    "approvals.workflow_id": (None, "wfl_1"),
    "approvals.answer": (None, None),
    "approvals.error": (None, None),
    "events.type": ("message.status", "message.status"),
    "events.data": ("{}", "{}"),
    "events.position": (1, None),
    "event_positions.newest": (1, 1),
    "event_positions.pruned": (0, 0),
    "connections.account_kind": ("organization", "organization"),
    "connections.account_id": (None, None),
    "connections.messenger": ("telegram", "signal"),
    "connections.delivery": ("pull", "push"),
    "connections.url": (None, "https://bridge.example/hook"),
    "connections.secret": (None, b"sealed"),
    "connections.contract": ("2026-09", "2026-09"),
    "connections.status": ("active", "active"),
    "conversations.kind": ("direct", "group"),
    "conversations.evidence": ("{}", "{}"),
    "conversations.candidates": ("[]", None),
    "conversations.contact_id": ("records.id", None),
    "conversations.held_reason": (None, "similar"),
    "conversations.status": ("open", "closed"),
    "conversations.agent_silenced_at": (AT, None),
    "conversations.agent_silenced_by": ("handed_over", None),
    "conversations.agent_silencer": (None, None),
    "conversations.agent_reason": ("wants a discount", None),
    "conversations.agent_reads_from": (None, "msg_1"),
    "messages.direction": ("out", "out"),
    "messages.sender": (None, None),
    "messages.attachments": ("[]", None),
    "replies.state": ("taken", "waiting"),
    "replies.expires_at": (AT + 3_600_000, AT + 3_600_000),
    "replies.lease_expires_at": (AT + 60_000, None),
    "replies.lapses": (0, 1),
    "replies.failure": (None, None),
    "replies.error": (None, None),
    "deliveries.event": ("ping", "message.outbound"),
    "deliveries.reply_id": (None, "replies.id"),
    "deliveries.status_code": (500, 200),
    "deliveries.done_at": (AT, AT),
    "mails.kind": ("submission.filed", "invitation"),
    "mails.is_notice": (1, 0),
    "mails.person_id": ("people.id", None),
    "mails.address": (None, None),
    "mails.data": (_json({"id": "sub_1"}), None),
    "mails.token": (None, None),
    "mails.state": ("waiting", "sent"),
    "mails.next_attempt_at": (AT, None),
    "mails.done_at": (None, AT),
    "notice_choices.kind": ("submission.filed", "webhook.disabled"),
    "mailed_links.purpose": ("reset", "proof"),
    "invitations.mailed_digest": ("0" * 64, None),
    "webhooks.events": ('["record.created"]', "[]"),
    "webhooks.object_types": ("[]", "[]"),
    "webhooks.disabled_reason": (None, None),
    "webhooks.ending": (None, None),
    "webhooks.secret": (b"sealed", b"sealed"),
    "webhooks.removed_at": (None, None),
    "webhook_deliveries.event_id": ("events.id", None),
    "webhook_deliveries.state": ("delivered", "waiting"),
    "webhook_deliveries.is_first": (0, 1),
    "webhook_deliveries.next_attempt_at": (None, AT),
    "webhook_deliveries.replayed": (0, 0),
    "webhook_deliveries.run_id": (None, None),
    "webhook_deliveries.call_key": (None, None),
    "webhook_deliveries.body": (None, "{}"),
    "files.media_type": ("image/png", "text/plain; charset=utf-8"),
    "files.size": (3, 3),
    "files.digest": ("ab" * 32, "cd" * 32),
    "files.creator_kind": ("person", "bridge"),
    "files.unused_at": (None, None),
    "files.removed_at": (None, None),
    "file_uses.noun": ("record", "message"),
    "file_totals.files": (1, 1),
    "file_totals.bytes": (3, 3),
    "workflows.enabled": (1, 0),
    "workflows.version": (1, 1),
    "workflows.event_type": ("record.created", None),
    "workflows.enabled_at": (AT, None),
    "workflows.enabler": (_ENABLER, None),
    "workflows.next_at": (None, None),
    "workflows.deleted_at": (None, None),
    "workflow_versions.version": (1, 1),
    "workflow_versions.document": (_DOCUMENT, _DOCUMENT),
    "workflow_bursts.event": (_EVENT, _EVENT),
    "workflow_runs.version": (1, 1),
    "workflow_runs.state": ("waiting", "done"),
    "workflow_runs.reason": (None, None),
    "workflow_runs.depth": (1, 1),
    "workflow_runs.position": ("pause", None),
    "workflow_runs.wake_at": (AT, None),
    "workflow_runs.awaits": ("time", None),
    "workflow_runs.awaited": (None, None),
    "workflow_runs.awaited_record": (None, None),
    "workflow_runs.event": (_EVENT, _EVENT),
    "workflow_runs.enabler": (_ENABLER, _ENABLER),
    "workflow_runs.ended_at": (None, AT),
    "workflow_steps.key": ("pause", "pause"),
    "workflow_steps.type": ("wait", "wait"),
    "workflow_steps.state": ("waiting", "done"),
    "workflow_steps.input": ('{"seconds":60}', '{"seconds":60}'),
    "workflow_steps.output": (None, "{}"),
    "workflow_steps.error": (None, None),
    "workflow_steps.ended_at": (None, AT),
}
"""Where it matters what stands in a column: in the first row, and in the second.

The second reply was pushed, answered 2xx and, as it was before 0011, offered again.
"""

SINCE: Final[dict[str, dict[str, tuple[Any, Any]]]] = {
    "0011": {"replies.state": ("taken", "taken"), "replies.lapses": (0, 0)},
}
"""What stands there instead since a revision."""


def fill(conn: Connection) -> None:
    """Put `ROWS` rows into each table, which refer to each other as the foreign keys say."""
    schema = inspect(conn)
    values = dict(VALUES)
    for revision, instead in SINCE.items():
        values |= instead if revision <= (migrate.revision_of(conn) or "") else {}
    for table in schema.get_sorted_table_and_fkc_names():
        name = table[0]
        if name is None or name == "alembic_version" or not migrate.is_ours(name, "table", None):
            continue
        columns = schema.get_columns(name)
        refers = {
            key["constrained_columns"][0]: f"{key['referred_table']}.{key['referred_columns'][0]}"
            for key in schema.get_foreign_keys(name)
        }
        for n in range(1, ROWS + 1):
            _insert(conn, name, {one["name"]: _value(values, name, one, refers, n) for one in columns})
    for n in range(1, ROWS + 1):
        for slug in BUILTIN[1:]:  # every organization has them; contacts are the first rows
            row = {"id": f"obj_{slug}_{n}", "organization_id": _id("organizations", n), "slug": slug}
            rest = {"label": slug, "label_plural": slug, "publishable": 0, "created_at": AT}
            _insert(conn, "objects", row | rest)


def _value(
    values: dict[str, tuple[Any, Any]], table: str, column: Any, refers: dict[str, str], n: int
) -> Any:
    name = column["name"]
    at = f"{table}.{name}"
    if at in values:
        return _referred(values[at][n - 1], n)
    if name in refers:
        return _referred(refers[name], n)
    if at == "objects.slug":
        return BUILTIN[0]
    if name == "id":
        return _id(table, n)
    if n == ROWS and column["nullable"]:
        return None
    kind = str(column["type"]).upper()
    if "BLOB" in kind:
        return b"\x00bytes"
    if "INT" in kind or "BOOL" in kind:
        return AT + n if name.endswith("_at") or name == "at" else n - 1
    return f"{name} {n}"


def _referred(said: Any, n: int) -> Any:
    """The id that the row *n* of a table has, where *said* is such a column; else what is said."""
    table, dot, column = said.partition(".") if isinstance(said, str) else ("", "", "")
    return _id(table, n) if dot and column == "id" else said


def _id(table: str, n: int) -> str:
    return f"{table[:3]}_01J0000000000000000000000{n}"


def _insert(conn: Connection, table: str, row: dict[str, Any]) -> None:
    marks = ", ".join("?" * len(row))
    raw(conn).execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))  # noqa: S608


def dump(connection: sqlite3.Connection) -> Iterator[str]:
    """The schema and the rows, a statement a line. The search index is empty, and keeps its tables itself."""
    made = connection.execute(
        "SELECT name, type, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY type = 'index', rowid"
    ).fetchall()
    for name, kind, sql in made:
        if kind == "table" and name.startswith(f"{full_text.TABLE}_"):
            continue
        yield f"{sql};"
        if kind == "table" and name != full_text.TABLE:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            quoted = " || ', ' || ".join(f"quote({column})" for column in columns)
            for (values,) in connection.execute(f"SELECT {quoted} FROM {name}"):  # noqa: S608
                yield f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({values});"  # noqa: S608


def keep(name: str, versions: Path = migrate.VERSIONS) -> Path:
    """Write a database at the newest revision of *versions*, and return its path."""
    with make_engine(None).connect() as conn:
        with schema_change(conn):
            migrate.upgrade(conn, versions)
            fill(conn)
        path = KEPT / f"{name}.sql"
        path.write_text("\n".join(dump(raw(conn))) + "\n")
    return path


if __name__ == "__main__":
    given = sys.argv[1:]
    print(keep(given[0], Path(given[1])) if given else keep(migrate.known_revisions()[-1]))  # noqa: T201
