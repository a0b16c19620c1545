"""`notice.get` and `notice.set`: each member's own choice."""

import pytest

from svc.domain.errors import Forbidden, InvalidInput
from svc.domain.identity.callers import operator_call
from svc.domain.mail.kinds import NOTICE_KINDS
from svc.storage.store import View
from svc.tools.mail.notices import GetNotices, SetNotices, get, set_
from tests.people import a_member, call_of
from tests.town import Town, town


async def shown(here: Town, call: object) -> object:
    return await here.store.read(lambda conn: get(View(conn, 0), call, GetNotices()))  # type: ignore[arg-type]


async def test_each_member_chooses_for_themselves():
    """What one chooses is not another's, and a new choice takes the place of the last."""
    async with town() as here:
        ada, bob = [
            await here.store.write(a_member, here.organization.id, f"{name}@example.com", "admin")
            for name in ("ada", "bob")
        ]
        await here.store.write(set_, call_of(ada), SetNotices(kinds=("submission.held", "credits.low")))
        chosen = await here.store.write(
            set_, call_of(ada), SetNotices(kinds=("webhook.disabled", "submission.held", "submission.held"))
        )
        other = await shown(here, call_of(bob))

        assert ("submission.held", "webhook.disabled") == chosen.kinds
        assert () == other.kinds  # type: ignore[attr-defined]
        assert set(NOTICE_KINDS) - {"backup.failed"} == set(chosen.available)
        assert ("ada@example.com", False) == (chosen.email, chosen.email_proven)


async def test_a_role_has_notices_of_what_it_may_see():
    """Anything else is refused with its place; nothing of the choice is kept."""
    async with town() as here:
        eve = await here.store.write(a_member, here.organization.id, "eve@example.com", "viewer")
        with pytest.raises(InvalidInput) as refused:
            await here.store.write(
                set_, call_of(eve), SetNotices(kinds=("submission.filed", "backup.failed"))
            )

        [fault] = refused.value.faults
        assert ("/kinds/0", "submission.filed needs the permission forms") == (fault.pointer, fault.detail)
        answer = await shown(here, call_of(eve))
        assert ((), ()) == (answer.kinds, answer.available)  # type: ignore[attr-defined]


async def test_the_operator_has_no_notices():
    """They are a person's own."""
    async with town() as here:
        with pytest.raises(Forbidden):
            await shown(here, operator_call(here.organization.id))


def test_no_key_chooses_in_a_persons_name():
    """Both are for people alone."""
    assert ("person", "person") == (get.runs, set_.runs)
