"""Yes or no."""

from typing import Final

from svc.domain.errors import InvalidValue
from svc.domain.input.near_names import shown
from svc.domain.locale.locales import Place
from svc.domain.records.cells.formats import CellFormats, CellReader, CellWriter
from svc.domain.records.kinds.kind import FormInput, Kind, as_it_is
from svc.domain.records.operators import COUNTED, EQUAL
from svc.domain.records.properties import Property, Value

_TRUE: Final = frozenset({"true", "yes", "y", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "n", "off", "0"})
_YES: Final = frozenset(
    "true yes y on 1 x ✓ wahr ja vrai oui verdadero sí si vero sì waar verdadeiro sim prawda tak".split()  # noqa: SIM905
)
_NO: Final = frozenset(
    "false no n off 0 – falsch nein faux non falso onwaar nee não nao fałsz nie".split()  # noqa: SIM905
)
_YES_SIGN: Final = "✓"
_NO_SIGN: Final = "–"


def _read(_prop: Property, value: bool, _country: str) -> Value:
    return value


def _read_form(_prop: Property, text: str, _country: str) -> Value:
    folded = text.casefold()
    if folded not in _TRUE | _FALSE:
        raise InvalidValue("neither yes nor no")
    return folded in _TRUE


def _text(value: bool, _place: Place, _currency: str | None) -> str:
    # Signs, since the data of locales has no words for it.
    return _YES_SIGN if value else _NO_SIGN


def _read_cell(_prop: Property, _formats: CellFormats) -> CellReader:
    def read(cell: str) -> bool:
        folded = cell.casefold()
        if folded in _YES:
            return True
        if folded in _NO:
            return False
        raise InvalidValue(f"must be yes or no, not {shown(cell)}")

    return read


def _write_cell(_prop: Property) -> CellWriter:
    return lambda value: "true" if value else "false"


KIND: Final = Kind(
    name="boolean",
    json_type=bool,
    json_name="true or false",
    read=_read,
    refers_to=None,
    form=FormInput("checkbox", _read_form),
    order="boolean",
    text=_text,
    compared="as_it_is",
    compared_with="boolean",
    fits_key=False,
    conditions=EQUAL,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=False,
    is_unique=False,
    is_grouped=True,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=_read_cell,
    has_one=False,
    write_cell=_write_cell,
)
