"""What an export of an organization has: a file for each table, or the reason why a table has none.

Each row is one line of JSON. A member is called as its column, in camelCase; times are RFC 3339, and what is
stored as JSON is JSON. A column that is not exported has its reason in `left_out`.
"""

from collections.abc import Mapping
from typing import Final

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

_KEY: Final = "the digest of a secret: it signs nothing and nobody in, and is of no use elsewhere"
_SEALED: Final = "a secret, encrypted under the key of the installation"
_INTERNAL: Final = "how far the program has come with its own work"
_DIGEST: Final = "a digest, which the program compares"


class ExportedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the export, with the rows of one table."""

    name: str
    """Without its ending."""
    table: sa.Table
    about: str
    """What a line is."""
    left_out: Mapping[str, str] = {}
    """Why a column is not exported, by its name."""
    notes: Mapping[str, str] = {}
    """What a member means that does not say so by itself."""
    through: sa.Column[str] | None = None
    """Of a table without a column for the organization: the column that leads to a table with one."""


FILES: Final = (
    ExportedFile(
        name="organization",
        table=identity_tables.organizations,
        about="The organization itself.",
        notes={"trialEndsAt": "null for one that was never on trial"},
    ),
    ExportedFile(
        name="members",
        table=identity_tables.members,
        about="A member: a person who signs in, with a role. `email` and `name` are the person's.",
        notes={
            "personId": "the id that `member` values of records and authors refer to",
            "roleId": "`owner`, `admin`, `viewer`, or the id of a line of `roles`",
        },
    ),
    ExportedFile(name="roles", table=identity_tables.roles, about="A custom role, with its permissions."),
    ExportedFile(name="teams", table=identity_tables.teams, about="A team."),
    ExportedFile(name="team_members", table=identity_tables.team_members, about="A member of a team."),
    ExportedFile(
        name="invitations",
        table=identity_tables.invitations,
        about="An invitation to become a member.",
        left_out={"digest": _KEY, "mailed_digest": _KEY},
    ),
    ExportedFile(
        name="api_keys",
        table=identity_tables.api_keys,
        about="An API or gateway key, without the key.",
        left_out={"digest": _KEY},
    ),
    ExportedFile(
        name="server_keys",
        table=forms_tables.server_keys,
        about="A server key of the form endpoint, without the key.",
        left_out={"digest": _KEY},
    ),
    ExportedFile(name="objects", table=records_tables.objects, about="A type of record."),
    ExportedFile(
        name="properties",
        table=records_tables.properties,
        about="A property of an object; a deleted one has `deletedAt`.",
        left_out={"index_state": _INTERNAL, "index_cursor": _INTERNAL},
        notes={
            "options": "choices of a select; of a relation the slug of the object that it leads to",
            "uniqueValues": "whether no two records may have the same value",
        },
    ),
    ExportedFile(
        name="records",
        table=records_tables.records,
        about=(
            "A record. Each object has a file of its own, `records/<object>.ndjson`, and deleted and merged "
            "records of all objects are in `deleted_records.ndjson`."
        ),
        notes={
            "properties": "its values by the slugs of the properties",
            "hidden": "values of deleted properties, where it has any",
            "mergedInto": "the record that a deleted one was merged into",
        },
    ),
    ExportedFile(
        name="contact_points",
        table=records_tables.identities,
        about="An e-mail or phone that a contact is found by, those of contacts merged into it among them.",
        notes={"kind": "`email` or `phone`"},
    ),
    ExportedFile(
        name="record_changes",
        table=records_tables.record_changes,
        about="A change of a record, as its timeline shows it.",
        notes={"changed": "by slug, the value before and the value after", "source": "what made the change"},
    ),
    ExportedFile(name="notes", table=records_tables.notes, about="A note on a record."),
    ExportedFile(
        name="suggestions",
        table=records_tables.suggestions,
        about="A value that a form suggested for a record.",
    ),
    ExportedFile(
        name="views",
        table=views_tables.views,
        about="A saved view: a tool that lists, and its input.",
        notes={"personId": "the member that made it"},
    ),
    ExportedFile(
        name="notice_choices",
        table=mail_tables.notice_choices,
        about="A kind of notices that a member is told by mail.",
        notes={"personId": "the member"},
    ),
    ExportedFile(name="sites", table=sites_tables.sites, about="A tracked site."),
    ExportedFile(
        name="visits",
        table=sites_tables.visits,
        about="A page view on a tracked site.",
        notes={"visitor": "a name of the visitor for one day", "recordId": "the contact, where it is known"},
    ),
    ExportedFile(
        name="forms",
        table=forms_tables.forms,
        about="A form.",
        notes={
            "fieldMap": "by the name of a field, the slug of the contact's property that it fills",
            "dealTitle": "the template of the deal that a submission opens",
            "honeypot": "the hidden field that only programs fill in",
        },
    ),
    ExportedFile(
        name="submissions",
        table=forms_tables.submissions,
        about="What was sent with a form.",
        left_out={"queued_at": _INTERNAL, "paced_at": _INTERNAL},
        notes={
            "sender": "a digest of the address that sent it",
            "visitors": "names in `visits` that the sender had, until it was filed",
            "recognised": "fields in which an e-mail, a phone or a name was found",
            "mapped": "by slug, what the form's map took from the fields",
            "dropped": "how many fields were dropped, such as passwords and card numbers",
            "candidates": "contacts that a held one may be from",
        },
    ),
    ExportedFile(
        name="embeds", table=embeds_tables.embeds, about="An embed: blocks that are shown on other sites."
    ),
    ExportedFile(
        name="connections",
        table=channels_tables.connections,
        about="A connection to a messenger, by a bridge.",
        left_out={"secret": _SEALED, "previous_secret": _SEALED, "previous_secret_until": _SEALED},
        notes={"accountId": "the team or member whose account it is, by `accountKind`"},
    ),
    ExportedFile(
        name="channel_keys",
        table=channels_tables.channel_keys,
        about="A key of a bridge, without the key.",
        left_out={"digest": _KEY},
    ),
    ExportedFile(
        name="conversations",
        table=channels_tables.conversations,
        about="A conversation with one person or group at a messenger.",
        notes={
            "externalId": "the messenger's id of it",
            "evidence": "the other side, as the bridge last described it",
            "candidates": "contacts that it may be with, while it is held",
            "agentReadsFrom": "the id of the first message that the agent reads",
        },
    ),
    ExportedFile(
        name="messages",
        table=channels_tables.messages,
        about="A message of a conversation.",
        notes={
            "externalId": "the messenger's id of it",
            "replyTo": "the messenger's id of the message that it answers",
            "direction": "`in` from outside, `out` from the organization",
        },
    ),
    ExportedFile(
        name="replies",
        table=channels_tables.replies,
        about="How far a message of the organization has come on its way out.",
        left_out={"lease_id": _INTERNAL, "lease_expires_at": _INTERNAL},
    ),
    ExportedFile(
        name="pushes",
        table=channels_tables.deliveries,
        about="A push of a reply, or of a test, to a bridge.",
    ),
    ExportedFile(
        name="webhooks",
        table=webhooks_tables.webhooks,
        about="A subscription to events.",
        left_out={
            "secret": _SEALED,
            "previous_secret": _SEALED,
            "previous_secret_until": _SEALED,
            "ending": _INTERNAL,
        },
    ),
    ExportedFile(
        name="webhook_deliveries",
        table=webhooks_tables.webhook_deliveries,
        about="The delivery of an event, or of a workflow's call, to a subscription.",
        left_out={"place": _INTERNAL, "is_first": _INTERNAL},
        notes={"body": "what is sent where there is no event", "replayed": "whether it was asked for again"},
    ),
    ExportedFile(
        name="webhook_attempts",
        table=webhooks_tables.webhook_attempts,
        about="An attempt at a delivery, with what the receiver answered.",
        through=webhooks_tables.webhook_attempts.c.delivery_id,
    ),
    ExportedFile(name="workflows", table=workflows_tables.workflows, about="A workflow."),
    ExportedFile(
        name="workflow_versions",
        table=workflows_tables.workflow_versions,
        about="A version of a workflow: its whole document.",
    ),
    ExportedFile(
        name="workflow_bursts",
        table=workflows_tables.workflow_bursts,
        about="A burst of events that a run will start with once it is over.",
        notes={"key": "a digest of what its events have in common"},
    ),
    ExportedFile(
        name="workflow_runs",
        table=workflows_tables.workflow_runs,
        about="A run of a workflow.",
        notes={
            "event": "what started it",
            "enabler": "in whose name it runs",
            "awaited": "the event, delivery or approval that it waits for",
            "awaitedRecord": "of an event, the key that it has to have",
        },
    ),
    ExportedFile(
        name="workflow_steps",
        table=workflows_tables.workflow_steps,
        about="A step of a run.",
        through=workflows_tables.workflow_steps.c.run_id,
        notes={"n": "its place in the run"},
    ),
    ExportedFile(
        name="approvals",
        table=approvals_tables.approvals,
        about="What an agent or a workflow asked a person for, and what the person decided.",
        left_out={"fingerprint": _DIGEST, "uncollected_since": _INTERNAL},
    ),
    ExportedFile(name="agents", table=agent_tables.agents, about="The agent of a connection, as it was set."),
    ExportedFile(
        name="agent_runs", table=agent_tables.agent_runs, about="A run of an agent, in one conversation."
    ),
    ExportedFile(
        name="agent_steps",
        table=agent_tables.agent_steps,
        about="A step of an agent's run: a call of the model or of a tool.",
        notes={"n": "its place in the run", "readTo": "the last message that it had read"},
    ),
    ExportedFile(
        name="agent_cards",
        table=agent_tables.agent_cards,
        about="A decided approval, which the agent is told of in its conversation.",
    ),
    ExportedFile(
        name="agent_days",
        table=agent_tables.agent_days,
        about="What an agent spent on a day.",
        notes={"day": "days since 1970-01-01, UTC"},
    ),
    ExportedFile(
        name="ai_ledger",
        table=ai_tables.ledger,
        about="An entry of the ledger of credits, in millionths of a credit.",
    ),
    ExportedFile(
        name="ai_calls",
        table=ai_tables.calls,
        about="A call of an AI model, without its content, which is never stored.",
        left_out={"process": _INTERNAL},
    ),
    ExportedFile(
        name="ai_key_months", table=ai_tables.key_months, about="What a gateway key spent in a month."
    ),
    ExportedFile(
        name="ai_providers",
        table=ai_tables.providers,
        about="A provider of AI models of the organization's own, without its key.",
        left_out={"sealed_key": _SEALED},
    ),
    ExportedFile(
        name="ai_restrictions",
        table=ai_tables.restrictions,
        about="The only AI models that may be used, if that was restricted.",
    ),
    ExportedFile(
        name="files",
        table=files_tables.files,
        about="A file that was uploaded, or came with a message.",
        left_out={"unused_at": _INTERNAL},
        notes={
            "digest": (
                "the SHA-256 of its content, which is `contents/<digest>`; null once that is deleted, "
                "and a file that is removed has none here either"
            ),
            "size": "bytes",
        },
    ),
    ExportedFile(
        name="file_uses",
        table=files_tables.file_uses,
        about="The use of a file by a record or a message.",
        notes={
            "subjectId": "the record or the message",
            "place": "of a record the property, of a message the number of the attachment",
        },
    ),
    ExportedFile(
        name="imports",
        table=imports_tables.imports,
        about="An import of records, with what became of it.",
        left_out={
            "fingerprint": _DIGEST,
            **dict.fromkeys(("next_part", "at_byte", "at_line", "in_long_line"), _INTERNAL),
        },
        notes={"layout": "what was found in its first lines", "refusals": "the first refused lines"},
    ),
    ExportedFile(
        name="import_outputs",
        table=imports_tables.import_outputs,
        about="A piece of the file of refused lines, or of the report, that an import left.",
        through=imports_tables.import_outputs.c.import_id,
    ),
    ExportedFile(
        name="events",
        table=tables.events,
        about="What happened, as `event.list` shows it. Events are kept for a while only.",
        notes={
            "subject": "the id of what it is about",
            "depth": "how many runs of workflows led to it, each started by the one before",
            "position": "its place in the order; null for one that is not dispatched yet",
        },
    ),
    ExportedFile(
        name="audit",
        table=tables.audit,
        about="The audit trail: who did what, when, by which door.",
        notes={"target": "the id of what it was done to", "askedBy": "what asked a person for it"},
    ),
)
"""Every file, in the order in which they are written."""

_DERIVED: Final = "derived from the records, which have all of it"

LEFT_OUT: Final[Mapping[str, str]] = {
    identity_tables.people.name: "accounts: their e-mail and name are in `members`, their passwords nowhere",
    identity_tables.sessions.name: "who is signed in at this installation",
    identity_tables.sign_in_links.name: "digests of links that sign in at this installation",
    mail_tables.mails.name: "mails that wait to be sent, and that some were, without their content",
    mail_tables.mailed_links.name: "digests of links that are mailed to people of this installation",
    mail_tables.asked_resets.name: "resets that wait a moment to be looked up, for all organizations",
    identity_tables.sign_in_failures.name: "counted for a while to slow down guessing, for all organizations",
    records_tables.record_keys.name: _DERIVED,
    records_tables.unique_values.name: _DERIVED,
    records_tables.relations.name: _DERIVED,
    records_tables.search_texts.name: _DERIVED,
    forms_tables.submission_blocks.name: "derived from `submissions`, for searches",
    sites_tables.visitor_keys.name: "secrets of the installation, each for one day",
    files_tables.file_totals.name: "sums of `files`",
    imports_tables.import_parts.name: "parts of an upload that is under way",
    imports_tables.import_chunks.name: "an upload that is not read yet, whose records come later",
    imports_tables.import_keys.name: "digests, which a dry run compares",
    tables.idempotency.name: "answers of calls of the last day, for calls that are repeated",
    tables.event_positions.name: "up to where events were dispatched, which `events` has",
    tables.clock_marks.name: "marks of the clock of the installation",
}
"""Why the rows of a table are not exported."""
