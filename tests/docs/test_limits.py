"""`docs/limits.md` has every limit that a caller can meet, as the program has it."""

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

import svc.domain
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, YEAR_MS
from svc.http.server import ServerOptions

PAGE: Final = Path(__file__).parents[2] / "docs" / "limits.md"
LIMITS: Final[Mapping[str, Any]] = {
    name: value
    for module in walk_packages(svc.domain.__path__, "svc.domain.")
    if module.name.endswith(".limits")
    for name, value in vars(import_module(module.name)).items()
    if name.isupper()
}
"""Every limit, from beside its noun."""
SECTION: Final = "server."
INTERNAL: Final = {
    "ADMISSIONS_AT_ONCE": "how the processor is shared",
    "AI_KEPT_CONNECTIONS_MAX": "how connections to providers are kept",
    "AI_KEPT_CONNECTIONS_PER_ORIGIN_MAX": "how connections to providers are kept",
    "AI_SETTLEMENTS_KEPT_MAX": "memory; a caller never meets it",
    "CLOCK_SET_BACK_MAX_MS": "told in docs/operator.md",
    "CLOCK_SLEW": "told in docs/operator.md",
    "MAIL_ANSWER_CHARS_KEPT": "what operators see of a mail server's answer",
    "MAIL_RETRY_SPREAD": "told beside the waits that it spreads",
    "RESETS_WAITING_MAX": "memory; a caller never meets it",
    "CHOICES_TOLD_MAX": "how an error is worded",
    "NEAR_NAMES_LISTED_MAX": "how an error is worded",
    "NEAR_NAMES_MAX": "how an error is worded",
    "SHOWN_NAME_CHARS_MAX": "how an error is worded",
    "UNKNOWN_KEYS_MAX": "memory; a caller never meets it",
    "UNKNOWN_KEYS_MS": "memory; a caller never meets it",
    "READS_AT_ONCE": "how the reader is shared",
    "WRITES_AT_ONCE": "how the writer is shared",
    "ERASED_ROWS_MAX": "how large a transaction is",
    "REQUEST_BATCH_ROWS": "how large a transaction is",
    "ERASURE_PASSES_MAX": "a command repeats its look, and says if that was not enough",
    "MARK_CHARS_MIN": "a rule of erasures, told in docs/leaving.md",
    "PHONE_DIGITS_MIN": "a rule of erasures, told in docs/leaving.md",
    "SEARCH_MERGED_PAGES": "how large a transaction is",
    "EMBED_CACHES_MAX": "actors; a caller never meets it",
    "FILES_SWEPT_MAX": "how large a transaction is",
    "FILING_BATCH_MAX": "how large a transaction is",
    "DISPATCH_DELIVERIES_MAX": "how large a transaction is",
    "DISPATCH_DELIVERIES_SHARED": "how large a transaction is",
    "DISPATCH_EVENTS_MAX": "how large a transaction is",
    "DISPATCH_JUDGED_MAX": "how large a transaction is",
    "EVENTS_EXAMINED_MAX": "how far one page of events looks",
    "EVENTS_PAGE_BYTES_MAX": "how far one page of events goes, and how large a transaction is",
    "FILTERED_FIRST_MAX": "which plan a list takes",
    "IMPORTS_PRUNED_MAX": "how large a transaction is",
    "IMPORT_BATCH_LINES": "how large a transaction is",
    "IMPORT_BATCH_LINES_SHARED": "how large a transaction is",
    "IMPORT_CHUNK_BYTES": "how an upload is stored",
    "CODE_KEPT_MS": "how long a row is kept",
    "DOCUMENTS_KEPT_MAX": "memory; a caller never meets it",
    "INDEX_BATCH": "how large a transaction is",
    "PASSWORD_CHECKS_AT_ONCE": "how the processor is shared",
    "PASSWORD_CHECKS_WAITING_MAX": "how the processor is shared",
    "AGENT_RUNS_SPACING_MS": "how the processor is shared",
    "AGENT_RUNS_WAITING_MAX": "memory; what is beyond waits in the store",
    "APPROVALS_COLLECTED_MAX": "how large a transaction is",
    "PRUNED_MAX": "how large a transaction is",
    "SCANNED_AT_ONCE": "how much one statement reads",
    "QUICK_RECORDS_MAX": "which of two readers a list takes",
    "DISCARDED_PRUNED_MAX": "how large a transaction is",
    "RUNS_PRUNED_MAX": "how large a transaction is",
    "SEARCHED_WORD_CHARS_MAX": "how long words are cut up",
    "SEARCH_PREFIX_CHARS_MIN": "a rule of search, told in docs/records.md",
    "SESSION_SEEN_NOTED_MS": "how often a row is written",
    "STEPS_BATCH_MAX": "how large a transaction is",
    "UNKNOWN_STEP_RETRY_MS": "how often a row is looked at",
    "WEBHOOK_ENDED_AT_ONCE": "how large a transaction is",
    "WEBHOOK_FAILING_AT_ONCE_MAX": "how places for requests are shared",
    "WEBHOOK_SHARED_WINDOW_MS": "told beside the attempts that begin in it",
    "WEBHOOK_RETRY_SPREAD": "told beside the waits that it spreads",
}
UNITS: Final = {
    "year": YEAR_MS,
    "day": DAY_MS,
    "hour": HOUR_MS,
    "minute": MINUTE_MS,
    "second": SECOND_MS,
    "millisecond": 1,
}


def value_of(name: str) -> Any:
    if name.startswith(SECTION):
        return getattr(ServerOptions(), name.removeprefix(SECTION))
    return LIMITS[name]


def worded(name: str, value: Any) -> str:
    """*value* as the page has it, in the unit that its *name* ends with."""
    if isinstance(value, Mapping):
        return ", ".join(worded(name, one) for one in value.values())
    if isinstance(value, tuple):
        return ", ".join(worded(name, one) for one in value)
    unit = re.search(r"_(BYTES|CHARS|SECONDS|MS|HOURS|DAYS)(_MAX|_MIN)?$", name.upper())
    match unit and unit[1]:
        case "MS":
            word, size = next((word, size) for word, size in UNITS.items() if not value % size)
            return _counted(value // size, word)
        case "SECONDS":
            return _counted(value, "second")
        case "HOURS":
            return _counted(value, "hour")
        case "DAYS":
            return _counted(value, "day")
        case "BYTES":
            return _counted(value, "byte")
        case "CHARS":
            return _counted(value, "character")
        case _:
            return f"{value:,.0f}"


def _counted(number: float, word: str) -> str:
    return f"{number:,.0f} {word}{'' if number == 1 else 's'}"


def rows() -> list[tuple[str, str]]:
    """Limit and name of every row."""
    return re.findall(r"^\|[^|]+\| ([^|]+) \| `([A-Za-z_.]+)` \|$", PAGE.read_text("utf-8"), re.MULTILINE)


def test_every_row_says_what_the_program_has():
    """In the unit of the constant."""
    found = rows()

    assert len(found) > 100
    assert [(worded(name, value_of(name)), name) for _, name in found] == found


def test_every_limit_has_its_row():
    """Once, or a reason why no caller meets it."""
    constants = [name for name in LIMITS if name not in UNITS]
    known = {f"{word}_MS".upper() for word in UNITS}
    named = [name for _, name in rows() if not name.startswith(SECTION)]

    assert sorted({*constants} - known - {*INTERNAL}) == sorted(named)
    assert [] == [name for name in INTERNAL if name not in constants]


def test_every_limit_of_the_listener_has_its_row():
    """But for those that hold after an answer was given, or that depend on other settings."""
    after = {"linger_seconds", "linger_bytes"}
    settings = {"certificate", "trusted_proxies", "waiting_per_address_max"}
    options = {*ServerOptions.__struct_fields__} - after - settings

    assert sorted(SECTION + name for name in options) == sorted(
        name for _, name in rows() if name.startswith(SECTION)
    )
