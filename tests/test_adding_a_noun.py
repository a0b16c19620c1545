"""What a new noun has to be entered in (decision 0013); each is forgotten once here, and noticed.

Tables, integrity checks and tools are found by walking packages. Limits have `tests/docs/test_limits.py`,
guides `tests/docs/test_guides.py`, and examples `tests/demo`.
"""

import re
import sys
import tomllib
from collections.abc import Collection, Iterator
from importlib import import_module
from inspect import getsource
from pathlib import Path
from types import ModuleType
from typing import Any, Final, get_args

import msgspec
import pytest
import sqlalchemy as sa

from svc import actors, domain, storage, tools
from svc.actors import kinds, reconciler
from svc.actors._core import Actor, ActorSystem
from svc.actors.change_dispatch import ChangeDispatcher
from svc.domain import changes
from svc.http import app
from svc.packages import modules_called, modules_of, nouns_of
from svc.storage.integrity import INVARIANTS
from svc.storage.metadata import metadata
from svc.tools import nouns
from svc.tools.catalogue import REGISTRY, tools_of

ROOT: Final = Path(__file__).parents[1]
CONTRACTS: Final = {
    contract["name"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}
NO_NOUNS: Final = {
    domain: {"backups", "certificates", "crypto", "erasure", "input", "locale", "net", "rate_limits"},
    storage: {
        "backlog",
        "backups",
        "clock",
        "commit",
        "erasure",
        "migrations",
        "organization_export",
        "postgresql",
        "sql",
        "sqlite",
    },
    tools: {"finding"},
}
"""Folders that serve no noun, or all of them."""


@pytest.fixture
def layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A layer with one noun, which has a table, a check and a tool."""
    noun = tmp_path / "madeup" / "lamps"
    noun.mkdir(parents=True)
    (noun.parent / "__init__.py").write_text("")
    (noun / "__init__.py").write_text("")
    (noun / "tables.py").write_text("")
    (noun / "lamps.py").write_text("from svc.tools.sites.sites import list_all\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield import_module("madeup")
    for name in [name for name in sys.modules if name.partition(".")[0] == "madeup"]:
        del sys.modules[name]


def test_modules_of_nouns_are_found(layer: ModuleType) -> None:
    """By their names, and only where there is one."""
    assert ["madeup.lamps"] == [one.__name__ for one in nouns_of(layer)]
    assert ["madeup.lamps.tables"] == [one.__name__ for one in modules_called("tables", layer)]
    assert [] == [*modules_called("integrity", layer)]
    assert ["madeup.lamps.lamps", "madeup.lamps.tables"] == [
        one.__name__ for noun in nouns_of(layer) for one in modules_of(noun)
    ]


def test_tables_checks_and_tools_are_found() -> None:
    """Of each noun that has a module for them."""
    tables = {
        table.name
        for noun in nouns_of(storage)
        if (Path(noun.__path__[0]) / "tables.py").exists()
        for table in vars(import_module(f"{noun.__name__}.tables")).values()
        if isinstance(table, sa.Table)
    }
    checks = {
        promise
        for path in Path(storage.__path__[0]).glob("*/integrity.py")
        for promise in import_module(f"svc.storage.{path.parent.name}.integrity").INVARIANTS
    }

    assert len(tables) > 50
    assert tables <= set(metadata.tables)
    assert checks
    assert checks <= set(INVARIANTS)
    assert {tool.name for tool in tools_of(tools)} <= set(REGISTRY)


def test_a_tool_whose_noun_is_not_told_does_not_start(
    layer: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its group in the reference would have neither a title nor a place."""
    assert ["site.list"] == [tool.name for tool in tools_of(layer)]
    monkeypatch.delitem(nouns.NOUNS, "site")

    with pytest.raises(TypeError, match=r"no noun in `svc\.tools\.nouns` for the tool site\.list"):
        tools_of(layer)


def test_a_noun_without_words_does_not_start() -> None:
    """It would be found by its description alone."""
    source = getsource(nouns)
    without = re.sub(r'^    "site": "website.*\n', "", source, flags=re.MULTILINE)

    exec(compile(source, "nouns", "exec"), {})  # noqa: S102  # our own source
    assert source != without
    with pytest.raises(TypeError, match="'site'"):
        exec(compile(without, "nouns", "exec"), {})  # noqa: S102  # our own source


class Lamp(Actor[Any, msgspec.Struct]):
    """A kind of actors that nobody has entered."""


def unlisted(listed: Collection[type[Actor[Any, Any]]]) -> set[str]:
    """The kinds of actors in the packages of nouns that are not *listed*."""
    return {
        kind.__name__
        for noun in nouns_of(actors)
        for module in modules_of(noun)
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, Actor)
        and kind.__module__ == module.__name__
        and not noun.__name__.endswith("._core")
        and not any(issubclass(one, kind) for one in listed)  # what several share is listed with them
    }


def test_a_kind_of_actors_is_listed() -> None:
    """One that is forgotten would not be started."""
    assert set() == unlisted(kinds.KINDS)
    for kind in kinds.KINDS:
        forgotten = unlisted([one for one in kinds.KINDS if one is not kind])

        assert forgotten in ({kind.__name__}, set())
        # What serves all nouns stands beside their packages.
        assert forgotten or kind.__module__.count(".") == 2


def test_a_kind_that_the_reconciler_does_not_know_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how its work is found after a crash, or why there is none; once."""
    with pytest.raises(TypeError, match="what a crash leaves of Lamp"):
        kinds.check_looks([Lamp])
    for kind in kinds.KINDS:
        with monkeypatch.context() as patch:
            for told in (reconciler.LOOKS, kinds.NOTHING_LEFT):
                if kind in told:
                    patch.delitem(told, kind)
            with pytest.raises(TypeError, match=kind.__name__):
                kinds.check_looks(kinds.KINDS)
    kinds.check_looks(kinds.KINDS)


def test_a_kind_is_in_the_order_of_actors() -> None:
    """Two kinds that asked each other could wait for ever; the contract says which asks which."""
    layers = " ".join(CONTRACTS["Actors ask downwards, so that no two can wait for each other"]["layers"])
    known = set(re.split(r"[ |]+", layers))

    # A sign-in and a certificate ask no other actor, and none asks them.
    alone = {"svc.actors.identity.sign_in_gate", "svc.actors.certificates.certificate_keeper"}
    assert alone == {kind.__module__ for kind in kinds.KINDS} - known


@pytest.mark.parametrize("layer_", [domain, storage, tools], ids=lambda layer_: str(layer_.__name__))
def test_a_noun_has_its_place_among_the_others(layer_: ModuleType) -> None:
    """In the contract that says which noun may import which."""
    places = " ".join(CONTRACTS["Nouns point left"]["layers"])
    folders = {noun.__name__.rpartition(".")[2] for noun in nouns_of(layer_)}

    assert NO_NOUNS[layer_] == folders - set(re.findall(r"\w+", places))


def test_every_change_is_dispatched() -> None:
    """One that is in no union cannot be announced, and one that is not handled does not type-check."""
    announced = {kind for kind in vars(changes).values() if isinstance(kind, type) and kind is not Any}
    known = set(get_args(changes.Change))

    assert known == {kind for kind in announced if issubclass(kind, msgspec.Struct)}
    with pytest.raises(AssertionError, match="unreachable"):
        ChangeDispatcher(ActorSystem(()))._note_state("a change of a new kind")  # type: ignore[arg-type]


def test_every_door_is_mounted() -> None:
    """In the application, by the folder that it stands in."""
    doors = {f"svc.http.{path.parent.name}.door" for path in Path(app.__file__).parent.glob("*/door.py")}
    source = getsource(app)

    assert len(doors) > 8
    assert [] == sorted(door for door in doors if f"from {door} import" not in source)
