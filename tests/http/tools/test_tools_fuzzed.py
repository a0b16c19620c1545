"""Every tool, called in all ways that its contract allows and many that it forbids, keeps to it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from svc.http.tools.contract_parts import _status
from svc.http.tools.problem_codes import problem_codes
from svc.tools.catalogue import REGISTRY
from tests.cli.running import Service

HERE = Path(__file__).parent
SECONDS_MAX = 240
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "6"))
"""Of each tool, beside those that Schemathesis always makes. `FUZZ_EXAMPLES=500` looks longer."""
SEED = os.environ.get("FUZZ_SEED", "7")

KNOWN = {
    "slugs": "SELECT DISTINCT slug FROM properties",
    "objectType": "SELECT slug FROM objects",
    "recordId": "SELECT id FROM records",
    "contactId": "SELECT contact_id FROM submissions WHERE contact_id IS NOT NULL",
    "organization.id": "SELECT id FROM organizations",
    "form.id": "SELECT id FROM forms",
    "formId": "SELECT id FROM forms",
    "site.id": "SELECT id FROM sites",
    "siteId": "SELECT id FROM sites",
    "submission.id": "SELECT id FROM submissions",
    "suggestion.id": "SELECT id FROM suggestions",
    "role.id": "SELECT 'viewer'",
    "roleId": "SELECT 'viewer'",
    "role": "SELECT 'viewer'",
    "approval.id": "SELECT id FROM approvals",
    "serverkey.id": "SELECT id FROM server_keys",
    "webhook.id": "SELECT id FROM webhooks",
    "webhookId": "SELECT id FROM webhooks",
    "deliveryId": "SELECT id FROM webhook_deliveries",
    "property.slug": "SELECT slug FROM properties",
}


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The demo, with a budget that is not what this is about."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SVC_TOOLS__CALLS_PER_MINUTE", "100000")
    running = Service(tmp_path / "data", "--demo")
    yield running
    running.close()


def known(service: Service) -> dict[str, Any]:
    """What there is to be named by a call."""
    found: dict[str, Any] = {
        name: [value for (value,) in service.rows(statement)] for name, statement in KNOWN.items()
    }
    pairs = "SELECT objects.slug, records.id FROM records JOIN objects ON objects.id = records.object_id"
    return found | {"records": service.rows(pairs)}


def fuzz(directory: Path, contract: Any, url: str, found: dict[str, Any], *args: str) -> None:
    """Run Schemathesis, and fail with what it found."""
    _cut(contract)
    (directory / "contract.json").write_text(json.dumps(contract))
    (directory / "known.json").write_text(json.dumps(found))
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml")),
        *("run", "contract.json", "--url", url, "--checks", "all", "--seed", SEED),
        *("--max-examples", str(EXAMPLES), "--generation-database", "none", "--warnings", "off", *args),
    ]
    environment = os.environ | {
        "FUZZ_KNOWN": str(directory / "known.json"),
        "SCHEMATHESIS_HOOKS": "tests.http.tools.fuzz_hooks",
        "PYTHONPATH": str(HERE.parents[2]),
    }
    seconds = SECONDS_MAX + EXAMPLES * 60
    ran = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, timeout=seconds, check=False
    )
    assert 0 == ran.returncode, ran.stdout.decode() + ran.stderr.decode()


def _cut(contract: Any) -> None:
    """Have a stop alone inside a branch and an approval, and documents under their present names alone.

    Schemathesis looks into each place of a schema from each other, so that it would take several times as
    long for kinds of steps that have steps, and twice as long for names that lead to the same tools.
    """
    schemas = contract["components"]["schemas"]
    for of_arms in ("Approval", "Branch"):
        for arm in ("then", "else"):
            schemas[of_arms]["properties"][arm]["items"] = {"$ref": "#/components/schemas/Stop"}
    contract["paths"] = {
        path: item
        for path, item in contract["paths"].items()
        if not path.endswith(("/automation.create", "/automation.update"))
    }


@pytest.mark.fuzz
def test_every_tool_keeps_to_the_contract(service: Service, tmp_path: Path) -> None:
    """Statuses, types, headers, schemas, methods, bad input, no key: nothing comes that it does not say."""
    service.ready()
    facts = json.loads(service.data.demo.read_text())
    contract = httpx.get(f"{facts['baseUrl']}/api/v1/openapi.json").json()
    authorization = f"Authorization: Bearer {facts['apiKey']}"
    fuzz(tmp_path, contract, facts["baseUrl"], known(service), "--header", authorization)

    assert [] == [event for event in service.events() if event == "a call failed"]
    assert 0 == service.end()


def told_to_people(item: Any) -> Any:
    """The tool as the contract would have it for a person, who gets further than a key."""
    operation = item["post"]
    codes = problem_codes(REGISTRY[operation["operationId"]])
    also = {str(_status(code)): {"description": code} for code in codes}
    return {"post": operation | {"responses": also | operation["responses"]}}


@pytest.mark.fuzz
def test_a_signed_in_person_finds_no_fault_either(service: Service, tmp_path: Path) -> None:
    """The tools that answer a key with 403 run for a person: the same contract holds at the screens' door."""
    service.ready()
    facts = json.loads(service.data.demo.read_text())
    signed_in = httpx.post(f"{facts['baseUrl']}/app/api/sign-in", json=facts["owner"])
    contract = httpx.get(f"{facts['baseUrl']}/api/v1/openapi.json").json()
    contract["paths"] = {
        path.replace("/api/v1/tools/", "/app/api/tools/"): told_to_people(item)
        for path, item in contract["paths"].items()
    }
    [scheme] = contract["components"]["securitySchemes"]
    contract["components"]["securitySchemes"][scheme] = {
        "type": "apiKey",
        "in": "cookie",
        "name": "svc_session",
    }
    fuzz(
        tmp_path,
        contract,
        facts["baseUrl"],
        known(service),
        *("--header", f"Cookie: svc_session={signed_in.cookies['svc_session']}"),
        *("--header", f"X-CSRF-Token: {signed_in.json()['csrfToken']}"),
        # Problems before the tool is called have the same code at both doors; the 401 is another.
        *("--phases", "examples,fuzzing", "--mode", "positive", "--exclude-checks", "ignored_auth"),
    )

    assert [] == [event for event in service.events() if event == "a call failed"]
    assert 0 == service.end()
