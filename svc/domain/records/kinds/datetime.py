"""Moments, stored in UTC with milliseconds."""

import re
from datetime import UTC, datetime
from typing import Final

from babel.dates import format_datetime

from svc.domain.errors import InvalidValue
from svc.domain.input.near_names import shown
from svc.domain.locale.locales import Place
from svc.domain.locale.times import moment_ms, rfc3339
from svc.domain.records.cells.formats import CellFormats, CellReader
from svc.domain.records.kinds.date import day_of, refuse_serial
from svc.domain.records.kinds.kind import FormInput, Kind, as_it_is
from svc.domain.records.kinds.text import write_text_cell
from svc.domain.records.operators import RANGED, RANKED
from svc.domain.records.properties import Property, Value

_DATETIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_FRACTION: Final = re.compile(r"\.([0-9]+)")
_TIME: Final = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s?([AaPp])\.?[Mm]\.?)?", re.ASCII
)
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_NOON: Final = 12


def _read(_prop: Property, text: str, _country: str) -> Value:
    # Python 3.11 reads at most six digits of a fraction, and milliseconds are kept.
    short = _FRACTION.sub(lambda match: f".{match[1][:3]:0<3}", text.upper())
    try:
        if _DATETIME.fullmatch(text):
            return rfc3339(round(datetime.fromisoformat(short).timestamp() * 1000))
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidValue("must be a time such as 2026-09-18T12:00:00Z (RFC 3339)")


def _read_form(_prop: Property, text: str, _country: str) -> Value:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return rfc3339(round(moment.timestamp() * 1000))
    except (ValueError, OverflowError):
        raise InvalidValue("not a time such as 2026-09-18T12:00:00Z") from None


def _text(value: str, place: Place, _currency: str | None) -> str:
    return format_datetime(datetime.fromisoformat(value), tzinfo=place.time_zone, locale=place.locale)


def _read_cell(_prop: Property, formats: CellFormats) -> CellReader:
    def read(cell: str) -> str:
        try:
            refuse_serial(cell)
            moment = datetime.fromisoformat(cell) if _ISO.match(cell) else _local_moment(cell, formats)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=formats.zone)
            return rfc3339(moment_ms(moment))
        except InvalidValue:
            raise
        except (ValueError, OverflowError):
            raise InvalidValue(f"must be a time such as 2026-09-18T12:00:00Z, not {shown(cell)}") from None

    return read


def _local_moment(cell: str, formats: CellFormats) -> datetime:
    """A date and a time of day in the organization's own forms. Raises `ValueError`."""
    day, _, time = cell.replace(",", " ").partition(" ")
    while time and ":" not in day and not _TIME.fullmatch(time.strip()):
        more, _, time = time.strip().partition(" ")
        day = f"{day} {more}"
    match = _TIME.fullmatch(time.strip() or "0:00")
    if match is None:
        raise ValueError(cell)
    hour = int(match[1])
    if match[5]:
        hour = hour % _NOON + (_NOON if match[5].lower() == "p" else 0)
    second, fraction = int(match[3] or 0), (match[4] or "")[:6].ljust(6, "0")
    on = day_of(day, formats.order)
    return datetime(on.year, on.month, on.day, hour, int(match[2]), second, int(fraction))  # noqa: DTZ001  # the zone is added


KIND: Final = Kind(
    name="datetime",
    json_type=str,
    json_name="a string",
    read=_read,
    refers_to=None,
    form=FormInput("datetime-local", _read_form),
    order="code",
    text=_text,
    compared="as_it_is",
    compared_with="datetime",
    fits_key=False,
    conditions=RANGED,
    aggregates=RANKED,
    measured=as_it_is,
    is_searchable=False,
    is_unique=False,
    is_grouped=True,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=_read_cell,
    has_one=False,
    write_cell=write_text_cell,
)
