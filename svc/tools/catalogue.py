"""The registry of all tools: those at the top level of the modules listed here, and their old names."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from svc.tools.agent import agents as agent_agents
from svc.tools.agent import runs as agent_runs
from svc.tools.ai import models as ai_models
from svc.tools.ai import providers as ai_providers
from svc.tools.ai import usage as ai_usage
from svc.tools.approvals import approvals
from svc.tools.channels import connections, conversations, credentials, messages
from svc.tools.embeds import blocks as embed_blocks
from svc.tools.embeds import embeds
from svc.tools.files import files
from svc.tools.finding import finder
from svc.tools.forms import forms, server_keys, submission_counts, submissions
from svc.tools.identity import api_keys, audit, members, organizations, roles, teams
from svc.tools.imports import imports
from svc.tools.mail import notices
from svc.tools.old_names import old_names
from svc.tools.records import aggregates as record_aggregates
from svc.tools.records import history as record_history
from svc.tools.records import lists as record_lists
from svc.tools.records import many as record_many
from svc.tools.records import notes, objects, properties, records, suggestions
from svc.tools.registry import Registry
from svc.tools.sites import sites
from svc.tools.tool import Tool
from svc.tools.views import views
from svc.tools.webhooks import deliveries as webhook_deliveries
from svc.tools.webhooks import events, webhooks
from svc.tools.workflows import runs as workflow_runs
from svc.tools.workflows import starts as workflow_starts
from svc.tools.workflows import triggers as workflow_triggers
from svc.tools.workflows import workflows

_MODULES: Final = (
    agent_agents,
    agent_runs,
    ai_models,
    ai_providers,
    ai_usage,
    api_keys,
    approvals,
    audit,
    connections,
    conversations,
    credentials,
    embed_blocks,
    embeds,
    events,
    files,
    finder,
    forms,
    imports,
    members,
    messages,
    notes,
    notices,
    objects,
    organizations,
    properties,
    record_aggregates,
    record_history,
    record_lists,
    record_many,
    records,
    roles,
    server_keys,
    sites,
    submission_counts,
    submissions,
    suggestions,
    teams,
    views,
    webhook_deliveries,
    webhooks,
    workflow_runs,
    workflow_starts,
    workflow_triggers,
    workflows,
)


def _tools_of(module: ModuleType) -> Iterator[Tool[Any, Any]]:
    yield from (member for member in vars(module).values() if isinstance(member, Tool))


_TOOLS: Final = [tool for module in _MODULES for tool in _tools_of(module)]

REGISTRY: Final = Registry([*_TOOLS, *old_names(_TOOLS)])
