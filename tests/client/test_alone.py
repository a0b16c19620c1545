"""The client kit where nothing of the server is installed."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]

ALONE = """
import sys

KIT = {"anyio", "httpx", "msgspec"}
THEIRS = {"certifi", "h11", "httpcore", "idna", "sniffio", "typing_extensions"}

class Nothing:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names | KIT | THEIRS | {"svc"}:
            raise ModuleNotFoundError(f"no {name}", name=name)

sys.meta_path.insert(0, Nothing())
"""
"""Has nothing to import but the kit's three dependencies, and what they need themselves."""


def alone(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", ALONE + program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_kit_needs_three_packages():
    """It is imported, and none of the server with it; asyncio will do."""
    program = """
import anyio, svc.client

async def main():
    async with svc.client.Channel("http://127.0.0.1:9", "ck_live_key", attempts=1) as channel:
        try:
            await channel.pull()
        except svc.client.Unreachable:
            print(sorted(name for name in sys.modules if name.startswith("svc") and name.count(".") == 1))

anyio.run(main)
"""
    ran = alone(program, "-W", "error")

    assert ("['svc.client']\n", "") == (ran.stdout, ran.stderr)


def test_the_dependencies_are_the_kits():
    """What `pip install svc` brings is what the kit imports; the server is an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [one.partition(">")[0] for one in project["dependencies"]]

    assert ["anyio", "httpx", "msgspec"] == names
    assert {"client", "postgresql", "server", "top"} == set(project["optional-dependencies"])


def test_the_program_says_that_the_server_is_missing():
    """In one line, with what to do."""
    ran = alone("from svc.cli import main; main()")

    assert 1 == ran.returncode
    assert (
        "svc: the server is not installed (click is missing): pip install 'svc-platform[server]'\n"
        == ran.stderr
    )
