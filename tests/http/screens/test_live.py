"""Live events: what a page hears of, how soon, and when its stream ends."""

from contextlib import AsyncExitStack
from itertools import pairwise

import msgspec
import pytest
import trio
import trio.testing

from svc.actors.stream_places import StreamPlaces
from svc.domain.changes import ResourceChanged
from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import SESSION_IDLE_MS
from svc.domain.limits import SCREEN_HINTS_MAX, SCREEN_STREAMS_MAX
from svc.http.app import public_app
from svc.storage.identity import members, organizations, sessions
from svc.storage.identity.members import MemberChanges
from svc.storage.store import Tx
from tests import tables
from tests.http.screens.live import PATH, headers_of, opened, over_http1, over_http2
from tests.http.screens.screen import ASSETS, Screens, screens
from tests.http.serving import in_memory

CONNECTIONS = [over_http1, over_http2]


def changed(tx: Tx, /, organization_id: str, noun: str = "record", *ids: str) -> None:
    """Announce that these have changed."""
    for id_ in ids or ("rec_1",):
        tx.announce(ResourceChanged(organization_id, noun, id_))


async def change(here: Screens, noun: str = "record", *ids: str) -> None:
    await here.store.write(changed, here.organization.id, noun, *ids)


@pytest.mark.parametrize("connect", CONNECTIONS)
async def test_a_change_by_another_door_is_seen_within_a_second(autojump_clock, connect):
    """Its noun and its id, and nothing of its content."""
    async with screens() as here, in_memory(here.app) as server:
        csrf = await here.sign_in()
        async with opened(server, here, connect=connect) as page:
            begun = trio.current_time()
            made = await here.client.post(
                "/app/api/tools/record.create",
                json={"objectType": "contact", "properties": {"name": "Grace Hopper"}},
                headers={"x-csrf-token": csrf},
            )
            hint = await page.changed()
            took = trio.current_time() - begun

        assert ("record", made.json()["id"]) == hint
        assert took <= 1
        assert b"Grace" not in page.body
        assert ("text/event-stream", "no-store") == (
            page.headers["content-type"],
            page.headers["cache-control"],
        )


async def test_what_only_some_may_see_has_no_id(autojump_clock):
    """Approvals, and views of others: that something of the kind was changed, not which one."""
    async with screens() as here, in_memory(here.app) as server:
        await here.member("vera@example.com", "viewer")
        await here.sign_in("vera@example.com")
        async with opened(server, here) as page:
            await change(here, "approval", "apr_1")
            await change(here, "view", "viw_1")
            await change(here, "record", "rec_1")
            told = [await page.changed() for _ in range(3)]

        assert [("approval", None), ("view", None), ("record", "rec_1")] == told


async def test_a_burst_is_told_once(autojump_clock):
    """A thing that changes a hundred times in a moment is one event; different things are in order."""
    async with screens() as here, in_memory(here.app) as server:
        await here.sign_in()
        async with opened(server, here) as page:
            for number in range(100):
                await change(here, "record", f"rec_{number % 2}")
            await change(here, "form", "frm_1")
            told = [await page.changed() for _ in range(3)]
            await trio.sleep(5)
            after = await page.next()

        assert [("record", "rec_0"), ("record", "rec_1"), ("form", "frm_1")] == told
        assert after is not None
        assert "comment" == after.type


async def test_a_stream_that_broke_goes_on_where_it_was(autojump_clock):
    """By `Last-Event-ID`, also when nothing had come yet; ids count up."""
    async with screens() as here, in_memory(here.app) as server:
        await here.sign_in()
        async with opened(server, here) as page:
            first = page.headers["first-id"]
        await change(here, "record", "rec_1")
        await change(here, "record", "rec_2")
        again = await over_http1(server, PATH, headers_of(here, **{"last-event-id": first}))
        events = [await again.next() for _ in range(3)]

        assert [None, {"noun": "record", "id": "rec_1"}, {"noun": "record", "id": "rec_2"}] == [
            None if event is None else event.data for event in events
        ]
        ids = [int(event.id or first) for event in events if event]
        assert ids == list(range(ids[0], ids[0] + 3))


async def test_nothing_falls_between_the_page_and_its_stream(autojump_clock):
    """The shell says up to where its data is, and the first stream goes on from there."""
    async with screens() as here, in_memory(here.app) as server:
        await here.sign_in()
        page = await here.client.get("/app/forms")
        hint = page.text.partition('"hint":"')[2].partition('"')[0]
        await change(here, "form", "frm_1")
        async with opened(server, here, f"?after={hint}") as stream:
            assert ("form", "frm_1") == await stream.changed()


@pytest.mark.parametrize("last", ["0", "1789689500000000", "9999999999999999999", "x", "-5", "1" * 40])
async def test_a_number_that_is_too_old_or_none_is_told(autojump_clock, last):
    """As after a restart: the page asks for everything again, and goes on from there."""
    async with screens() as here, in_memory(here.app) as server:
        await here.sign_in()
        await change(here)
        async with opened(server, here, **{"last-event-id": last}) as page:
            event = await page.next()
            await change(here, "form", "frm_1")

            assert event is not None
            assert ("resync", {}) == (event.type, event.data)
            assert ("form", "frm_1") == await page.changed()


async def test_a_restart_is_told(autojump_clock):
    """Numbers of the process before are below those of the next one, however many it gave."""
    async with screens() as here, in_memory(here.app) as server:
        await here.sign_in()
        async with opened(server, here) as page:
            await change(here, "record", *map(str, range(1_000)))
            event = await page.next()
        assert event is not None
        here.clock.jump(1_000)
        async with (
            here.live_system() as next_system,
            in_memory(public_app(next_system, assets=ASSETS)) as new,
            opened(new, here, **{"last-event-id": event.id or ""}) as page,
        ):
            after = await page.next()

    assert ("resync", "resync") == (event.type, after and after.type)


async def test_a_silent_stream_sends_comments(autojump_clock):
    """Every 15 seconds, so that neither proxy nor browser takes it for dead."""
    async with screens() as here, in_memory(here.app) as server:
        await here.sign_in()
        async with opened(server, here) as page:
            times = []
            for _ in range(4):
                event = await page.next()
                assert event is not None
                assert "comment" == event.type
                times.append(trio.current_time())

        assert [15, 15, 15] == [round(later - earlier) for earlier, later in pairwise(times)]


async def test_hints_are_of_what_the_person_may_read(autojump_clock):
    """A viewer hears of records, and of nothing that needs another permission."""
    async with screens() as here, in_memory(here.app) as server:
        await here.member("vera@example.com", "viewer")
        await here.sign_in("vera@example.com")
        async with opened(server, here) as page:
            for noun in (
                "form",
                "submission",
                "embed",
                "apikey",
                "conversation",
                "webhook",
                "audit",
                "nonsense",
            ):
                await change(here, noun, "1")
            await change(here, "member", "usr_1")
            await change(here, "object", "obj_1")

            assert [("member", "usr_1"), ("object", "obj_1")] == [await page.changed(), await page.changed()]


async def test_a_new_role_counts_at_once(autojump_clock):
    """Within the open stream, in both directions."""
    async with screens() as here, in_memory(here.app) as server:
        vera = await here.member("vera@example.com", "viewer")
        await here.sign_in("vera@example.com")
        call = operator_call(here.organization.id)
        async with opened(server, here) as page:
            await here.store.write(members.update, call, vera.id, MemberChanges(role_id="admin"))
            await change(here, "form", "frm_1")
            more = await page.changed()
            await here.store.write(members.update, call, vera.id, MemberChanges(role_id="viewer"))
            await change(here, "form", "frm_2")
            await change(here, "record", "rec_1")
            less = await page.changed()

    assert (("form", "frm_1"), ("record", "rec_1")) == (more, less)


async def sign_out(here: Screens, csrf: str) -> None:
    await here.client.post("/app/api/sign-out", headers={"x-csrf-token": csrf})


async def revoke(here: Screens, _csrf: str) -> None:
    (row,) = await here.rows(tables.sessions)
    await here.store.write(sessions.revoke, row.person_id, row.id)


async def revoke_all(here: Screens, _csrf: str) -> None:
    (row,) = await here.rows(tables.sessions)
    await here.store.write(sessions.revoke_all, row.person_id)


async def deactivate(here: Screens, _csrf: str) -> None:
    await here.member("second@example.com", "owner")
    (row,) = await here.rows(tables.sessions)
    await here.store.write(members.deactivate, operator_call(here.organization.id), row.person_id)


async def freeze(here: Screens, _csrf: str) -> None:
    await here.member("second@example.com", "owner")
    (row,) = await here.rows(tables.sessions)
    changes = MemberChanges(status="frozen")
    await here.store.write(members.update, operator_call(here.organization.id), row.person_id, changes)


async def close(here: Screens, _csrf: str) -> None:
    await here.store.write(organizations.close, here.organization.id)


async def shut_down(here: Screens, _csrf: str) -> None:
    here.system.screen_hints.close()


@pytest.mark.parametrize("connect", CONNECTIONS)
@pytest.mark.parametrize("end", [sign_out, revoke, revoke_all, deactivate, freeze, close, shut_down])
async def test_a_stream_ends_at_once(autojump_clock, end, connect):
    """With the session, the membership, the organization or the service; in the browser's eyes properly."""
    async with screens() as here, in_memory(here.app) as server:
        csrf = await here.sign_in()
        async with opened(server, here, connect=connect) as page:
            begun = trio.current_time()
            await end(here, csrf)
            await page.rest()

            assert trio.current_time() - begun < 0.1
        assert 0 == here.system.screen_hints.statistics()
        refused = await connect(server, PATH, headers_of(here))
        assert refused.status in {401, 403, 503}


async def test_streams_of_others_go_on(autojump_clock):
    """Those of another session of the same person too."""
    async with screens() as here, in_memory(here.app) as server:
        await here.sign_in()
        first = headers_of(here)
        here.client.cookies.clear()
        csrf = await here.sign_in()
        async with opened(server, here) as second:
            kept = await over_http1(server, PATH, first)
            await kept.next()
            await sign_out(here, csrf)
            await second.rest()
            await change(here, "record", "rec_9")

            assert ("record", "rec_9") == await kept.changed()


async def test_an_open_page_is_no_use_of_the_session(autojump_clock):
    """It writes nothing, and ends when the session has been idle for too long."""
    async with screens() as here, in_memory(here.app) as server:
        await here.sign_in()
        (before,) = await here.rows(tables.sessions)
        begun = trio.current_time()
        async with opened(server, here) as page:
            await page.rest()
        (after,) = await here.rows(tables.sessions)

    assert before.seen_at == after.seen_at
    assert SESSION_IDLE_MS <= (trio.current_time() - begun) * 1_000 <= SESSION_IDLE_MS + 16_000


async def test_a_person_has_so_many_streams(autojump_clock):
    """The next is refused with when to come again; one that closed makes room."""
    async with screens() as here, in_memory(here.app) as server:
        await here.sign_in()
        async with AsyncExitStack() as stack:
            pages = [await stack.enter_async_context(opened(server, here)) for _ in range(SCREEN_STREAMS_MAX)]
            refused = await over_http1(server, PATH, headers_of(here))
            await here.member("vera@example.com")
            mine = headers_of(here)
            here.client.cookies.clear()
            await here.sign_in("vera@example.com")
            other = await over_http1(server, PATH, headers_of(here))
            await pages[0].leave()
            await trio.testing.wait_all_tasks_blocked()
            again = await over_http1(server, PATH, mine)

    assert (503, "15") == (refused.status, refused.headers["retry-after"])
    assert "application/problem+json" == refused.headers["content-type"]
    assert (200, 200) == (other.status, again.status)


async def test_streams_have_a_third_of_the_connections(autojump_clock):
    """In all, and half of that in one organization."""
    async with screens() as here, in_memory(here.app) as server:
        here.system.stream_places = StreamPlaces(12)
        await here.sign_in()
        async with opened(server, here), opened(server, here):
            refused = await over_http1(server, PATH, headers_of(here))

            assert (2, 4) == msgspec.structs.astuple(here.system.stream_places.screens.statistics())
        assert 503 == refused.status
        assert int(refused.headers["retry-after"]) >= 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
        ({"sec-fetch-site": ""}, 403),
        ({"cookie": "svc_session=nonsense"}, 401),
        ({"cookie": "a=b"}, 401),
    ],
)
async def test_streams_are_for_own_pages_of_people(autojump_clock, headers, status):
    """A page of another site, and one without a session, get a problem."""
    async with screens() as here:
        await here.sign_in()
        answer = await here.client.get(PATH, headers=headers_of(here) | headers)
        posted = await here.client.post(PATH, headers=headers_of(here))
        strange = await here.client.get(f"{PATH}?org=org_x", headers=headers_of(here))

    assert (status, "application/problem+json") == (answer.status_code, answer.headers["content-type"])
    assert (405, 403) == (posted.status_code, strange.status_code)


async def test_a_page_that_does_not_read_holds_up_nothing(autojump_clock):
    """What it missed is told in one event, and there is no queue of it meanwhile."""
    async with screens() as here, in_memory(here.app, write_seconds=60) as server:
        await here.sign_in()
        slow = server.dial(trio.testing.lockstep_stream_pair)
        lines = [f"{name}: {value}" for name, value in headers_of(here).items()]
        await slow.send("\r\n".join([f"GET {PATH} HTTP/1.1", "host: svc.test", *lines, "", ""]).encode())
        await trio.testing.wait_all_tasks_blocked()
        async with opened(server, here) as quick:
            for batch in range(20):
                await change(here, "record", *(f"rec_{batch}_{one}" for one in range(SCREEN_HINTS_MAX // 2)))
                assert ("record", f"rec_{batch}_0") == await quick.changed()
                for _ in range(SCREEN_HINTS_MAX // 2 - 1):
                    await quick.changed()
            text = b""
            with trio.move_on_after(5):
                while b"resync" not in text:
                    text += bytes(await slow.stream.receive_some(65_536))

    assert b"event: resync" in text
    assert text.count(b"event: changed") <= SCREEN_HINTS_MAX


async def test_what_no_page_shows_costs_no_memory(autojump_clock):
    """Hints are kept for organizations that had a screen open, and for so many of them."""
    async with screens() as here:
        await change(here)
        assert {} == dict(here.system.screen_hints._organizations)
        for number in range(500):
            here.system.screen_hints.newest(f"org_{number}")

        assert 64 == len(here.system.screen_hints._organizations)
