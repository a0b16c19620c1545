"""Several of a property's choices."""

from typing import Any, Final

from svc.domain.locale.locales import Place
from svc.domain.records.cells.formats import CellFormats, CellReader, CellWriter
from svc.domain.records.cells.guards import guarded, unguarded
from svc.domain.records.kinds.kind import FormInput, Kind, as_it_is
from svc.domain.records.kinds.select import choice_of, option_of
from svc.domain.records.operators import CONTAINED, COUNTED
from svc.domain.records.properties import Property, Value


def _read(prop: Property, values: list[Any], _country: str) -> Value | None:
    chosen = {option_of(prop.options, value) for value in values}
    return [option for option in prop.options if option in chosen] or None


def _read_form(prop: Property, text: str, _country: str) -> Value:
    chosen = [choice_of(prop.options, part.strip()) for part in text.split(",") if part.strip()]
    return list(dict.fromkeys(chosen))


def _text(value: list[str], _place: Place, _currency: str | None) -> str:
    return ", ".join(value)


def _read_cell(prop: Property, _formats: CellFormats) -> CellReader:
    """Choices behind semicolons or, since no choice has one in it, commas."""
    choices = {option.casefold(): option for option in prop.options}

    def read(cell: str) -> list[str]:
        cell = unguarded(cell)
        if cell.casefold() in choices:
            return [choices[cell.casefold()]]
        parts = [part.strip() for part in cell.split("," if "," in cell else ";")]
        return [choices.get(part.casefold(), part) for part in parts if part]

    return read


def _write_cell(prop: Property) -> CellWriter:
    # A choice has no comma in it, but may have a semicolon.
    joint = "," if any(";" in option for option in prop.options) else ";"
    return lambda value: guarded(joint.join(value))


KIND: Final = Kind(
    name="multi_select",
    json_type=list,
    json_name="a list of choices",
    read=_read,
    refers_to=None,
    form=FormInput("choices", _read_form),
    order="choices",
    text=_text,
    compared="choices",
    compared_with="multi_select",
    fits_key=False,
    conditions=CONTAINED,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=True,
    is_unique=False,
    is_grouped=False,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=_read_cell,
    has_one=False,
    write_cell=_write_cell,
)
