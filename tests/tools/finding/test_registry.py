"""The registry that a call came through."""

import msgspec
import pytest

from svc.domain.identity.callers import operator_call
from svc.tools.catalogue import REGISTRY
from svc.tools.finding import finder
from svc.tools.finding.finder import DescribeTools
from svc.tools.registry import Registry, registry_of

CALL = operator_call("org_1")


def test_tools_about_tools_see_the_registry_of_the_door():
    """Not the catalogue, where a door serves fewer tools."""
    door = Registry([REGISTRY["record.get"]])
    names = ("record.get", "record.create")
    answer = finder.describe(None, msgspec.structs.replace(CALL, registry=door), DescribeTools(names=names))

    assert ["record.get"] == [tool.name for tool in answer.tools]
    assert ["record.create"] == [unknown.name for unknown in answer.unknown]


def test_a_call_through_no_door_has_no_registry():
    """A door that forgets its own is a fault of the program, and said as one."""
    with pytest.raises(TypeError, match="no registry"):
        registry_of(CALL)
