"""Who enters an organization: every way in which a key or a person stops, one by one."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import ApprovalRequired, Forbidden, PersonOnly, Unauthenticated
from svc.domain.identity.access import Access, KeyFacts, Membership, admit_key, admit_person
from svc.domain.identity.callers import Caller, permit
from svc.domain.identity.roles import ADMIN, OWNER, PERMISSIONS, VIEWER, Role
from svc.domain.identity.sessions import Session, csrf_token, is_fresh

NOW = 1_000_000
FORMS = Role("rol_forms", "Forms", frozenset({"forms", "records.read"}))
KEY = KeyFacts(
    id="key_1",
    creator_id="usr_1",
    role_id="admin",
    tools=None,
    limited_to=None,
    expires_at=NOW + 1,
    last_used_at=None,
)


def access(**changes: Any) -> Access:
    known = Access(
        organization_id="org_1",
        is_open=True,
        roles={FORMS.id: FORMS},
        members={"usr_1": Membership("owner", "active", keys_allowed=True)},
        keys={"digest": KEY},
        grants={},
    )
    return msgspec.structs.replace(known, **changes)


def key(**changes: Any) -> dict[str, KeyFacts]:
    return {"digest": msgspec.structs.replace(KEY, **changes)}


def member(role_id: str = "owner", status: Any = "active", *, keys_allowed: bool = True) -> Any:
    return {"usr_1": Membership(role_id, status, keys_allowed)}


def test_a_live_key_is_admitted() -> None:
    """It acts as its creator, with what its role and the creator's have in common."""
    caller = admit_key(access(members=member("viewer")), "digest", NOW)

    assert ("key", "key_1", "usr_1", "org_1") == (
        caller.kind,
        caller.id,
        caller.person_id,
        caller.organization_id,
    )
    assert VIEWER.permissions == caller.permissions


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"keys": {}}, id="unknown or revoked"),
        pytest.param({"keys": key(expires_at=NOW)}, id="expired at this very moment"),
        pytest.param({"members": member(status="deactivated")}, id="creator deactivated"),
        pytest.param({"members": member(status="frozen")}, id="creator frozen"),
        pytest.param({"members": {}}, id="creator no longer a member"),
        pytest.param({"is_open": False}, id="organization closed"),
        pytest.param({"members": member(keys_allowed=False)}, id="home organization does not allow it"),
    ],
)
def test_every_way_in_which_a_key_stops(changes: dict[str, Any]) -> None:
    """The refusal is the same in each case, and says nothing."""
    with pytest.raises(Unauthenticated) as refusal:
        admit_key(access(**changes), "digest", NOW)

    assert () == refusal.value.args


@pytest.mark.parametrize(
    "changes",
    [
        {"members": member(status="deactivated")},
        {"members": member(status="frozen")},
        {"members": {}},
        {"is_open": False},
    ],
)
def test_every_way_in_which_a_person_stops(changes: dict[str, Any]) -> None:
    """A session alone opens no organization."""
    with pytest.raises(Unauthenticated):
        admit_person(access(**changes), "usr_1", NOW)


def test_a_person_from_elsewhere_may_enter_without_keys() -> None:
    """What the home organization does not allow is keys, not the work here."""
    caller = admit_person(access(members=member("admin", keys_allowed=False)), "usr_1", NOW)

    assert ADMIN.permissions == caller.permissions
    assert NOW == caller.confirmed_at


PERMISSION_SETS = st.frozensets(st.sampled_from(sorted(PERMISSIONS)))


@given(PERMISSION_SETS, PERMISSION_SETS)
def test_a_key_is_never_above_its_creator(of_key: frozenset[Any], of_creator: frozenset[Any]) -> None:
    """Whatever the two roles are by now, the key has what both permit."""
    known = access(
        roles={"rol_1": Role("rol_1", "Key's", of_key), "rol_2": Role("rol_2", "Creator's", of_creator)},
        members=member("rol_2"),
        keys=key(role_id="rol_1"),
    )

    assert of_key & of_creator == admit_key(known, "digest", NOW).permissions


def test_a_role_that_is_gone_permits_nothing() -> None:
    """Should a role ever vanish under a key, the key is not above it."""
    assert frozenset() == admit_key(access(keys=key(role_id="rol_gone")), "digest", NOW).permissions


def a_caller(**changes: Any) -> Caller:
    caller = Caller(
        organization_id="org_1", kind="key", id="key_1", person_id="usr_1", permissions=OWNER.permissions
    )
    return msgspec.structs.replace(caller, **changes)


@pytest.mark.parametrize(
    ("changes", "needs", "runs", "refusal"),
    [
        ({}, "records.read", "open", None),
        ({}, None, "open", None),
        ({"permissions": VIEWER.permissions}, "records.write", "open", Forbidden),
        ({"tools": frozenset({"tool"})}, "records.read", "open", None),
        ({"tools": frozenset({"other"})}, "records.read", "open", Forbidden),
        ({"limited_to": "ai.gateway"}, None, "open", Forbidden),
        ({"limited_to": "ai.gateway"}, None, "person", Forbidden),
        ({}, "settings", "approval", ApprovalRequired),
        ({}, "security", "person", PersonOnly),
        ({"tools": frozenset({"other"})}, "security", "person", PersonOnly),
        ({"kind": "agent"}, "settings", "approval", ApprovalRequired),
        ({"kind": "agent"}, "settings", "person", PersonOnly),
        ({"kind": "person"}, "settings", "approval", None),
        ({"kind": "person"}, "settings", "person", None),
        ({"kind": "person", "permissions": frozenset()}, "settings", "person", Forbidden),
        ({"kind": "operator"}, "settings", "person", None),
    ],
)
def test_what_a_caller_may_run(
    changes: dict[str, Any], needs: Any, runs: Any, refusal: type[Exception] | None
) -> None:
    """The kind of caller, the key's tools and the permission decide, the most informative error first."""
    refused = None
    try:
        permit(a_caller(**changes), "tool", needs=needs, runs=runs)
    except Forbidden as error:
        refused = type(error)

    assert refusal == refused


HOUR = 3_600_000


@pytest.mark.parametrize(
    ("passed", "seen", "lives"),
    [
        (0, 0, True),
        (12 * HOUR - 1, 0, True),
        (12 * HOUR, 0, False),
        (14 * 24 * HOUR - 1, 14 * 24 * HOUR - 2, True),
        (14 * 24 * HOUR, 14 * 24 * HOUR - 1, False),
    ],
)
def test_a_session_ends(passed: int, seen: int, lives: bool) -> None:
    """After twelve idle hours, and after two weeks in any case."""
    session = Session(
        id="ses_1",
        person_id="usr_1",
        created_at=0,
        confirmed_at=0,
        seen_at=seen,
        expires_at=14 * 24 * HOUR,
    )

    assert lives == session.lives_at(passed)


@pytest.mark.parametrize(("confirmed_at", "fresh"), [(None, False), (1, True), (0, False)])
def test_a_sign_in_is_fresh_for_two_hours(confirmed_at: int | None, fresh: bool) -> None:
    """At two hours to the millisecond it is no longer."""
    assert fresh == is_fresh(confirmed_at, 2 * HOUR)


def test_a_csrf_token_is_its_sessions_own() -> None:
    """It is the same each time, another for each session, and does not hold the session's token."""
    assert csrf_token("svcs_1") == csrf_token("svcs_1") != csrf_token("svcs_2")
    assert "svcs_1" not in csrf_token("svcs_1")
