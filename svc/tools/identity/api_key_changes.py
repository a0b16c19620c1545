"""`apikey.update`: another name for a key, fewer tools, or other limits of a gateway key."""

from typing import Annotated, Final

from msgspec import UNSET, UnsetType

from svc.domain.errors import Fault, Forbidden, InvalidInput, NotFound
from svc.domain.identity.callers import Call, Caller
from svc.domain.identity.limits import KEY_TOOLS_MAX
from svc.storage.identity import key_changes
from svc.storage.identity.key_changes import KeyChanges
from svc.storage.identity.key_states import Standings
from svc.storage.store import Tx
from svc.tools.identity.api_keys import (
    EXAMPLE,
    ApiKeyAnswer,
    ApiKeyId,
    Budget,
    KeyName,
    ModelIds,
    answer_of,
    known_tools,
)
from svc.tools.projections import Projection
from svc.tools.registry import Registry, registry_of
from svc.tools.tool import ToolInput, about, writes

_Narrower = Annotated[
    tuple[str, ...],
    about(
        description="Of a key that calls tools: the only ones that it may call from now on, each of which it"
        " may call now. A key is never widened: mint another.",
        min_length=1,
        max_length=KEY_TOOLS_MAX,
        examples=[["record.get"]],
    ),
]


class UpdateApiKey(ToolInput, frozen=True, kw_only=True):
    """What to change of a key; what is left out stays, and null takes a limit away."""

    id: ApiKeyId
    name: KeyName | UnsetType = UNSET
    tools: _Narrower | UnsetType = UNSET
    monthly_budget_micro_credits: Budget | UnsetType | None = UNSET
    models: ModelIds | UnsetType | None = UNSET


_changes_of: Final = Projection(UpdateApiKey, KeyChanges, given=("tools",))


@writes(
    "apikey.update",
    needs="security",
    runs="person",
    raises=(NotFound,),
    example=UpdateApiKey(id=EXAMPLE.id, name="Warehouse scanner"),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateApiKey) -> ApiKeyAnswer:
    """Change the name of a key, or narrow it to fewer tools, from the next call on.

    Of a gateway key, its monthly budget and its models.
    """
    organization_id, tools = call.caller.organization_id, request.tools
    before = key_changes.caller_with(tx, organization_id, request.id)
    if not isinstance(tools, UnsetType):
        tools = known_tools(tools, registry_of(call))
    key = key_changes.update(tx, call, request.id, _changes_of(request, tools=tools))
    if not isinstance(tools, UnsetType):
        _check_narrower(before, tools, registry_of(call))
    return answer_of(key, Standings(tx.conn, organization_id, tx.now))


def _check_narrower(before: Caller | None, tools: tuple[str, ...], registry: Registry) -> None:
    """Raises `InvalidInput` for each of *tools* that the key, the caller *before*, could not call."""
    if before is None:
        raise InvalidInput([Fault("/tools", "invalid_value", "the key opens nothing now")])
    faults = []
    for place, tool in enumerate(registry[name] for name in tools):
        try:
            tool.permit(before)
        except Forbidden as error:
            detail = f"a key can only be narrowed to what it may call now: {error}"
            faults.append(Fault(f"/tools/{place}", "invalid_value", detail))
    if faults:
        raise InvalidInput(faults)
