"""Everything that lives for a time lives until its last millisecond, and not in the one after it.

What decides may be a statement, a function, or both: at the very edge they have to agree.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import pytest

from svc.domain.channels.connections import Connection as ChannelConnection
from svc.domain.channels.limits import LEASE_MS, REPLY_LIFE_MS
from svc.domain.crypto.keys import digest
from svc.domain.errors import Conflict, NotFound, Unauthenticated
from svc.domain.forms.limits import PACE_WINDOW_MS, QUEUE_WINDOW_MS, SENDER_WINDOW_MS, SERVER_KEY_LIFE_MS
from svc.domain.identity import access as rules
from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import (
    CONFIRMATION_MS,
    EXPIRED_KEY_LISTED_MS,
    INVITATION_LIFE_MS,
    SESSION_IDLE_MS,
    SESSION_LIFE_MS,
    SIGN_IN_LINK_LIFE_MS,
    SIGN_IN_WINDOW_MS,
    TRIAL_MS,
)
from svc.domain.identity.sessions import is_fresh
from svc.domain.limits import IDEMPOTENCY_LIFE_MS, SIGNING_OVERLAP_MS
from svc.domain.locale.times import SECOND_MS
from svc.storage import idempotency
from svc.storage.channels import deliveries, open_replies, outboxes, signing_secrets
from svc.storage.channels import tables as channel_tables
from svc.storage.forms import server_keys, submissions
from svc.storage.forms.submissions import FormSnapshot
from svc.storage.idempotency import Repeatable
from svc.storage.identity import (
    access,
    api_keys,
    invitations,
    key_states,
    organizations,
    roles,
    sessions,
    sign_in,
)
from svc.storage.identity.sign_in import Failure
from svc.storage.store import Tx
from tests import tables
from tests.channels import a_connection, a_reply
from tests.people import a_member, a_stored_key
from tests.town import Town, a_stored_one, town

KEY = "k" * 8


class Life(NamedTuple):
    """Something that begins now, for how long it lives, and how it is seen that it does."""

    life_ms: int
    begin: Callable[[Town], Awaitable[Any]]
    lives: Callable[[Town, Any], Awaitable[bool]]


async def _standing(here: Town, form_key: str) -> FormSnapshot:
    return await here.store.read(submissions.snapshot, form_key, here.clock.now())


async def _submitted(here: Town) -> str:
    form = await here.form()
    await here.store.write(submissions.create, a_stored_one(form))
    return form.form_key


async def _queued(here: Town) -> str:
    form = await here.form()
    await here.store.write(submissions.create, a_stored_one(form, queued=True))
    return form.form_key


async def _sent(here: Town, form_key: str) -> bool:
    return bool((await _standing(here, form_key)).sent)


async def _paced(here: Town, form_key: str) -> bool:
    return bool((await _standing(here, form_key)).paced)


async def _was_queued(here: Town, form_key: str) -> bool:
    return bool((await _standing(here, form_key)).queued)


async def _failed(here: Town) -> None:
    await here.store.write(sign_in.note_failure, Failure("account", "address", here.clock.now()))


async def _counts(here: Town, _: None) -> bool:
    return bool(await here.store.read(sign_in.recent_failures, here.clock.now()))


async def _linked(here: Town) -> str:
    def make(tx: Tx) -> str:
        return sign_in.make_link(tx, a_member(tx, here.organization.id, "ada@example.com").id).token

    return await here.store.write(make)


async def _leads_in(here: Town, token: str) -> bool:
    try:
        await here.store.write(sign_in.use_link, digest(token))
    except NotFound:
        return False
    await here.store.write(lambda tx: tx.conn.execute(tables.sign_in_links.update().values(used_at=None)))
    return True


async def _opened(here: Town) -> str:
    def open_one(tx: Tx) -> str:
        person = a_member(tx, here.organization.id, "ada@example.com")
        sessions.create(tx, person.id, KEY, "test")
        return person.id

    return await here.store.write(open_one)


async def _opened_and_used(here: Town) -> str:
    """A session that is used until its end."""
    person_id = await _opened(here)
    used_at = here.clock.now() + SESSION_LIFE_MS
    await here.store.write(lambda tx: tx.conn.execute(tables.sessions.update().values(seen_at=used_at)))
    return person_id


async def _session_lives(here: Town, person_id: str) -> bool:
    now = here.clock.now()
    found = await here.store.read(sessions.find, KEY, now) is not None
    listed = bool(await here.store.read(sessions.of_person, person_id, now))
    assert found is listed
    return found


async def _is_fresh(here: Town, _: str) -> bool:
    [row] = await here.rows(tables.sessions)
    return is_fresh(row.confirmed_at, here.clock.now())


async def _minted(here: Town) -> None:
    def mint(tx: Tx) -> None:
        a_stored_key(tx, a_member(tx, here.organization.id, "ada@example.com"), KEY)

    await here.store.write(mint)


async def _key_lives(here: Town, _: None) -> bool:
    now, organization_id = here.clock.now(), here.organization.id
    route = await here.store.read(api_keys.route, KEY, now)
    known = await here.store.read(access.load, organization_id, now)
    counted = await here.store.read(key_states.count_live, organization_id, now)
    assert (route is not None) == (KEY in known.keys) == bool(counted)
    return route is not None


async def _key_that_is_remembered_lives(here: Town, _: None) -> bool:
    """By what was read while it lived."""
    before = here.clock.now() - SECOND_MS
    route = await here.store.read(api_keys.route, KEY, before)
    known = await here.store.read(access.load, here.organization.id, before)
    try:
        rules.admit_key(known, KEY, here.clock.now())
    except Unauthenticated:
        admitted = False
    else:
        admitted = True
    assert route is not None
    assert route.lives_at(here.clock.now()) is admitted
    return admitted


async def _key_is_listed(here: Town, _: None) -> bool:
    return bool(await here.store.read(api_keys.list_all, here.organization.id, here.clock.now()))


async def _server_key(here: Town) -> None:
    await here.store.write(server_keys.mint, operator_call(here.organization.id), "web-1")


async def _server_key_lives(here: Town, _: None) -> bool:
    now, organization_id = here.clock.now(), here.organization.id
    counted = await here.store.read(server_keys._count_live, organization_id, now)
    live = await here.store.read(server_keys.live, organization_id)
    assert bool(counted) == any(now < until for until in live.values())
    return bool(counted)


async def _server_key_is_listed(here: Town, _: None) -> bool:
    return bool(await here.store.read(server_keys.list_all, here.organization.id, here.clock.now()))


async def _invited(here: Town) -> str:
    call = operator_call(here.organization.id)
    made = await here.store.write(invitations.invite, call, "ada@example.com", "viewer")
    return made.token


async def _waits(here: Town, token: str) -> bool:
    now = here.clock.now()
    listed = bool(await here.store.read(invitations.list_all, here.organization.id, now))
    try:
        await here.store.read(invitations.waiting, digest(token), now)
    except NotFound:
        found = False
    else:
        found = True
    assert listed is found
    return found


async def _withdrawable(here: Town, _: str) -> bool:
    call = operator_call(here.organization.id)
    [invited] = await here.rows(tables.invitations)

    def withdraw_and_think_again(tx: Tx) -> None:
        with tx.conn.begin_nested() as nested:
            invitations.withdraw(tx, call, invited.id)
            nested.rollback()

    try:
        await here.store.write(withdraw_and_think_again)
    except NotFound:
        return False
    return True


async def _role(here: Town) -> str:
    call = operator_call(here.organization.id)
    return (await here.store.write(roles.create, call, "Helper", ["records.read"])).id


async def _role_of_a_key(here: Town) -> str:
    role_id = await _role(here)
    person = await here.store.write(a_member, here.organization.id, "ada@example.com")
    await here.store.write(a_stored_key, person, KEY, role_id=role_id)
    return role_id


async def _role_of_an_invitation(here: Town) -> str:
    role_id = await _role(here)
    call = operator_call(here.organization.id)
    await here.store.write(invitations.invite, call, "ada@example.com", role_id)
    return role_id


async def _is_in_use(here: Town, role_id: str) -> bool:
    try:
        await here.store.write(roles.delete, operator_call(here.organization.id), role_id)
    except Conflict:
        return True
    return False


async def _answered(here: Town) -> Repeatable:
    call = Repeatable(here.organization.id, "key_1", "record.create", "k-1", b"f")
    await here.store.write(idempotency.keep, call, b"{}")
    return call


async def _is_answered_again(here: Town, call: Repeatable) -> bool:
    return await here.store.read(idempotency.first_answer, call, here.clock.now()) is not None


async def _on_trial(here: Town) -> None:
    pass


async def _may_take_forms(here: Town, _: None) -> bool:
    found = await here.store.read(organizations.get, here.organization.id)
    return found.may_take_forms(here.clock.now())


async def _rotated(here: Town) -> ChannelConnection:
    asked = {"delivery": "push", "url": "https://bridge.example/hook"}
    made = await here.store.write(a_connection, here.organization.id, **asked)
    await here.store.write(signing_secrets.rotate, here.organization.id, made.id)
    return made


async def _both_sign(here: Town, made: ChannelConnection) -> bool:
    _, secrets = await here.store.read(signing_secrets.find_to_push, made.id, here.clock.now())
    return len(secrets) > 1


async def _tested(here: Town) -> ChannelConnection:
    made = await _rotated(here)
    await here.store.write(deliveries.add_test, here.organization.id, made.id)
    assert await here.store.write(deliveries.begin_tests, made.id, 1)
    return made


async def _is_under_way(here: Town, made: ChannelConnection) -> bool:
    begun_at = [row.attempted_at for row in await here.rows(channel_tables.deliveries)]
    again = await here.store.write(deliveries.begin_tests, made.id, 1)
    if again:
        return False
    assert begun_at == [row.attempted_at for row in await here.rows(channel_tables.deliveries)]
    return True


async def _replied(here: Town) -> ChannelConnection:
    made = await here.store.write(a_connection, here.organization.id)
    await here.store.write(a_reply, made)
    return made


async def _taken(here: Town) -> ChannelConnection:
    made = await _replied(here)
    await here.store.write(outboxes.pull, made.id, 1)
    return made


async def _is_in_state(here: Town, made: ChannelConnection, state: str) -> bool:
    await here.store.write(open_replies.settle_all, made.id)
    [row] = await here.rows(channel_tables.replies)
    return bool(row.state == state)


async def _is_taken(here: Town, made: ChannelConnection) -> bool:
    return await _is_in_state(here, made, "taken")


async def _is_waiting(here: Town, made: ChannelConnection) -> bool:
    return await _is_in_state(here, made, "waiting")


LIVES = {
    "a submission counts for its sender": Life(SENDER_WINDOW_MS, _submitted, _sent),
    "a filing counts in the pace": Life(PACE_WINDOW_MS, _submitted, _paced),
    "a queued submission counts in the hour": Life(QUEUE_WINDOW_MS, _queued, _was_queued),
    "a failed sign-in counts": Life(SIGN_IN_WINDOW_MS, _failed, _counts),
    "a link signs in": Life(SIGN_IN_LINK_LIFE_MS, _linked, _leads_in),
    "a session that is not used": Life(SESSION_IDLE_MS, _opened, _session_lives),
    "a session that is used": Life(SESSION_LIFE_MS, _opened_and_used, _session_lives),
    "a confirmation is fresh": Life(CONFIRMATION_MS, _opened, _is_fresh),
    "a key, looked for": Life(SECOND_MS, _minted, _key_lives),
    "a key, remembered": Life(SECOND_MS, _minted, _key_that_is_remembered_lives),
    "an expired key is listed": Life(SECOND_MS + EXPIRED_KEY_LISTED_MS, _minted, _key_is_listed),
    "a server key": Life(SERVER_KEY_LIFE_MS, _server_key, _server_key_lives),
    "an expired server key is listed": Life(
        SERVER_KEY_LIFE_MS + EXPIRED_KEY_LISTED_MS, _server_key, _server_key_is_listed
    ),
    "an invitation": Life(INVITATION_LIFE_MS, _invited, _waits),
    "an invitation, to be withdrawn": Life(INVITATION_LIFE_MS, _invited, _withdrawable),
    "a role of a key": Life(SECOND_MS, _role_of_a_key, _is_in_use),
    "a role of an invitation": Life(INVITATION_LIFE_MS, _role_of_an_invitation, _is_in_use),
    "an answer is kept": Life(IDEMPOTENCY_LIFE_MS, _answered, _is_answered_again),
    "a trial": Life(TRIAL_MS, _on_trial, _may_take_forms),
    "the former secret signs": Life(SIGNING_OVERLAP_MS, _rotated, _both_sign),
    "a test is under way": Life(LEASE_MS, _tested, _is_under_way),
    "a lease": Life(LEASE_MS, _taken, _is_taken),
    "a reply waits": Life(REPLY_LIFE_MS, _replied, _is_waiting),
}


@pytest.mark.parametrize("life", LIVES.values(), ids=LIVES)
async def test_it_lives_until_its_last_millisecond(life: Life, autojump_clock):
    """To the millisecond: there one before the end of its time, and gone at it."""
    async with town() as here:
        what = await life.begin(here)
        here.clock.jump(life.life_ms - 1)
        before = await life.lives(here, what)
        here.clock.jump(1)

        assert (True, False) == (before, await life.lives(here, what))
