"""`apikey.*`: keys with which programs call tools, or the AI gateway, as the person who made them."""

from operator import attrgetter
from typing import Annotated, Final

from msgspec import UNSET, UnsetType

from svc.domain.ai.money import MICRO
from svc.domain.errors import ConfirmationRequired, Fault, InvalidInput, KeyLimit, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.callers import Limit as KeyLimitation
from svc.domain.limits import (
    AI_BALANCE_CREDITS_MAX,
    AI_MODEL_ID_CHARS_MAX,
    AI_MODELS_NAMED_MAX,
    KEY_TOOLS_MAX,
    LIVE_KEYS_MAX,
    NAME_CHARS_MAX,
)
from svc.domain.near_names import shown
from svc.domain.times import rfc3339
from svc.storage.identity import api_keys, key_changes
from svc.storage.identity.api_keys import ExpiresIn, ListedKey, NewKey
from svc.storage.identity.key_changes import KeyChanges
from svc.storage.store import Tx, View
from svc.tools.identity.members import PersonId
from svc.tools.identity.roles import RoleId
from svc.tools.projections import Projection
from svc.tools.registry import Registry, registry_of
from svc.tools.tool import Timestamp, ToolInput, ToolOutput, about, reads, writes

ApiKeyId = Annotated[str, about(description="The key's id.", examples=["key_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
_Name = Annotated[
    str,
    about(
        description="What the key is called, after what uses it: one line.",
        min_length=1,
        max_length=NAME_CHARS_MAX,
        examples=["Warehouse"],
    ),
]
_ModelId = Annotated[str, about(min_length=1, max_length=AI_MODEL_ID_CHARS_MAX)]
_VisibleStart = Annotated[str, about(description="How the key begins.", examples=["svck_0f4Kq8"])]
_Tools = Annotated[
    tuple[str, ...] | None,
    about(
        description="The only tools that it may call; null for all that its role allows.",
        examples=[["record.list", "record.get"]],
    ),
]
_LimitedTo = Annotated[
    KeyLimitation | None, about(description="`ai.gateway` for a gateway key, which calls no tool.")
]
Budget = Annotated[
    int,
    about(
        description="Micro-credits that a gateway key may use in a calendar month of UTC, at list price and"
        " whoever pays; a million are a credit. Null for no budget.",
        ge=0,
        le=AI_BALANCE_CREDITS_MAX * MICRO,
        examples=[5_000_000],
    ),
]
_ModelIds = Annotated[
    tuple[_ModelId, ...],
    about(
        description="The only models that a gateway key may name; null for all that there are.",
        max_length=AI_MODELS_NAMED_MAX,
        examples=[["small"]],
    ),
]


class ApiKeyAnswer(ToolOutput, frozen=True, kw_only=True):
    """A key, without the key itself."""

    id: ApiKeyId
    name: _Name
    visible_start: _VisibleStart
    role: RoleId
    limited_to: _LimitedTo
    tools: _Tools
    monthly_budget_micro_credits: Budget | None
    models: _ModelIds | None
    created_by: Annotated[PersonId, about(description="The person as whom it acts.")]
    created_at: Timestamp
    last_used_at: Annotated[
        Timestamp | None, about(description="When it was last used, to the minute; null for never.")
    ]
    expires_at: Timestamp


class MintedApiKey(ToolOutput, frozen=True, kw_only=True):
    """A new key."""

    id: ApiKeyId
    name: _Name
    key: Annotated[str, about(description="The key. It is shown this once.")]
    visible_start: _VisibleStart
    role: RoleId
    limited_to: _LimitedTo
    tools: _Tools
    monthly_budget_micro_credits: Budget | None
    models: _ModelIds | None
    expires_at: Timestamp


answer_of: Final = Projection(
    ListedKey, ApiKeyAnswer, role=attrgetter("role_id"), created_by=attrgetter("creator_id")
)

EXAMPLE: Final = ApiKeyAnswer(
    id="key_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Warehouse",
    visible_start="svck_0f4Kq8",
    role="viewer",
    limited_to=None,
    tools=("record.list", "record.get"),
    monthly_budget_micro_credits=None,
    models=None,
    created_by="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    created_at="2026-09-18T09:30:00.000Z",
    last_used_at="2026-09-21T16:05:00.000Z",
    expires_at="2026-12-17T09:30:00.000Z",
)


class ListApiKeys(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: all are listed."""


class ApiKeyList(ToolOutput, frozen=True, kw_only=True):
    """API and gateway keys, the oldest first."""

    api_keys: tuple[ApiKeyAnswer, ...]
    live: Annotated[int, about(description="How many of them are live: not expired.", ge=0, examples=[18])]
    live_max: Annotated[int, about(description="How many may be live at a time.", examples=[LIVE_KEYS_MAX])]


_LISTED: Final = ApiKeyList(api_keys=(EXAMPLE,), live=1, live_max=LIVE_KEYS_MAX)


@reads("apikey.list", needs="security", example=ListApiKeys(), answer=_LISTED)
def list_all(view: View, call: Call, request: ListApiKeys) -> ApiKeyList:  # noqa: ARG001  # every tool's
    """List the API and gateway keys that are not revoked; expired ones for another 90 days.

    The keys themselves are never shown again, only how they begin.
    """
    keys = api_keys.list_all(view.conn, call.caller.organization_id, view.now)
    live = api_keys.count_live(view.conn, call.caller.organization_id, view.now)
    return ApiKeyList(api_keys=tuple(map(answer_of, keys)), live=live, live_max=LIVE_KEYS_MAX)


class MintApiKey(ToolInput, frozen=True, kw_only=True):
    """A key to be made."""

    name: _Name
    expires_in: Annotated[
        ExpiresIn | None,
        about(description="When it ends: after 90 days unless said otherwise; a gateway key after 1 year."),
    ] = None
    role: Annotated[
        RoleId | None, about(description="The role that it has; the maker's own unless said otherwise.")
    ] = None
    tools: (
        Annotated[
            tuple[str, ...],
            about(
                description="The only tools that it may call; without it, all that its role allows.",
                min_length=1,
                max_length=KEY_TOOLS_MAX,
                examples=[["record.list", "record.get"]],
            ),
        ]
        | None
    ) = None
    limited_to: _LimitedTo = None
    monthly_budget_micro_credits: Budget | None = None
    models: _ModelIds | None = None


@writes(
    "apikey.mint",
    needs="security",
    runs="person",
    raises=(NotFound, ConfirmationRequired, KeyLimit),
    shows_secret=True,
    example=MintApiKey(name=EXAMPLE.name, role=EXAMPLE.role, tools=EXAMPLE.tools),
    answer=MintedApiKey(
        id=EXAMPLE.id,
        name=EXAMPLE.name,
        key="svck_0f4Kq8Zt2LmN6bWc3XrV9sYdGhJ1pQeA4u7kTz",
        visible_start=EXAMPLE.visible_start,
        role=EXAMPLE.role,
        limited_to=None,
        tools=EXAMPLE.tools,
        monthly_budget_micro_credits=None,
        models=None,
        expires_at=EXAMPLE.expires_at,
    ),
)
def mint(tx: Tx, call: Call, request: MintApiKey) -> MintedApiKey:
    """Make an API key, or with `limitedTo` a gateway key; the answer shows it, this once.

    Only a person makes one, within two hours of having shown who they are. A key acts as its maker and
    never above: at every call it may do what its role and the maker's current role both permit. Gateway
    keys are made by Owners and Admins, and they alone may have a monthly budget, or be for some models
    only. An organization has 20 live keys at most, of both kinds together.
    """
    key = api_keys.mint(
        tx,
        call,
        NewKey(
            name=request.name,
            expires_in=request.expires_in,
            role_id=request.role,
            tools=None if request.tools is None else known_tools(request.tools, registry_of(call)),
            limited_to=request.limited_to,
            monthly_budget_micro_credits=request.monthly_budget_micro_credits,
            models=request.models,
        ),
    )
    return MintedApiKey(
        id=key.id,
        name=key.name,
        key=key.key,
        visible_start=key.visible_start,
        role=key.role_id,
        limited_to=key.limited_to,
        tools=key.tools,
        monthly_budget_micro_credits=key.monthly_budget_micro_credits,
        models=key.models,
        expires_at=rfc3339(key.expires_at),
    )


def known_tools(names: tuple[str, ...], registry: Registry) -> tuple[str, ...]:
    """Normalize names of tools, with dots or underscores, to dotted ones of today. Raises `InvalidInput`."""
    tools = [registry.named(name) for name in names]
    faults = [
        Fault(f"/tools/{place}", "unknown_tool", f"there is no tool {shown(name)}{registry.hint(name)}")
        for place, (name, tool) in enumerate(zip(names, tools, strict=True))
        if tool is None
    ]
    if faults:
        raise InvalidInput(faults)
    return tuple(tool.lasting_name for tool in tools if tool is not None)


class UpdateApiKey(ToolInput, frozen=True, kw_only=True):
    """What to change of a key; what is left out stays, and null takes a limit away."""

    id: ApiKeyId
    name: _Name | UnsetType = UNSET
    monthly_budget_micro_credits: Budget | UnsetType | None = UNSET
    models: _ModelIds | UnsetType | None = UNSET


@writes(
    "apikey.update",
    needs="security",
    runs="person",
    raises=(NotFound,),
    example=UpdateApiKey(id=EXAMPLE.id, name="Warehouse scanner"),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateApiKey) -> ApiKeyAnswer:
    """Change the name of a key; of a gateway key its monthly budget and its models, from the next call on."""
    changes = KeyChanges(
        name=request.name,
        monthly_budget_micro_credits=request.monthly_budget_micro_credits,
        models=request.models,
    )
    return answer_of(key_changes.update(tx, call, request.id, changes))


class RevokeApiKey(ToolInput, frozen=True, kw_only=True):
    """Which key to revoke."""

    id: ApiKeyId


class RevokedApiKey(ToolOutput, frozen=True, kw_only=True):
    """A key that opens nothing any more."""

    id: ApiKeyId
    revoked_at: Timestamp


@writes(
    "apikey.revoke",
    needs="security",
    runs="person",
    raises=(NotFound,),
    example=RevokeApiKey(id=EXAMPLE.id),
    answer=RevokedApiKey(id=EXAMPLE.id, revoked_at="2026-10-01T12:00:00.000Z"),
)
def revoke(tx: Tx, call: Call, request: RevokeApiKey) -> RevokedApiKey:
    """Revoke an API or gateway key for good, from the next call on, those that wait already included."""
    return RevokedApiKey(id=request.id, revoked_at=rfc3339(api_keys.revoke(tx, call, request.id)))
