"""The command line in this process, on a data directory of the test's own."""

import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
import trio
from click.testing import CliRunner, Result

from svc.cli import main
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.demo.shop import open_shop
from svc.domain.crypto.sealing import Sealer
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.store import open_store

Svc = Callable[..., Result]


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Commands set the log up for the whole process."""
    yield
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    logging.basicConfig(handlers=[], force=True)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def svc(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Svc:
    """Runs `svc ARGS…` on `data`, in a place without a configuration file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SVC_DATA__DIRECTORY", str(data))

    def run(*args: str) -> Result:
        return CliRunner().invoke(main, args)

    return run


def filled(path: Path, fn: Callable[..., object], *args: object) -> Path:
    """A data directory at *path* in which a unit of work was done."""
    directory = DataDirectory(path)
    directory.make()
    sealer = Sealer(directory.open_key().derive("sealing"))

    async def fill() -> None:
        async with open_store(directory.database, WallClock(), sealer=sealer) as store:
            await store.write(fn, *args)

    trio.run(fill)
    return path


@pytest.fixture(scope="session")
def shop_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    asked = NewOrganization(name="Harbour Lamps", country="GB")
    return filled(tmp_path_factory.mktemp("shop") / "data", provisioning.create, asked)


@pytest.fixture(scope="session")
def demo_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("demo") / "data", open_shop, "127.0.0.1", b"s" * 32, "")


@pytest.fixture
def shop(shop_template: Path, data: Path) -> Path:
    """`data`, with one organization in it."""
    return Path(shutil.copytree(shop_template, data))


@pytest.fixture
def demo(demo_template: Path, data: Path) -> Path:
    """`data`, with the demo's shop in it."""
    return Path(shutil.copytree(demo_template, data))
