"""Columns of a file: their headings, and the properties that they are proposed for or mapped to."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from svc.domain.errors import Fault, InvalidInput, pointer_to
from svc.domain.input.near_names import hint, shown
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import CURRENCY_SUFFIX, Property

ID: Final = "id"
"""What a column is mapped to that has the ids of records."""
IF_VERSION: Final = "ifVersion"
"""What a column is mapped to that has the versions of records which the values were made from."""
NAME: Final = "name"

_SYNONYMS: Final[Mapping[str, Sequence[str]]] = {
    slug: words.split()
    for slug, words in {
        "name": "fullname contactname displayname customername personname nom nombre dealname dealtitle"
        " opportunityname",
        "email": "mail emailaddress mailaddress emailadresse mailadresse email1value email1address"
        " personemailwork personemail workemail courriel correo personemailhome personemailother",
        "phone": "phonenumber telephone telephonenumber tel telefon telefonnummer telefono phone1value"
        " primaryphone businessphone workphone personphonework personphone telefongeschäftlich mobile"
        " mobilephone mobilephonenumber personphonemobile cell cellphone handy mobil mobiltelefon homephone"
        " defaultaddressphone",
        "company": "companyname organization organisation organizationname organization1name"
        " personorganization dealorganization associatedcompany accountname account defaultaddresscompany"
        " firma employer entreprise empresa",
        "contact": "dealcontactperson contactperson contactname associatedcontact",
        "job_title": "title position organizationtitle organization1title role funktion poste jobrole",
        "website": "web url homepage webseite webpage websiteurl website1value siteweb sitioweb domain",
        "city": "town ort stadt ville ciudad mailingcity businesscity ortgeschäftlich address1city"
        " billingcity defaultaddresscity homecity",
        "country": "countryregion land pays pais mailingcountry businesscountryregion businesscountry"
        " landregiongeschäftlich address1country billingcountry defaultaddresscountry homecountryregion",
        "amount": "value price betrag dealvalue dealamount montant importe",
        "amount_currency": "currency dealcurrency dealcurrencyofvalue amountcurrency",
        "stage": "status dealstage phase",
        "close_date": "closing closedate expectedclosedate closingdate dealexpectedclosedate",
    }.items()
}
"""Headings of address books, spreadsheets and other systems, the likelier first, by what they are for."""
_NAMES_OF_COMPANIES: Final = ("companyname", "organizationname", "accountname", "organization")
"""Headings that a company's name has, where no other column is for the company or has a name."""
_FIRST_NAMES: Final = frozenset(
    "firstname givenname forename vorname prénom prenom nombre nombres voornaam imię".split()  # noqa: SIM905
)
_MIDDLE_NAMES: Final = frozenset("middlename additionalname weiterevornamen zweitervorname".split())  # noqa: SIM905
_LAST_NAMES: Final = frozenset(
    "lastname surname familyname nachname familienname nomdefamille apellidos achternaam nazwisko".split()  # noqa: SIM905
)
_LAST_BESIDE: Final[Mapping[str, str]] = {"vorname": "name", "prénom": "nom", "prenom": "nom"}
"""Headings that are a surname's beside that of a first name, and else that of a whole name."""
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
    heading is proposed for no other, but for a name that stands in several columns.
    """
    targets = {_folded(prop.label): slug for slug, prop in reversed([*properties.items()])}
    targets |= {
        _folded(slug + CURRENCY_SUFFIX): slug + CURRENCY_SUFFIX
        for slug, prop in properties.items()
        if prop.type == "amount"
    }
    targets |= {_folded(slug): slug for slug in properties}
    words = {heading: _folded(heading) for heading in headings}
    parts = _parts_of_names(words)
    proposed: dict[str, str] = {}

    def propose(heading: str, target: str) -> None:
        if heading not in proposed and target not in proposed.values():
            proposed[heading] = target

    for known in (targets, _FACTS):
        for heading, word in words.items():
            if word in known and heading not in parts:
                propose(heading, known[word])
    is_person = NAME in properties and properties[NAME].personal
    for slug, synonyms in (*_SYNONYMS.items(), (NAME, () if parts and is_person else _NAMES_OF_COMPANIES)):
        for synonym in synonyms if slug in targets.values() else ():
            for heading, word in words.items():
                if word == synonym and heading not in parts:
                    propose(heading, slug)
    if NAME in properties and NAME not in proposed.values():
        proposed |= dict.fromkeys(parts, NAME)
    return {heading: proposed[heading] for heading in headings if heading in proposed}


def _parts_of_names(words: Mapping[str, str]) -> list[str]:
    """The headings of first, middle and last names. *words* are all headings, folded."""
    there = {*words.values()}
    last = _LAST_NAMES | {_LAST_BESIDE[first] for first in there & {*_LAST_BESIDE} if not there & _LAST_NAMES}
    return [heading for heading, word in words.items() if word in _FIRST_NAMES | _MIDDLE_NAMES | last]


def usable(proposed: Mapping[str, str], by: str | None) -> dict[str, str]:
    """The proposals that mean something where records are looked up *by* that.

    Ids and versions mean something of the very records that were exported: elsewhere these have others.
    """
    unused = set() if by == ID else {ID, IF_VERSION}
    return {heading: target for heading, target in proposed.items() if target not in unused}


def check_columns(
    columns: Mapping[str, str], headings: Sequence[str], properties: Mapping[str, Property]
) -> None:
    """Check that *columns* maps headings of the file to what the object has, each to another or to a text.

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
        elif target in taken and not is_joined(properties.get(target)):
            detail = f"the column {shown(taken[target])} is mapped to {target} already"
        if detail is not None:
            faults.append(Fault("/columns" + pointer_to(heading), "invalid_value", detail))
        taken[target] = heading
    if not columns:
        faults.append(Fault("/columns", "missing", "no column is mapped to a property"))
    if faults:
        raise InvalidInput(faults)


def is_joined(prop: Property | None) -> bool:
    """Whether several columns may be for *prop*: their cells are joined by blanks."""
    return prop is not None and KINDS[prop.type].is_free_text


def _folded(heading: str) -> str:
    return _OTHER.sub("", unicodedata.normalize("NFKC", heading).casefold())
