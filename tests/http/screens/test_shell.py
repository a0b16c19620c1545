"""The shell: the page of every screen, its policy, and the data that it begins with."""

import re

import msgspec
import pytest
import trio

from svc.domain.identity.callers import operator_call
from svc.http.app import public_app
from svc.http.screens import assets
from svc.http.screens.assets import Assets, FirstCall, ScreenFiles, ScreensNotBuilt
from svc.http.screens.boot import first_calls, scripts_for
from svc.services.tools import calls as tool_calls
from svc.storage import provisioning
from svc.storage.forms import submissions
from svc.storage.identity import invitations, organizations
from svc.storage.identity.organizations import NewOrganization, OrganizationChanges
from tests.http.screens.screen import ASSETS, MANIFEST, OWNER, Screens, boot_of, screens
from tests.town import a_stored_one, town

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types svc"
)
SCREENS = ["/app/", "/app/forms", "/app/records/deal/rec_1", "/app/nothing/at/all", "/app/forms/"]


async def test_the_service_opens_with_the_screens(autojump_clock):
    """Whatever the client accepts."""
    async with screens() as here:
        for path in ("/", "/app"):
            for accept in ("text/html", "*/*"):
                answer = await here.client.get(path, headers={"accept": accept})

                assert (303, "/app/") == (answer.status_code, answer.headers["location"])


@pytest.mark.parametrize("path", SCREENS)
async def test_every_screen_is_the_shell(autojump_clock, path):
    """Unknown ones say so in the page."""
    async with screens() as here:
        await here.sign_in()
        answer = await here.client.get(path)

    assert (200, "text/html; charset=utf-8") == (answer.status_code, answer.headers["content-type"])
    assert POLICY == answer.headers["content-security-policy"]
    assert ("no-store", "nosniff") == (
        answer.headers["cache-control"],
        answer.headers["x-content-type-options"],
    )
    assert "/app/static/app-1.js" in answer.text
    assert "/app/static/style-1.css" in answer.text
    assert 'rel="modulepreload" href="/app/static/part-1.js"' in answer.text


async def test_the_shell_keeps_its_own_policy(autojump_clock):
    """No script, style or handler in the page but the data block, which no browser runs."""
    async with screens() as here:
        await here.sign_in()
        page = (await here.client.get("/app/")).text

    assert ['type="module" src="/app/static/app-1.js"', 'type="application/json" id="boot"'] == re.findall(
        r"<script ([^>]*)>", page
    )
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page)


async def test_the_block_has_the_session_and_the_organization(autojump_clock):
    """As the doors of people and `organization.get` have them, with the person's rights and the trial."""
    async with screens() as here:
        csrf = await here.sign_in()
        boot = boot_of(await here.client.get("/app/"))
        session = (await here.client.get("/app/api/session")).json()
        told = await here.client.post(
            "/app/api/tools/organization.get", json={}, headers={"x-csrf-token": csrf}
        )

    assert session == boot["session"]
    assert csrf == boot["session"]["csrfToken"]
    assert told.json().items() <= boot["organization"].items()
    assert ("owner", ["marketing"], 14) == tuple(
        boot["organization"][name] for name in ("role", "hubs", "trialDaysLeft")
    )
    assert {"security", "forms"} < set(boot["organization"]["permissions"])


async def test_a_trial_counts_down(autojump_clock):
    """The begun day counts; once it is over there is none."""
    async with screens() as here:
        await here.sign_in()
        left = []
        for hours in (0, 1, 13 * 24 - 1, 23, 1):
            here.clock.jump(hours * 3_600_000)
            await here.sign_in()
            left.append(boot_of(await here.client.get("/app/"))["organization"]["trialDaysLeft"])

    assert [14, 14, 1, 1, None] == left


async def test_first_answers_are_those_of_the_tools(autojump_clock):
    """Under the name and the input that the page would ask with."""
    async with screens() as here:
        csrf = await here.sign_in()
        await here.form(name="Contact us")
        forms = boot_of(await here.client.get("/app/forms"))["data"]
        told = await here.client.post("/app/api/tools/form.list", json={}, headers={"x-csrf-token": csrf})
        deals = boot_of(await here.client.get("/app/records/deal"))["data"]
        elsewhere = boot_of(await here.client.get(f"/app/forms?org={here.organization.id}"))["data"]

    assert {"form.list {}": told.json(), "site.list {}": {"sites": []}} == forms
    assert "Contact us" == forms["form.list {}"]["forms"][0]["name"]
    assert {'record.list {"objectType":"deal","limit":50}', "site.list {}"} == deals.keys()
    assert forms == elsewhere


def test_of_screens_that_fit_the_first_is_asked_for() -> None:
    """A word in an address is no id of a record, as the browser has it, too."""
    manifest = msgspec.structs.replace(
        MANIFEST,
        screens=(
            ScreenFiles("/app/records/{object}/duplicates", ("duplicates.js",), (FirstCall("form.list"),)),
            ScreenFiles("/app/records/{object}/{record}", ("record.js",), (FirstCall("record.get"),)),
            ScreenFiles("*", (), (FirstCall("site.list"),)),
        ),
    )
    path = "/app/records/deal/duplicates"

    assert [("form.list", {}), ("site.list", {})] == first_calls(manifest, path, {})
    assert ["part-1.js", "duplicates.js"] == scripts_for(manifest, path)


async def _names(here: Screens, query: str) -> set[str]:
    """Names and inputs of the first answers of the submissions at *query*, without those of every screen."""
    data = boot_of(await here.client.get(f"/app/submissions{query}"))["data"]
    return set(data) - {"site.list {}"}


@pytest.mark.parametrize(
    ("query", "list_input"),
    [
        ("", '{"limit":50}'),
        ("?state=Held", '{"state":"Held","limit":50}'),
        ("?q=Anna%20%C3%84%22%5C&state=Filed&new=1", r'{"state":"Filed","search":"Anna Ä\"\\","limit":50}'),
        ("?q=%3C/script%3E%08%1F%7F%E2%80%A8", '{"search":"</script>\\b\\u001f\x7f\u2028","limit":50}'),
        ("?q=&q=second", '{"limit":50}'),
        ("?q=first&q=second", '{"search":"first","limit":50}'),
    ],
)
async def test_first_answers_follow_the_query(autojump_clock, query, list_input):
    """By the question that the page makes of it, written as the page writes it."""
    async with screens() as here:
        await here.sign_in()
        found = await _names(here, query)

    assert {f"submission.list {list_input}", "form.list {}"} == found


@pytest.mark.parametrize("query", ["?state=Nonsense", f"?q={'x' * 300}"])
async def test_a_query_that_its_tool_refuses_has_no_answer(autojump_clock, query):
    """The page asks, and shows why."""
    async with screens() as here:
        await here.sign_in()
        found = await _names(here, query)

    assert {"form.list {}"} == found


async def test_what_is_open_is_among_the_first_answers(autojump_clock):
    """If there is such a thing. Some parameters have the page ask in another way."""
    async with screens() as here:
        await here.sign_in()
        form = await here.form()
        submission = await here.store.write(submissions.create, a_stored_one(form))
        opened = await _names(here, f"?open={submission}")
        none = await _names(here, "?open=sub_none")
        other = await _names(here, "?until=2026-01-01")

    assert {
        'submission.list {"limit":50}',
        "form.list {}",
        f'submission.get {{"id":"{submission}"}}',
    } == opened
    assert {'submission.list {"limit":50}', "form.list {}"} == none
    assert {'submission.list {"limit":50}'} == other


async def test_what_takes_long_is_left_to_the_page(autojump_clock, monkeypatch):
    """After a quarter of a second, which is what the shell takes then; the other answers are there."""
    run = tool_calls.run

    async def slow(system, tool, *rest):
        await trio.sleep(60 if tool.name == "submission.list" else 0.2)
        return await run(system, tool, *rest)

    async with screens() as here:
        await here.sign_in()
        monkeypatch.setattr(tool_calls, "run", slow)
        began = trio.current_time()
        found = await _names(here, "?q=nobody")
        took = trio.current_time() - began

    assert {"form.list {}"} == found
    assert 0.25 <= took < 0.3


async def test_first_answers_are_only_what_the_person_may_see(autojump_clock):
    """The rest is left out, and not audited as refused: the person asked for nothing."""
    async with screens() as here:
        await here.member("vera@example.com", "viewer")
        await here.sign_in("vera@example.com")
        boot = boot_of(await here.client.get("/app/forms"))
        nothing = boot_of(await here.client.get("/app/records/unicorn"))

    assert {"site.list {}"} == boot["data"].keys()
    assert ["records.read"] == boot["organization"]["permissions"]
    assert {"site.list {}"} == nothing["data"].keys()


async def test_first_answers_come_out_of_the_budget(autojump_clock):
    """A page that is loaded more often than the person may call reads nothing; after the minute it does."""
    async with screens() as here:
        here.system.calls.per_minute = 2
        await here.sign_in()
        data = [boot_of(await here.client.get("/app/forms"))["data"] for _ in range(3)]
        here.clock.jump(60_000)
        later = boot_of(await here.client.get("/app/forms"))["data"]

    assert [True, True, False] == [bool(found) for found in data]
    assert {"form.list {}", "site.list {}"} == later.keys()


@pytest.mark.parametrize(
    "name",
    [
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "]]> & " + "a" * 190 + "'\"",
        "\U0001f600" * 20,
    ],
)
async def test_texts_of_strangers_stay_data(autojump_clock, name):
    """No name ends the block, and each is read as it was written."""
    async with screens() as here:
        await here.store.write(
            organizations.update, operator_call(here.organization.id), OrganizationChanges(name=name)
        )
        await here.sign_in()
        page = await here.client.get("/app/")

    assert name == boot_of(page)["organization"]["name"]
    block = page.text.partition('id="boot">')[2].partition("</script>\n</body>")[0]
    assert not set("<>&") & set(block)


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/app/", "/app/sign-in"),
        ("/app/forms", "/app/sign-in?next=%2Fapp%2Fforms"),
        (
            "/app/forms/frm_1?org=org_2&q=a%20b",
            "/app/sign-in?next=%2Fapp%2Fforms%2Ffrm_1%3Forg%3Dorg_2%26q%3Da%2520b",
        ),
        ("/app//evil.example", "/app/sign-in"),
        ("/app/%2e%2e/docs", "/app/sign-in"),
    ],
)
async def test_signed_out_leads_to_the_sign_in(autojump_clock, path, target):
    """And back, to own paths alone."""
    async with screens() as here:
        answer = await here.client.get(path)

    assert (303, target, "no-store") == (
        answer.status_code,
        answer.headers["location"],
        answer.headers["cache-control"],
    )


@pytest.mark.parametrize(
    "path", ["/app/sign-in", "/app/welcome", "/app/invitation", "/app/reset", "/app/sign-in/"]
)
async def test_the_ways_in_need_no_session(autojump_clock, path):
    """Their block has nothing in it but where the person wanted to go, if that is one of ours."""
    async with screens() as here:
        own = await here.client.get(path, params={"next": "/app/forms?q=1"})
        other = await here.client.get(path, params={"next": "//evil.example"})

    boot = boot_of(own)
    assert (200, None, None, {}) == (own.status_code, boot["session"], boot["organization"], boot["data"])
    assert ("/app/forms?q=1", None) == (boot["next"], boot_of(other)["next"])
    assert "evil" not in other.text


@pytest.mark.parametrize(
    ("wanted", "target"), [("/app/forms", "/app/forms"), ("https://evil.example", "/app/"), (None, "/app/")]
)
async def test_who_is_signed_in_does_not_sign_in_again(autojump_clock, wanted, target):
    """The same rule leads on from there."""
    async with screens() as here:
        await here.sign_in()
        answer = await here.client.get("/app/sign-in", params={"next": wanted} if wanted else {})

    assert (303, target) == (answer.status_code, answer.headers["location"])


async def test_another_organization_is_named_in_the_address(autojump_clock):
    """One that the person is no member of shows nothing of it, and does not tell whether it exists."""
    async with screens() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        strange = await here.store.write(provisioning.create, NewOrganization(name="Strange"))
        made = await here.store.write(invitations.invite, operator_call(other.id), OWNER, "viewer")
        csrf = await here.sign_in()
        await here.client.post("/app/api/accept", json={"token": made.token}, headers={"x-csrf-token": csrf})

        home, guest, none, nowhere = [
            boot_of(await here.client.get("/app/forms", params=params))
            for params in ({}, {"org": other.id}, {"org": strange.id}, {"org": "<x>"})
        ]

    assert ("owner", other.id, "viewer") == (
        home["organization"]["role"],
        guest["organization"]["id"],
        guest["organization"]["role"],
    )
    assert (None, {}) == (none["organization"], none["data"])
    assert (None, {}) == (nowhere["organization"], nowhere["data"])
    assert [here.organization.id, other.id] == [one["id"] for one in none["session"]["organizations"]]


async def test_an_ended_session_leads_to_the_sign_in(autojump_clock):
    """The cookie alone opens nothing."""
    async with screens() as here:
        csrf = await here.sign_in()
        cookies = dict(here.client.cookies)
        await here.client.post("/app/api/sign-out", headers={"x-csrf-token": csrf})
        here.client.cookies.update(cookies)
        answer = await here.client.get("/app/forms")

    assert (303, "/app/sign-in?next=%2Fapp%2Fforms") == (answer.status_code, answer.headers["location"])


@pytest.mark.parametrize(
    "path", ["/app/api", "/app/api/", "/app/api/nothing", "/app/static", "/app/static/x/y"]
)
async def test_doors_are_no_screens(autojump_clock, path):
    """What is not there below them is a problem, for programs, and no page that says 200."""
    async with screens() as here:
        await here.sign_in()
        answer = await here.client.get(path)

    assert 404 == answer.status_code


@pytest.mark.parametrize("path", ["/", "/app", "/app/", "/app/forms", "/app/apis", "/app/forms//x"])
async def test_a_screen_is_only_read(autojump_clock, path):
    """`HEAD` answers without the page; other methods are refused, under the same policy."""
    async with screens() as here:
        await here.sign_in()
        head = await here.client.head(path)
        others = [await here.client.request(method, path) for method in ("POST", "PUT", "OPTIONS", "TRACE")]

    assert (True, b"") == (head.status_code in {200, 303}, head.content)
    assert [405, 405, 200, 405] == [answer.status_code for answer in others]
    assert all("GET" in answer.headers["allow"] for answer in others)
    for answer in (head, *others):
        assert (POLICY, "nosniff") == (
            answer.headers["content-security-policy"],
            answer.headers["x-content-type-options"],
        )


async def test_other_addresses_have_no_policy_of_screens(autojump_clock):
    """The guides and the doors have their own."""
    async with screens() as here:
        for path in ("/docs", "/app/api/session", "/nothing"):
            answer = await here.client.get(path)

            assert POLICY != answer.headers.get("content-security-policy")


async def test_built_files_are_kept_for_good(autojump_clock):
    """Plain or compressed; what is not among them is a problem."""
    async with screens() as here:
        plain = await here.client.get("/app/static/app-1.js", headers={"accept-encoding": "identity"})
        head = await here.client.head("/app/static/app-1.js")
        none = await here.client.get("/app/static/app-2.js")
        outside = await here.client.get("/app/static/..%2fmanifest.json")
        posted = await here.client.post("/app/static/app-1.js")

    assert (200, b"app-1.js") == (plain.status_code, plain.content)
    assert {"public", "max-age=31536000", "immutable"} == set(plain.headers["cache-control"].split(", "))
    assert ("Accept-Encoding", "nosniff") == (plain.headers["vary"], plain.headers["x-content-type-options"])
    assert (200, b"") == (head.status_code, head.content)
    assert (404, 404, 405) == (none.status_code, outside.status_code, posted.status_code)
    assert "immutable" not in none.headers.get("cache-control", "")


def test_the_package_has_the_built_files():
    """All that the manifest names, of a known type, plain and compressed."""
    built = assets.built()

    assert {built.manifest.script, built.manifest.style} <= built.files.keys()
    assert all(file.plain and file.gzipped for file in built.files.values())


@pytest.mark.parametrize("kept", [(), ("manifest.json",), ("manifest.json", "app-1.js")])
def test_without_the_built_files_nothing_starts(tmp_path, monkeypatch, kept):
    """The message says what to do; there is never a blank page."""
    whole = {"manifest.json": msgspec.json.encode(MANIFEST), "app-1.js": b"1"}
    (tmp_path / "static").mkdir()
    for name in kept:
        (tmp_path / "static" / name).write_bytes(whole[name])
    monkeypatch.setattr(assets, "files", lambda _: tmp_path)

    with pytest.raises(ScreensNotBuilt, match="make screens"):
        assets.built.__wrapped__()


async def test_a_manifest_that_changes_something_is_refused(autojump_clock):
    """What a page opens with only reads."""
    bad = msgspec.structs.replace(MANIFEST, screens=(ScreenFiles("*", (), (FirstCall("form.create"),)),))
    async with town() as here, here.live_system() as system:
        with pytest.raises(ValueError, match=r"form\.create"):
            public_app(system, assets=Assets(bad, ASSETS.files))
