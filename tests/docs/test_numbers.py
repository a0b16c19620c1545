"""A number in a guide that is a limit says which: a comment behind it names the limit, and both are compared.

`60 seconds<!-- LEASE_MS -->` reads as `60 seconds`, in the repository and as the service shows it. A name may
be followed by a dot and a member, of several limits; one that begins with `svc.` is a constant of its module.
"""

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from svc.client import limits as client_limits
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, YEAR_MS
from svc.http.docs import files
from svc.http.docs.catalogue import GUIDES
from tests.docs.test_limits import LIMITS, PAGE, SECTION, value_of

NUMBERS: Final = {
    name: number
    for number, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1
    )
} | {"a": 1, "an": 1, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60}
TIMES: Final = {
    "millisecond": 1,
    "second": SECOND_MS,
    "minute": MINUTE_MS,
    "hour": HOUR_MS,
    "day": DAY_MS,
    "year": YEAR_MS,
}
SIZES: Final = {"byte": 1, "KB": 1_000, "KiB": 1024, "MB": 1_000_000, "MiB": 1024**2}
UNITS: Final[dict[str, tuple[str, int]]] = {
    **{unit: ("ms", size) for unit, size in TIMES.items()},
    **{unit: ("bytes", size) for unit, size in SIZES.items()},
    "character": ("characters", 1),
}
_UNIT: Final = "|".join(UNITS)
_NUMBER: Final = rf"\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|{'|'.join(sorted(NUMBERS, key=len, reverse=True))}"
FIGURE: Final = re.compile(
    rf"(?<![\w.,:/-])(?P<number>{_NUMBER})(?:[ -](?P<unit>{_UNIT})s?\b)?(?:<!-- (?P<tie>[\w.]+) -->)?",
    re.IGNORECASE,
)
TIE: Final = re.compile(r"\S<!-- [\w.]+ -->")
CODE: Final = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
NO_LIMITS: Final = {
    ("actors", "1,000"): "of a measurement",
    ("actors", "100,000"): "a default of the runtime",
    ("bridges", "15 seconds"): "what the kit's waits come to",
    ("certificates", "12 hours"): "a wait after a failed order",
    ("certificates", "30 minutes"): "a wait after a failed order",
    ("certificates", "90 days"): "what an authority gives",
    ("certificates", "seven days"): "when a certificate is renewed",
    ("configuration", "1 MiB"): "of the disk",
    ("configuration", "1,000"): "of frames, by the server itself",
    ("configuration", "30 seconds"): "how long a stop may take",
    ("configuration", "64 MiB"): "of the disk",
    ("embeds", "1 MB"): "a round number, which the page of limits has exactly",
    ("gateway", "1,000,000"): "what a credit is",
    ("glossary", "1,000,000"): "what a credit is",
    ("glossary", "five minutes"): "a default of the runtime",
    ("home", "100,000"): "of a measurement",
    ("install", "30 seconds"): "systemd's",
    ("install", "60 seconds"): "of a proxy, more than any long poll",
    ("mcp", "1,000"): "a measurement",
    ("mcp", "one minute"): "of a client's cache",
    ("mcp", "two minutes"): "how long it takes to read",
    ("operator", "1 MiB"): "of the disk",
    ("operator", "100,000"): "of a measurement",
    ("operator", "1,000"): "turns in a trace, of the runtime",
    ("operator", "24 hours"): "what is counted",
    ("operator", "5 minutes"): "between attempts to build an index",
    ("operator", "64 KB"): "of the disk",
    ("operator", "five minutes"): "a default of the runtime",
    ("operator", "one second"): "how old what is shown may be",
    ("operator", "ten hours"): "what a tenth makes of an hour",
    ("operator", "two seconds"): "of a health check",
    ("people-and-keys", "64 MiB"): "of argon2id",
    ("quickstart", "30 days"): "what the example asks for",
    ("quickstart", "five minutes"): "how long it takes to read",
    ("quickstart", "two minutes"): "how long it takes to read",
    ("records", "24 hours"): "what a day is",
    ("sites-and-visits", "1 KB"): "how large the script is",
    ("walk-mcp", "1,000"): "a measurement",
    ("walk-mcp", "two minutes"): "how long it takes to read",
    ("screens", "100,000"): "of a measurement",
    ("screens", "seven days"): "what Home shows",
}
"""Numbers that a limit happens to be as well, by page and figure."""


IN_THE_CONTRACT: Final[dict[str, dict[str, str | None]]] = {
    "http/identity/door.py": {"two hours": "CONFIRMATION_MS"},
    "http/problems/problems.py": {"two hours": "CONFIRMATION_MS"},
    "tools/agent/runs.py": {"30 days": "EVENT_LIFE_MS"},
    "tools/ai/usage.py": {"30 days": "svc.tools.ai.usage.DAYS", "366 days": "AI_USAGE_DAYS_MAX"},
    "tools/channels/credentials.py": {"24 hours": "SIGNING_OVERLAP_MS"},
    "tools/inbox/writing.py": {"30 days": "DRAFT_LIFE_MS"},
    "tools/forms/discarded_submissions.py": {"30 days": "DISCARDED_LIFE_MS"},
    "tools/forms/server_keys.py": {
        "90 days": "EXPIRED_KEY_LISTED_MS",
        "one year": "SERVER_KEY_LIFE_MS",
        "two hours": "CONFIRMATION_MS",
    },
    "tools/forms/submission_counts.py": {"One day": None},
    "tools/grants/grants.py": {"30 days": "GRANT_LISTED_MS"},
    "tools/identity/api_key_rolls.py": {"two hours": "CONFIRMATION_MS"},
    "tools/identity/api_keys.py": {
        "1 year": "GATEWAY_KEY_LIFE_MS",
        "90 days": "EXPIRED_KEY_LISTED_MS",
        "two hours": "CONFIRMATION_MS",
    },
    "tools/identity/members.py": {"seven days": "INVITATION_LIFE_MS"},
    "tools/webhooks/answers.py": {"five days": "WEBHOOK_FAILING_MS"},
    "tools/requests/requests.py": {"seven days": "REQUEST_LIFE_MS"},
    "tools/webhooks/deliveries.py": {"30 days": "EVENT_LIFE_MS"},
    "tools/webhooks/events.py": {"30 days": "EVENT_LIFE_MS"},
    "tools/webhooks/webhooks.py": {"24 hours": "SIGNING_OVERLAP_MS"},
    "tools/workflows/runs.py": {"30 days": "EVENT_LIFE_MS"},
    "tools/workflows/workflows.py": {"30 days": "EVENT_LIFE_MS"},
}
"""The limits that texts of the contract repeat, by module of `svc` and figure; None where it is no limit."""


class Quantity(NamedTuple):
    """A number of something, in the smallest unit of its kind."""

    kind: str
    """`ms`, `bytes`, `characters`, or nothing of what is counted."""
    size: float


class Figure(NamedTuple):
    """A number in a guide."""

    text: str
    quantity: Quantity
    tie: str | None
    """The limit that it is."""
    around: str


def limit(name: str) -> Quantity:
    """The limit *name*, which ends with its unit."""
    *above, last = name.split(".")
    if name.startswith("svc."):
        name, value = last, getattr(import_module(".".join(above)), last)
    elif above and not name.startswith(SECTION):
        name = above[-1]
        value = LIMITS[name][int(last) if isinstance(LIMITS[name], tuple) else last]
    else:
        value = value_of(name)
    return measured(name, value)


def measured(name: str, value: float) -> Quantity:
    """*value* in the unit that *name* ends with."""
    unit = re.search(r"(?:^|_)(BYTES|CHARS|SECONDS|MS|HOURS|DAYS)(?:_MAX|_MIN|_NOTED)?$", name.upper())
    sizes = {"SECONDS": SECOND_MS, "MS": 1, "HOURS": HOUR_MS, "DAYS": DAY_MS}
    match unit and unit[1]:
        case None:
            return Quantity("", value)
        case "BYTES":
            return Quantity("bytes", value)
        case "CHARS":
            return Quantity("characters", value)
        case time:
            return Quantity("ms", value * sizes[str(time)])


def all_limits() -> Iterator[tuple[str, Quantity]]:
    """Every limit of the program by name, each of a list by its place."""
    for name, value in LIMITS.items():
        if isinstance(value, tuple):
            yield from ((f"{name}.{place}", measured(name, one)) for place, one in enumerate(value))
        elif not isinstance(value, Mapping) and f"{name.lower()}" not in {f"{unit}_ms" for unit in TIMES}:
            yield name, measured(name, value)
    page = PAGE.read_text("utf-8")
    yield from ((name, limit(name)) for name in re.findall(rf"`({SECTION}\w+)`", page))


def figures(text: str) -> Iterator[Figure]:
    """The numbers of a page, but for those in code."""
    prose = CODE.sub(lambda code: re.sub(r"[^\n]", "`", code[0]), text)
    for found in FIGURE.finditer(prose):
        word, unit = found["number"].lower(), found["unit"]
        kind, size = UNITS[next(one for one in UNITS if one.lower() == unit.lower())] if unit else ("", 1)
        number = NUMBERS.get(word) or float(word.replace(",", ""))
        around = prose[max(0, found.start() - 60) : found.end() + 40].replace("\n", " ")
        yield Figure(found[0].partition("<")[0], Quantity(kind, number * size), found["tie"], around)


def is_shown_number(figure: Figure) -> bool:
    """Whether it has a unit, or is written with a comma: others are of anything."""
    return "," in figure.text or (
        bool(figure.quantity.kind) and not figure.text.lower().startswith(("a ", "an "))
    )


PAGES: Final = [name for name in GUIDES if files.text_of(name) != PAGE.read_text("utf-8")]


@pytest.mark.parametrize("page", PAGES)
def test_a_number_is_the_limit_that_it_says(page: str) -> None:
    """In whatever unit; one without a unit is in that of the limit."""
    text = files.text_of(page)
    tied = [figure for figure in figures(text) if figure.tie is not None]
    wrong = [
        (figure, said)
        for figure in tied
        if figure.tie is not None
        and (said := limit(figure.tie)) != figure.quantity
        and (figure.quantity.kind or said.size != figure.quantity.size)
    ]

    assert [] == wrong
    assert len(TIE.findall(text)) == len(tied)


@pytest.mark.parametrize("page", PAGES)
def test_a_number_that_a_limit_is_says_which(page: str) -> None:
    """So that it follows the limit; one that is none says why, above."""
    limits = {quantity for _, quantity in all_limits()}
    untied = [
        figure
        for figure in figures(files.text_of(page))
        if figure.tie is None and is_shown_number(figure) and figure.quantity in limits
    ]

    assert [] == [figure for figure in untied if (page, figure.text) not in NO_LIMITS]
    assert {figure.text for figure in untied} == {text for name, text in NO_LIMITS if name == page}


def test_the_client_kit_has_the_limits_of_the_service() -> None:
    """It is installed without the service, and has numbers of its own."""
    kit = {name: value for name, value in vars(client_limits).items() if name.isupper()}

    assert kit
    for name, value in kit.items():
        own = name if name in LIMITS else name.replace("_SECONDS", "_MS")
        assert measured(own, LIMITS[own]) == measured(name, value), name


def test_the_client_kit_types_no_number_twice() -> None:
    """Its docstrings name limits instead; those that only say how something is measured say so."""
    limits = {quantity for _, quantity in all_limits()}
    said = {
        (path.stem, figure.text)
        for path in Path(client_limits.__file__).parent.glob("*.py")
        for figure in figures(path.read_text("utf-8"))
        if is_shown_number(figure) and figure.quantity.kind and figure.quantity in limits
    }

    assert {("transport", "15 seconds")} == said


def test_the_texts_of_the_contract_say_the_limits() -> None:
    """They are the docstrings of tools and doors, in which there is no place for a comment."""
    limits = {quantity for _, quantity in all_limits()}
    root = Path(client_limits.__file__).parents[1]
    modules = [
        *(root / "tools").rglob("*.py"),
        root / "http/problems/problems.py",
        root / "http/identity/door.py",
    ]
    said: dict[str, dict[str, Quantity]] = {}
    for path in modules:
        for figure in figures(path.read_text("utf-8")):
            if is_shown_number(figure) and figure.quantity.kind and figure.quantity in limits:
                said.setdefault(path.relative_to(root).as_posix(), {})[figure.text] = figure.quantity

    assert {name: set(texts) for name, texts in IN_THE_CONTRACT.items()} == {
        name: set(found) for name, found in said.items()
    }
    for name, texts in IN_THE_CONTRACT.items():
        for text, tie in texts.items():
            assert tie is None or limit(tie) == said[name][text], (name, text)
