"""`ai.provider_*`: an organization's own providers of chat completions."""

from collections.abc import Callable
from typing import Annotated, Final

from svc.domain.ai.limits import AI_PROVIDER_MODELS_MAX
from svc.domain.ai.models import OwnModel, OwnProvider
from svc.domain.ai.money import Prices
from svc.domain.channels.connections import check_url
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, at
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.net.egress import check_host
from svc.domain.records.limits import URL_CHARS_MAX
from svc.storage.ai import providers
from svc.storage.ai.providers import NewProvider
from svc.storage.store import Tx, View
from svc.tools.ai.answers import ModelId, PriceText, price_text, read_price
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes

ProviderId = Annotated[
    str, about(description="The provider's id.", examples=["prv_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
_Name = Annotated[
    str,
    about(
        description="What people call it: one line. It says which provider is meant.",
        min_length=1,
        max_length=NAME_CHARS_MAX,
        examples=["Our own"],
    ),
]
_BaseUrl = Annotated[
    str,
    about(
        description="The address to which `/chat/completions` is added: absolute, `http` or `https`. A"
        " private address is refused unless the configuration allows it; where a name leads is looked at"
        " at each call.",
        max_length=URL_CHARS_MAX,
        examples=["https://llm.example.com/v1"],
    ),
]
_Upstream = Annotated[
    str,
    about(
        description="What the provider calls the model; the id unless said otherwise.",
        min_length=1,
        max_length=NAME_CHARS_MAX,
        examples=["small-2026-09"],
    ),
]


class OwnModelInput(ToolInput, frozen=True, kw_only=True):
    """A model that the provider serves. Prices are for budgets and reports: no credits are taken."""

    id: ModelId
    upstream: _Upstream | None = None
    input: PriceText | None = None
    cached_input: PriceText | None = None
    output: PriceText | None = None


class OwnModelAnswer(ToolOutput, frozen=True, kw_only=True):
    """A model of a provider; prices that are null are the service's, if it has the model."""

    id: ModelId
    upstream: _Upstream
    input: PriceText | None
    cached_input: PriceText | None
    output: PriceText | None


class ProviderAnswer(ToolOutput, frozen=True, kw_only=True):
    """A provider, without its key."""

    id: ProviderId
    name: _Name
    base_url: _BaseUrl
    key_visible_end: Annotated[
        str, about(description="How the key ends; empty for a short one.", examples=["x7Qa"])
    ]
    models: Annotated[tuple[OwnModelAnswer, ...], about(max_length=AI_PROVIDER_MODELS_MAX)]


EXAMPLE: Final = ProviderAnswer(
    id="prv_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Our own",
    base_url="https://llm.example.com/v1",
    key_visible_end="x7Qa",
    models=(
        OwnModelAnswer(
            id="small", upstream="small-2026-09", input="0.15", cached_input="0.075", output="0.6"
        ),
    ),
)


class ListProviders(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: all are listed."""


class ProviderList(ToolOutput, frozen=True, kw_only=True):
    """Own providers, in the order in which they are asked: the last set first."""

    providers: tuple[ProviderAnswer, ...]


@reads("ai.provider_list", needs="ai", example=ListProviders(), answer=ProviderList(providers=(EXAMPLE,)))
def list_all(view: View, call: Call, request: ListProviders) -> ProviderList:  # noqa: ARG001  # every tool's
    """List the organization's own AI providers, without their keys."""
    own = providers.list_all(view.conn, call.caller.organization_id)
    return ProviderList(providers=tuple(map(_answer, own)))


class SetProvider(ToolInput, frozen=True, kw_only=True):
    """A provider to be made, or to be replaced: the one of the same name."""

    name: _Name
    base_url: _BaseUrl
    key: Annotated[
        str | None,
        about(
            description="The key that is sent to it. Left out, the stored one stays, unless scheme, host or"
            " port of the address change.",
            examples=["sk-example-5Yt2x7Qa"],
        ),
    ] = None
    models: Annotated[
        tuple[OwnModelInput, ...],
        about(
            description="The models that it serves, each once.",
            min_length=1,
            max_length=AI_PROVIDER_MODELS_MAX,
        ),
    ]


@writes(
    "ai.provider_set",
    needs="ai",
    runs="person",
    raises=(Conflict,),
    example=SetProvider(
        name=EXAMPLE.name,
        base_url=EXAMPLE.base_url,
        key="sk-example-5Yt2x7Qa",
        models=(
            OwnModelInput(
                id="small", upstream="small-2026-09", input="0.15", cached_input="0.075", output="0.6"
            ),
        ),
    ),
    answer=EXAMPLE,
)
def set_one(tx: Tx, call: Call, request: SetProvider) -> ProviderAnswer:
    """Add an AI provider of the organization's own, or change the one of that name.

    Calls of its models go to it first, with its key, and take no credits. The key is stored encrypted, and
    shown nowhere but for its end. Prices are what budgets and reports count; without them, they are the
    service's, if it has the model.
    """
    with at("/baseUrl"):
        check_host(check_url(request.base_url), call.installation.allowed_networks)
        if "?" in request.base_url:
            raise InvalidInput([Fault("/baseUrl", "invalid_value", "an address with a query is not called")])
    new = NewProvider(
        name=request.name,
        base_url=request.base_url.rstrip("/"),
        key=request.key,
        models=_models(request.models),
    )
    return _answer(providers.set_one(tx, call.caller.organization_id, new))


class RemoveProvider(ToolInput, frozen=True, kw_only=True):
    """Which provider to remove."""

    id: ProviderId


class RemovedProvider(ToolOutput, frozen=True, kw_only=True):
    """A provider that is no more."""

    id: ProviderId


@writes(
    "ai.provider_remove",
    needs="ai",
    runs="person",
    raises=(NotFound,),
    example=RemoveProvider(id=EXAMPLE.id),
    answer=RemovedProvider(id=EXAMPLE.id),
)
def remove(tx: Tx, call: Call, request: RemoveProvider) -> RemovedProvider:
    """Remove an own AI provider, and its key with it; calls that are under way there go on."""
    providers.remove(tx, call.caller.organization_id, request.id)
    return RemovedProvider(id=request.id)


def _models(asked: tuple[OwnModelInput, ...]) -> tuple[OwnModel, ...]:
    """Raises `InvalidInput` for a model that stands there twice, and for half of the prices."""
    faults = []
    models: dict[str, OwnModel] = {}
    for place, model in enumerate(asked):
        where = f"/models/{place}"
        if model.id in models:
            faults.append(Fault(f"{where}/id", "invalid_value", "stands there twice"))
        given = [price is not None for price in (model.input, model.output)]
        if any(given) != all(given) or (model.cached_input is not None and not all(given)):
            name = "output" if model.input is not None else "input"
            faults.append(Fault(f"{where}/{name}", "missing", "give prices of input and output, or neither"))
            continue
        models[model.id] = OwnModel(
            id=model.id, upstream=model.upstream or model.id, prices=_prices(model, where)
        )
    if faults:
        raise InvalidInput(faults)
    return tuple(models.values())


def _prices(model: OwnModelInput, where: str) -> Prices | None:
    if model.input is None or model.output is None:
        return None
    cached = model.input if model.cached_input is None else model.cached_input
    return Prices(
        read_price(model.input, f"{where}/input"),
        read_price(cached, f"{where}/cachedInput"),
        read_price(model.output, f"{where}/output"),
    )


def _price_of(name: str) -> Callable[[OwnModel], str | None]:
    return lambda model: None if model.prices is None else price_text(getattr(model.prices, name))


_model_of: Final = Projection(
    OwnModel,
    OwnModelAnswer,
    input=_price_of("input"),
    cached_input=_price_of("cached_input"),
    output=_price_of("output"),
)
_answer: Final = Projection(
    OwnProvider, ProviderAnswer, models=lambda provider: tuple(map(_model_of, provider.models))
)
