"""The configuration's AI providers and models: lists of tables, whose prices are read as decimals."""

import os
import re
import tomllib
from pathlib import Path

import pytest

from svc.cli.commands.config import render
from svc.config.checks import ConfigError
from svc.config.loading import Configuration, load
from svc.config.models import model_catalogue
from svc.config.settings import ModelSettings, ProviderSettings

ROOT = Path(__file__).parents[2]
MODEL = "[[ai.models]]\nid = 'm'\nproviders = ['p']\ncontext_tokens = 1\noutput_tokens_max = 1\n"
PROVIDER = "[[ai.providers]]\nname = 'p'\nbase_url = 'https://p.example/v1'\n"
OTHER = PROVIDER.replace("'p'", "'q'")


@pytest.fixture(autouse=True)
def empty_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `config/svc.toml` where the test runs."""
    monkeypatch.chdir(tmp_path)


def from_file(text: str) -> Configuration:
    path = Path("test.toml")
    path.write_text(text, "utf-8")
    return load(path, {}, {})


def test_the_documented_tables_are_those_that_are_taken() -> None:
    """The commented tables of the file, and those of the reference, name every member and can be used."""
    file = (ROOT / "config" / "svc.toml").read_text("utf-8")
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    commented = "\n".join(re.findall(r"^# (\[\[.*|\w+ = .*)$", file, re.MULTILINE))
    [shown_there] = re.findall(r"```toml\n(\[\[ai.*?)```", page, re.DOTALL)
    ai = from_file(commented).settings.ai
    named = {name for rows in tomllib.loads(commented)["ai"].values() for row in rows for name in row}
    members = {*ProviderSettings.__struct_fields__, *ModelSettings.__struct_fields__}
    described = "".join(re.findall(r"^\| (`[^|]*`) \|", page.split("## AI providers")[1], re.MULTILINE))

    assert members - {"key"} == named
    assert members <= set(re.findall(r"`(\w+)`", described))
    assert ai == from_file(shown_there).settings.ai
    assert (150_000, 75_000, 600_000) == (ai.models[0].input, ai.models[0].cached_input, ai.models[0].output)


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        ("0.15", 150_000),
        ("'0.15'", 150_000),
        ("3", 3_000_000),
        ("'3.000000'", 3_000_000),
        ("0.000001", 1),
        ("0", 0),
        ("1e-3", 1_000),
        ("10_000", 10_000_000_000),
    ],
)
def test_a_price_is_whole_micro_credits(price: str, expected: int) -> None:
    """Numbers and texts are read as decimals, in the file and in the environment."""
    read = from_file(f"{PROVIDER}{MODEL}input = {price}\noutput = {price}").settings.ai
    variable = price.replace("'", '"').replace("_", "")
    listed = load(
        None,
        {
            "SVC_AI__PROVIDERS": '[{"name": "p", "base_url": "https://p.example/v1"}]',
            "SVC_AI__MODELS": '[{"id": "m", "providers": ["p"], "context_tokens": 1, "output_tokens_max": 1,'
            f' "input": {variable}, "output": {variable}}}]',
        },
        {},
    )

    assert (expected, expected) == (read.models[0].input, read.models[0].output)
    assert read == listed.settings.ai


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{PROVIDER}{MODEL}inptu = 1\noutput = 1",
            "test.toml: ai.models[0].inptu is not known; the nearest is input",
        ),
        (
            f"{PROVIDER}{MODEL}input = 0.0000001\noutput = 1",
            "test.toml: ai.models[0].input: expected at most 6 decimals",
        ),
        (
            f"{PROVIDER}{MODEL}input = -1\noutput = 1",
            "test.toml: ai.models[0].input: expected a number of credits, 0 or more, such as 0.15",
        ),
        (
            f"{PROVIDER}{MODEL}input = inf\noutput = 1",
            "test.toml: ai.models[0].input: expected a number of credits, 0 or more, such as 0.15",
        ),
        (
            f"{PROVIDER}{MODEL}input = true\noutput = 1",
            "test.toml: ai.models[0].input: expected a number, or a text with one",
        ),
        (
            f"{PROVIDER}{MODEL}input = 1\noutput = 10000.01",
            "test.toml: ai.models[0].output: expected at most 10,000",
        ),
        (
            f"{PROVIDER}{MODEL}input = 1",
            "test.toml: ai.models[0]: Object missing required field `output`",
        ),
        (
            f"{OTHER}{MODEL}input = 1\noutput = 1",
            "ai.models[0].providers: there is no provider 'p'; the nearest is 'q'",
        ),
        (f"{PROVIDER}{PROVIDER}", "ai.providers: 'p' stands there twice"),
        (f"{PROVIDER}key = 'a b'", "test.toml: ai.providers[0].key: expected visible ASCII characters"),
        (f"{PROVIDER}key = 'a'\nkey_variable = 'B'", "ai.providers[0]: set key or key_variable, not both"),
        (
            "[ai]\nstarting_credits = -1",
            "test.toml: ai.starting_credits: expected a number of credits, 0 or more, such as 0.15",
        ),
        ("[ai.providers]\nname = 'p'", "test.toml: ai.providers: Expected `array`, got `object`"),
    ],
)
def test_models_that_make_no_sense_are_refused(text: str, message: str) -> None:
    """The message says which table, which member, and what is wrong."""
    with pytest.raises(ConfigError) as refused:
        from_file(text)

    assert message == str(refused.value)


def test_the_key_of_a_provider_comes_from_the_environment_or_the_file() -> None:
    """It is never shown; a variable that is not set is an error only where the key is needed."""
    loaded = from_file(f"{PROVIDER}key_variable = 'P_KEY'\n{OTHER}key = 'sk-1'")
    ai = loaded.settings.ai

    catalogue = model_catalogue(ai, {"P_KEY": "sk-2"})

    assert {"p": "sk-2", "q": "sk-1"} == {name: one.key for name, one in catalogue.providers.items()}
    assert {"p": "", "q": ""} == {name: one.key for name, one in model_catalogue(ai).providers.items()}
    with pytest.raises(ConfigError, match="'p' takes its key from P_KEY, which is not set"):
        model_catalogue(ai, {})
    assert "sk-" not in repr(loaded) + repr(catalogue.providers) + render(loaded)
    assert 'key = "•••"' in render(loaded)


def test_a_model_is_there_since_its_file_was_written(tmp_path: Path) -> None:
    """Which is not known where it comes from a variable."""
    file = tmp_path / "svc.toml"
    file.write_text(f"{PROVIDER}{MODEL}input = 1\noutput = 1\n", "utf-8")
    os.utime(file, (1_790_000_000, 1_790_000_000))

    assert 1_790_000_000 == load(file, {}, {}).changed_at("ai.models")
    assert load(None, {"SVC_AI__STARTING_CREDITS": "1"}, {}).changed_at("ai.starting_credits") is None
    assert load(None, {}, {}).changed_at("ai.models") is None


def test_shown_models_can_be_read_again() -> None:
    """Lists of tables are shown within one line each."""
    loaded = from_file(
        f"[ai]\nstarting_credits = 0.5\n{PROVIDER}usage_in_stream = false\n{MODEL}input = 0.15\noutput = '2'"
    )

    assert loaded.settings == from_file(render(loaded)).settings
    assert 500_000 == loaded.settings.ai.starting_credits
