"""`site.*`: tracked sites, and what a change of them means to the forms that are bound to them."""

from sqlalchemy import update

from svc.domain.errors import Conflict
from svc.domain.sites.limits import SITES_MAX
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sites import sites
from tests import tables
from tests.tooling import ToolTown, tool_town

LAMPS = "https://lamps.example"


async def as_person(here: ToolTown, tool: str, body: object) -> tuple[int, object]:
    csrf = await here.sign_in()
    answer = await here.call_as_person(tool, body, csrf=csrf)
    return answer.status_code, answer.json()


async def post_from(here: ToolTown, form: dict[str, str], origin: str) -> tuple[int, str | None]:
    """The answer to a submission from a page at *origin*."""
    answer = await here.client.post(
        form["submitPath"],
        json={"f": form["formKey"], "v": {"email": "ada@example.com"}},
        headers={"origin": origin},
    )
    return answer.status_code, answer.json().get("reason")


async def test_a_site_is_made_and_listed_with_its_bare_domain(autojump_clock):
    """Whatever address of it people paste."""
    async with tool_town() as here:
        made = await here.answer("site.create", {"domain": "https://www.Lamps.example:443/shop?page=2"})
        listed = await here.answer("site.list")

        assert ("lamps.example", {"sites": [made]}) == (made["domain"], listed)
        assert "2026-09-18T00:00:00.000Z" == made["createdAt"]


async def test_a_site_says_when_it_was_last_viewed(autojump_clock):
    """To the minute, so that it is not written with every view; a site without views has none."""
    async with tool_town() as here:
        made = await here.answer("site.create", {"domain": "lamps.example"})
        other = await here.answer("site.create", {"domain": "boats.example"})
        seen = []
        for seconds in (0, 30, 31):
            here.clock.jump(seconds * 1_000)
            await here.client.post("/api/t", json={"url": "https://www.lamps.example/skerry"})
            sites = {one["id"]: one for one in (await here.answer("site.list"))["sites"]}
            seen.append(sites[made["id"]]["lastViewAt"])

    assert [made["lastViewAt"], sites[other["id"]]["lastViewAt"]] == [None, None]
    assert ["2026-09-18T00:00:00.000Z", "2026-09-18T00:00:00.000Z", "2026-09-18T00:01:01.000Z"] == seen


async def test_a_domain_that_is_none_is_refused_by_its_place(autojump_clock):
    """The fault points to what has to be mended, at creation and at a change."""
    async with tool_town() as here:
        site = await here.answer("site.create", {"domain": LAMPS})
        answers = [
            await here.call("site.create", {"domain": "no domain"}),
            await here.call("site.update", {"id": site["id"], "domain": "-"}),
            await here.call("site.create", {}),
            await here.call("site.list", {"domain": "x"}),
        ]

        assert [(422, "/domain")] * 4 == [
            (one.status_code, one.json()["errors"][0]["pointer"]) for one in answers
        ]


async def test_a_public_suffix_is_refused_by_its_place(autojump_clock):
    """At creation and at a change; nothing is made, and nothing moves."""
    async with tool_town() as here:
        site = await here.answer("site.create", {"domain": LAMPS})
        answers = [
            await here.call("site.create", {"domain": "github.io"}),
            await here.call("site.update", {"id": site["id"], "domain": "https://www.co.uk"}),
        ]

        assert [(422, "/domain")] * 2 == [
            (one.status_code, one.json()["errors"][0]["pointer"]) for one in answers
        ]
        assert {"sites": [site]} == await here.answer("site.list")


async def test_nothing_is_bound_to_a_site_at_a_public_suffix(autojump_clock):
    """What is bound already stays; `svc check` names such a site, and moving it mends all of it."""
    async with tool_town() as here:
        site = await here.answer("site.create", {"domain": LAMPS})
        form = await here.answer("form.create", {"name": "Bound", "siteId": site["id"]})
        await here.store.write(lambda tx: tx.conn.execute(update(tables.sites).values(domain="github.io")))
        bound = {"name": "Another", "siteId": site["id"]}
        answers = [
            await here.call("form.create", bound),
            await here.call("embed.create", bound),
            await here.call("form.update", {"id": (await here.form()).id, "siteId": site["id"]}),
        ]
        renamed = await here.call("form.update", {"id": form["id"], "name": "Bound before"})
        broken = await here.store.read(sites.at_shared_domains)
        await here.answer("site.update", {"id": site["id"], "domain": "ada.github.io"})

        assert [(422, "/siteId")] * 3 == [
            (one.status_code, one.json()["errors"][0]["pointer"]) for one in answers
        ]
        assert 200 == renamed.status_code
        assert ["github.io"] == [one.domain for one in broken]
        assert [] == await here.store.read(sites.at_shared_domains)
        assert 200 == (await here.call("form.create", bound)).status_code


async def test_two_sites_at_one_domain_are_refused(autojump_clock):
    """Within one organization; another may track it as well, and an update may keep the domain."""
    async with tool_town() as here:
        first = await here.answer("site.create", {"domain": "lamps.example"})
        second = await here.answer("site.create", {"domain": "shades.example"})
        other = await here.store.write(provisioning.create, NewOrganization(name="Another"))
        await here.store.write(sites.create, other.id, "lamps.example")
        answers = [
            await here.call("site.create", {"domain": "www.lamps.example"}),
            await here.call("site.update", {"id": second["id"], "domain": "lamps.example"}),
            await here.call("site.update", {"id": first["id"], "domain": "WWW.lamps.example"}),
        ]

        assert [409, 409, 200] == [one.status_code for one in answers]
        assert "conflict" == answers[0].json()["code"]


async def test_a_moved_site_moves_its_forms_with_the_next_submission(autojump_clock):
    """What came from the old domain is refused from then on, and what comes from the new one is taken."""
    async with tool_town() as here:
        site = await here.answer("site.create", {"domain": "lamps.example"})
        form = await here.answer("form.create", {"name": "Contact us", "siteId": site["id"]})

        before = await post_from(here, form, LAMPS)
        moved = await here.answer("site.update", {"id": site["id"], "domain": "shades.example"})
        after = [await post_from(here, form, origin) for origin in (LAMPS, "https://shades.example")]

        assert site | {"domain": "shades.example"} == moved
        assert ((200, None), [(400, "origin"), (200, None)]) == (before, after)


async def test_a_removed_site_is_gone_and_its_forms_stay_bound(autojump_clock):
    """Nothing is opened by it, and the domain may be tracked again."""
    async with tool_town() as here:
        site = await here.answer("site.create", {"domain": "lamps.example"})
        form = await here.answer("form.create", {"name": "Contact us", "siteId": site["id"]})

        status, removed = await as_person(here, "site.remove", {"id": site["id"]})
        again = await here.call("site.update", {"id": site["id"], "domain": "lamps.example"})
        elsewhere = await post_from(here, form, "https://elsewhere.example")

        assert (200, {"id": site["id"], "removedAt": "2026-09-18T00:00:00.000Z"}) == (status, removed)
        assert {"sites": []} == await here.answer("site.list")
        assert (404, "not_found") == (again.status_code, again.json()["code"])
        assert (400, "origin") == elsewhere
        assert "lamps.example" == (await here.answer("site.create", {"domain": "lamps.example"}))["domain"]


async def test_a_key_removes_no_site(autojump_clock):
    """That is for a person, or needs one's approval."""
    async with tool_town() as here:
        site = await here.answer("site.create", {"domain": "lamps.example"})
        refused = await here.call("site.remove", {"id": site["id"]})

        assert (403, "approval_required") == (refused.status_code, refused.json()["code"])


async def test_another_organizations_site_is_not_found(autojump_clock):
    """Not changed, not removed, and bound to no form here."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Another"))
        theirs = await here.store.write(sites.create, other.id, "theirs.example")
        answers = [
            await here.call("site.update", {"id": theirs.id, "domain": "ours.example"}),
            await here.call("form.create", {"name": "Contact us", "siteId": theirs.id}),
        ]
        removed, _ = await as_person(here, "site.remove", {"id": theirs.id})

        assert [404, 422, 404] == [*(one.status_code for one in answers), removed]
        assert [theirs] == await here.store.read(sites.list_all, other.id)


async def test_there_are_only_so_many_sites(autojump_clock):
    """One more is a conflict, until one is removed."""
    async with tool_town() as here:
        for number in range(SITES_MAX):
            site = await here.store.write(sites.create, here.organization.id, f"site{number}.example")
        full = await here.call("site.create", {"domain": "one-more.example"})
        await here.store.write(sites.remove, here.organization.id, site.id)
        again = await here.call("site.create", {"domain": "one-more.example"})

        assert ((409, Conflict.code), 200) == ((full.status_code, full.json()["code"]), again.status_code)


async def test_the_audit_trail_has_what_was_done_to_a_site(autojump_clock):
    """Each act once, with the site's id."""
    async with tool_town() as here:
        site = await here.answer("site.create", {"domain": "lamps.example"})
        await here.answer("site.update", {"id": site["id"], "domain": "shades.example"})
        await as_person(here, "site.remove", {"id": site["id"]})

        assert ["site.create", "site.update", "site.remove"] == [
            row.action for row in await here.rows(tables.audit, target=site["id"])
        ]


async def test_sites_are_listed_to_all_and_changed_with_permission(autojump_clock):
    """A Viewer reads the list; settings belong to others."""
    async with tool_town() as here:
        viewer = await here.mint(role_id="viewer")
        listed = await here.call("site.list", key=viewer)
        refused = await here.call("site.create", {"domain": "lamps.example"}, key=viewer)

        assert (200, 403) == (listed.status_code, refused.status_code)


async def test_an_embed_follows_its_site_to_another_domain(autojump_clock):
    """With the next request, though what it shows was kept ready for the old one."""
    async with tool_town() as here:
        site = await here.answer("site.create", {"domain": "lamps.example"})
        asked = {"name": "Lamps", "siteId": site["id"], "blocks": [{"type": "hero", "title": "Lamps"}]}
        key = (await here.answer("embed.create", asked))["embedKey"]
        before = await here.client.get(f"/api/e/{key}", headers={"origin": LAMPS})
        csrf = await here.sign_in()
        await here.call_as_person("site.update", {"id": site["id"], "domain": "lights.example"}, csrf=csrf)
        after = [
            (await here.client.get(f"/api/e/{key}", headers={"origin": origin})).status_code
            for origin in (LAMPS, "https://lights.example")
        ]

        assert 200 == before.status_code
        assert [403, 200] == after
