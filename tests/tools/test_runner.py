"""What tools ask of the layer above comes with the call, or is missed at once."""

import msgspec
import pytest

from svc.domain.identity.callers import Installation, operator_call
from svc.runs.runner import RUNNER
from svc.tools.registry import registry_of
from svc.tools.runner import runner_of

CALL = operator_call("org_1")


def test_a_call_has_the_runner_that_it_was_given():
    """It is the program's own."""
    assert RUNNER is runner_of(msgspec.structs.replace(CALL, installation=Installation(runner=RUNNER)))


@pytest.mark.parametrize("read", [runner_of, registry_of])
def test_a_call_through_no_door_has_none(read):
    """That is a fault of the program, and no answer."""
    with pytest.raises(TypeError, match="came through no door"):
        read(CALL)
