"""Models and their providers: the service's, from the configuration, and an organization's own."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

from svc.domain.ai.limits import AI_OUTPUT_TOKENS_ASSUMED
from svc.domain.ai.money import FREE, MICRO, Prices
from svc.domain.ai.requests import CompletionRequest
from svc.domain.identity.callers import ModelOffer

Payer = Literal["organization", "credits"]
"""Who pays a call: the organization, at its own provider; or its credits, at the service's."""


class ServiceProvider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider from the configuration, whose address is trusted."""

    name: str
    base_url: str
    key: str
    usage_in_stream: bool = True
    """Whether it is asked for usage in streams: not every provider knows that."""

    def __repr__(self) -> str:
        return f"ServiceProvider({self.name!r})"


class ServiceModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model from the configuration."""

    id: str
    providers: tuple[str, ...]
    """Names of those that serve it, in the order in which they are asked."""
    upstream: str
    """What they call it."""
    prices: Prices
    context_tokens: int
    output_tokens_max: int
    owned_by: str = "service"
    created: int | None = None
    """When it was configured, in seconds since the epoch; None for when the service was started."""


class OwnModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that an organization's own provider serves."""

    id: str
    upstream: str
    prices: Prices | None = None
    """None where the organization gave none: the service's list price counts, if it has the model."""


class OwnProvider(msgspec.Struct, frozen=True, kw_only=True):
    """An organization's own provider, at an address that is checked as pushes are."""

    id: str
    name: str
    base_url: str
    sealed_key: bytes
    """Sealed for the provider's id; see `svc.domain.crypto.sealing`."""
    key_visible_end: str
    models: tuple[OwnModel, ...]
    updated_at: int

    def __repr__(self) -> str:
        return f"OwnProvider({self.id!r})"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One provider that a call may be sent to."""

    provider: str
    """The id of an own provider, or the name of one of the service's. Rests are kept by it."""
    payer: Payer
    base_url: str
    upstream: str
    prices: Prices
    """The list price: what the organization said of its own provider, else the service's, else nothing."""
    usage_in_stream: bool = True


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A model that an organization may run, with all that a call of it needs."""

    id: str
    context_tokens: int | None
    """None where only an own provider knows it."""
    output_tokens_max: int | None
    """None likewise."""
    candidates: tuple[Candidate, ...]
    """Own providers first; there is one at least."""

    @property
    def first(self) -> Candidate:
        """The provider that is asked first, unless it rests: its payer and prices are shown."""
        return self.candidates[0]

    def bound(self, request: CompletionRequest) -> "Bound":
        """The most that *request* can cost at list price, whichever provider serves it."""
        bounds = (self._bound(request, candidate.prices) for candidate in self.candidates)
        return max(bounds, key=lambda bound: bound.micro_credits)

    def credits_bound(self, request: CompletionRequest) -> "Bound | None":
        """The most that *request* can take of the credits; None where no provider is paid with them."""
        paid = (candidate for candidate in self.candidates if candidate.payer == "credits")
        return next((self._bound(request, candidate.prices) for candidate in paid), None)

    def _bound(self, request: CompletionRequest, prices: Prices) -> "Bound":
        prompt = request.prompt_bound
        if self.context_tokens is not None:
            prompt = self.context_tokens if request.fills_context else min(prompt, self.context_tokens)
        limit, most = request.completion_tokens_max, self.output_tokens_max
        if most is None:
            most = max(limit or 0, AI_OUTPUT_TOKENS_ASSUMED)
        fills_output = request.effects.fills_output
        each = most if limit is None or fills_output else min(limit, most)
        return Bound(prompt, request.choices, each, prices, limit_counts=not fills_output)


class Bound(msgspec.Struct, frozen=True):
    """The upper bound of a call's cost, and what it is made of."""

    prompt_tokens: int
    choices: int
    completion_tokens: int
    """Of each choice."""
    prices: Prices
    limit_counts: bool = True
    """Whether the request's limit of tokens holds for all that is charged."""

    @property
    def micro_credits(self) -> int:
        """The bound."""
        return -(-self._scaled(self.completion_tokens) // MICRO)

    def fitting(self, free: int) -> int:
        """The largest `max_completion_tokens` that *free* micro-credits cover; 0 where none does."""
        if self.prices.output == 0 or not self.limit_counts:
            return self.completion_tokens if self.micro_credits <= free else 0
        left = free * MICRO - self._scaled(0)
        return min(self.completion_tokens, max(0, left // (self.choices * self.prices.output)))

    def _scaled(self, completion_tokens: int) -> int:
        return (
            self.prompt_tokens * self.prices.dearest_input
            + self.choices * completion_tokens * self.prices.output
        )


class ModelCatalogue(ModelOffer):
    """The service's models and providers, as the configuration has them."""

    def __init__(
        self, models: Iterable[ServiceModel] = (), providers: Iterable[ServiceProvider] = ()
    ) -> None:
        self.models: Final[Mapping[str, ServiceModel]] = {model.id: model for model in models}
        self.providers: Final[Mapping[str, ServiceProvider]] = {one.name: one for one in providers}

    def candidates(self, model: ServiceModel) -> list[Candidate]:
        """The service's providers of *model*, in their order."""
        return [
            Candidate(
                provider=name,
                payer="credits",
                base_url=self.providers[name].base_url,
                upstream=model.upstream,
                prices=model.prices,
                usage_in_stream=self.providers[name].usage_in_stream,
            )
            for name in model.providers
        ]


class OrganizationModels(msgspec.Struct, frozen=True, kw_only=True):
    """What decides which models an organization may run, and where."""

    own: tuple[OwnProvider, ...] = ()
    """The last set first."""
    allowed: frozenset[str] | None = None
    """The only ids that it may run; None for all."""
    falls_back: bool = False
    """Whether a call goes on from an own provider to the service's, which takes credits."""

    def offered(self, catalogue: ModelCatalogue) -> list[str]:
        """The ids of all models that there are for it, restricted ones included, sorted."""
        return sorted({*catalogue.models} | {model.id for provider in self.own for model in provider.models})

    def permits(self, model_id: str, key_models: frozenset[str] | None = None) -> bool:
        """Whether neither the organization nor the key is restricted to other models."""
        return all(allowed is None or model_id in allowed for allowed in (self.allowed, key_models))

    def choose(
        self, catalogue: ModelCatalogue, model_id: str, key_models: frozenset[str] | None = None
    ) -> Choice | None:
        """The model, with its providers in order; None where it is unknown, restricted, or not the key's."""
        if not self.permits(model_id, key_models):
            return None
        service = catalogue.models.get(model_id)
        own = [
            (provider, model) for provider in self.own for model in provider.models if model.id == model_id
        ]
        if service is None and not own:
            return None
        known = FREE if service is None else service.prices
        candidates = [
            Candidate(
                provider=provider.id,
                payer="organization",
                base_url=provider.base_url,
                upstream=model.upstream,
                prices=known if model.prices is None else model.prices,
            )
            for provider, model in own
        ]
        if service is not None and (self.falls_back or not own):
            candidates += catalogue.candidates(service)
        return Choice(
            id=model_id,
            context_tokens=None if service is None else service.context_tokens,
            output_tokens_max=None if service is None else service.output_tokens_max,
            candidates=tuple(candidates),
        )

    def models(self, catalogue: ModelCatalogue, key_models: frozenset[str] | None = None) -> list[Choice]:
        """All models that it may run with such a key."""
        choices = (self.choose(catalogue, model_id, key_models) for model_id in self.offered(catalogue))
        return [choice for choice in choices if choice is not None]


def same_place(first: str, second: str) -> bool:
    """Whether two addresses have the same scheme, host and port."""
    one, other = urlsplit(first), urlsplit(second)
    return (one.scheme, one.hostname, _port(one.scheme, one.port)) == (
        other.scheme,
        other.hostname,
        _port(other.scheme, other.port),
    )


def _port(scheme: str, port: int | None) -> int:
    return port or {"http": 80, "https": 443}.get(scheme, 0)
