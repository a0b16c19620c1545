"""The Python client that a stock generator makes of the contract, and what a program does with it."""

import shutil
import subprocess
import sys
from pathlib import Path

from svc.http.tools.contract import Contract
from svc.tools.catalogue import REGISTRY
from tests.browser.places import service_with_demo

EXAMPLE = Path(__file__).parents[3] / "clients" / "python" / "example.py"
GENERATOR = Path(sys.executable).with_name("openapi-python-client")


def test_the_generated_client_calls_tools(tmp_path: Path) -> None:
    """Generated without flags and without a warning; answers and problems come as values of their types."""
    contract = tmp_path / "openapi.json"
    contract.write_bytes(Contract(REGISTRY).body)
    generated = subprocess.run(
        [GENERATOR, "generate", "--path", contract, "--output-path", tmp_path / "svc_api", "--meta", "none"],
        capture_output=True,
        text=True,
        check=True,
    )
    shutil.copy(EXAMPLE, tmp_path)
    with service_with_demo(tmp_path / "service") as service:
        walked = subprocess.run(
            [sys.executable, "example.py", service.url, service.facts["apiKey"]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    assert "WARNING" not in generated.stdout + generated.stderr
    assert (
        "organization Harbour Lamps\n"
        "objects contact company deal\n"
        "made Ada\n"
        "repeated, the same record: True\n"
        "moved to Thurso\n"
        "listed Ada\n"
        "counted 1\n"
        "noted Met at the harbour.\n"
        "shown UTC\n"
        "refused 404 not_found: there is no record `rec_none`\n"
        "refused 422 validation_failed: /properties/nmae: is no property of this object;"
        " did you mean `name`? There are `name`, `email`, `phone`, `company`, `job_title`, `website`, `city`,"
        " `country`\n"
    ) == walked.stdout, walked.stderr
