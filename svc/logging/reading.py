"""Reading the log back: the records of one request, out of whatever has collected the lines.

A line is JSON or text, as `svc.logging.setup` writes it, and may stand behind what a collector puts before it
(journald, syslog, Docker Compose) or inside the JSON of one (`journalctl -o json`, Docker's `json-file`).
"""

import bz2
import gzip
import lzma
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import msgspec

LINE_BYTES_MAX: Final = 1024 * 1024
"""The rest of a longer line is passed over."""
RECORDS_MAX: Final = 10_000
"""Records of one request; the first ones by time in each file are kept."""
_OPENERS: Final[dict[str, Callable[[Path], Any]]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
_ROTATED: Final = re.compile(r"[.-]\d[\d.T_-]*(\.gz|\.bz2|\.xz)?")
_WRAPPERS: Final = ("MESSAGE", "log")
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_TEXT: Final = re.compile(r"(\d{4}-\d\d-\d\dT[\d:.]+Z) +\[(\w+) *\] +(.*)")
_BRACES_MAX: Final = 8
"""How many of a collector's own braces may stand before the JSON."""


class LogRecord(msgspec.Struct, frozen=True):
    """A record of the log: when it was written, how it is shown, and as JSON if it was."""

    timestamp: str
    shown: str
    raw: str


def rotated(path: Path) -> list[Path]:
    """*path* and what a rotation has made of it: `svc.log.1`, `svc.log.2.gz`, `svc.log-20261123`."""
    beside = [
        one
        for one in sorted(path.parent.glob("*"))
        if one.name.startswith(path.name) and _ROTATED.fullmatch(one.name[len(path.name) :])
    ]
    return [*beside, path]


def open_log(path: Path) -> BinaryIO:
    """Open a log, uncompressed if its name says how it was compressed. Raises `OSError`."""
    return cast("BinaryIO", _OPENERS.get(path.suffix, Path.open)(path, "rb"))


def records_of(request_id: str, file: BinaryIO) -> Iterator[LogRecord]:
    """The records in *file* that belong to the request."""
    return islice(_records(request_id, _lines(file)), RECORDS_MAX)


def _lines(file: BinaryIO) -> Iterator[str]:
    while line := file.readline(LINE_BYTES_MAX):
        if not line.endswith(b"\n"):
            while (rest := file.readline(LINE_BYTES_MAX)) and not rest.endswith(b"\n"):
                pass
        yield _COLOURS.sub("", line.decode("utf-8", "replace").rstrip("\r\n"))


def _records(request_id: str, lines: Iterable[str]) -> Iterator[LogRecord]:
    text: list[str] = []
    """The lines of a record of text that is being read: tracebacks follow their first line."""
    for line in lines:
        fields = _json_of(line)
        if fields is None and text and not _TEXT.search(line):
            text.append(line)
            continue
        yield from _of_text(text)
        text = []
        if fields is not None:
            if fields.get("request_id") == request_id:
                yield _of_json(fields)
        elif _names(line, request_id):
            text = [line]
    yield from _of_text(text)


def _json_of(line: str) -> dict[str, Any] | None:
    """The members of a record of JSON; None for other lines."""
    start = -1
    for _ in range(_BRACES_MAX):
        start = line.find("{", start + 1)
        if start < 0:
            return None
        try:
            found = msgspec.json.decode(line[start:])
        except msgspec.DecodeError:
            continue
        return _unwrapped(found)
    return None


def _unwrapped(found: dict[str, Any]) -> dict[str, Any] | None:
    if "event" in found:
        return found
    for member in _WRAPPERS:
        inner = found.get(member)
        if isinstance(inner, str) and inner.startswith("{"):
            return _json_of(inner)
    return None


def _names(line: str, request_id: str) -> bool:
    """Whether a line of text is a record of the request; what needs quotes has those of Python."""
    return _TEXT.search(line) is not None and any(
        f" request_id={value} " in f"{line} " for value in (request_id, repr(request_id))
    )


def _of_text(lines: list[str]) -> Iterator[LogRecord]:
    if lines:
        match = _TEXT.search(lines[0])
        shown = "\n".join([match[0], *lines[1:]]) if match else "\n".join(lines)
        yield LogRecord(match[1] if match else "", shown, "\n".join(lines))


def _of_json(fields: dict[str, Any]) -> LogRecord:
    rest = dict(fields)
    timestamp, level, event = (str(rest.pop(name, "")) for name in ("timestamp", "level", "event"))
    exception = rest.pop("exception", None)
    rest.pop("request_id")
    about = "".join(f"  {name}={_value(value)}" for name, value in rest.items())
    lines = [f"{timestamp} [{level:<8}] {event}{about}"]
    if isinstance(exception, str):
        lines += [f"    {line}" for line in exception.splitlines()]
    return LogRecord(timestamp, "\n".join(lines), msgspec.json.encode(fields).decode())


def _value(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
