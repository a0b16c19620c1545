"""The type of each JSON column, and the check that every row decodes as it: for `svc check`."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.ai.models import OwnModel
from svc.domain.channels.attachments import StoredAttachment
from svc.domain.channels.messages import ReportedError, Sender
from svc.domain.embeds.blocks import AnyBlock
from svc.domain.identity.access import Enabler
from svc.domain.identity.roles import Permission
from svc.domain.imports.imports import Counts, Layout, ReadingSettings, Refusal
from svc.domain.mail.letters import MailData
from svc.domain.scalars import Scalar
from svc.domain.workflows.contexts import Event
from svc.storage import tables
from svc.storage.agent import tables as agent_tables
from svc.storage.ai import tables as ai_tables
from svc.storage.approvals import tables as approvals_tables
from svc.storage.channels import tables as channels_tables
from svc.storage.channels.conversation_matching import Participant
from svc.storage.embeds import tables as embeds_tables
from svc.storage.forms import tables as forms_tables
from svc.storage.identity import tables as identity_tables
from svc.storage.imports import tables as imports_tables
from svc.storage.imports.rows import Starter
from svc.storage.mail import tables as mail_tables
from svc.storage.records import tables as records_tables
from svc.storage.views import tables as views_tables
from svc.storage.webhooks import tables as webhooks_tables
from svc.storage.workflows import tables as workflows_tables

TYPES: Final[tuple[tuple[sa.Column[str], Any], ...]] = (
    (forms_tables.submissions.c.fields, dict[str, Scalar]),
    (forms_tables.submissions.c.recognised, tuple[str, ...]),
    (forms_tables.submissions.c.mapped, dict[str, str]),
    (forms_tables.submissions.c.visitors, tuple[str, ...]),
    (forms_tables.submissions.c.candidates, tuple[str, ...]),
    (forms_tables.forms.c.field_map, dict[str, str]),
    (embeds_tables.embeds.c.blocks, tuple[AnyBlock, ...]),
    (records_tables.properties.c.options, tuple[str, ...]),
    (records_tables.records.c.properties, dict[str, Any]),
    (records_tables.record_changes.c.changed, dict[str, Any]),
    (records_tables.record_changes.c.source, dict[str, Any]),
    (records_tables.suggestions.c.value, Any),
    (imports_tables.imports.c.layout, Layout),
    (imports_tables.imports.c.settings, ReadingSettings),
    (imports_tables.imports.c.starter, Starter),
    (imports_tables.imports.c.source, dict[str, Any]),
    (imports_tables.imports.c.counts, Counts),
    (imports_tables.imports.c.refusals, list[Refusal]),
    *(
        (imports_tables.imports.c[name], Any)
        for name in ("layout", "settings", "starter", "source", "counts", "refusals")
    ),
    (tables.events.c.data, dict[str, Any]),
    (tables.audit.c.asked_by, dict[str, str]),
    (approvals_tables.approvals.c.input, dict[str, Any]),
    (approvals_tables.approvals.c.answer, dict[str, Any]),
    (approvals_tables.approvals.c.error, dict[str, Any]),
    (identity_tables.roles.c.permissions, frozenset[Permission]),
    (identity_tables.invitations.c.team_ids, tuple[str, ...]),
    (identity_tables.api_keys.c.tools, tuple[str, ...]),
    (identity_tables.api_keys.c.models, tuple[str, ...]),
    (ai_tables.providers.c.models, tuple[OwnModel, ...]),
    (ai_tables.restrictions.c.models, frozenset[str]),
    (channels_tables.conversations.c.evidence, Participant),
    (channels_tables.conversations.c.candidates, tuple[str, ...]),
    (channels_tables.messages.c.sender, Sender),
    (channels_tables.messages.c.attachments, tuple[StoredAttachment, ...]),
    (channels_tables.replies.c.error, ReportedError),
    (mail_tables.mails.c.data, MailData),
    (views_tables.views.c.input, dict[str, Any]),
    (webhooks_tables.webhooks.c.events, tuple[str, ...]),
    (webhooks_tables.webhooks.c.object_types, tuple[str, ...]),
    (webhooks_tables.webhook_deliveries.c.body, dict[str, Any]),
    (workflows_tables.workflows.c.enabler, Enabler),
    (workflows_tables.workflow_versions.c.document, dict[str, Any]),
    (workflows_tables.workflow_bursts.c.event, Event),
    (workflows_tables.workflow_runs.c.event, Event),
    (workflows_tables.workflow_runs.c.enabler, Enabler),
    (workflows_tables.workflow_steps.c.input, dict[str, Any]),
    (workflows_tables.workflow_steps.c.output, dict[str, Any]),
    (workflows_tables.workflow_steps.c.error, dict[str, Any]),
    (agent_tables.agents.c.tools, tuple[str, ...]),
    (agent_tables.agent_steps.c.input, Any),
    (agent_tables.agent_steps.c.answer, Any),
)


def unreadable(conn: sa.Connection) -> Iterator[str]:
    """Name each value that does not decode: its table, row and column."""
    for (column, _), (rows, decode) in zip(TYPES, _readings(), strict=True):
        for *key, stored in conn.execute(rows):
            try:
                decode(stored)
            except msgspec.DecodeError:
                yield f"{column.table.name} {' '.join(map(str, key))}, its {column.name}"


@cache
def _readings() -> tuple[tuple[sa.Select[Any], Callable[[bytes], Any]], ...]:
    """The query and the decoder for each of `TYPES`, cached: to make them costs more than to run them."""
    return tuple(
        (
            # As bytes, since text that is no UTF-8 could not even be fetched.
            sa.select(*column.table.primary_key, sa.cast(column, sa.LargeBinary))
            .where(column.is_not(None))
            .execution_options(yield_per=1_000),
            msgspec.json.Decoder(kind).decode,
        )
        for column, kind in TYPES
    )
