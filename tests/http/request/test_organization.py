"""Which organization a signed-in person's request names."""

import pytest

from svc.domain.identity.callers import operator_call
from svc.storage import provisioning
from svc.storage.identity import invitations
from svc.storage.identity.organizations import NewOrganization
from tests.http.screens.screen import OWNER, screens

HOME, OTHER, STRANGE = "home", "other", "strange"


@pytest.mark.parametrize(
    ("query", "header", "named"),
    [
        ("", None, HOME),
        ("", OTHER, OTHER),
        ("?org={other}", None, OTHER),
        ("?org={other}", OTHER, OTHER),
        ("?org={home}&org={home}", None, HOME),
        ("?org=", OTHER, OTHER),
        ("?org={strange}", None, 403),
        ("?org=%3Cx%3E", None, 403),
        ("?org={other}", HOME, 422),
        ("?org={home}", OTHER, 422),
        ("?org={home}&org={other}", None, 422),
    ],
)
async def test_a_call_is_for_the_organization_that_it_names(autojump_clock, query, header, named):
    """By the address or by the header, at tools and at live events alike; two different ones are refused."""
    async with screens() as here:
        ids = {HOME: here.organization.id}
        for name in (OTHER, STRANGE):
            ids[name] = (await here.store.write(provisioning.create, NewOrganization(name=name))).id
        invited = await here.store.write(invitations.invite, operator_call(ids[OTHER]), OWNER, "admin")
        csrf = {"x-csrf-token": await here.sign_in()}
        await here.client.post("/app/api/accept", json={"token": invited.token}, headers=csrf)
        headers = csrf | ({"x-organization-id": ids[header]} if header else {})
        asked = query.format(**ids)

        answer = await here.client.post(f"/app/api/tools/organization.get{asked}", json={}, headers=headers)

    if isinstance(named, int):
        assert named == answer.status_code
    else:
        assert (200, ids[named]) == (answer.status_code, answer.json()["id"])
    if named == 422:
        [fault] = answer.json()["errors"]
        assert "different organizations" in fault["detail"]


async def test_events_refuse_two_organizations(autojump_clock):
    """With words, before a stream begins."""
    async with screens() as here:
        await here.sign_in()
        answer = await here.client.get(
            f"/app/api/events?org={here.organization.id}",
            headers={"sec-fetch-site": "same-origin", "x-organization-id": "org_other"},
        )

    assert 422 == answer.status_code
    assert "different organizations" in answer.text
