"""Bodies of the form door: from bytes and a media type to one plain Python object.

JSON is parsed strictly, because input that two parsers read differently is a security hole: UTF-8, no
repeated name in an object, no `NaN`, no number beyond int64 or a finite double, no deep nesting. The
body of a plain HTML form becomes the same object, `{"f": …, "v": {…}}`. Lone surrogates and NUL are not
rejected here.
"""

import codecs
import json
import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NoReturn
from urllib.parse import parse_qsl

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder

from svc.domain.errors import DomainError
from svc.domain.forms.limits import FORM_PARTS_MAX
from svc.domain.forms.submissions import BadSubmission, FieldFault
from svc.domain.input import json as json_input
from svc.domain.limits import JSON_NESTING_MAX

_JSON_TYPES: Final = frozenset({"", "application/json", "text/plain"})
_UTF_8: Final = frozenset({"utf-8", "utf8"})
_MEDIA_TYPES_CACHED: Final = 64
_REPEATED: Final = ", "
_INT64_CHARS_MAX: Final = 20
_BOUNDARY_CHARS_MAX: Final = 70
"""RFC 2046 §5.1.1."""
_NESTING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{\]}]', re.DOTALL)
_OPENING: Final = frozenset({b"[", b"{"})
_CLOSING: Final = frozenset({b"]", b"}"})


class MalformedBody(DomainError):
    """Raised for a body that cannot be read as what its media type says. Answered as `shape`."""


def read_body(raw: bytes, content_type: str | None, form_key: str | None = None) -> object:
    """Parse *raw* by its *content_type*; None means JSON, as does `text/plain`.

    *form_key* is the one in the address, for an HTML form without a field `f`.

    Raises `MalformedBody` if it cannot be parsed, or its media type is not one of forms; and `BadSubmission`
    for files.
    """
    kind, options = _media_type(content_type or "")
    if options.get("charset", "utf-8").lower() not in _UTF_8:
        raise MalformedBody("only UTF-8 is read")
    if kind in _JSON_TYPES:
        return read_json(raw)
    if kind == "application/x-www-form-urlencoded":
        return _form(_urlencoded(raw), form_key)
    if kind == "multipart/form-data":
        return _form(_multipart(raw, options.get("boundary", "")), form_key)
    raise MalformedBody("a form is sent as JSON, url-encoded or multipart")


def read_json(raw: bytes) -> object:
    """Parse the JSON text *raw* (RFC 8259) strictly; a byte order mark is skipped.

    Raises `MalformedBody` if it is not strict JSON.
    """
    if raw.count(b"[") + raw.count(b"{") > JSON_NESTING_MAX and _nests_too_deeply(raw):
        raise MalformedBody("JSON nested too deeply")
    try:
        # Some Windows programs always write the mark, and RFC 8259 §8.1 lets a parser skip it.
        return _DECODER.decode(raw.removeprefix(codecs.BOM_UTF8).decode())
    except (ValueError, RecursionError) as error:
        raise MalformedBody("not JSON") from error


def _integer(text: str) -> int:
    number = int(text) if len(text) <= _INT64_CHARS_MAX else None
    if number is None or not -(2**63) <= number < 2**63:
        raise ValueError("an integer beyond 64 bits")
    return number


def _double(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number beyond double precision")
    return number


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


# The standard library's decoder has hooks for all of this, keeps lone surrogates, and is fast enough.
_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=json_input.members, parse_int=_integer, parse_float=_double, parse_constant=_no_constant
)


def _nests_too_deeply(raw: bytes) -> bool:
    """Whether arrays and objects are nested deeper than `JSON_NESTING_MAX`, brackets in strings left out."""
    depth = 0
    for token in _NESTING.findall(raw):
        if token in _OPENING:
            depth += 1
            if depth > JSON_NESTING_MAX:
                return True
        elif token in _CLOSING:
            depth -= 1
    return False


@lru_cache(_MEDIA_TYPES_CACHED)
def _media_type(content_type: str) -> tuple[str, dict[str, str]]:
    kind, options = parse_options_header(content_type)
    return kind.lower(), options


def _form(pairs: Iterable[tuple[str, str]], form_key: str | None) -> dict[str, object]:
    """Make a submission of an HTML form's *pairs*; the values of a repeated name are joined by commas.

    So a group of checkboxes is one field. Empty values of a repeated name are left out. The field `f`
    names the form and is not part of the submission.
    """
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    keys = fields.pop("f", [])
    if len(set(keys)) > 1:
        raise MalformedBody("two form keys")
    values = {name: _REPEATED.join(filter(None, several)) for name, several in fields.items()}
    key = keys[0] if keys else form_key
    return {"v": values} if key is None else {"f": key, "v": values}


def _urlencoded(raw: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(raw.decode(), keep_blank_values=True, errors="strict", max_num_fields=FORM_PARTS_MAX)
    except ValueError as error:
        raise MalformedBody("not url-encoded UTF-8") from error


def _multipart(raw: bytes, boundary: str) -> list[tuple[str, str]]:
    """The fields of *raw*; a file input without a chosen file is left out.

    Raises `BadSubmission` with all fields that are files.
    """
    if not 0 < len(boundary) <= _BOUNDARY_CHARS_MAX or not boundary.isascii():
        raise MalformedBody("no boundary")
    decoder = MultipartDecoder(boundary.encode(), max_parts=FORM_PARTS_MAX)
    decoder.receive_data(raw)
    decoder.receive_data(None)
    pairs: list[tuple[str, str]] = []
    files: dict[str, FieldFault] = {}
    part: Field | File | None = None
    content = bytearray()
    try:
        while not isinstance(event := decoder.next_event(), Epilogue):
            if isinstance(event, Field | File):
                part = event
            elif isinstance(event, Data):
                content += event.data
                if not event.more_data:
                    name = _name_of(part)
                    if isinstance(part, Field):
                        pairs.append((name, content.decode()))
                    elif content:
                        files[name] = "file"
                    content.clear()
    except (ValueError, RequestEntityTooLarge) as error:
        raise MalformedBody("not multipart form data") from error
    if files:
        raise BadSubmission("shape", files)
    return pairs


def _name_of(part: Field | File | None) -> str:
    # Werkzeug yields a part without a name too, with None where its type says str.
    if part is None or not isinstance(part.name, str):
        raise MalformedBody("a part without a name")
    return part.name
