"""What an erasure does with the rows of each table, or the reason why it leaves them alone.

A row is the person's *own* by a column that has one of their ids, and is deleted, or emptied where deleting
it would make the database look through whole tables for rows that refer to it. A row that *leads* to the
person by an id in its texts keeps them without the marks, or loses what is in `blanked` altogether. In any
other row the marks are taken out of its texts.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

from svc.storage import tables
from svc.storage.agent import tables as agent_tables
from svc.storage.ai import tables as ai_tables
from svc.storage.approvals import tables as approvals_tables
from svc.storage.channels import tables as channels_tables
from svc.storage.embeds import tables as embeds_tables
from svc.storage.files import tables as files_tables
from svc.storage.forms import tables as forms_tables
from svc.storage.identity import tables as identity_tables
from svc.storage.imports import tables as imports_tables
from svc.storage.mail import tables as mail_tables
from svc.storage.records import tables as records_tables
from svc.storage.sites import tables as sites_tables
from svc.storage.views import tables as views_tables
from svc.storage.webhooks import tables as webhooks_tables
from svc.storage.workflows import tables as workflows_tables

Ids = Literal[
    "records",
    "submissions",
    "conversations",
    "visitors",
    "emails",
    "agent_runs",
    "replies",
    "deliveries",
    "events",
    "workflow_runs",
]
"""Which of a person's ids a column has."""

BLANK: Final = '{"erased":true}'
"""What JSON becomes that is about the person."""


class Treatment(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of the rows of a table."""

    table: sa.Table
    own: Mapping[str, Ids] = {}
    """Columns by which a row is the person's own."""
    texts: tuple[str, ...] = ()
    """Columns that marks are taken out of; those of `stored_json` are JSON."""
    codes: tuple[str, ...] = ()
    """Columns with what programs of others make up, of which a mark may be a part."""
    blanked: Mapping[str, Any] = {}
    """What columns of a row become that leads to the person, unless they are null."""
    kept: Mapping[str, str] = {}
    """Columns in which marks are only counted, and why they stay."""
    plain: tuple[str, ...] = ()
    """Texts that no person writes: ids, states, names of tools, digests, settings of a fixed set."""
    of: Literal["organization", "itself", "member"] = "organization"
    """How a row is of an organization."""
    through: sa.Column[str] | None = None
    """Of a table without a column for the organization: the column that leads to a table with one."""


_KEY = ("digest", "visible_start")
_ACCOUNT: Final = "the account of a member, whom the audit trail refers to; `member.deactivate` ends it"
_SETTING: Final = "a setting of the organization's; change it with the tool that it belongs to"

TREATMENTS: Final = (
    Treatment(
        table=identity_tables.organizations,
        kept={"name": "the organization's own name; `svc org rename` changes it"},
        plain=("id", "country", "currency", "locale", "time_zone", "plan"),
        of="itself",
    ),
    Treatment(
        table=identity_tables.people,
        kept={"email": _ACCOUNT, "name": _ACCOUNT},
        plain=("id", "password_hash", "home_organization_id"),
        of="member",
    ),
    Treatment(table=identity_tables.members, plain=("person_id", "role_id", "status")),
    Treatment(table=identity_tables.roles, texts=("name",), plain=("id", "permissions")),
    Treatment(table=identity_tables.teams, texts=("name",), plain=("id",)),
    Treatment(table=identity_tables.team_members, plain=("team_id", "person_id")),
    Treatment(
        table=identity_tables.invitations,
        own={"email": "emails"},
        plain=("id", "role_id", "team_ids", "digest", "mailed_digest", "invited_by"),
    ),
    Treatment(
        table=identity_tables.api_keys,
        texts=("name",),
        plain=("id", "creator_id", "role_id", "tools", "limited_to", "models", *_KEY),
    ),
    Treatment(table=records_tables.objects, texts=("label", "label_plural"), plain=("id", "slug")),
    Treatment(
        table=records_tables.properties,
        texts=("label", "options"),
        plain=("id", "object_id", "slug", "type", "index_state", "index_cursor"),
    ),
    Treatment(
        table=records_tables.records,
        own={"id": "records"},
        texts=("properties",),
        plain=("object_id", "merged_into"),
    ),
    Treatment(
        table=records_tables.record_changes,
        own={"record_id": "records"},
        texts=("changed", "source"),
        plain=("id", "kind"),
    ),
    Treatment(
        table=records_tables.notes,
        own={"record_id": "records", "submission_id": "submissions"},
        texts=("title", "body"),
        plain=("id",),
    ),
    Treatment(
        table=records_tables.suggestions,
        own={"record_id": "records", "submission_id": "submissions"},
        texts=("value",),
        plain=("id", "property", "state"),
    ),
    Treatment(
        table=sites_tables.sites,
        kept={"domain": "the address of a site of the organization's; `site.remove` removes it"},
        plain=("id",),
    ),
    Treatment(
        table=sites_tables.visits,
        own={"record_id": "records", "visitor": "visitors"},
        texts=("url", "referrer", "title"),
        plain=("id", "site_id"),
    ),
    Treatment(
        table=mail_tables.mails,
        own={"address": "emails"},
        texts=("data", "reason"),
        blanked={"data": BLANK},
        plain=("id", "kind", "cause", "person_id", "state"),
    ),
    Treatment(table=mail_tables.notice_choices, plain=("kind", "person_id")),
    Treatment(table=views_tables.views, texts=("name", "input"), plain=("id", "person_id", "tool")),
    Treatment(
        table=forms_tables.forms,
        texts=("name", "field_map", "deal_title", "honeypot"),
        plain=("id", "site_id", "form_key", "status"),
    ),
    Treatment(
        table=forms_tables.submissions,
        own={"id": "submissions"},
        texts=("name", "fields", "recognised", "mapped", "candidates"),
        plain=(
            *("form_id", "state", "sender", "visitors", "filed_by", "held_reason"),
            *("email", "phone", "contact_id", "deal_id"),
        ),
    ),
    Treatment(table=forms_tables.server_keys, texts=("name",), plain=("id", *_KEY)),
    Treatment(
        table=embeds_tables.embeds,
        texts=("name", "blocks"),
        plain=("id", "site_id", "embed_key", "status"),
    ),
    Treatment(
        table=channels_tables.connections,
        texts=("name", "health_detail"),
        kept={"url": _SETTING},
        plain=(
            *("id", "account_kind", "account_id", "messenger", "delivery", "contract", "status"),
            *("pause_reason", "health_state", "health_reason"),
        ),
    ),
    Treatment(table=channels_tables.channel_keys, plain=("id", "connection_id", *_KEY)),
    Treatment(
        table=channels_tables.conversations,
        own={"id": "conversations"},
        texts=("title", "evidence", "agent_reason", "candidates"),
        kept={"external_id": "the messenger's id of a group, or of a conversation with another"},
        plain=(
            *("connection_id", "kind", "contact_id", "held_reason", "status", "member_id", "team_id"),
            *("agent_silenced_by", "agent_silencer", "agent_reads_from"),
        ),
    ),
    Treatment(
        table=channels_tables.messages,
        own={"conversation_id": "conversations"},
        texts=("text", "attachments", "sender"),
        kept={"author_name": "the name of the member who wrote a reply"},
        plain=("id", "connection_id", "direction", "external_id", "author_kind", "author_id", "reply_to"),
    ),
    Treatment(
        table=channels_tables.replies,
        own={"conversation_id": "conversations"},
        texts=("error",),
        plain=("id", "connection_id", "message_id", "state", "lease_id", "failure"),
    ),
    Treatment(
        table=channels_tables.deliveries,
        own={"reply_id": "replies"},
        texts=("error",),
        plain=("id", "connection_id", "event"),
    ),
    Treatment(
        table=webhooks_tables.webhooks,
        texts=("name", "disabled_reason"),
        kept={"url": _SETTING},
        plain=("id", "events", "object_types", "contract", "ending"),
    ),
    Treatment(
        table=webhooks_tables.webhook_deliveries,
        own={"id": "deliveries"},
        texts=("body",),
        blanked={"body": BLANK},
        plain=("webhook_id", "event_id", "type", "subject", "state", "run_id", "call_key"),
    ),
    Treatment(
        table=webhooks_tables.webhook_attempts,
        own={"delivery_id": "deliveries"},
        texts=("error", "answer"),
        through=webhooks_tables.webhook_attempts.c.delivery_id,
    ),
    Treatment(table=workflows_tables.workflows, texts=("name",), plain=("id", "event_type", "enabler")),
    Treatment(table=workflows_tables.workflow_versions, texts=("document",), plain=("workflow_id",)),
    Treatment(table=workflows_tables.workflow_bursts, texts=("event",), plain=("workflow_id", "key")),
    Treatment(
        table=workflows_tables.workflow_runs,
        own={"id": "workflow_runs"},
        texts=("event", "reason"),
        plain=(
            *("workflow_id", "started_by", "state", "position", "awaits", "awaited", "awaited_record"),
            "enabler",
        ),
    ),
    Treatment(
        table=workflows_tables.workflow_steps,
        own={"run_id": "workflow_runs"},
        texts=("input", "output", "error"),
        plain=("key", "type", "state"),
        through=workflows_tables.workflow_steps.c.run_id,
    ),
    Treatment(
        table=approvals_tables.approvals,
        own={"conversation_id": "conversations"},
        texts=("input", "reason", "answer", "error", "rejection_reason"),
        blanked={"input": "{}", "answer": BLANK, "error": BLANK},
        plain=(
            *("id", "state", "tool", "asker_kind", "connection_id", "workflow_id", "run_id"),
            "decided_by",
        ),
    ),
    Treatment(
        table=agent_tables.agents,
        texts=("instructions",),
        plain=("connection_id", "model", "role_id", "tools", "set_by"),
    ),
    Treatment(
        table=agent_tables.agent_runs,
        own={"conversation_id": "conversations"},
        texts=("reason",),
        plain=("id", "connection_id", "state", "message_id"),
    ),
    Treatment(
        table=agent_tables.agent_steps,
        own={"run_id": "agent_runs"},
        texts=("input", "answer"),
        blanked={"input": BLANK, "answer": BLANK},
        plain=("kind", "state", "tool", "call_id", "read_to"),
    ),
    Treatment(
        table=agent_tables.agent_cards,
        own={"conversation_id": "conversations"},
        plain=("approval_id", "run_id"),
    ),
    Treatment(table=agent_tables.agent_days, plain=("connection_id",)),
    Treatment(
        table=ai_tables.ledger,
        kept={"note": "an entry of the ledger, which is append-only: no program can change it"},
        plain=("id", "kind", "call_id"),
    ),
    Treatment(
        table=ai_tables.calls,
        plain=("id", "key_id", "model", "provider", "payer", "process", "ended"),
    ),
    Treatment(table=ai_tables.key_months, plain=("key_id", "month")),
    Treatment(
        table=ai_tables.providers,
        texts=("name",),
        kept={"base_url": _SETTING},
        plain=("id", "key_visible_end", "models"),
    ),
    Treatment(table=ai_tables.restrictions, plain=("models",)),
    Treatment(
        table=files_tables.files,
        texts=("name",),
        plain=("id", "media_type", "digest", "creator_kind", "creator_id"),
    ),
    Treatment(
        table=imports_tables.imports,
        texts=("name", "layout", "settings", "refusals", "failure"),
        plain=("id", "object_type", "format", "fingerprint", "state", "starter", "source", "counts"),
    ),
    Treatment(
        table=imports_tables.import_outputs,
        texts=("text",),
        plain=("kind",),
        through=imports_tables.import_outputs.c.import_id,
    ),
    Treatment(
        table=tables.events,
        own={"id": "events"},
        texts=("data",),
        plain=("type", "subject", "object_type"),
    ),
    Treatment(
        table=tables.audit,
        texts=("target", "reason", "asked_by"),
        codes=("request_id",),
        plain=("id", "caller_kind", "caller_id", "person_id", "door", "action", "outcome"),
    ),
    Treatment(
        table=tables.idempotency,
        texts=("answer",),
        codes=("key",),
        blanked={"answer": BLANK.encode()},
        plain=("caller_id", "tool"),
    ),
)

_DERIVED: Final = "derived from records, and changed with them"
_SIGN_IN: Final = "of accounts, which are members' and no customers'; it has digests and ends by itself"

EXEMPT: Final[Mapping[str, str]] = {
    records_tables.record_keys.name: _DERIVED,
    records_tables.unique_values.name: _DERIVED,
    records_tables.relations.name: _DERIVED,
    records_tables.search_texts.name: _DERIVED,
    records_tables.identities.name: _DERIVED,
    forms_tables.submission_blocks.name: "derived from submissions, and changed with them",
    sites_tables.visitor_keys.name: "keys of digests, of a few days, for all visitors",
    identity_tables.sessions.name: _SIGN_IN,
    identity_tables.sign_in_links.name: _SIGN_IN,
    identity_tables.sign_in_failures.name: _SIGN_IN,
    mail_tables.mailed_links.name: _SIGN_IN,
    mail_tables.asked_resets.name: "addresses that wait a moment to be looked up",
    files_tables.file_uses.name: "ids, which go with the record or the message that uses a file",
    files_tables.file_totals.name: "numbers alone",
    imports_tables.import_parts.name: "digests of parts of an upload",
    imports_tables.import_chunks.name: "an upload that was not read yet; `import.cancel` ends it",
    imports_tables.import_keys.name: "digests, of a dry run that has not ended",
    tables.event_positions.name: "numbers alone",
    tables.clock_marks.name: "times alone",
}
"""Why an erasure leaves a table alone."""

BY_TABLE: Final[Mapping[str, Treatment]] = {str(one.table.name): one for one in TREATMENTS}

_SOURCES: Final = (
    records_tables.record_changes,
    forms_tables.submissions,
    # A submission that is filed has its note, at any moment.
    records_tables.notes,
    channels_tables.conversations,
    records_tables.records,
)
"""Tables that marks are learned from. They come last, so that an erasure that was broken off can go on."""


def in_order() -> list[Treatment]:
    """All treatments, each table after those whose rows refer to its own, and the sources of marks last."""
    children_first = [table for table in reversed(_sorted()) if table not in _SOURCES]
    return [
        BY_TABLE[str(table.name)] for table in (*children_first, *_SOURCES) if str(table.name) in BY_TABLE
    ]


def _sorted() -> list[sa.Table]:
    # Records refer to records, and suggestions and notes to submissions that are below them.
    return list(records_tables.records.metadata.sorted_tables)
