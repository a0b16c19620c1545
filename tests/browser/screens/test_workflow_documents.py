"""Every document that the tools take can be opened in the editor, and is the same when it is saved."""

import copy
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from svc.domain.workflows.documents import Document, encode
from svc.domain.workflows.limits import WORKFLOW_BRANCHES_MAX
from svc.domain.workflows.positions import every_step
from tests.workflow_documents import STEPS, TRIGGERS, documents, faults_of

_SCREENS: Final = Path(__file__).parents[3] / "screens"
_NODE: Final = Path(__file__).parents[3] / ".venv/bin/node"

_OPENED: Final = ("submitted a form", "schedule")
"""With a record, and without one."""

Model = Callable[[Any], Any]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    """What the editor makes of a document."""
    if not (_SCREENS / "node_modules").is_dir() and os.environ.get("CI") != "true":
        pytest.skip("`make screens` installs what bundles it")
    bundle = tmp_path_factory.mktemp("model") / "model.mjs"
    command = [str(_NODE), "build/gallery.mjs", "workflow_documents.mjs"]
    bundle.write_bytes(subprocess.run(command, cwd=_SCREENS, capture_output=True, check=True).stdout)
    with subprocess.Popen(
        [str(_NODE), str(bundle)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        stdin, stdout = process.stdin, process.stdout

        def made_of(document: Any) -> Any:
            stdin.write(json.dumps(document) + "\n")
            stdin.flush()
            return json.loads(stdout.readline())

        yield made_of
        process.terminate()


@st.composite
def nested(draw: st.DrawFn) -> dict[str, Any]:
    """Documents of steps in branches as deep as they may be."""
    value = draw(documents())
    forks = [step for step in STEPS if "then" in step]
    for depth in range(draw(st.integers(0, WORKFLOW_BRANCHES_MAX - 1))):
        fork = copy.deepcopy(draw(st.sampled_from(forks))) | {"key": f"fork{depth}"}
        arms = [value["steps"], draw(st.sampled_from([[], [{"type": "stop", "key": f"stop{depth}"}]]))]
        if draw(st.booleans()):
            arms.reverse()
        value["steps"] = [fork | {"then": arms[0], "else": arms[1]}]
        if not arms[1] and draw(st.booleans()):
            del value["steps"][0]["else"]
    return value


def _taken(value: dict[str, Any]) -> Any | None:
    """The document as the tools answer it; None where they do not take it."""
    if faults_of(**value):
        return None
    return json.loads(encode(msgspec.convert(value, Document)))


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(nested())
def test_a_document_is_the_same_after_the_editor(model: Model, value: dict[str, Any]) -> None:
    """Also where the tools refuse it; and a step that is moved down and up again is where it was."""
    for document in filter(None, (value, _taken(value))):
        made = model(document)

        assert document == made["saved"]
        assert len([*every_step(msgspec.convert(document["steps"], _Steps))]) == made["count"]
        for back in made["back"]:
            assert _without_empty(document["steps"]) == _without_empty(back["steps"])


_Steps: Final = cast(Any, Document.__annotations__["steps"])


def _without_empty(steps: Any) -> Any:
    """An empty branch is as good as none."""
    return [
        {
            name: _without_empty(member) if name in {"then", "else"} else member
            for name, member in step.items()
            if name != "else" or member
        }
        for step in steps
    ]


def test_each_kind_of_step_is_opened_for_each_trigger(desk: Page) -> None:
    """All at once, as the document beside the editor: each has its sentence and fields, and stays so."""
    desk.goto("/app/workflows/new?from=blank&beside=document")
    text = desk.get_by_label("As JSON")
    for trigger in TRIGGERS.values():
        steps = [copy.deepcopy(step) | {"key": f"s{place}"} for place, step in enumerate(STEPS)]
        for step in steps:
            for arm in ("then", "else"):
                for inner in step.get(arm, ()):
                    inner["key"] = f"{step['key']}_{arm}"
        document = {"name": "All kinds", "trigger": trigger, "conditions": [], "steps": steps}
        text.fill(json.dumps(document))
        expect(desk.locator(".step-card")).to_have_count(len(STEPS) + 4)
        for place in range(len(STEPS) + 4) if trigger["type"] in _OPENED else ():
            desk.locator(".step-open").nth(place).click()
            expect(desk.locator(".step-fields")).to_have_count(1)
        desk.get_by_role("button", name="Try it", exact=True).first.click()
        desk.get_by_role("button", name="Document", exact=True).click()

        assert document == json.loads(desk.get_by_label("As JSON").input_value())
    desk.get_by_label("As JSON").fill("{")
    expect(desk.get_by_text("This is no document yet")).to_be_visible()
    expect(desk.locator(".step-card")).to_have_count(len(STEPS) + 4)
