"""Settings: a type for each section of the configuration file, with defaults and constraints.

The names in `[server]` are those of the HTTP server's own options.
"""

import re
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final, Literal, Self

import msgspec

from svc.config.backups import BackupSettings
from svc.config.base_url import BASE_URL, BaseUrl
from svc.config.database import DatabaseUrl
from svc.config.mail import PORT_MAX, MailSettings
from svc.config.masked import MaskedText
from svc.config.tracing import TracingSettings
from svc.domain.ai.limits import AI_MODEL_ID_CHARS_MAX, AI_TOKENS_MAX
from svc.domain.ai.money import Credits, Price
from svc.domain.certificates.limits import CERTIFICATE_NAMES_MAX
from svc.domain.certificates.names import CertificateName
from svc.domain.identity.limits import EMAIL_CHARS_MAX, NAME_CHARS_MAX
from svc.domain.limits import CALLS_MAX, EVENT_LIFE_MS
from svc.domain.locale.times import DAY_MS

TOKEN_CHARS_MIN: Final = 16
CALLS_PER_MINUTE_MAX: Final = 100_000
"""Bounds memory: the time of each call of the last minute is kept, for each caller."""
HSTS_SECONDS_MAX: Final = 63_072_000
"""Two years: the most that browsers' preload lists ask for."""
HISTORY_DAYS_MAX: Final = 3_650
_ADDRESS: Final = re.compile(r"(\[[^\[\]]+\]|[^:\[\]\s]*):(?P<port>[0-9]{1,5})")

Seconds = Annotated[float, msgspec.Meta(gt=0, le=3_600)]


class Address(str):
    """An address to listen at, `HOST:PORT`. An empty host is all interfaces; port 0 is any free port."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if (match := _ADDRESS.fullmatch(text)) is None or int(match["port"]) > PORT_MAX:
            raise ValueError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:8000 or [::1]:8000")
        return super().__new__(cls, text)

    @property
    def host(self) -> str:
        """The host, without the brackets of an IPv6 address."""
        return self.rpartition(":")[0].removeprefix("[").removesuffix("]")

    @property
    def port(self) -> int:
        return int(self.rpartition(":")[2])

    def at_port(self, port: int) -> "Address":
        """The same host, at *port*."""
        return Address(f"{self.rpartition(':')[0]}:{port}")

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can connect to it."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether *host* is this machine's own address for itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Secret(MaskedText):
    """A secret: never printed, too long to be guessed, and visible ASCII, as headers need."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if len(text) < TOKEN_CHARS_MIN or not (text.isascii() and text.isprintable()) or " " in text:
            raise ValueError(f"expected at least {TOKEN_CHARS_MIN} visible ASCII characters")
        return super().__new__(cls, text)


Addresses = Annotated[tuple[Address, ...], msgspec.Meta(min_length=1)]


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[server]`: the public listener."""

    bind: Addresses = (Address("127.0.0.1:8000"),)
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    trusted_proxies: tuple[str, ...] = ()
    public_url: BaseUrl | None = None
    hsts_seconds: Annotated[int, msgspec.Meta(ge=0, le=HSTS_SECONDS_MAX)] = 31_536_000
    connections_max: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 1_000
    waiting_per_address_max: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    head_seconds: Seconds = 10
    body_seconds: Seconds = 30
    keep_alive_seconds: Seconds = 15
    write_seconds: Seconds = 30
    graceful_seconds: Seconds = 10

    @property
    def is_public_by_https(self) -> bool:
        """Whether the outside reaches the listener by https, as `public_url` says."""
        return self.public_url is not None and self.public_url.is_https

    def base_url(self, default: str) -> str:
        """`public_url`, or else *default*, the address of the listener."""
        return default if self.public_url is None else self.public_url.text


class DirectoryUrl(str):
    """The address of an ACME directory, which is https alone (RFC 8555 section 6.1)."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not text.startswith("https://") or not BASE_URL.fullmatch(text):
            raise ValueError("expected an address such as https://acme-v02.api.letsencrypt.org/directory")
        return super().__new__(cls, text)


Contact = Annotated[str, msgspec.Meta(pattern=r"^[!-~]+@[!-~]+$", max_length=EMAIL_CHARS_MAX)]


class TlsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[tls]`: certificates by ACME."""

    domain: Annotated[tuple[CertificateName, ...], msgspec.Meta(max_length=CERTIFICATE_NAMES_MAX)] = ()
    acme_directory: DirectoryUrl = DirectoryUrl("https://acme-v02.api.letsencrypt.org/directory")
    acme_email: Contact | None = None
    acme_roots: Path | None = None
    http_bind: Addresses = (Address(":80"),)


class OperatorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[operator]`: the listener for operators."""

    bind: Addresses = (Address("127.0.0.1:8001"),)
    token: Secret | None = None


class ActorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[actors]`: the actor system."""

    drain_seconds: Seconds = 10


class OutgoingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[outgoing]`: requests to servers of third parties."""

    allowed_networks: tuple[str, ...] = ()


class ToolSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[tools]`: calls of tools, over every door."""

    calls_per_minute: Annotated[int, msgspec.Meta(ge=1, le=CALLS_PER_MINUTE_MAX)] = CALLS_MAX


class ProviderKey(MaskedText):
    """The key of an AI provider: never printed, and visible ASCII, as headers need."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not text or not (text.isascii() and text.isprintable()) or " " in text:
            raise ValueError("expected visible ASCII characters")
        return super().__new__(cls, text)


Tokens = Annotated[int, msgspec.Meta(ge=1, le=AI_TOKENS_MAX)]
ModelId = Annotated[str, msgspec.Meta(min_length=1, max_length=AI_MODEL_ID_CHARS_MAX)]
ProviderName = Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_CHARS_MAX)]


class ProviderSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[ai.providers]]`: a provider of chat completions, paid with credits."""

    name: ProviderName
    base_url: BaseUrl
    key: ProviderKey | None = None
    key_variable: str | None = None
    usage_in_stream: bool = True


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[ai.models]]`: a model, the providers that serve it, and its prices."""

    id: ModelId
    providers: Annotated[tuple[ProviderName, ...], msgspec.Meta(min_length=1)]
    upstream: ModelId | None = None
    input: Price
    cached_input: Price | None = None
    output: Price
    context_tokens: Tokens
    output_tokens_max: Tokens


class AiSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[ai]`: the AI gateway."""

    starting_credits: Credits = Credits(0)
    connect_seconds: Seconds = 5
    first_byte_seconds: Seconds = 300
    idle_seconds: Seconds = 60
    total_seconds: Seconds = 900
    providers: tuple[ProviderSettings, ...] = ()
    models: tuple[ModelSettings, ...] = ()


class DataSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[data]`: the data directory, the database, and how long what only tells of the past is kept."""

    directory: Path = Path("data")
    database: DatabaseUrl | None = None
    history_days: Annotated[int, msgspec.Meta(ge=1, le=HISTORY_DAYS_MAX)] = EVENT_LIFE_MS // DAY_MS


class LogSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[log]`: the log, on standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["auto", "console", "json"] = "auto"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings: one field for each section of the file."""

    server: ServerSettings = ServerSettings()
    tls: TlsSettings = TlsSettings()
    operator: OperatorSettings = OperatorSettings()
    actors: ActorSettings = ActorSettings()
    outgoing: OutgoingSettings = OutgoingSettings()
    tools: ToolSettings = ToolSettings()
    ai: AiSettings = AiSettings()
    mail: MailSettings = MailSettings()
    data: DataSettings = DataSettings()
    backup: BackupSettings = BackupSettings()
    log: LogSettings = LogSettings()
    tracing: TracingSettings = TracingSettings()
