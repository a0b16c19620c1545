"""What is built, installed where there is nothing of it: from a folder of wheels, without an index."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

import pytest

from svc.version import VERSION

ROOT: Final = Path(__file__).parents[2]
WHEELS: Final = ROOT / ".venv" / "wheels"
"""What `make test` has downloaded of the pinned dependencies."""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, as a release has them."""
    if not WHEELS.is_dir():
        why = "the wheels of the dependencies are not there: `make test` downloads them"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    built = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", built], cwd=ROOT, check=True)
    return built


class Environment:
    """An empty environment, and programs that run in it with nothing else of this machine's."""

    def __init__(self, path: Path) -> None:
        venv.create(path / "venv", with_pip=False)
        self.home = path
        self.bin = path / "venv" / "bin"

    def install(self, dist: Path, *wanted: str) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "install", "--quiet"]
        pip += ["--no-compile"]  # what is imported is compiled then; the rest would be most of the work
        only = ["--no-index", "--find-links", str(WHEELS), "--find-links", str(dist)]
        subprocess.run([*pip, *only, *wanted], check=True, cwd=self.home)

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        program, *arguments = command
        return subprocess.run(
            [self.bin / program, *arguments],
            cwd=self.home,
            env={},
            capture_output=True,
            text=True,
            check=False,
        )

    def packages(self) -> set[str]:
        code = "import importlib.metadata as m; print(*{d.name.lower() for d in m.distributions()})"
        return set(self.run("python", "-c", code).stdout.split())


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path)


def test_the_client_kit_comes_alone(dist: Path, environment: Environment) -> None:
    """With what it needs and nothing of the server; the command says what to install for that."""
    environment.install(dist, "svc-platform")
    imported = environment.run("python", "-c", "import svc.client; print(svc.client.Bridge.__name__)")
    command = environment.run("svc", "run")

    assert "Bridge\n" == imported.stdout, imported.stderr
    assert {"svc-platform", "anyio", "httpx", "msgspec"} <= environment.packages()
    assert not {"trio", "quart", "sqlalchemy", "hypercorn"} & environment.packages()
    assert 1 == command.returncode
    assert re.fullmatch(r"svc: .* pip install 'svc-platform\[server\]'\n", command.stderr)


@pytest.mark.parametrize("kind", ["whl", "tar.gz"])
def test_the_server_runs_from_what_is_built(kind: str, dist: Path, environment: Environment) -> None:
    """Wheel and sdist: it starts with its demo in an empty environment, and stops as asked."""
    [built] = dist.glob(f"*.{kind}")
    environment.install(dist, f"svc-platform[server] @ {built.as_uri()}")
    version = environment.run("svc", "--version")
    example = environment.run("svc", "config", "--example")
    command = [str(environment.bin / "svc"), "run", "--demo", "--data", str(environment.home / "data")]
    with subprocess.Popen(
        [*command, "--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0"],
        cwd=environment.home,
        env={},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.terminate()
        _, log = process.communicate(timeout=30)

    assert f"svc {VERSION}\n" == version.stdout
    assert (ROOT / "config" / "svc.toml").read_text("utf-8") == example.stdout
    assert "ready" in first, log
    assert 0 == process.returncode, log


@pytest.mark.parametrize("page", ["CHANGELOG.md", "README.md", "docs/**/*.md", "svc/client/*.md"])
def test_no_page_installs_a_package_of_somebody_else(page: str) -> None:
    """The package is called `svc-platform`; the name `svc` belongs to a stranger."""
    texts = {path: path.read_text() for path in ROOT.glob(page)}

    assert [] == [path for path, text in texts.items() if re.search(r"pip install +[\"'`]*svc\b(?!-)", text)]
