"""Rights: which permissions a document takes, of the person who enables it and at each step."""

from svc.domain.identity.roles import Permission
from svc.domain.workflows.documents import AnyStep, AnyTrigger


def trigger_needs(trigger: AnyTrigger) -> Permission | None:
    """The permission to see what starts a run; None if it is nothing of the organization's."""
    raise NotImplementedError


def step_needs(step: AnyStep) -> frozenset[Permission]:
    """The permissions that *step* takes; those within a branch are not counted for the branch."""
    raise NotImplementedError
