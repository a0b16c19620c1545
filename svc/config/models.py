"""The service's models and providers, out of the configuration."""

from collections.abc import Mapping

from svc.config.checks import ConfigError
from svc.config.settings import AiSettings, ModelSettings, ProviderSettings
from svc.domain.ai.models import ModelCatalogue, ServiceModel, ServiceProvider
from svc.domain.ai.money import Prices


def model_catalogue(
    ai: AiSettings, environ: Mapping[str, str] | None = None, *, created: int | None = None
) -> ModelCatalogue:
    """The service's models and providers, with keys from *environ*; without it, no provider has its key.

    *created*: when they were configured, in seconds since the epoch, if that is known.

    Raises `ConfigError` for a variable that is not set.
    """
    return ModelCatalogue(
        (_service_model(model, created) for model in ai.models),
        (_service_provider(provider, environ) for provider in ai.providers),
    )


def _service_model(model: ModelSettings, created: int | None) -> ServiceModel:
    cached_input = model.input if model.cached_input is None else model.cached_input
    return ServiceModel(
        id=model.id,
        providers=tuple(dict.fromkeys(model.providers)),
        upstream=model.upstream or model.id,
        prices=Prices(int(model.input), int(cached_input), int(model.output)),
        context_tokens=model.context_tokens,
        output_tokens_max=model.output_tokens_max,
        created=created,
    )


def _service_provider(provider: ProviderSettings, environ: Mapping[str, str] | None) -> ServiceProvider:
    key = provider.key or ""
    if environ is None:
        key = ""
    elif provider.key_variable is not None:
        key = environ.get(provider.key_variable, "")
        if not key:
            name, variable = provider.name, provider.key_variable
            raise ConfigError(f"ai.providers: {name!r} takes its key from {variable}, which is not set")
    return ServiceProvider(
        name=provider.name, base_url=provider.base_url.text, key=key, usage_in_stream=provider.usage_in_stream
    )
