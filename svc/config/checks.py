"""What the settings have to keep to together."""

from collections.abc import Iterable
from difflib import get_close_matches

from svc.config.mail import MailSettings
from svc.config.settings import AiSettings, Settings, is_loopback
from svc.domain.errors import InvalidValue
from svc.domain.net.client_addresses import parse_networks


class ConfigError(Exception):
    """Raised for an invalid configuration. The message names the key, its source and the reason."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The one of *known* that is most like *name*."""
    return get_close_matches(name, list(known), n=1, cutoff=0)[0]


def check_together(settings: Settings) -> None:
    """Check the rules that concern several keys. Raises `ConfigError`."""
    server, operator = settings.server, settings.operator
    if (server.tls_certificate is None) != (server.tls_key is None):
        raise ConfigError("server.tls_certificate and server.tls_key: set both, or neither")
    if settings.tls.domain and server.tls_certificate is not None:
        raise ConfigError("tls.domain and server.tls_certificate: set one of them")
    networks = {
        "server.trusted_proxies": server.trusted_proxies,
        "outgoing.allowed_networks": settings.outgoing.allowed_networks,
    }
    for key, texts in networks.items():
        try:
            parse_networks(texts)
        except InvalidValue as error:
            raise ConfigError(f"{key}: {error}") from error
    if settings.backup.directory is not None and settings.data.database is not None:
        raise ConfigError("backup.directory: backups of data.database are made by PostgreSQL's own programs")
    if settings.backup.directory == settings.data.directory:
        raise ConfigError("backup.directory: name another one than data.directory")
    _check_models(settings.ai)
    _check_mail(settings.mail)
    if settings.tracing.headers is not None and settings.tracing.headers_variable is not None:
        raise ConfigError("tracing.headers and tracing.headers_variable: set one of them, not both")
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
            hint = f"; the nearest is {nearest(unknown, names)!r}" if names else ""
            raise ConfigError(f"ai.models[{place}].providers: there is no provider {unknown!r}{hint}")


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
