"""The configuration: a TOML file, the environment over it, flags of the command line over that.

`config/svc.toml` shows every key with its default and says what it does; `docs/configuration.md` has the
rules. The names in `[server]` are those of the HTTP server's own options.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from svc.domain.errors import InvalidValue
from svc.domain.limits import CALLS_MAX
from svc.domain.net.client_addresses import parse_networks

DEFAULT_FILE: Final = Path("config/svc.toml")
ENVIRONMENT_PREFIX: Final = "SVC_"
_BETWEEN: Final = "__"
TOKEN_CHARS_MIN: Final = 16
CALLS_PER_MINUTE_MAX: Final = 100_000
"""The moments of a caller's calls of the last minute are kept in memory."""
HSTS_SECONDS_MAX: Final = 63_072_000
"""Two years: what lists of browsers ask for at most."""
_ADDRESS: Final = re.compile(r"(\[[^\[\]]+\]|[^:\[\]\s]*):(?P<port>[0-9]{1,5})")
_PORT_MAX: Final = 0xFFFF
_BASE_URL: Final = re.compile(
    r"https?://[A-Za-z0-9._-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?|https?://\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?/?"
)

Origin = str
"""Where a value came from, as a message names it: a file, a variable, a flag, or `default`."""

Seconds = Annotated[float, msgspec.Meta(gt=0, le=3_600)]


class ConfigError(Exception):
    """Raised for a configuration that cannot be used. The message says which key, where, and why."""


class Address(str):
    """Where to listen: `HOST:PORT`. An empty host is every address of the machine, port 0 any free port."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if (match := _ADDRESS.fullmatch(text)) is None or int(match["port"]) > _PORT_MAX:
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
        """Whether only programs of this machine can connect to it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class Secret(str):
    """A value that is not shown. Nobody guesses it: it is long, and visible ASCII."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if len(text) < TOKEN_CHARS_MIN or not (text.isascii() and text.isprintable()) or " " in text:
            raise ValueError(f"expected at least {TOKEN_CHARS_MIN} visible ASCII characters")
        return super().__new__(cls, text)

    def __repr__(self) -> str:
        return "'•••'"


class BaseUrl(str):
    """Where the service is reached from outside: scheme, host and path, with no slash at the end."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not _BASE_URL.fullmatch(text):
            raise ValueError("expected an address such as https://svc.example.com")
        return super().__new__(cls, text.rstrip("/"))


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


class OperatorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[operator]`: the listener for those who run the service."""

    bind: Addresses = (Address("127.0.0.1:8001"),)
    token: Secret | None = None


class ActorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[actors]`: the actors behind the doors."""

    drain_seconds: Seconds = 10


class OutgoingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[outgoing]`: requests to other people's servers."""

    allowed_networks: tuple[str, ...] = ()


class ToolSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[tools]`: the doors of tools."""

    calls_per_minute: Annotated[int, msgspec.Meta(ge=1, le=CALLS_PER_MINUTE_MAX)] = CALLS_MAX


class DataSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[data]`: what is kept."""

    directory: Path = Path("data")


class LogSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[log]`: what is written to the standard error stream."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["auto", "console", "json"] = "auto"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set, a section a field."""

    server: ServerSettings = ServerSettings()
    operator: OperatorSettings = OperatorSettings()
    actors: ActorSettings = ActorSettings()
    outgoing: OutgoingSettings = OutgoingSettings()
    tools: ToolSettings = ToolSettings()
    data: DataSettings = DataSettings()
    log: LogSettings = LogSettings()


class Configuration(msgspec.Struct, frozen=True):
    """The effective settings, and where each came from."""

    settings: Settings
    origins: dict[str, Origin]
    """By `section.key`; what is not in here stands at its default."""

    def is_usual(self, key: str) -> bool:
        """Whether nobody chose another value for *key*.

        The file in the usual place may say the default: the one of a checkout has every key with its default.
        """
        section, _, name = key.partition(".")
        value, default = (getattr(getattr(one, section), name) for one in (self.settings, Settings()))
        return value == default and self.origins.get(key) in {None, str(DEFAULT_FILE)}


KEYS: Final[dict[str, FieldInfo]] = {
    f"{section.name}.{field.name}": field for section in fields(Settings) for field in fields(section.type)
}
"""Every key, by `section.key`."""


def load(
    file: Path | None, environ: Mapping[str, str], flags: Mapping[str, tuple[str, Any]]
) -> Configuration:
    """The settings of *file* (or of `config/svc.toml`, if it is there), under *environ*, under *flags*.

    *flags* are values by `section.key`, each with the name of its flag.

    Raises:
        ConfigError: a key is not known, or a value cannot be used.
    """
    origins: dict[str, Origin] = {}
    read: dict[str, dict[str, Any]] = {}
    for origin, key, raw in (*_in_file(file), *_in_environment(environ), *_in_flags(flags)):
        section, _, name = key.partition(".")
        read.setdefault(section, {})[name] = _read(KEYS[key], raw, f"{origin}: {key}")
        origins[key] = origin
    sections = {one.name: one.type(**read.get(one.name, {})) for one in fields(Settings)}
    settings = Settings(**sections)
    _check(settings)
    return Configuration(settings, origins)


Layer = Iterable[tuple[Origin, str, Any]]
"""Values as they were found: where, under which key, and what."""


def _in_file(file: Path | None) -> Layer:
    path = file or DEFAULT_FILE
    if file is None and not path.exists():
        return
    for section, values in _tables(path).items():
        if section not in Settings.__struct_fields__ or not isinstance(values, dict):
            known = (*(f"[{one}]" for one in Settings.__struct_fields__), *KEYS)
            unknown = f"[{section}]" if isinstance(values, dict) else section
            raise ConfigError(f"{path}: {unknown} is not known; the nearest is {_nearest(unknown, known)}")
        for name, raw in values.items():
            key = f"{section}.{name}"
            if key not in KEYS:
                raise ConfigError(f"{path}: {key} is not known; the nearest is {_nearest(key, KEYS)}")
            yield str(path), key, raw


def _tables(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise ConfigError(f"{path} is not TOML: {error}") from error


def _in_environment(environ: Mapping[str, str]) -> Layer:
    # Variables without the two underscores are not ours: Kubernetes makes SVC_SERVICE_HOST and the like
    # for a service of that name.
    names = {f"{ENVIRONMENT_PREFIX}{key.replace('.', _BETWEEN)}".upper(): key for key in KEYS}
    for variable in sorted(environ):
        if variable.startswith(ENVIRONMENT_PREFIX) and _BETWEEN in variable:
            if variable not in names:
                raise ConfigError(f"{variable} is not known; the nearest is {_nearest(variable, names)}")
            yield variable, names[variable], environ[variable]


def _in_flags(flags: Mapping[str, tuple[str, Any]]) -> Layer:
    for key, (flag, value) in flags.items():
        if value:
            yield flag, key, value


def _nearest(name: str, known: Iterable[str]) -> str:
    return get_close_matches(name, list(known), n=1, cutoff=0)[0]


def _read(field: FieldInfo, raw: Any, where: str) -> Any:
    """*raw* as the type of *field*. A text may stand for any type, as the environment has nothing else."""
    plain = field.type.__origin__ if get_origin(field.type) is Annotated else field.type
    is_text = isinstance(raw, str)
    try:
        found = _read_text(raw.strip(), plain) if is_text else raw
        return msgspec.convert(found, field.type, strict=not is_text, dec_hook=_custom)
    except msgspec.MsgspecError as error:
        why = str(error).partition(" - at ")[0]
        if get_origin(plain) is Literal:
            why = f"expected one of {', '.join(get_args(plain))}"
        raise ConfigError(f"{where}: {why}") from error


def _read_text(text: str, plain: Any) -> Any:
    """A list in *text* is JSON, or parted by commas; nothing at all is an empty list, or unset."""
    if get_origin(plain) is tuple:
        if text.startswith("[") and text.endswith("]"):
            return msgspec.json.decode(text)
        return [part.strip() for part in text.split(",") if part.strip()]
    return None if not text and type(None) in get_args(plain) else text


def _custom(kind: type, raw: Any) -> Any:
    if not isinstance(raw, str) or not raw:
        raise ValueError("expected a text that is not empty")
    return kind(raw)


def _check(settings: Settings) -> None:
    """What no key alone can tell."""
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
    if operator.token is None and not all(bind.is_loopback for bind in operator.bind):
        raise ConfigError(
            f"operator.bind: {', '.join(operator.bind)} can be reached from other machines;"
            " set operator.token for that"
        )
