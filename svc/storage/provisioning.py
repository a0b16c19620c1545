"""Creating and closing an organization, over all nouns that belong to it."""

from typing import Final

from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.storage.agent import runs as agent_runs
from svc.storage.ai import ledger
from svc.storage.channels import connections
from svc.storage.identity import organizations
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import objects
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks
from svc.storage.workflows import workflows

STARTING_CREDITS: Final = "Starting credits"
"""The note of the credits that a new organization is given."""


def create(tx: Tx, new: NewOrganization, *, starting_micro_credits: int = 0) -> Organization:
    """Create an organization with the built-in objects, and credits if it is given some.

    Raises `InvalidInput`.
    """
    made = organizations.create(tx, new)
    objects.create_builtin(tx, made.id)
    if starting_micro_credits:
        ledger.grant(tx, made.id, starting_micro_credits, STARTING_CREDITS)
    return made


def close(tx: Tx, organization_id: str, *, source: Source) -> None:
    """Close the organization for good: its keys stop at once, nothing of it goes out, its data stays.

    Raises `NotFound`, and `Conflict` where it is closed already.
    """
    organizations.close(tx, organization_id)
    connections.stop_all(tx, organization_id, source=source)
    webhooks.stop_all(tx, organization_id)
    workflows.stop_all(tx, organization_id)
    agent_runs.stop_all(tx, organization_id)
