"""Sending what is in the outbox: each mail once, later where it must be, no organization before others."""

from typing import Any

import pytest
import sqlalchemy as sa
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from svc.actors.mail.mailer import Mailer
from svc.actors.mail.smtp_client import MailServerFailed
from svc.domain.errors import Conflict
from svc.domain.identity.callers import operator_call
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from svc.domain.mail.limits import (
    MAIL_BATCH_MAX,
    MAIL_CONNECTIONS_MAX,
    MAIL_KEPT_MS,
    MAIL_LIFE_MS,
    MAIL_NOTICES_A_DAY_MAX,
    MAIL_RETRIES_MS,
    MAIL_WAITING_MAX,
)
from svc.domain.mail.progress import MailOutcome
from svc.storage import integrity, provisioning
from svc.storage.identity import members, organizations
from svc.storage.identity.members import MemberChanges
from svc.storage.identity.organizations import NewOrganization
from svc.storage.mail import batches, letters, notices, tables
from tests.mail_servers import read
from tests.mailing import ADA, PostTown, a_reader, live_post_town, post_town, tell
from tests.pruning import prune

FOR_NOW = MailOutcome("deferred", "451 4.7.1 greylisted")
FOR_GOOD = MailOutcome("rejected", "550 5.1.1 no such user")


async def states(here: PostTown) -> dict[str, int]:
    rows = await here.rows(tables.mails)
    found = [row.state for row in rows]
    return {state: found.count(state) for state in dict.fromkeys(found)}


async def test_a_cause_is_told_once_to_each_who_wants_to_know(autojump_clock):
    """A second cause of the same name makes no mail, and who has not asked gets none."""
    async with live_post_town() as (here, _):
        await here.store.write(a_reader, here.organization.id, "bob@example.com")
        await here.store.write(a_reader, here.organization.id, "eve@example.com", kinds=["credits.low"])

        await here.tell("orders")
        await here.tell("orders")
        await trio.sleep(1)

        assert [ADA, "bob@example.com"] == sorted(one.recipient for one in here.mails.taken)
        assert {"sent": 2} == await states(here)
        assert {(None, None)} == {(row.data, row.reason) for row in await here.rows(tables.mails)}


async def test_where_there_is_no_mail_server_nothing_queues_up(autojump_clock):
    """Links are shown, and nothing else."""
    async with post_town() as here:
        here.mail_server = None
        here.store.queues[0]._sources.mails = False  # type: ignore[attr-defined]  # as a store is opened then
        async with here.live_system():
            await here.tell("orders")

            assert {} == await states(here)


async def test_a_mail_that_is_refused_for_now_is_tried_again(autojump_clock):
    """After a minute, five minutes and so on, with some spread, under the same id."""
    async with live_post_town() as (here, _):
        here.mails.answers = [FOR_NOW, FOR_NOW]
        began = here.clock.now()

        await here.tell("orders")
        await trio.sleep(5)
        [row] = await here.rows(tables.mails)
        waited = row.next_attempt_at - began
        assert ("waiting", 1, FOR_NOW.answer) == (row.state, row.failures, row.reason)
        assert abs(waited - MAIL_RETRIES_MS[0]) <= 0.1 * MAIL_RETRIES_MS[0] + 2 * SECOND_MS

        await trio.sleep(10 * 60)
        assert {"sent": 1} == await states(here)
        assert 3 == here.mails.connections


async def test_a_mail_that_is_refused_for_good_is_given_up(autojump_clock):
    """What the server said stays, and nothing of the mail."""
    async with live_post_town() as (here, _):
        here.mails.answers = [FOR_GOOD]

        await here.tell("orders", "invoices")
        await trio.sleep(1)

        failed, sent = await here.rows(tables.mails)
        assert ("failed", FOR_GOOD.answer, None) == (failed.state, failed.reason, failed.data)
        assert "sent" == sent.state


async def test_a_mail_that_could_not_be_sent_in_time_is_given_up(autojump_clock):
    """A notice of days ago tells nothing new; its row goes later."""
    async with post_town() as here:
        await here.tell("orders")
        now = here.clock.now()
        await here.store.write(lambda tx: prune(tx.at(now + MAIL_LIFE_MS - 1)))
        assert {"waiting": 1} == await states(here)

        await here.store.write(lambda tx: prune(tx.at(now + MAIL_LIFE_MS)))
        [row] = await here.rows(tables.mails)
        assert ("failed", "it could not be sent in time", None) == (row.state, row.reason, row.data)

        await here.store.write(lambda tx: prune(tx.at(now + MAIL_LIFE_MS + MAIL_KEPT_MS)))
        assert {} == await states(here)


async def test_a_server_that_is_down_is_asked_rarely_and_costs_no_attempt(autojump_clock):
    """However many mails wait, in whichever organizations; and they all go out once it is back."""
    async with live_post_town() as (here, system):
        here.mails.is_down = True
        others = [await another_organization(here, number) for number in range(3)]
        for owner in (here.organization.id, *others):
            await here.store.write(tell, owner, *(f"{owner}-{number}" for number in range(10)))

        await trio.sleep(HOUR_MS / SECOND_MS)
        # Doubled from 5 s up to 5 min: 7 in the first ten minutes, then one in five; several may go at once.
        assert here.mails.connections <= MAIL_CONNECTIONS_MAX * 20
        assert {"waiting": 40} == await states(here)
        assert {0} == {row.failures for row in await here.rows(tables.mails)}
        assert "it is down" == system.mail.mailing.last_failure

        here.mails.is_down = False
        await trio.sleep(6 * 60)
        assert {"sent": 40} == await states(here)
        assert system.mail.mailing.last_failure is None


async def another_organization(here: PostTown, number: int) -> str:
    asked = NewOrganization(name=f"Shop {number}", country="DE", currency="EUR", locale="de_DE")
    made = await here.store.write(provisioning.create, asked)
    await here.store.write(a_reader, made.id, f"reader{number}@example.com")
    return made.id


async def test_a_mail_at_which_the_server_fails_does_not_hold_up_the_others(autojump_clock):
    """It waits as if it were refused for now; the server rests a little, and takes the others."""
    async with live_post_town() as (here, _):
        here.mails.answers = [MailServerFailed("it has not answered in time")]

        await here.tell("poison", "orders", "invoices")
        await trio.sleep(30)

        poison, *others = await here.rows(tables.mails)
        assert ("waiting", 1) == (poison.state, poison.failures)
        assert ["sent", "sent"] == [row.state for row in others]


async def test_organizations_take_turns(autojump_clock):
    """One with many mails has one connection, and a batch of them; others need not wait for the rest."""
    async with live_post_town() as (here, _):
        here.mails.seconds = 1
        others = [await another_organization(here, number) for number in range(MAIL_CONNECTIONS_MAX + 2)]
        await here.tell(*(str(number) for number in range(500)))
        await trio.sleep(1)
        for owner in others:
            await here.store.write(tell, owner, "orders")

        await trio.sleep(5)

        taken = [one.recipient for one in here.mails.taken]
        assert {f"reader{number}@example.com" for number in range(len(others))} <= set(taken)
        assert here.mails.open_most <= MAIL_CONNECTIONS_MAX
        assert taken.count(ADA) <= MAIL_BATCH_MAX


async def test_a_day_has_a_limit_of_notices_and_letters_one_of_their_own(autojump_clock):
    """What is beyond waits until the next day; a proof of an address goes out all the same."""
    async with post_town() as here:
        await here.tell(*(str(number) for number in range(MAIL_NOTICES_A_DAY_MAX - 1)))
        await here.store.write(
            lambda tx: tx.conn.execute(
                sa.update(tables.mails).values(state="sent", next_attempt_at=None, done_at=tx.now, data=None)
            )
        )
        await here.tell(*(f"more-{number}" for number in range(11)))
        async with here.live_system():
            await trio.sleep(5)
            assert {"sent": MAIL_NOTICES_A_DAY_MAX, "waiting": 10} == await states(here)

            await here.store.write(letters.mail_proof, here.ada.id)
            await trio.sleep(5)
            assert "Is this your e-mail address?" == here.mails.subjects()[-1]

        now = here.clock.now()
        full = await here.store.read(batches.load, here.organization.id, now, 20)
        assert () == full.due
        assert full.next_at is not None
        assert 0 < full.next_at - now < DAY_MS
        later = await here.store.read(batches.load, here.organization.id, full.next_at + HOUR_MS, 20)
        assert 10 == len(later.due)


async def test_the_outbox_of_an_organization_is_bounded(autojump_clock):
    """What is beyond is dropped; the transaction of its cause goes on."""
    async with live_post_town() as (here, _):
        here.mails.is_down = True
        for begin in range(0, MAIL_WAITING_MAX + 200, 200):
            await here.tell(*(str(number) for number in range(begin, begin + 200)))

        assert {"waiting": MAIL_WAITING_MAX} == await states(here)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("frozen", "the member may not have such notices any more"),
        ("viewer", "the member may not have such notices any more"),
        ("unproven", "the address is not proven"),
        ("closed", "the organization is closed"),
    ],
)
async def test_what_nobody_may_have_any_more_is_not_sent(autojump_clock, change: str, why: str):
    """Between the cause and the sending, the reader may have lost the right, or the organization its life."""
    async with post_town() as here:
        owner = here.organization.id
        await here.store.write(a_reader, owner, "owner@example.com", kinds=[])
        await here.tell("orders")
        await here.store.write(change_reader, here, change)

        async with here.live_system():
            await trio.sleep(1)

            [row] = await here.rows(tables.mails)
            assert ("failed", why) == (row.state, row.reason)
            assert [] == here.mails.taken


def change_reader(tx: Any, here: PostTown, change: str) -> None:
    call = operator_call(here.organization.id)
    match change:
        case "frozen":
            members.update(tx, call, here.ada.id, MemberChanges(status="frozen"))
        case "viewer":
            members.update(tx, call, here.ada.id, MemberChanges(role_id="viewer"))
        case "unproven":
            tx.conn.exec_driver_sql("UPDATE people SET email_proven_at = NULL")
        case _:
            organizations.close(tx, here.organization.id)


async def test_what_is_stored_of_a_mail_and_cannot_be_read_fails_alone(autojump_clock):
    """A damaged row, and a link that another key has sealed, hold up no other mail."""
    async with post_town() as here:
        await here.tell("damaged", "moved", "orders")
        await here.store.write(
            lambda tx: tx.conn.exec_driver_sql(
                "UPDATE mails SET data = CAST(x'ff' AS TEXT) WHERE cause LIKE '%/damaged/%'"
            )
        )
        await here.store.write(
            lambda tx: tx.conn.exec_driver_sql(
                "UPDATE mails SET token = x'0102' WHERE cause LIKE '%/moved/%'"
            )
        )

        async with here.live_system():
            await trio.sleep(1)

            reasons = [row.reason for row in await here.rows(tables.mails)]
            assert [
                "what is stored of it cannot be read",
                "its link cannot be opened with the installation's key",
                None,
            ] == reasons


async def test_a_mail_that_was_under_way_at_a_crash_comes_twice_with_the_same_id(autojump_clock):
    """And those that were sent before it come once."""
    async with post_town() as here:
        here.mails.seconds = 1
        await here.tell(*(str(number) for number in range(5)))
        async with here.live_system():
            await trio.sleep(2.5)  # two were sent, and a third is under way
        first = len(here.mails.taken)
        async with here.live_system():
            await trio.sleep(10)

        ids = [read(one.message)["Message-ID"] for one in here.mails.taken]
        assert 5 == len(set(ids))
        assert len(ids) - 5 <= 1
        assert 2 <= first <= 3
        by_id = dict(zip(ids, (one.message for one in here.mails.taken), strict=True))
        assert all(by_id[id_] == one.message for id_, one in zip(ids, here.mails.taken, strict=True))


async def test_a_store_that_takes_nothing_makes_no_mail_twice(autojump_clock):
    """What became of a mail is kept trying to be stored, and nothing is sent meanwhile."""
    async with post_town() as here:
        await here.tell("orders", "invoices")
        await fill_for_updates(here)
        async with here.live_system():
            await trio.sleep(61)  # between two tries: one in the same batch would undo the repair
            assert 1 == len(here.mails.taken)
            await make_room(here)
            await trio.sleep(10)

            assert 2 == len(here.mails.taken)
            assert {"sent": 2} == await states(here)


async def fill_for_updates(here: PostTown) -> None:
    """Make updates of mails roll back their transaction, as SQLite does when the disk is full."""
    await here.store.write(
        lambda tx: tx.conn.exec_driver_sql(
            "CREATE TRIGGER full_disk BEFORE UPDATE ON mails"
            " BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END"
        )
    )


async def make_room(here: PostTown) -> None:
    await here.store.write(lambda tx: tx.conn.exec_driver_sql("DROP TRIGGER full_disk"))


@pytest.mark.fuzz
@settings(max_examples=8)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["tell", "wait", "crash", "down", "up", "defer", "reject", "fail"]),
            st.integers(0, 5),
        ),
        max_size=12,
    )
)
def test_whatever_happens_each_cause_is_told_or_given_up(steps: list[tuple[str, int]]) -> None:
    """None is lost, and all promises hold."""

    async def run() -> None:
        async with post_town() as here:
            here.mails.seconds = 0.5
            await live(here, list(steps))
            here.mails.is_down, here.mails.answers = False, []
            async with here.live_system():
                await trio.sleep(10 * 60)
                causes = {number for step, number in steps if step == "tell"}
                found = await states(here)
                assert len(causes) == sum(found.values())
                assert "waiting" not in found
                taken = {read(one.message)["Subject"] for one in here.mails.taken}
                assert found.get("sent", 0) <= len(taken)
                assert [] == await here.store.read(broken)

    trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))


async def live(here: PostTown, steps: list[tuple[str, int]]) -> None:
    """Go through *steps*; a crash is the end of a system that is not drained."""
    while steps:
        async with here.live_system():
            while steps:
                step, number = steps.pop(0)
                match step:
                    case "tell":
                        await here.tell(str(number))
                    case "wait":
                        await trio.sleep(number / 4)
                    case "crash":
                        break
                    case "down" | "up":
                        here.mails.is_down = step == "down"
                    case "defer":
                        here.mails.answers.append(FOR_NOW)
                    case "reject":
                        here.mails.answers.append(FOR_GOOD)
                    case _:
                        here.mails.answers.append(MailServerFailed("it broke off"))


def broken(conn: Any) -> list[str]:
    return [
        finding.promise
        for finding in integrity.check(conn)
        if finding.broken and ("mail" in finding.promise or "read" in finding.promise)
    ]


async def test_a_wakeup_that_was_lost_is_made_up_for(autojump_clock):
    """The Reconciler's round finds what is due; so a crash between commit and wakeup loses nothing."""
    async with post_town() as here, here.live_system() as system:
        system.wake = lambda _: None  # type: ignore[method-assign,assignment]
        await here.tell("orders")
        del system.wake
        assert not system.is_active(Mailer, here.organization.id)
        await trio.sleep(2 * MINUTE_MS / SECOND_MS)

        assert {"sent": 1} == await states(here)


async def test_members_beyond_the_limit_are_told_so():
    """A cause makes as many mails as members want to be told."""
    async with post_town() as here:
        for number in range(19):
            await here.store.write(
                a_reader, here.organization.id, f"m{number}@example.com", kinds=["credits.low"]
            )
        late = await here.store.write(a_reader, here.organization.id, "late@example.com", kinds=[])
        with pytest.raises(Conflict, match="20 members"):
            await here.store.write(notices.choose, here.organization.id, late.id, ["credits.low"])
