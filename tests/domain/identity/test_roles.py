"""Roles are sets of permissions, and nobody gives more than they have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.identity.roles import (
    ADMIN,
    OWNER,
    PERMISSIONS,
    VIEWER,
    Permission,
    Role,
    permissions_of,
    weaker,
)

PERMISSION_SETS = st.frozensets(st.sampled_from(sorted(PERMISSIONS)))
ROLES = PERMISSION_SETS.map(lambda permissions: Role("rol_1", "One", permissions)) | st.sampled_from(
    [OWNER, ADMIN, VIEWER]
)


@given(ROLES, ROLES)
def test_the_weaker_of_two_roles_permits_what_both_permit(one: Role, other: Role) -> None:
    """It is never above either of them, in whichever order they are compared."""
    both = weaker(one, other)

    assert both <= one.permissions
    assert both <= other.permissions
    assert both == weaker(other, one)
    assert one.permissions == weaker(one, one) == weaker(one, OWNER)


@given(ROLES, ROLES, ROLES)
def test_what_is_given_on_was_there_to_give(first: Role, second: Role, third: Role) -> None:
    """Along a chain of gifts nothing is gained."""
    if first.may_give(second) and second.may_give(third):
        assert first.may_give(third)
        assert weaker(third, first) == third.permissions


@pytest.mark.parametrize(
    ("giver", "given_role", "may"),
    [
        (OWNER, OWNER, True),
        (OWNER, ADMIN, True),
        (ADMIN, OWNER, False),
        (ADMIN, ADMIN, True),
        (VIEWER, VIEWER, True),
        (VIEWER, ADMIN, False),
        (Role("rol_1", "All", PERMISSIONS), OWNER, False),
        (Role("rol_1", "Forms", frozenset({"forms"})), VIEWER, False),
    ],
)
def test_only_owners_make_owners(giver: Role, given_role: Role, may: bool) -> None:
    """Having every permission is not to be an Owner."""
    assert may == giver.may_give(given_role)


def test_a_viewer_reads() -> None:
    """The Viewer has the read permissions alone."""
    assert frozenset({"records.read"}) == VIEWER.permissions


@given(PERMISSION_SETS)
def test_permissions_are_read_by_name(permissions: frozenset[Permission]) -> None:
    """Every permission is found under its own name."""
    assert permissions == permissions_of(sorted(permissions))


def test_an_unknown_permission_is_named() -> None:
    """The refusal says which one, and which there are."""
    with pytest.raises(InvalidValue, match=r"no permission 'fly'; there are records\.read, "):
        permissions_of(["forms", "fly"])
