"""Under whose name units of work go to the store: an organization's own, save for what is said here."""

import trio

from svc.http.app import public_app
from svc.storage.channels import keys as channel_keys
from svc.storage.sites import sites
from svc.storage.store import Owner
from tests.channels import a_connection, a_reply
from tests.http.asking import client_of
from tests.lamps import LAMP, lamp_town
from tests.owners import Recorder
from tests.people import a_member, call_of
from tests.tooling import PASSWORD, ToolTown
from tests.town import HASHER, submit
from tests.webhooks import a_webhook
from tests.workflows import a_document, a_workflow

SIGNED_IN = "the person"

NO_ORGANIZATIONS = {
    (Owner.SYSTEM, "actors.reconciler._rotate_visitor_keys"),
    (Owner.SYSTEM, "storage.forms.submissions.organizations_with_due"),
    (Owner.SYSTEM, "storage.imports.rows.organizations_with_work"),
    (Owner.SYSTEM, "storage.exports.rows.organizations_with_work"),
    (Owner.SYSTEM, "storage.records.listing.index_builds.organizations_building"),
    (Owner.SYSTEM, "storage.forms.submissions.forms_with_queue"),
    (Owner.SYSTEM, "storage.channels.outboxes.due"),
    (Owner.SYSTEM, "storage.channels.conversations.organizations_waking"),
    (Owner.SYSTEM, "storage.events.events.organizations_with_undispatched"),
    (Owner.SYSTEM, "storage.webhooks.batches.webhooks_due"),
    (Owner.SYSTEM, "storage.workflows.runs.organizations_with_runs"),
    (Owner.SYSTEM, "storage.agent.runs.conversations_due"),
    (Owner.SYSTEM, "storage.approvals.decisions.organizations_with_uncollected"),
    (Owner.SYSTEM, "storage.clock.marks.mark"),
    (Owner.SYSTEM, "storage.retention.find"),
    (Owner.SYSTEM, "storage.files.sweeping.unused"),
    (Owner.SYSTEM, "storage.files.sweeping.removed_files"),
    (Owner.CREDENTIALS, "storage.identity.api_keys.route"),
    (Owner.CREDENTIALS, "storage.channels.keys.route"),
    (Owner.CREDENTIALS, "storage.identity.sessions.find"),
    (Owner.PEOPLE, "storage.identity.sign_in.recent_failures"),
    (Owner.PEOPLE, "storage.identity.accounts.credentials"),
    (Owner.PEOPLE, "storage.identity.sign_in.note_failure"),
    (Owner.FORMS, "storage.forms.submissions.snapshot"),
    (Owner.EMBEDS, "storage.embeds.embeds.by_key"),
    (Owner.HOSTS, "storage.sites.sites.at_host"),
    (Owner.OUTBOXES, "storage.channels.outboxes.organization_of"),
    (Owner.WEBHOOKS, "storage.webhooks.batches.load"),
    (Owner.PEOPLE, "services.identity.sign_in._open_one_of"),
    (SIGNED_IN, "services.identity.sign_in._profile"),
}
"""All that is done without an organization's name when everything below is asked for."""


async def test_units_are_their_organizations(autojump_clock):
    """Forms, filing, tools, channels, embeds and visits: each goes under the organization that it is for."""
    async with lamp_town() as lamps:
        organization_id = lamps.organization.id
        form, embed = await lamps.form(), await lamps.embed()
        await lamps.store.write(sites.create, organization_id, "lamps.example")
        connection = await lamps.store.write(a_connection, organization_id)
        channel_key = (await lamps.store.write(channel_keys.mint, organization_id, connection.id)).key
        await lamps.store.write(a_reply, connection)
        await lamps.store.write(a_webhook, organization_id)
        recorder = Recorder(lamps.store)
        here = ToolTown(lamps.store, lamps.clock, lamps.organization)
        here.owner = await here.store.write(
            a_member, organization_id, "owner@example.com", password_hash=HASHER.hash(PASSWORD)
        )
        here.key = await here.mint()
        await here.store.write(a_workflow, call_of(here.owner), a_document())
        viewer_key = await here.mint(role_id="viewer")
        here.store = recorder
        async with here.live_system() as system, client_of(public_app(system)) as here.client:
            bridge = {"authorization": f"Bearer {channel_key}"}
            record = {"objectType": LAMP, "properties": {"name": "Skerry"}}
            message = {"conversationId": "c", "messageId": "m", "direction": "in", "text": "Hi"}
            answers = [
                await here.call("record.create", record),
                await here.call("record.create", record, idempotency_key="k"),
                await here.call("record.list", {"objectType": LAMP, "sort": [{"property": "name"}]}),
                await here.call("record.create", record, key=viewer_key),
                await here.client.post(
                    "/api/channels/v1/channel.message.receive", json=message, headers=bridge
                ),
                await here.client.post("/api/channels/v1/channel.outbox.pull", json={}, headers=bridge),
                await here.client.get(f"/api/e/{embed.embed_key}"),
                await here.client.post("/api/t", json={"url": "https://lamps.example/brass"}),
                await here.client.post(
                    "/app/api/sign-in", json={"email": "owner@example.com", "password": "no"}
                ),
            ]
            csrf = await here.sign_in()
            answers.append(await here.call_as_person("record.list", {"objectType": LAMP}, csrf=csrf))
            await submit(system, form, 1)
            await trio.sleep(90)  # the filing, the uses of keys, another round

    own = {what for owner, what in recorder.ran if owner == organization_id}
    others = {
        (SIGNED_IN if owner == here.owner.id else owner, what)
        for owner, what in recorder.ran
        if owner != organization_id
    }
    assert [200, 200, 200, 403, 200, 200, 200, 204, 401, 200] == [answer.status_code for answer in answers]
    assert others == NO_ORGANIZATIONS
    assert own >= {
        "storage.forms.submissions.create",
        "storage.forms.filing.target",
        "storage.forms.filing.file_due",
        "actors.records.indexer._build",
        "services.tools.calls.write",
        "services.tools.calls.read",
        "storage.audit.note_refusal",
        "services.channels.calls._write",
        "storage.channels.outboxes.load",
        "storage.channels.outboxes.pull",
        "storage.workflows.dispatch.dispatch",
        "runs.workflows.stepping.step_due",
        "storage.webhooks.attempts.note_and_load",
        "actors.embeds.embed_cache._render",
        "storage.sites.visits.create",
        "storage.identity.access.load",
        "actors.identity.organization._note_uses",
    }
