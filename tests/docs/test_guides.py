"""Every block of code in the guides does what the page says, on a demo, as a reader pastes it."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, NamedTuple

import httpx
import pytest

from svc.http.docs import files, markup
from svc.http.docs.catalogue import GUIDES
from svc.http.docs.examples import PLACE
from svc.http.docs.markup import LANGUAGES, Block
from tests.browser.places import Service, service_with_demo, wait_for

RUN_SECONDS: Final = 60
ROOT: Final = Path(__file__).parents[2]
README: Final = "README"
"""The one page that the service does not serve."""
PROGRAMS: Final = frozenset({"sh", "python", "ts"})
NODE_MAJOR: Final = 20
NOT_RUN: Final = {
    "bridges": 6,
    "leaving": 1,
    "mcp": 2,
    "postgresql": 4,
    "quickstart": 1,
    README: 1,
    "walk-bridge": 1,
    "walk-mcp": 1,
    "webhooks": 2,
}
"""How many blocks of which page nothing runs here; each says why in a comment before it."""
SETTLED: Final = frozenset({"filed", "held"})
REFUSED: Final = 22
"""What curl exits with, by `--fail-with-body`, for a status of a refusal."""
CURL: Final = """#!/bin/sh
exec {curl} --silent --show-error --fail-with-body "$@"
"""


class Figures(HTMLParser):
    """The blocks of code of a page: their languages and their texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._language: str | None = None
        self._in_code = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "figure":
            self._language = dict(attrs).get("data-language") or ""
        elif tag == "code" and self._language is not None:
            self._in_code = True
            self.found.append((self._language, ""))

    def handle_endtag(self, tag: str) -> None:
        self._in_code &= tag != "code"
        if tag == "figure":
            self._language = None

    def handle_data(self, data: str) -> None:
        if self._in_code:
            language, text = self.found[-1]
            self.found[-1] = language, text + data


def written_blocks(name: str) -> list[Block]:
    """The blocks of the page *name* as they are written."""
    text = (ROOT / "README.md").read_text("utf-8") if name == README else files.text_of(name)
    return markup.render(text, name=name).blocks


class Reader(NamedTuple):
    """Somebody with a terminal, a demo beside it, and the pages open that it serves."""

    service: Service
    directory: Path
    """Where they are, with `data/` in it."""
    tools: Path
    """What stands first in their PATH."""

    def blocks(self, name: str) -> list[Block]:
        """The blocks of the page *name* as the service shows them."""
        written = written_blocks(name)
        if name == README:
            return [one._replace(text=one.text.replace(PLACE, self.service.url)) for one in written]
        page = httpx.get(f"{self.service.url}/docs/{name}")
        shown = Figures(page.raise_for_status().text).found
        assert [one.language for one in written] == [language for language, _ in shown]
        return [one._replace(text=text) for one, (_, text) in zip(written, shown, strict=True)]

    def run(self, block: Block) -> subprocess.CompletedProcess[str]:
        """Paste the *block*; what it exports is there for the next one."""
        state = self.directory / "state"
        match block.language:
            case "sh":
                body = block.text
            case "python":
                (self.directory / "pasted.py").write_text(block.text)
                body = f"{sys.executable} pasted.py"
            case _:
                (self.directory / "pasted.mjs").write_text(block.text)
                body = "node pasted.mjs"
        script = f"set -euo pipefail\n[ -f {state} ] && . {state}\n{body}\nexport -p > {state}\n"
        kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        path = os.pathsep.join([str(self.tools), str(Path(sys.executable).parent), os.environ["PATH"]])
        return subprocess.run(
            ["bash", "-c", script],
            cwd=self.directory,
            env={**kept, "PATH": path},
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )

    def wait_filed(self) -> None:
        """Wait, as a reader would, until what was sent is filed."""
        wait_for(self.service.submissions, lambda found: all(state in SETTLED for state, *_ in found))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One demo for all guides: a page may be read after any other."""
    with service_with_demo(tmp_path_factory.mktemp("demo")) as running:
        yield running


@pytest.fixture
def reader(service: Service, tmp_path: Path) -> Reader:
    tools, directory = tmp_path / "tools", tmp_path / "checkout"
    tools.mkdir()
    directory.mkdir()
    (directory / "data").symlink_to(service.database.parent)
    curl = tools / "curl"
    curl.write_text(CURL.format(curl=shutil.which("curl")))
    curl.chmod(0o755)
    return Reader(service, directory, tools)


def has_node() -> bool:
    """Whether there is a Node that runs the blocks in TypeScript, which have no types of their own."""
    if shutil.which("node") is None:
        return False
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.removeprefix("v").partition(".")[0]) >= NODE_MAJOR


@pytest.mark.parametrize("name", [*GUIDES, README])
def test_the_blocks_of_a_guide_run(name: str, reader: Reader) -> None:
    """From top to bottom, in a shell that has nothing but what the page puts into it."""
    node = has_node()
    for block in reader.blocks(name):
        if block.language not in PROGRAMS or block.not_run or (block.language == "ts" and not node):
            continue

        done = reader.run(block)

        reader.wait_filed()
        about = f"{block.text}\n--- answered {done.returncode}\n{done.stdout}{done.stderr}"
        assert (REFUSED if block.answers else 0) == done.returncode, about
        if block.answers:
            assert block.answers == json.loads(done.stdout)["status"], about


@pytest.mark.parametrize("name", [*GUIDES, README])
def test_the_data_in_a_guide_can_be_read(name: str) -> None:
    """JSON is JSON, TOML is TOML, and HTML closes what it opens."""
    for block in written_blocks(name):
        match block.language:
            case "json":
                json.loads(block.text)
            case "toml":
                tomllib.loads(block.text)
            case "html":
                assert [] == Elements(block.text).open


class Elements(HTMLParser):
    """What is open at the end of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"input", "img", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()


def test_few_blocks_are_not_run() -> None:
    """Those that are known, each with its reason."""
    reasons = {
        name: [one.not_run for one in written_blocks(name) if one.not_run] for name in (*GUIDES, README)
    }

    assert {name: count for name, count in NOT_RUN.items() if count} == {
        name: len(found) for name, found in reasons.items() if found
    }


def test_every_page_is_on_a_shelf_and_every_block_has_a_language() -> None:
    """So that no page is written that no test here reads."""
    pages = [name for name in files.names() if not name.startswith("decisions/")]

    assert sorted(GUIDES) == pages
    for name in files.names():
        for block in written_blocks(name):
            assert block.language in LANGUAGES, (name, block.text)


def test_the_guide_of_mcp_names_the_versions_that_its_samples_are_tested_with() -> None:
    """A sample for an older or newer version of a library fails at its first line."""
    guide = (ROOT / "docs/mcp.md").read_text()
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["test"]

    for library in ("mcp", "fastmcp"):
        [version] = [one for one in needed if one.startswith(f"{library}>=")]
        assert f"`{version}`" in guide
