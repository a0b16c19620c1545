"""Loading the configuration: a TOML file, overridden by environment variables, overridden by flags.

`config/svc.toml` shows every key with its default and its meaning; `docs/configuration.md` has the rules.
"""

import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from svc.domain.ai.models import ModelCatalogue, ServiceModel, ServiceProvider
from svc.domain.ai.money import Credits, Prices
from svc.domain.errors import InvalidValue
from svc.domain.net.client_addresses import parse_networks
from svc.settings import (
    AiSettings,
    MailPassword,
    MailSettings,
    ModelSettings,
    ProviderSettings,
    Settings,
    is_loopback,
)

DEFAULT_FILE: Final = Path("config/svc.toml")
ENVIRONMENT_PREFIX: Final = "SVC_"
_SEPARATOR: Final = "__"

_lists: Final = msgspec.json.Decoder(float_hook=Decimal)

Origin = str
"""The source of a value, as messages name it: a file, an environment variable or a flag."""


class ConfigError(Exception):
    """Raised for an invalid configuration. The message names the key, its source and the reason."""


class Configuration(msgspec.Struct, frozen=True):
    """The effective settings, and the source of each value."""

    settings: Settings
    origins: dict[str, Origin]
    """By `section.key`; a key that is missing here has its default."""

    def is_default(self, key: str) -> bool:
        """Whether *key* has its default, and was set neither by `--config`, a variable nor a flag.

        `config/svc.toml` may state the default: the one in a checkout states every key's.
        """
        section, _, name = key.partition(".")
        value, default = (
            getattr(getattr(settings, section), name) for settings in (self.settings, Settings())
        )
        return value == default and self.origins.get(key) in {None, str(DEFAULT_FILE)}


KEYS: Final[dict[str, FieldInfo]] = {
    f"{section.name}.{field.name}": field for section in fields(Settings) for field in fields(section.type)
}
"""The field of each setting, by `section.key`."""


def load(
    file: Path | None, environ: Mapping[str, str], flags: Mapping[str, tuple[str, Any]]
) -> Configuration:
    """Load the settings from *file*, *environ* and *flags*; the later source overrides the earlier.

    Without *file*, `config/svc.toml` is read if it exists. *flags* are by `section.key`: the name of the flag
    and its value. Raises `ConfigError` for an unknown key or an invalid value.
    """
    origins: dict[str, Origin] = {}
    values: dict[str, dict[str, Any]] = {}
    for origin, key, raw in (*_from_file(file), *_from_environment(environ), *_from_flags(flags)):
        section, _, name = key.partition(".")
        values.setdefault(section, {})[name] = _convert(KEYS[key], raw, f"{origin}: {key}")
        origins[key] = origin
    sections = {section.name: section.type(**values.get(section.name, {})) for section in fields(Settings)}
    settings = Settings(**sections)
    _check_together(settings)
    return Configuration(settings, origins)


Layer = Iterable[tuple[Origin, str, Any]]
"""The values of one source: the origin, the key and the raw value of each."""


def _from_file(file: Path | None) -> Layer:
    path = file or DEFAULT_FILE
    if file is None and not path.exists():
        return
    for section, values in _tables(path).items():
        if section not in Settings.__struct_fields__ or not isinstance(values, dict):
            known = (*(f"[{name}]" for name in Settings.__struct_fields__), *KEYS)
            unknown = f"[{section}]" if isinstance(values, dict) else section
            raise ConfigError(f"{path}: {unknown} is not known; the nearest is {_nearest(unknown, known)}")
        for name, raw in values.items():
            key = f"{section}.{name}"
            if key not in KEYS:
                raise ConfigError(f"{path}: {key} is not known; the nearest is {_nearest(key, KEYS)}")
            yield str(path), key, raw


def _tables(path: Path) -> dict[str, Any]:
    try:
        # As decimals: a price that was a float would have been rounded already.
        return tomllib.loads(path.read_text("utf-8"), parse_float=Decimal)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise ConfigError(f"{path} is not TOML: {error}") from error


def _from_environment(environ: Mapping[str, str]) -> Layer:
    # Variables without two underscores are ignored: Kubernetes sets SVC_SERVICE_HOST and the like for a
    # service of that name.
    names = {f"{ENVIRONMENT_PREFIX}{key.replace('.', _SEPARATOR)}".upper(): key for key in KEYS}
    for variable in sorted(environ):
        if variable.startswith(ENVIRONMENT_PREFIX) and _SEPARATOR in variable:
            if variable not in names:
                raise ConfigError(f"{variable} is not known; the nearest is {_nearest(variable, names)}")
            yield variable, names[variable], environ[variable]


def _from_flags(flags: Mapping[str, tuple[str, Any]]) -> Layer:
    for key, (flag, value) in flags.items():
        if value:
            yield flag, key, value


def _nearest(name: str, known: Iterable[str]) -> str:
    return get_close_matches(name, list(known), n=1, cutoff=0)[0]


def _convert(field: FieldInfo, raw: Any, where: str) -> Any:
    """Convert *raw* to the type of *field*. Text converts to any type, since a variable is always text."""
    plain = field.type.__origin__ if get_origin(field.type) is Annotated else field.type
    is_text = isinstance(raw, str)
    if isinstance(raw, Decimal) and plain is not Credits:
        raw = float(raw)
    try:
        value = _parse_text(raw.strip(), plain) if is_text else raw
        _check_names(plain, value, where)
        return msgspec.convert(value, field.type, strict=not is_text, dec_hook=_custom)
    except msgspec.MsgspecError as error:
        why, _, place = str(error).partition(" - at `$")
        if get_origin(plain) is Literal:
            why = f"expected one of {', '.join(get_args(plain))}"
        inside = place.rstrip("`") if _table_of(plain) is not None else ""
        raise ConfigError(f"{where}{inside}: {why}") from error


def _table_of(plain: Any) -> type[msgspec.Struct] | None:
    """The type of each table, where *plain* is a list of tables."""
    kind = get_args(plain)[0] if get_origin(plain) is tuple else None
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None


def _check_names(plain: Any, value: Any, where: str) -> None:
    """Check the names in a list of tables. Raises `ConfigError` for an unknown one, with the nearest."""
    table = _table_of(plain)
    if table is None or not isinstance(value, list):
        return
    known = table.__struct_fields__
    for place, row in enumerate(value):
        for name in row if isinstance(row, dict) else ():
            if name not in known:
                raise ConfigError(
                    f"{where}[{place}].{name} is not known; the nearest is {_nearest(name, known)}"
                )


def _parse_text(text: str, plain: Any) -> Any:
    """Parse a list as JSON or as comma-separated values; empty text is an empty list, or None."""
    if get_origin(plain) is tuple:
        if text.startswith("[") and text.endswith("]"):
            return _lists.decode(text)
        return [part.strip() for part in text.split(",") if part.strip()]
    return None if not text and type(None) in get_args(plain) else text


def _custom(kind: type[Any], raw: Any) -> Any:
    if issubclass(kind, Credits):
        return kind.read(raw)
    if not isinstance(raw, str) or not raw:
        raise ValueError("expected a text that is not empty")
    return kind(raw)


def _check_together(settings: Settings) -> None:
    """Check the rules that concern several keys. Raises `ConfigError`."""
    server, operator = settings.server, settings.operator
    if (server.tls_certificate is None) != (server.tls_key is None):
        raise ConfigError("server.tls_certificate and server.tls_key: set both, or neither")
    networks = {
        "server.trusted_proxies": server.trusted_proxies,
        "outgoing.allowed_networks": settings.outgoing.allowed_networks,
    }
    for key, texts in networks.items():
        try:
            parse_networks(texts)
        except InvalidValue as error:
            raise ConfigError(f"{key}: {error}") from error
    _check_models(settings.ai)
    _check_mail(settings.mail)
    if operator.token is None and not all(bind.is_loopback for bind in operator.bind):
        raise ConfigError(
            f"operator.bind: {', '.join(operator.bind)} can be reached from other machines;"
            " set operator.token for that"
        )


def _check_models(ai: AiSettings) -> None:
    """Check that models and providers refer to each other. Raises `ConfigError`."""
    names = [provider.name for provider in ai.providers]
    for key, known in (("providers", names), ("models", [model.id for model in ai.models])):
        twice = next((name for name in known if known.count(name) > 1), None)
        if twice is not None:
            raise ConfigError(f"ai.{key}: {twice!r} stands there twice")
    for place, provider in enumerate(ai.providers):
        if provider.key is not None and provider.key_variable is not None:
            raise ConfigError(f"ai.providers[{place}]: set key or key_variable, not both")
    for place, model in enumerate(ai.models):
        unknown = next((name for name in model.providers if name not in names), None)
        if unknown is not None:
            nearest = f"; the nearest is {_nearest(unknown, names)!r}" if names else ""
            raise ConfigError(f"ai.models[{place}].providers: there is no provider {unknown!r}{nearest}")


def _check_mail(mail: MailSettings) -> None:
    """Check that what belongs together is set together. Raises `ConfigError`."""
    if mail.server is None:
        return
    if mail.sender is None:
        raise ConfigError("mail.server: set mail.sender as well, such as crm@example.com")
    if mail.password is not None and mail.password_variable is not None:
        raise ConfigError("mail.password and mail.password_variable: set one of them, not both")
    has_password = mail.password is not None or mail.password_variable is not None
    if (mail.user is not None) != has_password:
        raise ConfigError("mail.user and mail.password (or mail.password_variable): set both, or neither")
    if has_password and mail.security == "none" and not is_loopback(mail.server):
        raise ConfigError(
            'mail.security: "none" would send the password in the clear; set "starttls" or "tls"'
        )


def mail_password(mail: MailSettings, environ: Mapping[str, str]) -> str | None:
    """The password for the mail server. Raises `ConfigError` for a variable that is not set."""
    if mail.server is None or mail.password_variable is None:
        return mail.password
    password = environ.get(mail.password_variable, "")
    if not password:
        raise ConfigError(f"mail.password_variable: {mail.password_variable} is not set")
    try:
        return MailPassword(password)
    except ValueError as error:
        raise ConfigError(f"{mail.password_variable}: {error}") from error


def model_catalogue(ai: AiSettings, environ: Mapping[str, str] | None = None) -> ModelCatalogue:
    """The service's models and providers, with keys from *environ*; without it, no provider has its key.

    Raises `ConfigError` for a variable that is not set.
    """
    return ModelCatalogue(
        map(_service_model, ai.models), (_service_provider(provider, environ) for provider in ai.providers)
    )


def _service_model(model: ModelSettings) -> ServiceModel:
    cached_input = model.input if model.cached_input is None else model.cached_input
    return ServiceModel(
        id=model.id,
        providers=tuple(dict.fromkeys(model.providers)),
        upstream=model.upstream or model.id,
        prices=Prices(int(model.input), int(cached_input), int(model.output)),
        context_tokens=model.context_tokens,
        output_tokens_max=model.output_tokens_max,
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
        name=provider.name, base_url=provider.base_url, key=key, usage_in_stream=provider.usage_in_stream
    )
