"""The configuration: what it takes, what it refuses, and that every key is documented."""

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from svc.cli.commands.config import render, shown
from svc.config.checks import ConfigError
from svc.config.loading import KEYS, Configuration, documented, load, tracing_headers
from svc.config.settings import Address, Secret, Settings
from svc.http.server import ServerOptions

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture(autouse=True)
def empty_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No `config/svc.toml` where the test runs, unless it writes one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def from_file(text: str) -> Configuration:
    path = Path("test.toml")
    path.write_text(text, "utf-8")
    return load(path, {}, {})


def from_environment(**variables: str) -> Configuration:
    return load(None, variables, {})


def test_without_anything_the_defaults_hold() -> None:
    """No file, no variable and no flag leave every key at its default."""
    assert Configuration(Settings(), {}) == load(None, {}, {})


def test_the_file_in_the_usual_place_is_read(empty_place: Path) -> None:
    """`config/svc.toml` counts without being named."""
    (empty_place / "config").mkdir()
    (empty_place / "config" / "svc.toml").write_text('[log]\nlevel = "debug"\n')

    assert "debug" == load(None, {}, {}).settings.log.level


@pytest.mark.parametrize(
    ("key", "stated"), [("server.bind", '["127.0.0.1:8000"]'), ("ai.starting_credits", "0")]
)
def test_what_the_documented_file_says_is_no_choice(empty_place: Path, key: str, stated: str) -> None:
    """In the usual place or under another name; what is said in a variable or in another file is a choice."""
    assert load(None, {}, {}).is_default(key)
    (empty_place / "own.toml").write_text(documented(), "utf-8")
    assert load(Path("own.toml"), {}, {}).is_default(key)
    shutil.copytree(ROOT / "config", empty_place / "config")
    assert load(None, {}, {}).is_default(key)
    assert not from_environment(**{f"SVC_{key.replace('.', '__')}".upper(): stated}).is_default(key)
    section, _, name = key.partition(".")
    assert not from_file(f"[{section}]\n{name} = {stated}").is_default(key)


def test_another_value_than_the_default_is_a_choice(empty_place: Path) -> None:
    """Wherever it is said; the default said by a flag or in a file of one's own is one as well."""
    key = "server.bind"

    default = "127.0.0.1:8000"
    assert not from_environment(SVC_SERVER__BIND=default).is_default(key)
    assert not from_file(f'[server]\nbind = "{default}"').is_default(key)
    assert not load(None, {}, {key: ("--bind", (default,))}).is_default(key)
    (empty_place / "config").mkdir()
    (empty_place / "config" / "svc.toml").write_text('[server]\nbind = ":1"')
    assert not load(None, {}, {}).is_default(key)


def test_flags_go_over_the_environment_and_that_over_the_file() -> None:
    """Each layer wins over the one before, key by key, and its name is remembered."""
    path = Path("test.toml")
    path.write_text('[server]\nhead_seconds = 1\nbody_seconds = 2\nbind = ":1"\n')

    loaded = load(
        path,
        {"SVC_SERVER__BODY_SECONDS": "3", "SVC_SERVER__BIND": ":2"},
        {"server.bind": ("--bind", (":3",)), "data.directory": ("--data", None)},
    )

    server = loaded.settings.server
    assert (1, 3, (":3",)) == (server.head_seconds, server.body_seconds, server.bind)
    assert {
        "server.head_seconds": "test.toml",
        "server.body_seconds": "SVC_SERVER__BODY_SECONDS",
        "server.bind": "--bind",
    } == loaded.origins


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:8000", ("127.0.0.1:8000",)),
        ("127.0.0.1:8000, [::1]:0", ("127.0.0.1:8000", "[::1]:0")),
        ("[::1]:8000", ("[::1]:8000",)),
        ('["127.0.0.1:8000", ":0"]', ("127.0.0.1:8000", ":0")),
    ],
)
def test_a_list_in_a_variable_has_commas_or_is_json(text: str, expected: tuple[str, ...]) -> None:
    """The environment has only text, so a list may be written either way."""
    assert expected == from_environment(SVC_SERVER__BIND=text).settings.server.bind


def test_an_empty_text_unsets() -> None:
    """An empty text is an empty list, or a key that is not set."""
    loaded = from_environment(SVC_SERVER__TRUSTED_PROXIES="", SVC_OPERATOR__TOKEN="")

    assert ((), None) == (loaded.settings.server.trusted_proxies, loaded.settings.operator.token)


def test_variables_that_are_not_ours_are_left_alone() -> None:
    """Kubernetes makes such variables for a service that is called svc."""
    loaded = from_environment(SVC_SERVICE_HOST="10.0.0.1", SVC_PORT_8000_TCP="tcp://10.0.0.1:8000")

    assert Settings() == loaded.settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[server]\nbimd = ':1'", "test.toml: server.bimd is not known; the nearest is server.bind"),
        ("[sever]\nbind = ':1'", "test.toml: [sever] is not known; the nearest is [server]"),
        ("data = 'x'", "test.toml: data is not known; the nearest is [data]"),
        ("[server]\nhead_seconds = 0", "test.toml: server.head_seconds: Expected `float` > 0.0"),
        ("[server]\nhead_seconds = true", "test.toml: server.head_seconds: Expected `float`, got `bool`"),
        ("[server]\nconnections_max = 1.5", "test.toml: server.connections_max: Expected `int`, got `float`"),
        ("[server]\nbind = []", "test.toml: server.bind: Expected `array` of length >= 1"),
        (
            "[server]\nbind = ['localhost']",
            "test.toml: server.bind: 'localhost' is not HOST:PORT, such as 127.0.0.1:8000 or [::1]:8000",
        ),
        ("[log]\nlevel = 'loud'", "test.toml: log.level: expected one of debug, info, warning, error"),
        ("[data]\ndirectory = ''", "test.toml: data.directory: expected a text that is not empty"),
        (
            "[operator]\ntoken = 'short'",
            "test.toml: operator.token: expected at least 16 visible ASCII characters",
        ),
        (
            "[server]\ntls_key = 'key.pem'",
            "server.tls_certificate and server.tls_key: set both, or neither",
        ),
        (
            "[server]\npublic_url = 'svc.example.com'",
            "test.toml: server.public_url: expected an address such as https://svc.example.com",
        ),
        (
            "[server]\ntrusted_proxies = ['10.0.0.0/33']",
            "server.trusted_proxies: '10.0.0.0/33' does not appear to be an IPv4 or IPv6 network",
        ),
        (
            "[operator]\nbind = ['0.0.0.0:8001']",
            "operator.bind: 0.0.0.0:8001 can be reached from other machines; set operator.token for that",
        ),
        (
            "[server",
            "test.toml is not TOML: Expected ']' at the end of a table declaration (at end of document)",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_name(text: str, message: str) -> None:
    """The message says which file, which key, and what is wrong."""
    with pytest.raises(ConfigError) as refused:
        from_file(text)

    assert message == str(refused.value)


def test_an_unknown_variable_is_refused_with_the_nearest() -> None:
    """A misspelt variable does not pass in silence."""
    with pytest.raises(ConfigError) as refused:
        from_environment(SVC_SERVER__BIMD=":1")

    assert "SVC_SERVER__BIMD is not known; the nearest is SVC_SERVER__BIND" == str(refused.value)


def test_a_named_file_must_be_there() -> None:
    """Only the file in the usual place may be missing."""
    with pytest.raises(ConfigError) as refused:
        load(Path("missing.toml"), {}, {})

    assert "missing.toml cannot be read: No such file or directory" == str(refused.value)


def test_an_operator_behind_a_token_may_listen_anywhere() -> None:
    """With a token of one's own, the operator's listener may be reached from other machines."""
    loaded = from_environment(SVC_OPERATOR__BIND=":8001", SVC_OPERATOR__TOKEN=TOKEN)

    assert TOKEN == loaded.settings.operator.token


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("127.0.0.1:1", True),
        ("127.9.9.9:1", True),
        ("[::1]:1", True),
        ("localhost:1", True),
        (":1", False),
        ("0.0.0.0:1", False),
        ("[::]:1", False),
        ("localhost.example.com:1", False),
    ],
)
def test_only_loopback_is_loopback(address: str, loopback: bool) -> None:
    """A name other than localhost is not trusted to stay on this machine."""
    assert loopback == Address(address).is_loopback


@given(st.text())
def test_any_text_is_an_address_or_is_refused(text: str) -> None:
    """Whatever is taken has a port that exists, and is shown as it was written."""
    try:
        address = Address(text)
    except ValueError:
        return

    assert 0 <= address.port <= 65_535
    assert text == str(address)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.sampled_from(sorted(KEYS)), st.text())
def test_any_text_in_the_environment_is_a_value_or_refused(key: str, text: str) -> None:
    """No text makes anything but a configuration or a `ConfigError` that names the variable or the key."""
    variable = f"SVC_{key.replace('.', '__')}".upper()
    message = ""
    try:
        load(None, {variable: text}, {})
    except ConfigError as error:
        message = str(error)

    assert not message or key in message


@given(st.dictionaries(st.sampled_from(sorted(KEYS)), scalars | st.lists(scalars)))
def test_any_values_are_settings_or_refused(values: dict[str, Any]) -> None:
    """What is not of a key's type is refused, and never let through as it is."""
    try:
        settings = load(None, {}, {key: ("--flag", value) for key, value in values.items()}).settings
    except ConfigError:
        return

    assert Settings(**asdict(settings)) == settings


def test_a_secret_is_never_shown() -> None:
    """Neither `svc config` nor the representation of settings has the token."""
    loaded = from_environment(SVC_OPERATOR__TOKEN=TOKEN)

    assert TOKEN not in repr(loaded)
    assert 'token = "•••"  # SVC_OPERATOR__TOKEN' in render(loaded)


@pytest.mark.parametrize(
    ("section", "name"),
    [
        pytest.param('[operator]\ntoken = "{secret}"', "token", id="the operator's token"),
        pytest.param(
            '[mail]\nserver = "mail.example.com"\nsender = "crm@example.com"\nuser = "crm"\n'
            'password = "{secret}"',
            "password",
            id="the mail server's password",
        ),
        pytest.param(
            '[tracing]\nheaders = "authorization={secret}"', "headers", id="what a receiver of traces wants"
        ),
        pytest.param(
            '[[ai.providers]]\nname = "one"\nbase_url = "https://ai.example.com/v1"\nkey = "{secret}"',
            "key",
            id="a provider's key",
        ),
    ],
)
def test_no_secret_is_printed(section: str, name: str) -> None:
    """Neither `repr` nor `svc config` shows what is secret, of whichever setting."""
    loaded = from_file(section.replace("{secret}", TOKEN))

    assert TOKEN not in repr(loaded) + render(loaded)
    assert f'{name} = "•••"' in render(loaded)


def test_headers_for_traces_are_decoded() -> None:
    """As in `OTEL_EXPORTER_OTLP_HEADERS`, of a setting or of the variable that is named."""
    expected = {"authorization": "Bearer a,b", "x-tenant": "own"}
    text = "Authorization=Bearer%20a%2Cb, x-tenant=own"
    endpoint = {"SVC_TRACING__ENDPOINT": "http://127.0.0.1:4318"}
    direct = from_environment(**endpoint, SVC_TRACING__HEADERS=text).settings.tracing
    named = from_environment(**endpoint, SVC_TRACING__HEADERS_VARIABLE="OWN").settings.tracing

    assert expected == tracing_headers(direct, {})
    assert expected == tracing_headers(named, {"OWN": text})
    assert {} == tracing_headers(from_environment(**endpoint).settings.tracing, {})


def test_headers_for_traces_that_cannot_be_sent_are_refused() -> None:
    """With a line break, or without a name; both ways of naming them; and a variable that is not there."""
    for text in ("x", "=value", "x=a%0d%0ay", "x=%C3%A9", "x=a b", "x=a,,y=b"):
        with pytest.raises(ConfigError, match=r"SVC_TRACING__HEADERS: tracing\.headers: expected"):
            from_environment(SVC_TRACING__HEADERS=text)
    with pytest.raises(ConfigError, match="set one of them, not both"):
        from_environment(SVC_TRACING__HEADERS="x=a", SVC_TRACING__HEADERS_VARIABLE="OWN")
    named = from_environment(
        SVC_TRACING__ENDPOINT="http://127.0.0.1:4318", SVC_TRACING__HEADERS_VARIABLE="OWN"
    ).settings.tracing
    with pytest.raises(ConfigError, match="OWN is not set"):
        tracing_headers(named, {})
    with pytest.raises(ConfigError, match=r"OWN: expected headers"):
        tracing_headers(named, {"OWN": "nothing"})


def test_what_is_shown_can_be_read_again() -> None:
    """`svc config` prints a file that means the same."""
    loaded = from_environment(
        SVC_SERVER__BIND=":1,[::1]:2", SVC_SERVER__HEAD_SECONDS="0.25", SVC_DATA__DIRECTORY='a "b" \\ ö'
    )

    assert loaded.settings == from_file(render(loaded)).settings


def test_a_secret_is_what_it_says() -> None:
    """A token has enough visible characters to be sent in a header, and hard to guess."""
    for text in (
        "",
        "short",
        "sixteen letters and a space",
        "sechzehn-buchstäben",
        "x" * 15,
        "x" * 20 + "\n",
    ):
        with pytest.raises(ValueError, match="at least 16 visible ASCII characters"):
            Secret(text)


def test_the_documented_file_has_every_key_with_its_default() -> None:
    """`config/svc.toml` names every key, means nothing but the defaults, and says what each does."""
    path = ROOT / "config" / "svc.toml"
    text = path.read_text("utf-8")

    assert documented() == text
    uncommented = re.sub(r"^# (?=\[\[|\w+ = )", "", text, flags=re.MULTILINE)
    assert sorted(KEYS) == sorted(
        f"{section}.{key}" for section, keys in tomllib.loads(uncommented).items() for key in keys
    )
    assert Settings() == load(path, {}, {}).settings
    for block in re.split(r"\n\n|\n(?=\[)", text):
        if re.search(r"^\w+ = ", block, re.MULTILINE):
            assert block.lstrip().startswith(("#", "[")), block
            assert "#" in block, block


def test_the_reference_has_every_key_with_its_default() -> None:
    """`docs/configuration.md` has a row for each key, in order, with its default and what it does."""
    text = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \| `(.*?)` \| \S.*\|$", text, re.MULTILINE)
    defaults = Settings()

    assert [
        (key, shown(getattr(getattr(defaults, section), name)))
        for key in KEYS
        for section, name in [key.split(".")]
    ] == rows


def test_the_server_has_the_same_names_and_defaults() -> None:
    """A limit of the server is called the same in its own options, and stands at the same default."""
    server, options = asdict(Settings().server), asdict(ServerOptions())

    assert {name: options[name] for name in server if name in options} == {
        name: server[name]
        for name in (
            "trusted_proxies",
            "connections_max",
            "waiting_per_address_max",
            "head_seconds",
            "body_seconds",
            "keep_alive_seconds",
            "write_seconds",
            "graceful_seconds",
        )
    }
