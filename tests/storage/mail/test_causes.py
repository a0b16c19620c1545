"""What makes a notice: each cause in its own transaction, for those who want to be told."""

from typing import Any

import pytest
import trio

from svc.domain.channels.messages import HealthReport
from svc.domain.identity.roles import ADMIN, OWNER, PERMISSIONS, VIEWER, Role
from svc.domain.locale.times import DAY_MS, HOUR_MS
from svc.domain.mail.kinds import NOTICE_KINDS, NOTICE_NEEDS, NoticeKind, may_have
from svc.domain.mail.limits import KEY_ENDS_SOON_MS
from svc.storage.ai import ledger
from svc.storage.ai import tables as ai_tables
from svc.storage.channels import connections
from svc.storage.forms import filing, submissions
from svc.storage.identity import api_keys
from svc.storage.identity import tables as identity_tables
from svc.storage.identity.api_keys import NewKey
from svc.storage.mail import key_endings, notices, tables
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks
from svc.tools.mail.operator_commands import FailedBackup, note_failed_backup
from tests.channels import a_connection
from tests.mail_servers import read, text_of
from tests.mailing import ADA, PostTown, live_post_town, post_town
from tests.people import call_of
from tests.town import a_stored_one
from tests.webhooks import a_webhook


async def kinds_queued(here: PostTown) -> list[str]:
    return [row.kind for row in await here.rows(tables.mails)]


async def test_a_filed_submission_is_told_with_the_visitor_to_reply_to(autojump_clock):
    """Its fields are in the mail, whatever is in them; what is held as spam is not told."""
    async with live_post_town() as (here, system):
        system.base_url = "https://crm.example"
        form = await here.form(name="Ask about a lamp")
        fields = {"email": "eve@visitor.example", "message": "Hello\r\nBcc: victim@example.com\n<b>bold</b>"}
        stored = a_stored_one(form, "eve@visitor.example", name="Eve\nBcc: x@example.com", fields=fields)
        spam = a_stored_one(form, "bot@visitor.example", spam=True)
        await here.store.write(lambda tx: [submissions.create(tx, one) for one in (stored, spam)])
        await trio.sleep(2)

        [mail] = here.mails.taken
        message = read(mail.message)
        assert [ADA, "eve@visitor.example"] == [message["To"], message["Reply-To"]]
        assert "Ask about a lamp: Eve Bcc: x@example.com" == message["Subject"]
        assert message["Bcc"] is None
        assert {ADA} == {mail.recipient}
        assert "Bcc: victim@example.com" in text_of(mail.message)
        assert "18.09.2026, 02:00:00 (Europe/Berlin)" in text_of(mail.message) or "(UTC)" in text_of(
            mail.message
        )
        html = message.get_body(("html",))
        assert html is not None
        assert "&lt;b&gt;bold&lt;/b&gt;" in html.get_content()


@pytest.mark.sqlite  # PostgreSQL keeps out what is no JSON
async def test_a_held_submission_is_told_with_its_reason():
    """Also one that cannot be read, of which there is nothing else to say."""
    async with post_town() as here:
        form = await here.form()
        await here.store.write(submissions.create, a_stored_one(form))
        target = await here.store.read(filing.target, here.organization.id)
        await here.store.write(filing.file_due, target)
        await here.store.write(submissions.create, a_stored_one(form))
        await here.store.write(
            lambda tx: tx.conn.exec_driver_sql("UPDATE submissions SET fields = '[' WHERE state = 'due'")
        )
        await here.store.write(filing.file_due, target)

        filed, held = await here.rows(tables.mails)
        assert ("submission.filed", "submission.held") == (filed.kind, held.kind)
        assert '"reason":"unreadable"' in held.data


async def test_a_bridge_that_comes_and_goes_is_told_once_an_hour():
    """Each report that it is offline is a cause, within the hour of the first."""
    async with post_town() as here:
        connection = await here.store.write(a_connection, here.organization.id)

        def report(tx: Tx, state: Any, later_ms: int) -> None:
            connections.note_health(
                tx.at(tx.now + later_ms), here.organization.id, connection.id, HealthReport(state=state)
            )

        for later_ms in (0, 60_000, HOUR_MS):
            await here.store.write(report, "offline", later_ms)
            await here.store.write(report, "offline", later_ms)
            await here.store.write(report, "connected", later_ms)

        assert ["connection.offline"] * 2 == await kinds_queued(here)


async def test_a_disabled_webhook_is_told_without_its_address():
    """There may be a secret in it: its name is told, or its host."""
    async with post_town() as here:
        webhook = await here.store.write(
            a_webhook, here.organization.id, url="https://receiver.example/hook?secret=hush"
        )
        await here.store.write(webhooks.disable, here.organization.id, webhook.id, "failing")

        [row] = await here.rows(tables.mails)
        assert "receiver.example" in row.data
        assert "hush" not in row.data


async def test_few_credits_are_told_once_after_each_grant():
    """Below a fifth of what there was; what calls under way have reserved counts as there."""
    async with post_town() as here:
        owner = here.organization.id

        def spend(tx: Tx, left: int) -> None:
            amount = left - ledger.balance(tx.conn, owner)
            call_id = tx.new_id("aic")
            tx.conn.execute(
                ai_tables.calls.insert().values(
                    id=call_id,
                    organization_id=owner,
                    key_id="key_1",
                    model="small",
                    payer="credits",
                    process="p",
                    started_at=0,
                    ended_at=0,
                    ended="answered",
                    streamed=False,
                )
            )
            ledger.append(tx, owner, "settle", amount, call_id=call_id)

        await here.store.write(ledger.grant, owner, 1_000_000)
        await here.store.write(spend, 200_000)
        assert [] == await kinds_queued(here)
        for left in (199_999, 100_000):
            await here.store.write(spend, left)
        assert ["credits.low"] == await kinds_queued(here)
        await here.store.write(ledger.grant, owner, 900_000)
        await here.store.write(spend, 10)
        assert ["credits.low"] * 2 == await kinds_queued(here)


async def test_a_key_that_ends_within_a_week_is_told_once():
    """Neither one that was revoked nor one that has ended is."""
    async with post_town() as here:
        call = call_of(here.ada, confirmed_at=here.clock.now())
        keys = [
            await here.store.write(api_keys.mint, call, NewKey(name=f"Key {number}", expires_in="30d"))
            for number in range(2)
        ]
        await here.store.write(api_keys.revoke, call, keys[1].id)
        ends_at = keys[0].expires_at

        for at in (ends_at - KEY_ENDS_SOON_MS - 1, ends_at - KEY_ENDS_SOON_MS, ends_at - DAY_MS, ends_at):
            due = await here.store.read(key_endings.organizations_due, at)
            assert ([here.organization.id] if at == ends_at - KEY_ENDS_SOON_MS else []) == due
            await here.store.write(note_at, here.organization.id, at)

        assert ["apikey.ending"] == await kinds_queued(here)


def note_at(tx: Tx, /, organization_id: str, at: int) -> None:
    key_endings.note(tx.at(at), organization_id)


async def test_the_round_tells_of_keys_that_end(autojump_clock):
    """Without anybody's doing."""
    async with live_post_town() as (here, _):
        call = call_of(here.ada, confirmed_at=here.clock.now())
        await here.store.write(api_keys.mint, call, NewKey(name="Shop", expires_in="30d"))
        await here.store.write(
            lambda tx: tx.conn.execute(identity_tables.api_keys.update().values(expires_at=tx.now + DAY_MS))
        )
        await trio.sleep(2 * 60)

        assert ["The key Shop ends soon"] == here.mails.subjects()


async def test_a_failed_backup_is_told_to_owners():
    """By the operator's command."""
    async with post_town() as here:
        await here.store.write(note_failed_backup, FailedBackup(reason="no space left"))

        assert ["backup.failed"] == await kinds_queued(here)


async def test_a_cause_that_is_rolled_back_makes_no_mail():
    """The mail is in its transaction."""
    async with post_town() as here:

        def fail(tx: Tx) -> None:
            note_failed_backup(tx, FailedBackup(reason="no space left"))
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await here.store.write(fail)

        assert [] == await kinds_queued(here)


async def test_where_nobody_wants_to_be_told_nothing_is_queued():
    """Not even asked for what has happened."""
    async with post_town() as here:
        await here.store.write(notices.choose, here.organization.id, here.ada.id, [])

        def unasked() -> list[notices.Notice]:
            raise AssertionError("asked")

        await here.store.write(notices.tell, here.organization.id, "credits.low", unasked)
        assert [] == await kinds_queued(here)


@pytest.mark.parametrize("kind", NOTICE_KINDS)
def test_a_notice_needs_the_permission_of_what_it_tells(kind: NoticeKind):
    """A role without it may not have the notice; without a permission of its own, it is for Owners alone."""
    needed = NOTICE_NEEDS[kind]
    without = Role("rol_1", "All but one", PERMISSIONS - {needed})

    assert may_have(OWNER, kind)
    assert not may_have(VIEWER, kind)
    assert not may_have(without, kind)
    assert may_have(ADMIN, kind) == (needed is not None)
