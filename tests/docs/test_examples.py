"""Every example of the contract and of the reference works on a demo, as it is shown there."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from svc.tools.catalogue import REGISTRY
from tests.browser.places import Service, service_with_demo
from tests.docs.test_guides import CURL, RUN_SECONDS, Figures, has_node
from tests.http.tools.test_contract import faults

ALL_PYTHON: Final = """
import sys, traceback
for name in sys.argv[1:]:
    try:
        exec(compile(open(name).read(), name, "exec"), {"__name__": "pasted"})
    except Exception as error:
        print("FAILED", name, repr(error), getattr(error, "response", None) and error.response.text)
"""
ALL_TYPESCRIPT: Final = """
const asked = globalThis.fetch;
for (const name of process.argv.slice(2)) {
  globalThis.fetch = async (...how) => {
    const answer = await asked(...how);
    if (!answer.ok) console.log("FAILED", name, answer.status, await answer.clone().text());
    return answer;
  };
  await import(name);
}
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A demo without changes."""
    with service_with_demo(tmp_path) as running:
        yield running


def pasted(service: Service, language: str) -> dict[str, str]:
    """The example of each tool in that *language*, as its page shows it."""
    found = {}
    with httpx.Client(base_url=service.url) as reader:
        for name in REGISTRY:
            page = reader.get(f"/docs/api/{name}").raise_for_status()
            found[name] = next(text for one, text in Figures(page.text).found if one == language)
    return found


def in_shell(service: Service, directory: Path, command: str) -> str:
    """What the *command* prints, with the demo's keys in its shell."""
    script = directory / "script.sh"  # longer than an argument may be
    script.write_text(f". {service.database.parent}/demo.env\n{command}")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", str(script)],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=4 * RUN_SECONDS,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "backwards"])
def test_every_example_of_the_contract_is_answered(service: Service, backwards: bool) -> None:
    """As the contract says, and in whatever order they are sent: none needs another, or is in its way."""
    refused: dict[str, Any] = {}
    with httpx.Client(base_url=service.url) as client:
        session = client.post("/app/api/sign-in", json=service.facts["owner"]).raise_for_status().json()
        document = client.get("/api/v1/openapi.json").json()
        operations = list(document["paths"].items())
        for path, methods in reversed(operations) if backwards else operations:
            operation = methods["post"]
            headers = {"authorization": f"Bearer {service.facts['apiKey']}"}
            if operation["x-tool"]["runs"] != "open":
                path = path.replace("/api/v1/", "/app/api/")
                headers = {"x-csrf-token": session["csrfToken"]}
            example = operation["requestBody"]["content"]["application/json"]["example"]

            answer = client.post(path, json=example, headers=headers)

            if answer.status_code != 200:
                refused[operation["operationId"]] = (example, answer.text)
                continue
            schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
            if found := faults(document, schema, answer.json()):
                refused[operation["operationId"]] = (example, found)

    assert len(operations) == len(REGISTRY)
    assert {} == refused


def test_every_example_in_the_shell_works(service: Service, tmp_path: Path) -> None:
    """With curl; each twice, since a reader does not know what was pasted before."""
    curl = tmp_path / "curl"
    curl.write_text(CURL.format(curl=shutil.which("curl")))
    curl.chmod(0o755)
    examples = pasted(service, "sh")
    again = [
        name
        for name, text in examples.items()
        if REGISTRY[name].effect == "reads" or "Idempotency-Key" in text
    ]
    lines = [
        f"{{ {examples[name]}\n}} > answer || {{ echo FAILED {name}; cat answer; echo; }}"
        for name in (*examples, *again)
    ]

    assert "" == in_shell(service, tmp_path, "\n".join([f"PATH={tmp_path}:$PATH", *lines]))


def test_every_example_in_python_works(service: Service, tmp_path: Path) -> None:
    """Each on its own, from the last tool to the first."""
    names = []
    for name, text in reversed(pasted(service, "python").items()):
        (tmp_path / f"{name}.py").write_text(text)
        names.append(f"{name}.py")
    (tmp_path / "all.py").write_text(ALL_PYTHON)

    printed = in_shell(service, tmp_path, f"{sys.executable} all.py {' '.join(names)}")

    assert len(names) == len(printed.splitlines())
    assert [] == [line for line in printed.splitlines() if line.startswith("FAILED")]


def test_every_example_in_typescript_works(service: Service, tmp_path: Path) -> None:
    """The languages' difference is in types alone, of which the examples need none."""
    if not has_node():
        pytest.skip("there is no Node")
    names = []
    for name, text in pasted(service, "ts").items():
        (tmp_path / f"{name}.mjs").write_text(text)
        names.append(f"{tmp_path}/{name}.mjs")
    (tmp_path / "all.mjs").write_text(ALL_TYPESCRIPT)

    printed = in_shell(service, tmp_path, f"node all.mjs {' '.join(names)}")

    assert [] == [line for line in printed.splitlines() if line.startswith("FAILED")]


def test_examples_of_a_service_that_is_no_demo_name_no_demo() -> None:
    """`svc openapi` prints ids that no service has."""
    printed = subprocess.run(
        [sys.executable, "-m", "svc", "openapi"], capture_output=True, text=True, check=True
    ).stdout

    example = json.loads(printed)["paths"]["/api/v1/tools/record.get"]["post"]["requestBody"]
    assert "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA" == example["content"]["application/json"]["example"]["id"]
