"""Web addresses."""

import re
from typing import Final
from urllib.parse import urlsplit

from svc.domain.errors import InvalidValue
from svc.domain.records.cells.formats import CellFormats, CellReader
from svc.domain.records.cells.guards import unguarded
from svc.domain.records.kinds.kind import FormInput, Kind, as_it_is, plain_text
from svc.domain.records.kinds.text import write_text_cell
from svc.domain.records.limits import URL_CHARS_MAX
from svc.domain.records.operators import COUNTED, SEARCHED
from svc.domain.records.properties import Property, Value

_SPACE_OR_QUOTE: Final = re.compile(r"[\s<>\"]")
_HOST: Final = re.compile(r"[\w-]+(\.[\w-]+)+(?![^/?#])")


def read_url(_prop: Property, value: str, _country: str) -> Value:
    try:
        parts = urlsplit(value)
        host = parts.hostname
    except ValueError:
        raise InvalidValue("must be a web address such as https://example.com/") from None
    if parts.scheme not in {"http", "https"} or not host or _SPACE_OR_QUOTE.search(value):
        raise InvalidValue("must be a web address such as https://example.com/")
    if len(value) > URL_CHARS_MAX:
        raise InvalidValue(f"must have at most {URL_CHARS_MAX:,} characters, not {len(value):,}")
    return value


def _read_form(_prop: Property, text: str, _country: str) -> Value:
    url = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise InvalidValue("not a web address") from None
    if parts.scheme not in {"http", "https"} or "." not in host or _SPACE_OR_QUOTE.search(url):
        raise InvalidValue("not a web address")
    if len(url) > URL_CHARS_MAX:
        raise InvalidValue(f"longer than {URL_CHARS_MAX} characters")
    return url


def _read_cell(_prop: Property, _formats: CellFormats) -> CellReader:
    """A web address; without a scheme, as people write it, it is one of HTTPS."""

    def read(cell: str) -> str:
        cell = unguarded(cell)
        return f"https://{cell}" if _HOST.match(cell) else cell

    return read


KIND: Final = Kind(
    name="url",
    json_type=str,
    json_name="a string",
    read=read_url,
    refers_to=None,
    form=FormInput("url", _read_form),
    order="text",
    text=plain_text,
    compared="folded",
    compared_with="long_text",
    fits_key=True,
    conditions=SEARCHED,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=True,
    is_unique=True,
    is_grouped=True,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=_read_cell,
    has_one=True,
    write_cell=write_text_cell,
)
