"""What a caller is shown of Home: what the tools that list it would show as well."""

from svc.domain.identity.callers import Call
from svc.tools.finding.finder import refusal_of
from svc.tools.registry import registry_of


def may_read(call: Call, tool: str) -> bool:
    """Whether *call*'s caller may call *tool* now; False for a tool that there is not."""
    named = registry_of(call).named(tool)
    return named is not None and refusal_of(call.caller, named) is None


def has_permission(call: Call, tool: str) -> bool:
    """Whether *call*'s caller has the permission that *tool* needs, whoever else may run it alone."""
    named = registry_of(call).named(tool)
    return named is not None and (named.needs is None or named.needs in call.caller.permissions)
