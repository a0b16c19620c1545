"""`apikey.*`: keys with which programs call tools, or the AI gateway, as the person who made them."""

from operator import attrgetter
from typing import Annotated, Final

from svc.domain.ai.limits import AI_BALANCE_CREDITS_MAX, AI_MODEL_ID_CHARS_MAX, AI_MODELS_NAMED_MAX
from svc.domain.ai.money import MICRO
from svc.domain.errors import ConfirmationRequired, Fault, InvalidInput, KeyLimit, NotFound
from svc.domain.identity.access import KeyStop
from svc.domain.identity.callers import Call
from svc.domain.identity.callers import Limit as KeyLimitation
from svc.domain.identity.limits import KEY_TOOLS_MAX, LIVE_KEYS_MAX, NAME_CHARS_MAX, ExpiresIn
from svc.domain.input.near_names import shown
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import ListedKey, MintedKey, NewKey
from svc.storage.identity.key_states import KeyState, Standings
from svc.storage.store import Tx, View
from svc.tools.identity.members import PersonId
from svc.tools.identity.roles import RoleId
from svc.tools.projections import Projection
from svc.tools.registry import Registry, registry_of
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes

ApiKeyId = Annotated[str, about(description="The key's id.", examples=["key_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
KeyName = Annotated[
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
ModelIds = Annotated[
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
    name: KeyName
    visible_start: _VisibleStart
    role: RoleId
    limited_to: _LimitedTo
    tools: _Tools
    monthly_budget_micro_credits: Budget | None
    models: ModelIds | None
    created_by: Annotated[PersonId, about(description="The person as whom it acts.")]
    created_at: Timestamp
    last_used_at: Annotated[
        Timestamp | None, about(description="When it was last used, to the minute; null for never.")
    ]
    expires_at: Timestamp
    state: Annotated[
        KeyState,
        about(
            description="A `stopped` key opens nothing and does not count, while its creator may have none."
        ),
    ]
    stopped_because: Annotated[
        KeyStop | None,
        about(
            description="Of a stopped one: its creator is frozen, deactivated, or no member any more; or has"
            " a home organization that does not allow its people keys elsewhere."
        ),
    ]


class MintedApiKey(ToolOutput, frozen=True, kw_only=True):
    """A new key."""

    id: ApiKeyId
    name: KeyName
    key: Annotated[str, about(description="The key. It is shown this once.")]
    visible_start: _VisibleStart
    role: RoleId
    limited_to: _LimitedTo
    tools: _Tools
    monthly_budget_micro_credits: Budget | None
    models: ModelIds | None
    expires_at: Timestamp


_answer_of: Final = Projection(
    ListedKey,
    ApiKeyAnswer,
    given=("state", "stopped_because"),
    role=attrgetter("role_id"),
    created_by=attrgetter("creator_id"),
)
_minted_of: Final = Projection(MintedKey, MintedApiKey, role=attrgetter("role_id"))

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
    state="live",
    stopped_because=None,
)


def answer_of(key: ListedKey, standings: Standings) -> ApiKeyAnswer:
    """A key that is not revoked, as it stands."""
    standing = standings.of(key)
    return _answer_of(key, state=standing.state, stopped_because=standing.stopped_because)


class ListApiKeys(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: all are listed."""


class ApiKeyList(ToolOutput, frozen=True, kw_only=True):
    """API and gateway keys, the oldest first."""

    api_keys: tuple[ApiKeyAnswer, ...]
    live: Annotated[
        int, about(description="How many of them are live: neither expired nor stopped.", ge=0, examples=[18])
    ]
    live_max: Annotated[int, about(description="How many may be live at a time.", examples=[LIVE_KEYS_MAX])]


_LISTED: Final = ApiKeyList(api_keys=(EXAMPLE,), live=1, live_max=LIVE_KEYS_MAX)


@reads("apikey.list", needs="security", example=ListApiKeys(), answer=_LISTED)
def list_all(view: View, call: Call, request: ListApiKeys) -> ApiKeyList:  # noqa: ARG001  # every tool's
    """List the API and gateway keys that are not revoked; expired ones for another 90 days.

    A key whose creator may not have keys now is listed as stopped. The keys themselves are never shown again.
    """
    keys = api_keys.list_all(view.conn, call.caller.organization_id, view.now)
    standings = Standings(view.conn, call.caller.organization_id, view.now)
    answers = tuple(answer_of(key, standings) for key in keys)
    live = sum(key.state == "live" for key in answers)
    return ApiKeyList(api_keys=answers, live=live, live_max=LIVE_KEYS_MAX)


class MintApiKey(ToolInput, frozen=True, kw_only=True):
    """A key to be made."""

    name: KeyName
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
    models: ModelIds | None = None


_new_of: Final = Projection(MintApiKey, NewKey, given=("tools",), role_id=attrgetter("role"))


@writes(
    "apikey.mint",
    needs="security",
    runs="person",
    raises=(NotFound, ConfirmationRequired, KeyLimit),
    shows_secret=True,
    example=MintApiKey(name=EXAMPLE.name, role=EXAMPLE.role, tools=EXAMPLE.tools),
    answer=Projection(ApiKeyAnswer, MintedApiKey, given=("key",))(
        EXAMPLE, key="svck_0f4Kq8Zt2LmN6bWc3XrV9sYdGhJ1pQeA4u7kTz"
    ),
)
def mint(tx: Tx, call: Call, request: MintApiKey) -> MintedApiKey:
    """Make an API key, or with `limitedTo` a gateway key; the answer shows it, this once.

    Only a person makes one, within two hours of having shown who they are. A key acts as its maker and
    never above: at every call it may do what its role and the maker's current role both permit. Gateway
    keys are made by Owners and Admins for a role with the permission `ai`, and they alone may have a
    monthly budget, or be for some models only. An organization has 20 live keys at most, of both kinds
    together.
    """
    tools = None if request.tools is None else known_tools(request.tools, registry_of(call))
    key = api_keys.mint(tx, call, _new_of(request, tools=tools))
    return _minted_of(key)


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
