"""What differs between two JSON values, between two answers, and between two recordings."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

import msgspec

_ID: Final = re.compile(r"\b([a-z]{2,4})_[0-9A-HJKMNP-TV-Z]{26}\b|\b[0-9a-f]{32}\b")
"""An id with its prefix, or the id of a request."""
_OPAQUE: Final = re.compile(r"(?<=/)[\w-]{20,}")
"""An id, a key or a token in an address."""
_TOOL: Final = re.compile(r"/(?:api/v1|app/api)/tools/([\w.]+)")
_SHOWN_CHARS: Final = 200
_SHOWN_BEFORE_CHARS: Final = 60
_ABSENT: Final = object()


class Exchange(msgspec.Struct, frozen=True):
    """A request and its answer, as the recorder wrote them."""

    test: str
    number: int
    """Its place among the requests of its test."""
    method: str
    path: str
    caller: str
    fields: list[tuple[str, str]]
    asked: str
    status: int
    headers: list[tuple[str, str]]
    answer: str

    @property
    def door(self) -> str:
        """The tool that it calls; of another door, method and address."""
        if tool := _TOOL.match(self.path):
            return tool[1]
        return f"{self.method} {_OPAQUE.sub('*', self.path.partition('?')[0])}"


class Difference(msgspec.Struct, frozen=True):
    """Two values at one place, in which an index of a list is `*`."""

    place: str
    before: str
    after: str
    test: str = ""
    """Where it was seen."""


class Comparison(msgspec.Struct):
    """What two recordings have in common, and what differs."""

    tests: int = 0
    same: int = 0
    """Answers that are the same, byte for byte."""
    same_but_ids: int = 0
    unmatched: Counter[str] = msgspec.field(default_factory=Counter)
    """By test, how many requests only one of the two makes."""
    doors: set[str] = msgspec.field(default_factory=set)
    differing: list[Difference] = msgspec.field(default_factory=list)


def compare(before: Path, after: Path) -> Comparison:
    """Compare two files of exchanges, for the requests that tests of one name make in both."""
    found = Comparison()
    earlier, later = _by_test(before), _by_test(after)
    for test in sorted(earlier.keys() & later.keys()):
        found.tests += 1
        _compare_test(found, test, earlier[test], later[test])
    return found


def _by_test(file: Path) -> Mapping[str, list[Exchange]]:
    tests: dict[str, list[Exchange]] = defaultdict(list)
    with file.open("rb") as lines:
        for line in lines:
            exchange = msgspec.json.decode(line, type=Exchange)
            tests[exchange.test].append(exchange)
    return {test: sorted(made, key=lambda one: one.number) for test, made in tests.items()}


def _compare_test(
    found: Comparison, test: str, before: Sequence[Exchange], after: Sequence[Exchange]
) -> None:
    numbered = _numbered(before), _numbered(after)
    asked, other_asked = ([_request(one) for one in side] for side in numbered)
    matched = 0
    for start, other, count in SequenceMatcher(None, asked, other_asked, False).get_matching_blocks():
        matched += count
        for place in range(count):
            found.doors.add(after[other + place].door)
            if differing := _differing(test, numbered[0][start + place], numbered[1][other + place]):
                found.differing += differing
            elif _answer(before[start + place]) == _answer(after[other + place]):
                found.same += 1
            else:
                found.same_but_ids += 1
    if matched < max(len(before), len(after)):
        found.unmatched[test] = len(before) + len(after) - 2 * matched


def _numbered(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """The *exchanges* with ids that are numbers, by kind, in the order in which they are first seen.

    Those of requests are all the same: their chance says nothing.
    """
    names: dict[str, str] = {}
    kinds: Counter[str] = Counter()

    def name(match: re.Match[str]) -> str:
        kind = match[1]
        if kind is None:
            return "a request"
        if match[0] not in names:
            kinds[kind] += 1
            names[match[0]] = f"{kind}_{kinds[kind]}"
        return names[match[0]]

    def with_names(text: str) -> str:
        return _ID.sub(name, text)

    return [
        msgspec.structs.replace(
            one,
            path=with_names(one.path),
            asked=with_names(one.asked),
            fields=[(field, with_names(value)) for field, value in one.fields],
            answer=with_names(one.answer),
            headers=[(field, with_names(value)) for field, value in one.headers],
        )
        for one in exchanges
    ]


def _request(exchange: Exchange) -> tuple[str, ...]:
    return exchange.method, exchange.path, exchange.caller, exchange.asked, repr(exchange.fields)


def _answer(exchange: Exchange) -> tuple[int, list[tuple[str, str]], str]:
    return exchange.status, exchange.headers, exchange.answer


def _differing(test: str, before: Exchange, after: Exchange) -> list[Difference]:
    """What differs in two answers. Where bodies do, their lengths do not count as well."""
    heads = _head(before), _head(after)
    bodies: list[Difference] = []
    if before.answer != after.answer:
        for head in heads:
            head.pop("content-length", None)
        bodies = list(differences(_json(before.answer), _json(after.answer)))
        bodies = bodies or [Difference("order or spelling", *_shown(before.answer, after.answer))]
    return [
        msgspec.structs.replace(one, place=f"{after.door}: {one.place}", test=test)
        for one in [*differences(*heads, "head"), *bodies]
    ]


def _head(exchange: Exchange) -> dict[str, str]:
    return {"status": str(exchange.status)} | dict(exchange.headers)


def _json(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def differences(before: Any, after: Any, place: str = "") -> Iterator[Difference]:
    """The places at which two JSON values differ. Lists of one length are compared item by item."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before | after:
            member = f"{place}.{name}" if place else name
            yield from differences(before.get(name, _ABSENT), after.get(name, _ABSENT), member)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from differences(one, other, f"{place}[*]")
    elif before != after or type(before) is not type(after):
        yield Difference(place, *_shown(before, after))


def _shown(before: Any, after: Any) -> tuple[str, str]:
    """Both values as texts, from shortly before where they begin to differ."""
    texts = _text(before), _text(after)
    pairs = enumerate(zip(*texts, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(map(len, texts)))
    begin = max(0, same - _SHOWN_BEFORE_CHARS)
    shown = [f"{'…' if begin else ''}{text[begin : begin + _SHOWN_CHARS]}" for text in texts]
    return shown[0], shown[1]


def _text(value: Any) -> str:
    if value is _ABSENT:
        return "(absent)"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
