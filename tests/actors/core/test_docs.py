"""The page about actors: its example runs, and it leaves nothing out."""

import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from svc.actors import _core
from svc.actors._core import Policy
from svc.actors._core.statistics import Phase

PAGE = (Path(__file__).parents[3] / "docs" / "actors.md").read_text()


async def test_the_example_works(autojump_clock):
    """The example of the page does what its last line says."""
    [example] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(example, "docs/actors.md", "exec"), names)  # noqa: S102  # it is our own page

    assert ["lunch: salad", "salad had 2"] == await names["main"]()


@pytest.mark.parametrize("field", msgspec.structs.fields(Policy), ids=lambda field: field.name)
def test_every_number_is_on_the_page(field):
    """Each field of a policy is documented with its default."""
    default = f"{field.default:,}" if type(field.default) is int else field.default

    assert f"| `{field.name}` | {default} |" in PAGE


@pytest.mark.parametrize("phase", get_args(Phase))
def test_every_phase_is_on_the_page(phase):
    """Each phase that an operator can see is explained."""
    assert f"| `{phase}` |" in PAGE


@pytest.mark.parametrize(
    "name", [name for name in _core.__all__ if issubclass(getattr(_core, name), Exception)]
)
def test_every_error_is_on_the_page(name):
    """Each error of the runtime is documented."""
    assert f"`{name}`" in PAGE or name == "ActorError"


@pytest.mark.parametrize("event", ["actor crashed", "turn refused unheard", "messages lost"])
def test_log_lines_are_on_the_page(event):
    """The log lines that operators search for are documented."""
    assert f"| `{event}` |" in PAGE
