"""Columns of a file: their headings, and the properties that they are proposed for or mapped to."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from svc.domain.errors import Fault, InvalidInput, pointer_to
from svc.domain.near_names import hint, shown
from svc.domain.records.properties import CURRENCY_SUFFIX, Property

ID: Final = "id"
"""What a column is mapped to that has the ids of records."""
IF_VERSION: Final = "ifVersion"
"""What a column is mapped to that has the versions of records which the values were made from."""

_SYNONYMS: Final[Mapping[str, str]] = {
    word: slug
    for slug, words in {
        "name": "fullname contactname companyname dealname displayname customername nom nombre",
        "email": "mail emailaddress mailaddress emailadresse mailadresse courriel correo workemail",
        "phone": "phonenumber telephone telephonenumber tel mobile mobilephone cell cellphone workphone"
        " telefon telefonnummer handy mobil telefono",
        "company": "companyname organization organisation firma employer entreprise empresa account",
        "job_title": "title position role funktion poste jobrole",
        "website": "web url homepage webseite siteweb sitioweb domain",
        "city": "town ort stadt ville ciudad",
        "country": "countryregion land pays pais",
        "amount": "value price betrag dealvalue dealamount montant importe",
        "stage": "status dealstage phase",
        "close_date": "closing closedate expectedclosedate closingdate",
    }.items()
    for word in words.split()
}
_FACTS: Final[Mapping[str, str]] = {"id": ID, "recordid": ID, "ifversion": IF_VERSION, "version": IF_VERSION}
_OTHER: Final = re.compile(r"[\W_]+")


def headings_of(cells: Sequence[str]) -> tuple[str, ...]:
    """The headings of a file's first line: one that is there already is numbered, and so is an empty one."""
    headings: dict[str, None] = {}
    for place, cell in enumerate(cells, start=1):
        name = " ".join(cell.split()) or f"Column {place}"
        heading, number = name, 1
        while heading in headings:
            number += 1
            heading = f"{name} ({number})"
        headings[heading] = None
    return tuple(headings)


def proposals(headings: Iterable[str], properties: Mapping[str, Property]) -> dict[str, str]:
    """What columns are probably for: by heading, the slug of a property, `id` or `ifVersion`.

    A heading is compared with slugs and labels, and then with other words for them. What is proposed for one
    heading is proposed for no other.
    """
    targets = {_folded(prop.label): slug for slug, prop in reversed([*properties.items()])}
    targets |= {
        _folded(slug + CURRENCY_SUFFIX): slug + CURRENCY_SUFFIX
        for slug, prop in properties.items()
        if prop.type == "amount"
    }
    targets |= {_folded(slug): slug for slug in properties}
    others = {word: slug for word, slug in _SYNONYMS.items() if slug in properties}
    proposed: dict[str, str] = {}
    for known in (targets, _FACTS, others):
        for heading in headings:
            target = known.get(_folded(heading))
            if target is not None and heading not in proposed and target not in proposed.values():
                proposed[heading] = target
    return {heading: proposed[heading] for heading in headings if heading in proposed}


def usable(proposed: Mapping[str, str], by: str | None) -> dict[str, str]:
    """The proposals that mean something where records are looked up *by* that.

    Ids and versions by themselves change nothing: so what was exported is imported as new records.
    """
    unused = {ID, IF_VERSION} if by is None else {ID} - {by}
    return {heading: target for heading, target in proposed.items() if target not in unused}


def check_columns(
    columns: Mapping[str, str], headings: Sequence[str], properties: Mapping[str, Property]
) -> None:
    """Check that *columns* maps headings of the file to what the object has, each to another.

    Raises `InvalidInput` with every fault, below `/columns`.
    """
    targets = {*properties, ID, IF_VERSION} | {
        slug + CURRENCY_SUFFIX for slug, prop in properties.items() if prop.type == "amount"
    }
    faults: list[Fault] = []
    taken: dict[str, str] = {}
    for heading, target in columns.items():
        detail = None
        if heading not in headings:
            detail = f"the file has no column {shown(heading)}{hint(heading, headings)}"
        elif target not in targets:
            detail = f"there is no property {shown(target)}{hint(target, targets)}"
        elif target in taken:
            detail = f"the column {shown(taken[target])} is mapped to {target} already"
        if detail is not None:
            faults.append(Fault("/columns" + pointer_to(heading), "invalid_value", detail))
        taken[target] = heading
    if not columns:
        faults.append(Fault("/columns", "missing", "no column is mapped to a property"))
    if faults:
        raise InvalidInput(faults)


def _folded(heading: str) -> str:
    return _OTHER.sub("", unicodedata.normalize("NFKC", heading).casefold())
