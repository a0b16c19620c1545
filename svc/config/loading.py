"""Loading the configuration: a TOML file, overridden by environment variables, overridden by flags.

`config/svc.toml` shows every key with its default and its meaning; `docs/configuration.md` has the rules.
"""

import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from svc.config.checks import ConfigError, check_together, nearest
from svc.config.mail import MailPassword, MailSettings
from svc.config.settings import Address, Settings
from svc.config.tracing import TracingHeaders, TracingSettings
from svc.domain.ai.money import Credits

HTTPS_BIND: Final = (Address(":443"),)
DEFAULT_FILE: Final = Path("config/svc.toml")
ENVIRONMENT_PREFIX: Final = "SVC_"
_SEPARATOR: Final = "__"

_lists: Final = msgspec.json.Decoder(float_hook=Decimal)

Origin = str
"""The source of a value, as messages name it: a file, an environment variable or a flag."""


def documented() -> str:
    """The file with every key, its default and its meaning.

    A wheel has the `config/svc.toml` of the repository as `svc/svc.toml` (`force-include` in pyproject.toml),
    and a checkout or an editable install has it beside the package.
    """
    packaged = files("svc").joinpath("svc.toml")
    if packaged.is_file():
        return packaged.read_text("utf-8")
    return (Path(str(files("svc"))).parent / DEFAULT_FILE).read_text("utf-8")


class Configuration(msgspec.Struct, frozen=True):
    """The effective settings, and the source of each value."""

    settings: Settings
    origins: dict[str, Origin]
    """By `section.key`; a key that is missing here has its default."""
    file: Path | None = None
    """The file that was read, if one was."""
    is_complete: bool = False
    """Whether it states every key, as the documented one does."""

    def is_default(self, key: str) -> bool:
        """Whether *key* has its default, and nobody chose it.

        A file that states every key chooses what differs from the defaults, and nothing else.
        """
        section, _, name = key.partition(".")
        value, default = (
            getattr(getattr(settings, section), name) for settings in (self.settings, Settings())
        )
        origin = self.origins.get(key)
        return value == default and (origin is None or (self.is_complete and origin == str(self.file)))

    def changed_at(self, key: str) -> int | None:
        """When the file that sets *key* was changed, in seconds since the epoch; None where none sets it."""
        origin = self.origins.get(key)
        if origin is not None:
            with suppress(OSError):  # a variable or a flag
                return int(Path(origin).stat().st_mtime)
        return None


KEYS: Final[dict[str, FieldInfo]] = {
    f"{section.name}.{field.name}": field for section in fields(Settings) for field in fields(section.type)
}
"""The field of each setting, by `section.key`."""


def _plain(field: FieldInfo) -> Any:
    """The type of *field*, without its constraints."""
    return field.type.__origin__ if get_origin(field.type) is Annotated else field.type


def _table_of(plain: Any) -> type[msgspec.Struct] | None:
    """The type of each table, where *plain* is a list of tables."""
    kind = get_args(plain)[0] if get_origin(plain) is tuple else None
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None


STATED_KEYS: Final = frozenset(key for key, field in KEYS.items() if _table_of(_plain(field)) is None)
"""What the documented file states: every key but lists of tables, whose default is that there is none."""


def load(
    file: Path | None, environ: Mapping[str, str], flags: Mapping[str, tuple[str, Any]]
) -> Configuration:
    """Load the settings from *file*, *environ* and *flags*; the later source overrides the earlier.

    Without *file*, `config/svc.toml` is read if it exists. *flags* are by `section.key`: the name of the flag
    and its value. Raises `ConfigError` for an unknown key or an invalid value.
    """
    origins: dict[str, Origin] = {}
    values: dict[str, dict[str, Any]] = {}
    file = file or (DEFAULT_FILE if DEFAULT_FILE.exists() else None)
    from_file = [] if file is None else list(_from_file(file))
    for origin, key, raw in (*from_file, *_from_environment(environ), *_from_flags(flags)):
        section, _, name = key.partition(".")
        values.setdefault(section, {})[name] = _convert(KEYS[key], raw, f"{origin}: {key}")
        origins[key] = origin
    _derive(values, origins)
    sections = {section.name: section.type(**values.get(section.name, {})) for section in fields(Settings)}
    settings = Settings(**sections)
    check_together(settings)
    is_complete = {key for _, key, _ in from_file} >= STATED_KEYS
    return Configuration(settings, origins, file, is_complete)


def _derive(values: dict[str, dict[str, Any]], origins: dict[str, Origin]) -> None:
    """With `tls.domain`, the public listener is by default where browsers look for https."""
    server = values.setdefault("server", {})
    default = Settings().server.bind
    if values.get("tls", {}).get("domain") and server.get("bind", default) == default:
        server["bind"] = HTTPS_BIND
        origins["server.bind"] = origins["tls.domain"]


Layer = Iterable[tuple[Origin, str, Any]]
"""The values of one source: the origin, the key and the raw value of each."""


def _from_file(path: Path) -> Layer:
    for section, values in _tables(path).items():
        if section not in Settings.__struct_fields__ or not isinstance(values, dict):
            known = (*(f"[{name}]" for name in Settings.__struct_fields__), *KEYS)
            unknown = f"[{section}]" if isinstance(values, dict) else section
            raise ConfigError(f"{path}: {unknown} is not known; the nearest is {nearest(unknown, known)}")
        for name, raw in values.items():
            key = f"{section}.{name}"
            if key not in KEYS:
                raise ConfigError(f"{path}: {key} is not known; the nearest is {nearest(key, KEYS)}")
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
                raise ConfigError(f"{variable} is not known; the nearest is {nearest(variable, names)}")
            yield variable, names[variable], environ[variable]


def _from_flags(flags: Mapping[str, tuple[str, Any]]) -> Layer:
    for key, (flag, value) in flags.items():
        if value:
            yield flag, key, value


def _convert(field: FieldInfo, raw: Any, where: str) -> Any:
    """Convert *raw* to the type of *field*. Text converts to any type, since a variable is always text."""
    plain = _plain(field)
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
                    f"{where}[{place}].{name} is not known; the nearest is {nearest(name, known)}"
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


def tracing_headers(tracing: TracingSettings, environ: Mapping[str, str]) -> dict[str, str]:
    """The headers for the receiver of traces. Raises `ConfigError` for a variable that is not set."""
    headers, variable = tracing.headers, tracing.headers_variable
    if tracing.endpoint is not None and variable is not None:
        text = environ.get(variable, "")
        if not text:
            raise ConfigError(f"tracing.headers_variable: {variable} is not set")
        try:
            headers = TracingHeaders(text)
        except ValueError as error:
            raise ConfigError(f"{variable}: {error}") from error
    return {} if headers is None else headers.fields


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
