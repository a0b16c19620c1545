"""`python -m bench.answers REVISION`: whether this checkout answers as a revision did, byte for byte.

Both run their own suite, whose requests are recorded with the same ids, keys and times. Where a test of one
name makes the same request in both, its answers are compared. Then both serve their demo, and are asked every
example of their contracts, these contracts, and their lists of MCP tools. What differs is printed in groups,
for a person to judge; it ends with 1 if there is any.
"""

import argparse
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from bench._answer_differences import Comparison, Difference, compare
from bench._checkouts import checkout, demo
from bench._contract_differences import contract_differences
from bench._demo_answers import client_of, contract_of, mcp_tools_of, record_examples
from bench._machine import PROJECT
from bench._world import RESULTS, workspace

TESTS: Final = (
    "tests/tools",
    "tests/http",
    "tests/mcp",
    "tests/agent",
    "--ignore=tests/http/server",
    "--ignore=tests/http/tools/test_tools_fuzzed.py",
    "--ignore=tests/http/tools/test_tools_crash.py",
    "--ignore=tests/http/tools/test_tools_timing.py",
    "--ignore=tests/http/tools/test_generated_client.py",
    "--ignore=tests/mcp/test_clients.py",
)
"""Tests of what is answered, without those that start programs, of which nothing is recorded."""
_RECORDER: Final = Path(__file__).with_name("_answer_recorder.py")
_CONTRACT: Final = "GET /api/v1/openapi.json: "
"""Compared by itself, whatever its schemas are called."""
_SHOWN_EACH: Final = 3


def main(arguments: list[str] | None = None) -> None:
    """Print what this checkout answers otherwise than the one that is given."""
    parser = argparse.ArgumentParser(prog="python -m bench.answers", description="Two services answer alike")
    parser.add_argument("checkout", metavar="REVISION", help="a revision, or the path of another checkout")
    parser.add_argument("tests", nargs="*", default=TESTS, help="arguments of pytest, after --")
    asked = parser.parse_args(arguments)
    with workspace() as space:
        sides = {"before": checkout(asked.checkout, space), "after": PROJECT}
        differing = compare_suites(sides, asked.tests) + compare_demos(sides, space)
    sys.exit(1 if differing else 0)


def compare_suites(sides: dict[str, Path], tests: Sequence[str]) -> int:
    """Record both suites at once, and print what differs; returns how much. Recordings are kept."""
    recordings = {side: RESULTS / f"answers-{side}.jsonl" for side in sides}
    running = {
        side: subprocess.Popen(
            [sys.executable, str(_RECORDER), str(recordings[side]), *tests],
            cwd=directory,
            env=os.environ | {"PYTHONHASHSEED": "0"},
        )
        for side, directory in sides.items()
    }
    failed = [side for side, process in running.items() if process.wait()]
    for side in failed:
        print(f"tests have failed: {sides[side]}")
    found = compare(*recordings.values())
    found.differing = [one for one in found.differing if not one.place.startswith(_CONTRACT)]
    return _print_comparison("the suite's requests", found) + len(failed)


def compare_demos(sides: dict[str, Path], space: Path) -> int:
    """Ask both demos, and print what differs; returns how much."""
    recordings = {side: space / f"examples-{side}.jsonl" for side in sides}
    contracts, tools = [], []
    with ExitStack() as stack:
        for side, directory in sides.items():
            service = stack.enter_context(demo(directory, space / side))
            client = stack.enter_context(client_of(service))
            contracts.append(contract_of(client))
            tools.append(mcp_tools_of(client))
            record_examples(client, service.facts["owner"], contracts[-1], recordings[side])
    listed = [
        one
        for name in sorted(tools[0].keys() & tools[1].keys())
        for part in tools[0][name] | tools[1][name]
        for one in contract_differences(tools[0][name].get(part), tools[1][name].get(part), f"{name}.{part}")
    ]
    return (
        _print_comparison("the examples of the contract, asked of the demos", compare(*recordings.values()))
        + _print_descriptions("the contract", list(contract_differences(*contracts)))
        + _print_descriptions("the MCP tools that both have", listed)
    )


def _print_comparison(title: str, found: Comparison) -> int:
    print(
        f"\n== {title} ==\n{found.tests} tests of both, {len(found.doors)} tools and doors:"
        f" {found.same} answers are the same, {found.same_but_ids} but for ids\n"
        f"{found.unmatched.total()} requests in {len(found.unmatched)} tests are not made by both"
    )
    groups: dict[str, list[Difference]] = defaultdict(list)
    for one in found.differing:
        groups[one.place].append(one)
    for place, cases in sorted(groups.items()):
        print(f"\n{place}, {len(cases)} times, as in {cases[0].test}")
        _print_values(cases)
    return len(groups) or not found.tests  # where nothing was compared, nothing is alike


def _print_descriptions(title: str, found: Sequence[Difference]) -> int:
    """By the last name of a place and what differs there: one change may be seen in a hundred places."""
    groups: dict[tuple[str, str, str], list[Difference]] = defaultdict(list)
    for one in found:
        groups[one.place.rpartition(".")[2], one.before, one.after].append(one)
    print(f"\n== {title} ==\n{len(found)} differences beside examples and names of schemas")
    for _, cases in sorted(groups.items()):
        print(f"\n{cases[0].place}, and {len(cases) - 1} more")
        _print_values(cases)
    return len(groups)


def _print_values(cases: Sequence[Difference]) -> None:
    for before, after in list(dict.fromkeys((one.before, one.after) for one in cases))[:_SHOWN_EACH]:
        print(f"  - {before}\n  + {after}")


if __name__ == "__main__":
    main()
