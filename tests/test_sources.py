"""Nothing takes random numbers or the time from the process, but where the sources themselves are made."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import svc

ROOT: Final = Path(svc.__file__).parent
SOURCES: Final = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "os.getrandom",
    "os.urandom",
    "random",
    "secrets",
    "time.localtime",
    "time.gmtime",
    "time.time",
    "time.time_ns",
    "uuid",
}
ALLOWED: Final = {
    "actors/certificates/acme_order.py": "the library compares with the time of the process",
    "actors/certificates/acme_session.py": "the machine's clock is what is compared; tests give another",
    "cli/data_directory.py": "made once, before there is a store to replay",
    "cli/demo_files.py": "made for a file beside the data",
    "cli/doctor/backups.py": "the machine's clock is what backups are compared with",
    "cli/doctor/certificate.py": "the machine's clock is what certificates are compared with",
    "cli/doctor/data.py": "the machine's clock is what is looked at",
    "client/backoff.py": "the client kit runs in others' programs, without this system",
    "client/receiver.py": "as above; tests give it a clock",
    "client/transport.py": "as above: idempotency keys and waits are the client's own",
    "client/webhooks.py": "as above; tests give it the time",
    "clock.py": "the source of time",
    "domain/randomness.py": "the source of randomness",
    "telemetry/spans.py": "the times of spans are compared with those of other programs; tests give the ids",
}
"""Modules that may, with the reason."""


def used(source: str) -> set[str]:
    """Those of `SOURCES` that a module names, under whatever names it imports them."""
    tree = ast.parse(source)
    names = dict(_imported(tree))
    found = set(names.values())
    found |= {_dotted(node, names) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {one for one in SOURCES if any(f"{name}.".startswith(f"{one}.") for name in found)}


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each imported name, and what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """The full name of an attribute of something imported; empty for any other expression."""
    match node:
        case ast.Name(id=name):
            return names.get(name, "")
        case ast.Attribute(value=value, attr=attr):
            of = _dotted(value, names)
            return of and f"{of}.{attr}"
        case _:
            return ""


def test_only_the_sources_use_the_process_as_one() -> None:
    """Everything else is given a source, so a test can give it a seeded one."""
    modules = {path.relative_to(ROOT).as_posix(): path.read_text() for path in ROOT.rglob("*.py")}

    assert ALLOWED.keys() == {name for name, source in modules.items() if used(source)}


def test_sources_are_seen_under_any_name() -> None:
    """An alias, a member, a module of a package; and a namesake of another module is none."""
    for source, found in {
        "import secrets as s": {"secrets"},
        "from random import choice": {"random"},
        "import time\ntime.time()": {"time.time"},
        "from time import time as now": {"time.time"},
        "import time\ntime.perf_counter()": set(),
        "from datetime import datetime as d\nd.now()": {"datetime.datetime.now"},
        "import datetime as d\nread = d.datetime.now": {"datetime.datetime.now"},
        "from datetime import datetime\ndatetime.fromisoformat('')": set(),
        "import os\nos.urandom(1)": {"os.urandom"},
        "import uuid": {"uuid"},
        "self.system.secrets.sender": set(),
        "from svc import random\nrandom.choice()": set(),
    }.items():
        assert found == used(source), source
