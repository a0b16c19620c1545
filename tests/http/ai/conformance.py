"""Clients of chat completions that are not Python's `openai`, against a demo as it is run.

`make conformance` installs them, npm's `openai` and LiteLLM, and runs this.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.cli.running import Service

ROOT: Final = Path(__file__).parents[3]
NPM_CLIENT: Final = ROOT / "tests/node/openai_client.mjs"
LITELLM_CLIENT: Final = Path(__file__).with_name("litellm_client.py")
LITELLM_PYTHON: Final = ROOT / ".venv/litellm/bin/python"
SECONDS_MAX: Final = 120


def passes(name: str, command: list[str], home: str) -> bool:
    """Whether the client's *command* succeeds. It gets nothing of this environment that it does not need."""
    kept = {"HOME": home, "PATH": os.environ["PATH"], "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run(command, env=kept, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    passed = not done.returncode
    shown = done.stdout if passed else done.stdout + done.stderr
    print(f"\n== {name}: {'passed' if passed else 'FAILED'}\n{shown}", flush=True)  # noqa: T201  # its purpose
    return passed


def main() -> bool:
    """Run both against one demo, and say whether all passed."""
    with tempfile.TemporaryDirectory() as home:
        service = Service(Path(home) / "data", "--demo")
        try:
            service.ready()
            facts = json.loads(service.data.demo.read_text())
            base_url, key = f"{facts['baseUrl']}/api/ai/v1", facts["gatewayKey"]
            passed = [
                passes("openai of npm", ["node", str(NPM_CLIENT), base_url, key, facts["apiKey"]], home),
                passes("LiteLLM", [str(LITELLM_PYTHON), str(LITELLM_CLIENT), base_url, key], home),
                not service.end(),
            ]
        finally:
            service.close()
    return all(passed)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
