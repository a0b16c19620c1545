"""Input that one database takes and another does not: the Tool API answers the same over either."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import pytest
import sqlalchemy as sa
import trio

from svc.storage.store import Tx
from tests import tables
from tests.tooling import ToolTown, tool_town

pytestmark = pytest.mark.postgres

LONG: Final = "\N{GRINNING FACE}" * 1_999
"""With another letter, two thousand of four bytes: more than a PostgreSQL index takes."""
DECIMALS: Final = 200_000
SPECIAL: Final = 'C:\\new\n"quoted"\t\\x41 \\u0041 \N{GRINNING FACE}%_'
"""What has a meaning to a database or to JSON, and none in a text."""
HALVES: Final = ("\ud83d", "\ude00", "\ude00\ud83d")
HUGE: Final = (2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30, 10**400)
_IDS: Final = re.compile(r"\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b")

Answer = tuple[int, Any]
Asked = tuple[str, dict[str, Any]]


def contact(**properties: Any) -> Asked:
    return "record.create", {"objectType": "contact", "properties": properties}


def found(op: str, value: Any, slug: str = "name") -> Asked:
    filters = [{"property": slug, "op": op, "value": value}]
    return "record.list", {"objectType": "contact", "filters": filters}


def new_property(slug: str, type_: str, *, unique: bool = False) -> dict[str, Any]:
    return {"objectType": "contact", "slug": slug, "label": slug, "type": type_, "unique": unique}


def refused() -> Iterator[Asked]:
    """What is no input at all."""
    yield contact(name="a\0b")
    yield "record.list", {"objectType": "contact", "search": "a\0b"}
    yield found("contains", "a\0")
    yield "record.get", {"id": "rec_\0"}
    yield "note.create", {"recordId": "rec_\0", "body": "a\0b"}
    for half in HALVES:
        yield contact(name=half)
        yield found("eq", half)
    for number in HUGE:
        yield contact(size=number)
        yield found("gt", number, "size")
        yield "record.list", {"objectType": "contact", "limit": number}


def taken() -> Iterator[Asked]:
    """What is a text or a number as any other."""
    yield contact(name=SPECIAL, code="A\\B", size=10**15)
    yield found("contains", 'new\n"q')
    yield found("contains", "%_")
    yield found("contains", "e%d")
    yield found("eq", SPECIAL)
    yield found("gt", 2**31, "size")
    yield contact(code=f"{LONG}a")
    yield contact(code=f"{LONG}b")
    yield found("eq", f"{LONG}b", "code")


async def answer(here: ToolTown, asked: Asked) -> Answer:
    """The status and the body, in which every id is the same."""
    tool, body = asked
    sent = json.dumps(body).encode()  # in ASCII, so that half a pair is sent as an escape
    headers = {"authorization": f"Bearer {here.key}", "content-type": "application/json"}
    answered = await here.client.post(f"/api/v1/tools/{tool}", content=sent, headers=headers)
    read = json.loads(_IDS.sub("ID", answered.text))
    read.pop("requestId", None)
    return answered.status_code, read


async def add_decimals(here: ToolTown) -> None:
    """Add deals with amounts of four decimals, by one statement that both databases know."""
    await here.answer("record.create", {"objectType": "deal", "properties": {"name": "One", "amount": 0.1}})
    columns = [column.name for column in tables.records.columns]
    others = {
        "id": "substr(records.id, 1, 20) || CAST(1000000000 + i AS TEXT)",
        "properties": '\'{"name":"One","amount":\' || CAST(i % 1000 AS TEXT) || \'.\''
        ' || substr(CAST(10000 + i * 7919 % 10000 AS TEXT), 2) || \',"amount_currency":"EUR"}\'',
    }
    values = ", ".join(others.get(name, f"records.{name}") for name in columns)
    statement = (
        f"INSERT INTO records ({', '.join(columns)})"  # noqa: S608  # names of the schema
        " WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < :many)"
        f" SELECT {values} FROM numbers CROSS JOIN records JOIN objects ON objects.id = object_id"
        " WHERE objects.slug = 'deal'"
    )

    def add(tx: Tx) -> None:
        tx.conn.execute(sa.text(statement), {"many": DECIMALS})

    await here.store.write(add)


def amounts() -> list[Decimal]:
    """Those of all deals."""
    of_others = (Decimal(i % 1_000) + Decimal(i * 7_919 % 10_000) / 10_000 for i in range(1, DECIMALS + 1))
    return [Decimal("0.1"), *of_others]


async def answers(*, on_postgresql: bool) -> dict[str, list[Answer]]:
    """The answers to all calls, by what they are."""
    async with tool_town(on_postgresql=on_postgresql) as here:
        await here.answer("property.create", new_property("code", "text", unique=True))
        await here.answer("property.create", new_property("size", "number"))
        made = {
            "refused": [await answer(here, asked) for asked in refused()],
            "taken": [await answer(here, asked) for asked in taken()],
            "taken already": [await answer(here, contact(code=f"{LONG}a"))],
        }
        [first] = (await here.answer("record.list", {"objectType": "contact", "limit": 1}))["records"]
        versions = [{"id": first["id"], "ifVersion": number, "properties": {"size": 1}} for number in HUGE]
        made["of versions that never were"] = [await answer(here, ("record.update", one)) for one in versions]
        path, headers = "/api/v1/files/fil_%00", {"authorization": f"Bearer {here.key}"}
        made["a NUL in a path"] = [((await here.client.get(path, headers=headers)).status_code, None)]
        writers: list[Answer] = []

        async def write() -> None:
            writers.append(await answer(here, contact(code="both")))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write)
            nursery.start_soon(write)
        made["of two writers"] = sorted(writers, key=str)
        await add_decimals(here)
        measures = [{"op": op, "property": "amount"} for op in ("count", "sum", "min", "max")]
        aggregate = ("record.aggregate", {"objectType": "deal", "measures": measures})
        made["sums"] = [await answer(here, aggregate)]
        return made


async def test_bad_input_is_answered_the_same_over_both(autojump_clock: object) -> None:
    """Each is refused or kept as over the other, in the same words; sums are exact."""
    sqlite, postgresql = await answers(on_postgresql=False), await answers(on_postgresql=True)

    assert sqlite == postgresql
    assert {422} == {status for status, _ in sqlite["refused"]}
    assert {200} == {status for status, _ in sqlite["taken"]}
    assert [409] == [status for status, _ in sqlite["taken already"]]
    assert [(404, None)] == sqlite["a NUL in a path"]
    assert {422} == {status for status, _ in sqlite["of versions that never were"]}
    assert [200, 409] == [status for status, _ in sqlite["of two writers"]]
    listed = [body["records"] for _, body in sqlite["taken"] if "records" in body]
    assert [1, 1, 0, 1, 1, 1] == [*map(len, listed)]
    assert SPECIAL == listed[0][0]["properties"]["name"]
    [(_, body)] = sqlite["sums"]
    expected = [float(measure(amounts())) for measure in (sum, min, max)]
    assert [DECIMALS + 1, *({"EUR": one} for one in expected)] == body["groups"][0]["values"]
