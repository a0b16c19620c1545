"""Amounts of money: a number, and beside it a currency under the slug with `CURRENCY_SUFFIX`."""

import re
from typing import Final

from babel.numbers import format_currency

from svc.domain.errors import InvalidValue
from svc.domain.input.near_names import shown
from svc.domain.locale.currencies import CURRENCIES
from svc.domain.locale.locales import Place
from svc.domain.records.cells.formats import CellFormats, CellReader, Money
from svc.domain.records.kinds import number
from svc.domain.records.kinds.kind import FormInput, Kind
from svc.domain.records.operators import RANGED, SUMMED
from svc.domain.records.properties import Property

_SIGNS: Final = {"€": "EUR", "£": "GBP"}
"""Signs that stand for one currency alone."""
_DOLLAR: Final = "$"
"""The sign of many currencies: it is read as the organization's own, if that is one of these."""
_DOLLARS: Final = frozenset(
    """
    ARS AUD BBD BMD BND BSD BZD CAD CLP COP CVE DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD SGD SRD TTD TWD
    USD UYU XCD
    """.split()  # noqa: SIM905  # a list of thirty strings is harder to read
)
_AMOUNT: Final = re.compile(
    r"(?P<sign>[+\-−])?(?P<before>[A-Za-z]{3}|[€£$])?\s*(?P<number>[^A-Za-z€£$]+?)\s*(?P<after>[A-Za-z]{3}|[€£$])?"
)
_LETTERS: Final = re.compile(r"[A-Za-z]{3}|[€£$]")


def _text(value: float, place: Place, currency: str | None) -> str:
    if currency is None:
        return number.text_of(value, place, None)
    return format_currency(number.decimal_of(value), currency, locale=place.locale)


def _read_cell(prop: Property, formats: CellFormats) -> CellReader:
    read_number = number.read_number_cell(prop, formats)

    def read(cell: str) -> Money:
        if not _LETTERS.search(cell):
            return Money(read_number(cell), None)
        match = _AMOUNT.fullmatch(cell)
        if match is None:
            raise InvalidValue(f"must be an amount such as 12{formats.decimal}50 EUR, not {shown(cell)}")
        codes = [_code_of(code, formats) for code in match.group("before", "after") if code]
        if len(codes) > 1 or any(code not in CURRENCIES for code in codes):
            raise InvalidValue(f"must have one currency such as EUR (ISO 4217), not {shown(cell)}")
        return Money(read_number((match["sign"] or "") + match["number"]), codes[0] if codes else None)

    return read


def _code_of(text: str, formats: CellFormats) -> str:
    """The code of ISO 4217 that *text* is, or the sign of. Raises `InvalidValue`."""
    if text != _DOLLAR:
        return _SIGNS.get(text, text.upper())
    if formats.currency not in _DOLLARS:
        raise InvalidValue("must have the code of a currency such as USD (ISO 4217): `$` stands for many")
    return formats.currency


KIND: Final = Kind(
    name="amount",
    json_type=int | float,
    json_name="a number",
    read=number.read_number,
    refers_to=None,
    form=FormInput("number", number.read_form_number),
    order="number",
    text=_text,
    compared="as_it_is",
    compared_with="amount",
    fits_key=False,
    conditions=RANGED,
    aggregates=SUMMED,
    measured=number.measured,
    is_searchable=False,
    is_unique=False,
    is_grouped=False,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=_read_cell,
    has_one=False,
    write_cell=number.write_number_cell,
)
