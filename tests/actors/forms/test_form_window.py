"""The FormWindow's rules of time, on the mock clock: senders, pace, queue, and what a restart keeps."""

import msgspec
import pytest
import trio

from svc.actors.forms.form_window import FormWindow, PostRefused
from svc.domain.crypto.keys import digest, new_key
from svc.domain.forms.limits import (
    PACE_FILINGS_MAX,
    QUEUE_SUBMISSIONS_MAX,
    SENDER_SUBMISSIONS_MAX,
    SERVER_KEY_LIFE_MS,
)
from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import TRIAL_MS
from svc.domain.randomness import SYSTEM
from svc.storage import provisioning
from svc.storage.forms import forms, server_keys, submissions
from svc.storage.identity import organizations
from svc.storage.identity.organizations import OrganizationChanges
from svc.storage.sites import sites
from svc.storage.store import StoreFailed
from tests import tables
from tests.town import a_post, a_stored_one, submit, town


async def test_a_submission_is_stored_and_filed_to_a_new_contact(autojump_clock):
    """An ordinary submission ends as a contact, a note and two events."""
    async with town() as here, here.live_system() as system:
        form = await here.form()

        await FormWindow(system, form.form_key).submit(a_post())
        await trio.sleep(1)

        [contact] = await here.rows(tables.records)
        [note] = await here.rows(tables.notes)
        assert {"email": "ada@example.com"} == msgspec.json.decode(contact.properties)
        assert ("Contact us", "message: Hello", contact.id) == (note.title, note.body, note.record_id)
        assert ["record.created", "submission.filed"] == [row.type for row in await here.rows(tables.events)]
        assert {"filed": 1} == await here.states()


async def test_the_twenty_first_of_a_sender_within_a_minute_is_refused(autojump_clock):
    """A sender has 20 a minute; the refusal says when there is room, and then there is."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        window = FormWindow(system, form.form_key)
        for _ in range(SENDER_SUBMISSIONS_MAX):
            await window.submit(a_post())
            await trio.sleep(1)

        with pytest.raises(PostRefused) as refused:
            await window.submit(a_post())
        await trio.sleep(39.999)
        with pytest.raises(PostRefused):
            await window.submit(a_post())
        await trio.sleep(0.001)
        await window.submit(a_post())

        assert ("rate", 40_000) == (refused.value.reason, refused.value.retry_after_ms)
        assert SENDER_SUBMISSIONS_MAX + 1 == await here.count(tables.submissions)


async def test_one_sender_does_not_disturb_another(autojump_clock):
    """The limit of a sender is that sender's alone."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        for _ in range(SENDER_SUBMISSIONS_MAX):
            await FormWindow(system, form.form_key).submit(a_post())

        await FormWindow(system, form.form_key).submit(a_post(address="192.0.2.2"))

        assert SENDER_SUBMISSIONS_MAX + 1 == await here.count(tables.submissions)


async def test_an_ipv6_network_is_one_sender(autojump_clock):
    """All addresses of a /64 count together, and the next /64 does not."""
    async with town() as here, here.live_system() as system:
        window = FormWindow(system, (await here.form()).form_key)
        for number in range(SENDER_SUBMISSIONS_MAX):
            await window.submit(a_post(address=f"2001:db8:0:1::{number:x}"))

        with pytest.raises(PostRefused):
            await window.submit(a_post(address="2001:db8:0:1:ffff::1"))
        await window.submit(a_post(address="2001:db8:0:2::1"))


async def test_what_is_over_sixty_a_minute_queues_until_the_pass(autojump_clock):
    """60 are filed at once; the rest waits for the five-minute pass, and then goes at the form's pace."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        for number in range(200):
            await submit(system, form, number)

        await trio.sleep(299)
        before_the_pass = await here.states()
        await trio.sleep(2)
        after_the_pass = await here.states()
        await trio.sleep(60)
        one_minute_on = await here.states()
        await trio.sleep(60)

        assert {"filed": 60, "queued": 140} == before_the_pass
        assert {"filed": 120, "queued": 80} == after_the_pass
        assert {"filed": 180, "queued": 20} == one_minute_on
        assert {"filed": 200} == await here.states()


async def test_what_arrives_while_others_wait_joins_behind_them(autojump_clock):
    """The order of arrival is the order of filing, even when the minute has room again."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        for number in range(PACE_FILINGS_MAX + 1):
            await submit(system, form, number)
        await trio.sleep(120)

        await submit(system, form, 1000)
        states = await here.states()
        await trio.sleep(200)

        assert {"filed": 60, "queued": 2} == states
        rows = await here.rows(tables.submissions)
        assert [row.id for row in sorted(rows, key=lambda row: (row.filed_at, row.id))] == [
            r.id for r in rows
        ]
        assert {"filed": 62} == await here.states()


async def test_an_empty_queue_lets_submissions_through_again(autojump_clock):
    """Once the pass has emptied the queue, the next submission is filed at once."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        for number in range(PACE_FILINGS_MAX + 1):
            await submit(system, form, number)
        await trio.sleep(400)

        await submit(system, form, 1000)
        await trio.sleep(1)

        assert {"filed": 62} == await here.states()


async def test_over_twelve_hundred_queued_in_an_hour_are_refused(autojump_clock):
    """The 1,201st that would queue within an hour is refused, though the queue is shorter by then."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        for number in range(PACE_FILINGS_MAX + QUEUE_SUBMISSIONS_MAX):
            await submit(system, form, number)
        await trio.sleep(600)

        with pytest.raises(PostRefused) as refused:
            await submit(system, form, 9999)
        states = await here.states()

        assert ("rate", 3_000_000) == (refused.value.reason, refused.value.retry_after_ms)
        assert 1260 == sum(states.values())
        assert states["queued"] < QUEUE_SUBMISSIONS_MAX


async def test_the_hour_slides(autojump_clock):
    """When the first of the queued ones is an hour old, the next may queue."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        for number in range(PACE_FILINGS_MAX):
            await submit(system, form, number)
        await submit(system, form, 5000)
        await trio.sleep(10)
        for number in range(QUEUE_SUBMISSIONS_MAX - 1):
            await submit(system, form, 6000 + number)
        await trio.sleep(280)
        with pytest.raises(PostRefused):
            await submit(system, form, 9999)

        await trio.sleep(3600 - 290)
        for number in range(PACE_FILINGS_MAX):
            await submit(system, form, 10_000 + number)
        await submit(system, form, 9999)

        with pytest.raises(PostRefused):
            await submit(system, form, 9998)


async def test_the_windows_survive_a_restart(autojump_clock):
    """After a restart, a sender's minute, the pace and the queue are as they were."""
    async with town() as here:
        form = await here.form()
        async with here.live_system() as system:
            for _ in range(SENDER_SUBMISSIONS_MAX):
                await FormWindow(system, form.form_key).submit(a_post())
            for number in range(100):
                await submit(system, form, number)
            await trio.sleep(30)

        async with here.live_system() as system:
            with pytest.raises(PostRefused) as refused:
                await FormWindow(system, form.form_key).submit(a_post())
            await submit(system, form, 500)
            states = await here.states()
            await trio.sleep(271)
            after_the_pass = await here.states()
            await trio.sleep(60)

        assert 30_000 == refused.value.retry_after_ms
        assert {"filed": 60, "queued": 61} == states
        assert {"filed": 120, "queued": 1} == after_the_pass
        assert {"filed": 121} == await here.states()


async def test_a_restart_in_the_middle_of_the_pass_keeps_the_pace(autojump_clock):
    """Filings of the last minute count after a restart, also those that came from the queue."""
    async with town() as here:
        form = await here.form()
        async with here.live_system() as system:
            for number in range(200):
                await submit(system, form, number)
            await trio.sleep(310)
            assert {"filed": 120, "queued": 80} == await here.states()

        async with here.live_system():
            await trio.sleep(49)
            in_the_same_minute = await here.states()
            await trio.sleep(2)
            in_the_next = await here.states()

        assert {"filed": 120, "queued": 80} == in_the_same_minute
        assert {"filed": 180, "queued": 20} == in_the_next


async def test_what_was_stored_and_not_filed_is_filed_at_the_next_start(autojump_clock):
    """A submission is filed even if the process died between storing and filing it."""
    async with town() as here:
        form = await here.form()
        await here.store.write(submissions.create, a_stored_one(form))
        assert {"due": 1} == await here.states()

        async with here.live_system():
            await trio.sleep(1)

        assert {"filed": 1} == await here.states()
        assert 1 == await here.count(tables.records)


async def test_a_paused_form_takes_nothing_with_the_next_submission(autojump_clock):
    """Pausing and resuming act at once."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        window = FormWindow(system, form.form_key)
        await window.submit(a_post())

        await here.store.write(forms.pause, here.organization.id, form.id)
        with pytest.raises(PostRefused) as refused:
            await window.submit(a_post())
        await here.store.write(forms.resume, here.organization, form.id)
        await window.submit(a_post())

        assert "unknown_form" == refused.value.reason


async def test_an_organization_without_the_form_endpoint_takes_nothing(autojump_clock):
    """After the trial on the free plan, or with the hub off, nothing is taken and what is stored stays."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        window = FormWindow(system, form.form_key)
        await window.submit(a_post())
        here.clock.jump(TRIAL_MS)
        call = operator_call(here.organization.id)

        with pytest.raises(PostRefused) as after_the_trial:
            await window.submit(a_post())
        await here.store.write(organizations.update_plan, here.organization.id, plan="pro")
        await window.submit(a_post())
        await here.store.write(organizations.update, call, OrganizationChanges(marketing_hub=False))
        with pytest.raises(PostRefused) as without_the_hub:
            await window.submit(a_post())

        assert "unknown_form" == after_the_trial.value.reason == without_the_hub.value.reason
        assert 2 == await here.count(tables.submissions)


@pytest.mark.parametrize(
    ("origin", "taken"),
    [
        (None, True),
        ("https://lamps.example", True),
        ("https://www.lamps.example", True),
        ("http://shop.lamps.example:8080", True),
        ("https://evil-lamps.example", False),
        ("https://lamps.example.evil.test", False),
        ("null", False),
    ],
)
async def test_a_bound_form_takes_only_its_own_site(autojump_clock, origin, taken):
    """A bound form takes posts of its site and of servers."""
    async with town() as here, here.live_system() as system:
        site = await here.store.write(sites.create, here.organization.id, "https://www.lamps.example/")
        form = await here.form(site_id=site.id)
        window = FormWindow(system, form.form_key)

        assert (None if taken else "origin") == await window.refuses(origin)
        if taken:
            await window.submit(a_post(origin=origin))
        else:
            with pytest.raises(PostRefused, match="origin"):
                await window.submit(a_post(origin=origin))


async def test_without_email_and_phone_nothing_is_stored(autojump_clock):
    """A submission without a way to answer it is refused, and the fields at fault are named."""
    async with town() as here, here.live_system() as system:
        form = await here.form()

        with pytest.raises(PostRefused) as refused:
            await FormWindow(system, form.form_key).submit(a_post(email="not an address"))

        assert ("no_contact", {"email": "invalid"}) == (refused.value.reason, refused.value.fields)
        assert 0 == await here.count(tables.submissions)


async def test_a_server_key_counts_each_visitor(autojump_clock):
    """With a live key a server's visitors are senders of their own; without it, it is one sender."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        minted = await here.store.write(server_keys.mint, operator_call(here.organization.id), "web-1")
        window = FormWindow(system, form.form_key)

        for number in range(2 * SENDER_SUBMISSIONS_MAX):
            post = a_post(visitor_address=f"198.51.100.{number}", key_digest=digest(minted.key))
            assert "accepted" == (await window.submit(post)).relay
        for number in range(SENDER_SUBMISSIONS_MAX):
            key = new_key("sk_live_", SYSTEM)
            post = a_post(visitor_address=f"198.51.100.{number}", key_digest=digest(key))
            assert "refused" == (await window.submit(post)).relay
        with pytest.raises(PostRefused) as refused:
            await window.submit(post)

        assert ("rate", "refused") == (refused.value.reason, refused.value.relay)


async def test_a_revoked_an_expired_and_a_foreign_key_are_refused_and_nothing_is_turned_away(autojump_clock):
    """A key that does not count makes the server one sender, and the submission is taken."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        window = FormWindow(system, form.form_key)
        other = await here.store.write(provisioning.create, organizations.NewOrganization(name="Other"))
        revoked = await here.store.write(server_keys.mint, operator_call(here.organization.id), "web-1")
        foreign = await here.store.write(server_keys.mint, operator_call(other.id), "web-1")
        aged = await here.store.write(server_keys.mint, operator_call(here.organization.id), "web-2")
        await here.store.write(organizations.update_plan, here.organization.id, plan="pro")

        before = (await window.submit(a_post(key_digest=digest(revoked.key)))).relay
        await here.store.write(server_keys.revoke, operator_call(here.organization.id), revoked.id)
        after = (await window.submit(a_post(key_digest=digest(revoked.key)))).relay
        of_another = (await window.submit(a_post(key_digest=digest(foreign.key)))).relay
        here.clock.jump(SERVER_KEY_LIFE_MS)
        expired = (await window.submit(a_post(key_digest=digest(aged.key)))).relay

        assert ("accepted", "refused", "refused", "refused") == (before, after, of_another, expired)
        assert 4 == await here.count(tables.submissions)


async def test_a_filled_in_honeypot_is_held_as_spam(autojump_clock):
    """Spam is answered like any other submission, and held."""
    async with town() as here, here.live_system() as system:
        form = await here.form(honeypot="website2")
        post = a_post(values={"email": "ada@example.com", "website2": "http://spam.test"})

        await FormWindow(system, form.form_key).submit(post)
        await FormWindow(system, form.form_key).submit(
            a_post(values={"email": "b@example.com", "website2": ""})
        )
        await trio.sleep(3)

        first, second = await here.rows(tables.submissions)
        assert ("held", "spam") == (first.state, first.held_reason)
        assert ("filed", None) == (second.state, second.held_reason)


async def test_a_full_disk_changes_no_window(autojump_clock):
    """A submission that could not be stored counts nowhere, and its form goes on."""
    async with town() as here, here.live_system() as system:
        window = FormWindow(system, (await here.form()).form_key)
        await window.submit(a_post())

        async with here.full_disk(tables.submissions):
            for _ in range(2 * SENDER_SUBMISSIONS_MAX):
                with pytest.raises(StoreFailed):
                    await window.submit(a_post())

        for _ in range(SENDER_SUBMISSIONS_MAX - 1):
            await window.submit(a_post())
        assert SENDER_SUBMISSIONS_MAX == await here.count(tables.submissions)
