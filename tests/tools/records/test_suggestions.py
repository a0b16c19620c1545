"""`suggestion.*`, as they are called."""

from typing import Any

import pytest
from sqlalchemy import insert

from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import records
from svc.storage.store import Tx
from tests import tables
from tests.tooling import ToolTown, tool_town


def suggest(tx: Tx, organization_id: str, record_id: str, slug: str, value: str) -> str:
    """A suggestion as filing makes it."""
    made = tx.new_id("sug")
    tx.conn.execute(
        insert(tables.suggestions).values(
            id=made,
            organization_id=organization_id,
            record_id=record_id,
            property=slug,
            value=value,
            submission_id=None,
            state="open",
            created_at=tx.now,
        )
    )
    return made


async def suggested(here: ToolTown, *given: tuple[str, str]) -> tuple[Any, list[str]]:
    """A contact, and suggestions for it: slugs and values as JSON."""
    ada = await here.answer(
        "record.create", {"objectType": "contact", "properties": {"name": "Ada", "city": "London"}}
    )
    return ada, [
        await here.store.write(suggest, here.organization.id, ada["id"], slug, value) for slug, value in given
    ]


async def test_an_accepted_value_is_written(autojump_clock):
    """The record has it, and the suggestion is closed."""
    async with tool_town() as here:
        ada, [made] = await suggested(here, ("city", '"Turin"'))
        here.clock.jump(1_000)
        record = await here.answer("suggestion.accept", {"id": made})
        again = await here.call("suggestion.accept", {"id": made})
        [accepted] = (await here.answer("suggestion.list", {"state": "accepted"}))["suggestions"]

        assert ada["properties"] | {"city": "Turin"} == record["properties"]
        assert (409, "conflict") == (again.status_code, again.json()["code"])
        assert (made, ada["id"], "city", "Turin", "2026-09-18T00:00:01.000Z") == tuple(
            accepted[name] for name in ("id", "recordId", "property", "value", "decidedAt")
        )


async def test_a_dismissed_value_is_not(autojump_clock):
    """The record stays as it is."""
    async with tool_town() as here:
        ada, [made] = await suggested(here, ("city", '"Turin"'))
        dismissed = await here.answer("suggestion.dismiss", {"id": made})
        again = await here.call("suggestion.accept", {"id": made})
        shown = await here.answer("record.get", {"objectType": "contact", "id": ada["id"]})

        assert ("dismissed", "2026-09-18T00:00:00.000Z") == (dismissed["state"], dismissed["decidedAt"])
        assert 409 == again.status_code
        assert ada == shown


async def test_open_suggestions_are_listed_newest_first(autojump_clock):
    """Those of the organization or of one record, page by page."""
    async with tool_town() as here:
        _, [closed, *first] = await suggested(here, ("city", '"a"'), ("city", '"b"'), ("city", '"c"'))
        bob, second = await suggested(here, ("city", '"d"'))
        await here.answer("suggestion.dismiss", {"id": closed})
        every = (await here.answer("suggestion.list"))["suggestions"]
        page = await here.answer("suggestion.list", {"limit": 2})
        rest = await here.answer("suggestion.list", {"cursor": page["nextCursor"]})
        bobs = await here.answer("suggestion.list", {"recordId": bob["id"]})

        assert [*first, *second][::-1] == [one["id"] for one in every]
        assert (every, None) == (page["suggestions"] + rest["suggestions"], rest["nextCursor"])
        assert second == [one["id"] for one in bobs["suggestions"]]


async def test_a_value_that_does_not_fit_any_more_is_a_conflict(autojump_clock):
    """It stays open, to be dismissed."""
    async with tool_town() as here:
        _, ids = await suggested(here, ("website", '"no address"'), ("gone", '"x"'))
        answers = [await here.call("suggestion.accept", {"id": one}) for one in ids]
        left = (await here.answer("suggestion.list"))["suggestions"]

        assert [409, 409] == [one.status_code for one in answers]
        assert "must be a web address" in answers[0].json()["detail"]
        assert 2 == len(left)


@pytest.mark.parametrize("tool", ["suggestion.accept", "suggestion.dismiss"])
async def test_there_is_no_such_suggestion(autojump_clock, tool):
    """Nor is another organization's."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        bob = await here.store.write(records.create, other, "contact", {"name": "Bob"}, source={})
        theirs = await here.store.write(suggest, other.id, bob.id, "city", '"Turin"')
        answers = [await here.call(tool, {"id": one}) for one in (theirs, "sug_1")]

        assert [404, 404] == [one.status_code for one in answers]
        listed = await here.call("suggestion.list", {"recordId": bob.id})
        assert (422, "/recordId") == (listed.status_code, listed.json()["errors"][0]["pointer"])


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [({"state": "old"}, "/state"), ({"cursor": "x"}, "/cursor"), ({"limit": 0}, "/limit")],
)
async def test_what_is_wrong_with_a_list_of_suggestions_is_pointed_at(autojump_clock, asked, pointer):
    """As in every list."""
    async with tool_town() as here:
        answer = await here.call("suggestion.list", asked)

        assert (422, [pointer]) == (
            answer.status_code,
            [one["pointer"] for one in answer.json()["errors"]],
        )
