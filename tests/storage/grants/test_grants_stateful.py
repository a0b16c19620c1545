"""Apps, codes, tokens, grants, people and time, beside a plain model: both say the same of every request."""

import hmac
from contextlib import suppress
from typing import Any, Final

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from svc.domain.crypto.keys import digest
from svc.domain.errors import Forbidden, NotFound, Unauthenticated
from svc.domain.grants.limits import (
    ACCESS_TOKEN_LIFE_MS,
    CODE_KEPT_MS,
    CODE_LIFE_MS,
    REFRESH_REPEAT_MS,
    REFRESH_TOKEN_IDLE_MS,
)
from svc.domain.grants.oauth import challenge_of
from svc.domain.identity.access import admit_grant
from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import API_KEY_LIVES_MS
from svc.domain.identity.roles import BUILTIN_ROLES, weaker
from svc.domain.locale.times import DAY_MS
from svc.storage import retention
from svc.storage.grants import grants, tokens
from svc.storage.grants.grants import Choice
from svc.storage.grants.requests import AuthorizationRequest
from svc.storage.grants.tokens import Exchange, Refresh, Tokens
from svc.storage.identity import access, members, organizations
from svc.storage.identity import grants as identity_grants
from svc.storage.identity.organizations import OrganizationChanges
from tests.people import a_member, call_of
from tests.storage.ledger import ledger

VERIFIER: Final = "v" * 43
CALLBACK: Final = "https://app.example/callback"
CLIENTS: Final = ("app_1", "app_2")
DOORS: Final = ("mcp", "mcp_full")
LIVES: Final = ("30d", "1y")
ROLES: Final = ("owner", "admin", "viewer")
WAITS: Final = (
    1,
    CODE_LIFE_MS // 2,
    REFRESH_REPEAT_MS // 2,
    ACCESS_TOKEN_LIFE_MS // 2,
    20 * DAY_MS,
    59 * DAY_MS,
)


class Grant(msgspec.Struct):
    """A grant as the model has it."""

    id: str
    client: str
    person: str
    door: str
    role: str
    expires_at: int
    ended: str | None = None


class Secret(msgspec.Struct):
    """A code or token as the model has it."""

    grant: Grant
    expires_at: int
    used_at: int | None = None
    successor: str | None = None
    dropped: bool = False


class World(RuleBasedStateMachine):
    """The real units, beside the model."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = ledger()
        self.here = self.opened.__enter__()
        self.organization_id = self.here.organization.id
        self.people: dict[str, Any] = {}
        self.roles: dict[str, str] = {}
        self.active: dict[str, bool] = {}
        self.members_may = False
        self.grants: list[Grant] = []
        self.codes: dict[str, Secret] = {}
        self.refresh_tokens: dict[str, Secret] = {}
        self.access_tokens: dict[str, Secret] = {}

    def teardown(self) -> None:
        self.opened.__exit__(None, None, None)

    @initialize()
    def people_come(self) -> None:
        for name, role in (("ada", "owner"), ("bob", "owner"), ("cy", "viewer")):
            person = self.here.write(a_member, self.organization_id, f"{name}@example.com", role)
            self.people[name], self.roles[name], self.active[name] = person, role, True

    @property
    def next_at(self) -> int:
        """When the next unit will be."""
        return self.here.now + 1_000

    def works(self, grant: Grant, at: int) -> bool:
        return grant.ended is None and at < grant.expires_at and self.active[grant.person]

    def end(self, grant: Grant, because: str) -> None:
        if grant.ended is None:
            grant.ended = because

    @rule(
        name=st.sampled_from(["ada", "bob", "cy"]),
        client=st.sampled_from(CLIENTS),
        door=st.sampled_from(DOORS),
        life=st.sampled_from(LIVES),
    )
    def allow(self, name: str, client: str, door: Any, life: Any) -> None:
        """A person allows an app; the grant of before is replaced."""
        call = call_of(self.people[name], confirmed_at=self.next_at)
        code = f"code-{len(self.codes)}"
        request = AuthorizationRequest(
            app_id=client, client_id=client, app_name="App", app_host="app.example", organization_id=None,
            redirect_uri=CALLBACK, state=None, challenge=challenge_of(VERIFIER), scope="tools", door=door,
            issuer="https://crm.example",
        )  # fmt: skip
        choice = Choice(reach="all", tools=None, expires_in=life)
        may = self.active[name] and (self.roles[name] != "viewer" or self.members_may)
        if not may:
            with pytest.raises(Forbidden):
                self.here.write(grants.allow, call, request, choice, digest(code))
            return
        made = self.here.write(grants.allow, call, request, choice, digest(code))
        now = self.here.now
        for grant in self.grants:
            if (grant.client, grant.person, grant.door) == (client, name, door):
                self.end(grant, "replaced")
        grant = Grant(made.id, client, name, door, self.roles[name], now + API_KEY_LIVES_MS[life])
        self.grants.append(grant)
        self.codes[code] = Secret(grant, now + CODE_LIFE_MS)

    @precondition(lambda self: self.codes)
    @rule(
        data=st.data(),
        client=st.sampled_from((*CLIENTS, None)),
        right=st.sampled_from([True, True, True, False]),
        door=st.sampled_from((None, None, *DOORS)),
    )
    def exchange(self, data: st.DataObject, client: str | None, right: bool, door: str | None) -> None:
        """A code, now and then of another client, with another verifier, or for another door."""
        code = data.draw(st.sampled_from(list(self.codes)))
        known = self.codes[code]
        grant, token = known.grant, f"refresh-{len(self.refresh_tokens)}"
        client = client or grant.client
        asked = Exchange(
            code_digest=digest(code), client_id=client, redirect_uri=CALLBACK,
            verifier=VERIFIER if right else "w" * 43, door=door,
        )  # fmt: skip
        made = self.here.write(tokens.exchange, asked, digest(token))
        now = self.here.now
        if known.used_at is not None:
            assert not isinstance(made, Tokens)
            # Later the row of the code may have been pruned, and then nobody knows that it was used.
            stored = identity_grants.get(self.here.conn, grant.id)
            is_ended = stored is not None and stored.ended_at is not None
            assert is_ended or now >= known.expires_at + CODE_KEPT_MS
            if is_ended:
                self.end(grant, "reused")
            return
        fits = client == grant.client and right and door in {None, grant.door}
        assert isinstance(made, Tokens) == (fits and now < known.expires_at and self.works(grant, now))
        if isinstance(made, Tokens):
            known.used_at = now
            self.given(made, grant, token, now)

    @precondition(lambda self: self.refresh_tokens)
    @rule(data=st.data(), client=st.sampled_from((*CLIENTS, None, None)))
    def refresh(self, data: st.DataObject, client: str | None) -> None:
        """Any refresh token that there ever was, now and then of another client."""
        token = data.draw(st.sampled_from(list(self.refresh_tokens)))
        known = self.refresh_tokens[token]
        grant = known.grant
        client = client or grant.client
        successor = hmac.digest(b"k", token.encode(), "sha256").hex()
        asked = Refresh(token_digest=digest(token), client_id=client, door=None)
        made = self.here.write(tokens.refresh, asked, digest(successor))
        now = self.here.now
        if now >= known.expires_at or client != grant.client or not self.works(grant, now):
            assert not isinstance(made, Tokens)
            return
        if known.used_at is None:
            assert isinstance(made, Tokens)
            known.used_at, known.successor = now, successor
            self.given(made, grant, successor, now)
            return
        follower = self.refresh_tokens[known.successor or ""]
        may = now < known.used_at + REFRESH_REPEAT_MS and follower.used_at is None
        assert isinstance(made, Tokens) == may
        if isinstance(made, Tokens):
            self.access_tokens[made.access_token] = Secret(
                grant, min(now + ACCESS_TOKEN_LIFE_MS, grant.expires_at)
            )
        else:
            self.end(grant, "reused")

    def given(self, made: Tokens, grant: Grant, refresh_token: str, now: int) -> None:
        assert made.grant.id == grant.id
        self.access_tokens[made.access_token] = Secret(
            grant, min(now + ACCESS_TOKEN_LIFE_MS, grant.expires_at)
        )
        ends_at = min(now + REFRESH_TOKEN_IDLE_MS, grant.expires_at)
        self.refresh_tokens[refresh_token] = Secret(grant, ends_at)

    @precondition(lambda self: self.access_tokens or self.refresh_tokens)
    @rule(data=st.data(), client=st.sampled_from((*CLIENTS, None)))
    def revoke(self, data: st.DataObject, client: str | None) -> None:
        """An app gives a token back, or somebody else tries to."""
        token = data.draw(st.sampled_from([*self.access_tokens, *self.refresh_tokens]))
        known = self.access_tokens.get(token) or self.refresh_tokens[token]
        done = self.here.write(tokens.revoke, digest(token), client or known.grant.client)
        if client not in {None, known.grant.client}:
            assert not done
        elif token in self.access_tokens:
            known.dropped = True
        # An expired one may have been pruned, and is then nobody's.
        elif done:
            self.end(known.grant, "revoked")

    @precondition(lambda self: self.grants)
    @rule(data=st.data(), name=st.sampled_from(["ada", "cy"]))
    def end_by_person(self, data: st.DataObject, name: str) -> None:
        """One's own, and with `security` anyone's."""
        grant = data.draw(st.sampled_from(self.grants))
        call = call_of(self.people[name])
        may = self.active[name] and (grant.person == name or self.roles[name] != "viewer")
        if grant.person == name:
            may = True
        if may and grant.ended is None:
            self.here.write(grants.end, call, grant.id)
            self.end(grant, "ended")
        else:
            with pytest.raises(NotFound):
                self.here.write(grants.end, call, grant.id)

    @rule(name=st.sampled_from(["bob", "cy"]), role=st.sampled_from(ROLES))
    def change_role(self, name: str, role: str) -> None:
        """Of a member; what the grant had stays its bound."""
        changes = members.MemberChanges(role_id=role)
        self.here.write(members.update, operator_call(self.organization_id), self.people[name].id, changes)
        self.roles[name] = role

    @rule(name=st.sampled_from(["bob", "cy"]), active=st.booleans())
    def stop(self, name: str, active: bool) -> None:
        """Stop a member, or let them in again."""
        status: Any = "active" if active else "frozen"
        changes = members.MemberChanges(status=status)
        self.here.write(members.update, operator_call(self.organization_id), self.people[name].id, changes)
        self.active[name] = active

    @rule(may=st.booleans())
    def switch(self, may: bool) -> None:
        """Let members connect apps, or end the grants of those who then may not."""
        changes = OrganizationChanges(members_may_connect_apps=may)
        self.here.write(organizations.update, operator_call(self.organization_id), changes)
        if self.members_may and not may:
            for grant in self.grants:
                if self.roles[grant.person] == "viewer" or not self.active[grant.person]:
                    self.end(grant, "members_may_not")
        self.members_may = may

    @rule(ms=st.sampled_from(WAITS))
    def wait(self, ms: int) -> None:
        """Time goes on."""
        self.here.now += ms

    @rule()
    def prune(self) -> None:
        """What is over is deleted, which nobody notices."""
        first = 0
        while found := retention.find(self.here.conn, self.here.now, first=first):
            for rows in found.by_owner.values():
                self.here.write(retention.prune, found.number, rows)
            first = found.number

    @invariant()
    def every_token_opens_what_the_model_says(self) -> None:
        """And permits what the grant's role and the person's both do."""
        if not self.access_tokens:
            return
        now = self.here.now
        facts = access.load(self.here.conn, self.organization_id, now)
        for token, known in self.access_tokens.items():
            caller = None
            route = identity_grants.route(self.here.conn, digest(token), now)
            if route is not None:
                assert (known.grant.id, known.grant.door) == (route.grant_id, route.door)
                with suppress(Unauthenticated):
                    caller = admit_grant(facts, route.grant_id, now)
            grant = known.grant
            opens = not known.dropped and now < known.expires_at and self.works(grant, now)
            assert opens == (caller is not None)
            if grant.ended is not None:
                assert route is None
            if caller is not None:
                both = weaker(BUILTIN_ROLES[grant.role], BUILTIN_ROLES[self.roles[grant.person]])
                assert (both, self.people[grant.person].id) == (caller.permissions, caller.person_id)

    @invariant()
    def every_grant_is_listed_as_it_is(self) -> None:
        """With why it has ended."""
        for grant in self.grants:
            found = identity_grants.get(self.here.conn, grant.id)
            assert found is not None
            assert grant.ended == found.ended_because


@pytest.mark.fuzz
def test_grants_do_what_a_plain_model_does() -> None:
    """Whatever apps, people and time do, in whichever order."""
    run_machine(
        World,
        settings=settings(
            max_examples=120,
            stateful_step_count=50,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
