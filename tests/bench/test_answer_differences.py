"""What two revisions answer otherwise is found, and what only chance makes different is not."""

import json
from pathlib import Path
from typing import Any

from bench._answer_differences import Comparison, compare, differences
from bench._contract_differences import contract_differences

RECORD = "rec_01M2RX060098WZ716ABZV4J39J"
OTHER = "rec_01M2RX0600AST5EF700QCDMXQF"


def exchange(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A call of a tool, as the recorder writes it."""
    return {
        "test": "tests/test_one.py::test_one",
        "number": number,
        "method": "POST",
        "path": "/api/v1/tools/record.get",
        "caller": "key",
        "fields": [],
        "asked": f'{{"id":"{RECORD}"}}',
        "status": 200,
        "headers": [("content-length", "9")],
        "answer": '{"a":1,"b":[{"c":2}]}',
    } | changes


def compared(directory: Path, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Comparison:
    """The comparison of two recordings."""
    files = directory / "before", directory / "after"
    for file, made in zip(files, (before, after), strict=True):
        file.write_text("".join(json.dumps(one) + "\n" for one in made))
    return compare(*files)


def test_the_same_bytes_are_the_same(tmp_path: Path) -> None:
    """In whatever order the lines were written: requests overlap."""
    made = [exchange(1), exchange(2, asked="{}")]

    found = compared(tmp_path, made, made[::-1])

    assert (2, 0, [], {"record.get"}) == (found.same, found.same_but_ids, found.differing, found.doors)


def test_each_member_that_differs_is_told_by_its_place(tmp_path: Path) -> None:
    """Status and headers too, but no length beside another body."""
    after = exchange(status=404, headers=[("content-length", "8")], answer='{"a":"1","b":[{"c":3}],"d":null}')

    found = compared(tmp_path, [exchange()], [after])

    assert {
        "record.get: head.status": ("200", "404"),
        "record.get: a": ("1", "1"),
        "record.get: b[*].c": ("2", "3"),
        "record.get: d": ("(absent)", "null"),
    } == {one.place: (one.before, one.after) for one in found.differing}


def test_another_order_of_members_differs(tmp_path: Path) -> None:
    """As JSON it is the same; as bytes it is not."""
    found = compared(tmp_path, [exchange()], [exchange(answer='{"b":[{"c":2}],"a":1}')])

    assert ["record.get: order or spelling"] == [one.place for one in found.differing]


def test_ids_are_compared_by_where_they_were_first_seen(tmp_path: Path) -> None:
    """Another id for the same record is no difference; another record is one."""
    before = [exchange(1, answer=RECORD), exchange(2, answer=RECORD), exchange(3, answer=RECORD)]
    after = [exchange(one["number"], asked=one["asked"].replace(RECORD, OTHER)) for one in before]
    for one, answer in zip(after, (OTHER, OTHER, RECORD), strict=True):
        one["answer"] = answer

    found = compared(tmp_path, before, after)

    assert (2, ["rec_2"]) == (found.same_but_ids, [one.after for one in found.differing])


def test_a_request_that_only_one_makes_is_counted(tmp_path: Path) -> None:
    """What follows it is compared all the same."""
    before = [exchange(1, asked="{}"), exchange(2)]
    after = [exchange(1, asked="{}"), exchange(2, asked="[]"), exchange(3)]

    found = compared(tmp_path, before, after)

    assert (2, 1) == (found.same, found.unmatched.total())


def test_lists_of_another_length_differ_as_a_whole() -> None:
    """There is no telling which item is the new one."""
    [found] = differences({"a": [1, 2]}, {"a": [1, 2, 3]})

    assert ("a", "[1,2]", "[1,2,3]") == (found.place, found.before, found.after)


def test_another_name_of_a_schema_is_no_difference() -> None:
    """What is promised under the name is compared, also where it refers to itself; examples are not."""

    def document(name: str, kind: str) -> Any:
        tree = {
            "properties": {"child": {"$ref": f"#/$defs/{name}"}, "example": {"type": kind}},
            "example": kind,
        }
        return {"$ref": f"#/$defs/{name}", "$defs": {name: tree}}

    before, other = document("Node", "string"), document("Tree", "integer")

    assert [] == list(contract_differences(before, document("Tree", "string")))
    assert ["$defs.Tree.properties.example.type"] == [
        one.place for one in contract_differences(before, other)
    ]
