"""`view.*`: lists that people save, for themselves or for all."""

from typing import Any

import pytest

from svc.domain.views.limits import VIEW_INPUT_BYTES_MAX, VIEWS_MAX
from svc.storage.views import tables
from tests.tooling import ToolTown, tool_town

DEALS = {"objectType": "deal", "sort": [{"property": "amount", "direction": "desc"}]}
LARGEST = {"name": "Largest deals", "tool": "record.list", "input": DEALS}


class Person:
    """A member who calls tools from the screens."""

    def __init__(self, here: ToolTown, csrf: str, cookies: dict[str, str]) -> None:
        self._here, self._csrf, self._cookies = here, csrf, cookies

    async def call(self, tool: str, body: Any) -> tuple[int, Any]:
        self._here.client.cookies.clear()
        self._here.client.cookies.update(self._cookies)
        answer = await self._here.call_as_person(tool, body, csrf=self._csrf)
        return answer.status_code, answer.json()

    async def answer(self, tool: str, body: Any) -> Any:
        status, answer = await self.call(tool, body)
        assert 200 == status, answer
        return answer

    async def names(self, **asked: Any) -> list[str]:
        return [view["name"] for view in (await self.answer("view.list", asked))["views"]]


async def person(here: ToolTown, email: str, role: str) -> Person:
    if role != "owner":
        await here.member(email, role)
    here.client.cookies.clear()
    csrf = await here.sign_in(email)
    return Person(here, csrf, dict(here.client.cookies))


async def test_a_list_is_saved_and_found(autojump_clock):
    """With what it is asked, as it was given; another member sees only what is shared."""
    async with tool_town() as here:
        ada = await person(here, "owner@example.com", "owner")
        vera = await person(here, "vera@example.com", "viewer")
        own = await ada.answer("view.create", LARGEST)
        await ada.answer("view.create", LARGEST | {"name": "For all", "shared": True})
        await vera.answer("view.create", LARGEST | {"name": "Vera's"})

        assert (LARGEST["input"], "record.list", False, 1) == tuple(
            own[name] for name in ("input", "tool", "shared", "version")
        )
        assert ["Largest deals", "For all"] == await ada.names()
        assert ["For all", "Vera's"] == await vera.names(tool="record.list")
        assert [] == await vera.names(tool="form.list")


async def test_a_view_is_a_table_or_a_board_of_a_property(autojump_clock):
    """A table unless it says otherwise; what is left out of a change stays, and null is a table again."""
    async with tool_town() as here:
        ada = await person(here, "owner@example.com", "owner")
        table = await ada.answer("view.create", LARGEST)
        board = await ada.answer("view.create", LARGEST | {"boardBy": "stage"})
        renamed = await ada.answer("view.update", {"id": board["id"], "name": "By stage"})
        listed = (await ada.answer("view.list", {}))["views"]
        again = await ada.answer("view.update", {"id": board["id"], "boardBy": None})
        status, problem = await ada.call("view.update", {"id": board["id"], "boardBy": "name"})

    assert (None, "stage", "stage", None) == tuple(one["boardBy"] for one in (table, board, renamed, again))
    assert [None, "stage"] == [one["boardBy"] for one in listed]
    assert (422, "/boardBy") == (status, problem["errors"][0]["pointer"])


async def test_a_view_takes_what_its_list_takes(autojump_clock):
    """Who may not call the list neither saves nor sees it, shared or not."""
    async with tool_town() as here:
        ada = await person(here, "owner@example.com", "owner")
        vera = await person(here, "vera@example.com", "viewer")
        held = {"name": "Held", "tool": "submission.list", "input": {"state": "Held"}, "shared": True}
        refused, problem = await vera.call("view.create", held)
        made = await ada.answer("view.create", held)
        changed, _ = await vera.call("view.update", {"id": made["id"], "name": "Mine"})

        assert (403, "forbidden") == (refused, problem["code"])
        assert 403 == changed
        assert (["Held"], []) == (await ada.names(), await vera.names())


async def test_a_key_lists_and_changes_nothing(autojump_clock):
    """Of its person's views and shared ones."""
    async with tool_town() as here:
        ada = await person(here, "owner@example.com", "owner")
        vera = await person(here, "vera@example.com", "viewer")
        await ada.answer("view.create", LARGEST)
        await vera.answer("view.create", LARGEST | {"name": "Vera's"})
        listed = await here.answer("view.list", {})
        refused = await here.call("view.create", LARGEST)

    assert ["Largest deals"] == [view["name"] for view in listed["views"]]
    assert (403, "person_only") == (refused.status_code, refused.json()["code"])


async def test_a_view_is_its_makers(autojump_clock):
    """Another member changes a shared one with `settings` alone; a private one is not there for them."""
    async with tool_town() as here:
        ada = await person(here, "owner@example.com", "owner")
        vera = await person(here, "vera@example.com", "viewer")
        private = await ada.answer("view.create", LARGEST)
        shared = await ada.answer("view.create", LARGEST | {"shared": True})
        veras = await vera.answer("view.create", LARGEST | {"name": "Vera's", "shared": True})

        hidden = [
            (await vera.call(tool, {"id": private["id"]}))[0] for tool in ("view.update", "view.delete")
        ]
        refused = [
            (await vera.call(tool, {"id": shared["id"]}))[0] for tool in ("view.update", "view.delete")
        ]
        renamed = await ada.answer("view.update", {"id": veras["id"], "name": "Ours", "shared": False})
        kept = await vera.names()
        await vera.answer("view.delete", {"id": veras["id"]})

        assert ([404, 404], [403, 403]) == (hidden, refused)
        assert ("Ours", False, 2) == (renamed["name"], renamed["shared"], renamed["version"])
        assert ["Largest deals", "Ours"] == kept
        assert ["Largest deals"] == await vera.names()


async def test_two_people_do_not_overwrite_each_other(autojump_clock):
    """A change from an older version is a conflict; what is left out stays."""
    async with tool_town() as here:
        ada = await person(here, "owner@example.com", "owner")
        made = await ada.answer("view.create", LARGEST)
        here.clock.jump(1_000)
        first = await ada.answer("view.update", {"id": made["id"], "name": "A", "ifVersion": 1})
        status, problem = await ada.call("view.update", {"id": made["id"], "name": "B", "ifVersion": 1})

    assert (DEALS, "A", 2) == (first["input"], first["name"], first["version"])
    assert first["updatedAt"] > first["createdAt"] == made["createdAt"]
    assert (409, "conflict") == (status, problem["code"])


@pytest.mark.parametrize(
    ("body", "pointer", "said"),
    [
        ({"tool": "record.create"}, "/tool", "no tool that lists"),
        ({"tool": "records.list"}, "/tool", "record.list"),
        ({"tool": "automation.list"}, "/tool", "no tool that lists"),
        ({"input": {"objectType": "deal", "limits": 5}}, "/input/limits", "limit"),
        ({"input": {}}, "/input/objectType", "required"),
        ({"input": {"objectType": "deal", "cursor": "x"}}, "/input/cursor", "no place"),
        ({"input": {"objectType": "x" * VIEW_INPUT_BYTES_MAX}}, "/input", "bytes"),
        ({"boardBy": "stages"}, "/boardBy", "stage"),
        ({"boardBy": "amount"}, "/boardBy", "of the type select"),
        ({"boardBy": "stage", "input": {"objectType": "deals"}}, "/input/objectType", "deal"),
        ({"boardBy": "stage", "tool": "form.list", "input": {}}, "/boardBy", "lists no records"),
        ({"name": " "}, "/name", "visible characters"),
        ({"name": "a\u202eb"}, "/name", "visible characters"),
    ],
)
async def test_what_no_list_takes_is_refused(autojump_clock, body, pointer, said):
    """With where it is."""
    async with tool_town() as here:
        ada = await person(here, "owner@example.com", "owner")
        status, problem = await ada.call("view.create", LARGEST | body)

    assert (422, pointer) == (status, problem["errors"][0]["pointer"])
    assert said in problem["errors"][0]["detail"]


async def test_there_are_so_many_views(autojump_clock):
    """Then one has to go."""
    async with tool_town() as here:
        ada = await person(here, "owner@example.com", "owner")
        made = await ada.answer("view.create", LARGEST)
        [row] = await here.rows(tables.views)

        def fill(tx: Any) -> None:
            many = [row._asdict() | {"id": f"viw_{number}"} for number in range(VIEWS_MAX - 1)]
            tx.conn.execute(tables.views.insert(), many)

        await here.store.write(fill)
        full, problem = await ada.call("view.create", LARGEST)
        await ada.answer("view.delete", {"id": made["id"]})
        again, _ = await ada.call("view.create", LARGEST)

    assert (409, "conflict", 200) == (full, problem["code"], again)
