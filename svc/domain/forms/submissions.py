"""Submissions: validated against the rules of their shape, then read as values of a contact.

Checks run in the order in which they are reported: the shape of the whole before any character of it. Each
field at fault is named.
"""

from collections.abc import Collection, Mapping
from itertools import islice
from typing import Final, Literal, TypeAlias

import msgspec

from svc.domain.errors import DomainError, InvalidValue
from svc.domain.forms.card_numbers import CARD_DIGITS_MIN, is_card_number, without_cards
from svc.domain.forms.fields import (
    FIRST_NAMES,
    SURNAMES,
    FieldMap,
    Kind,
    Meaning,
    meaning_of,
    plain_name,
)
from svc.domain.forms.limits import (
    FORM_FIELD_NAME_CHARS_MAX,
    FORM_FIELDS_MAX,
    FORM_KEY_CHARS_MAX,
    FORM_VALUE_CHARS_MAX,
)
from svc.domain.forms.sensitive_fields import is_secret_name, is_sensitive_name
from svc.domain.records.contact_points import Phone, is_assigned, normalise_email, parse_phone
from svc.domain.scalars import Scalar

FieldFault: TypeAlias = Literal["too_long", "wrong_type", "file", "unstorable", "invalid"]
"""What is wrong with one field.

A string that is `too_long`; a value of the `wrong_type`, as lists and objects are; a `file`, which forms do
not take; a character in it that is `unstorable`; or an e-mail address or a phone number that is `invalid`.
"""

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


class BadSubmission(DomainError):
    """Raised for a submission that breaks a rule of its `shape` or of its `text`. Tell the sender."""

    def __init__(
        self, reason: Literal["shape", "text"], fields: Mapping[str, FieldFault] | None = None
    ) -> None:
        super().__init__(reason)
        self.reason: Literal["shape", "text"] = reason
        self.fields = {
            name: fault
            for name, fault in (fields or {}).items()
            if 0 < len(name) <= FORM_FIELD_NAME_CHARS_MAX and _is_storable(name)
        }
        """The fields at fault whose names can be repeated in an answer."""


class SubmissionInput(msgspec.Struct, frozen=True):
    """A submission of the right shape, every character of which can be stored."""

    form_key: str
    values: dict[str, Scalar]


class PreparedSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """A submission's values for a contact, and its other fields."""

    email: str | None
    phone: str | None
    name: str | None
    fields: dict[str, Scalar]
    """Every field that is kept, by the name that it was sent under, in the order of the body.

    Texts are as sent, but for `[removed]` where a card number was.
    """
    recognised: tuple[str, ...]
    """The fields that e-mail, phone and name were taken from and that say nothing more.

    A phone number with an extension is not among them: E.164 has no place for it, the note has.
    """
    mapped: dict[str, str]
    """Slugs of the contact's other properties to the fields that the form maps to them."""
    dropped: int
    """The number of sensitive fields that were dropped, plus card numbers that were cut out of texts."""
    invalid: dict[str, FieldFault]
    """Fields for an e-mail address or a phone number in which there is none."""

    @property
    def has_contact(self) -> bool:
        """Whether it has an e-mail address or a phone number; without either, nothing is stored."""
        return self.email is not None or self.phone is not None


def read_submission(body: object, form_key: str | None = None) -> SubmissionInput:
    """The submission that the decoded *body* is; *form_key* is the one in the address, if any.

    Members beside `f` and `v` are ignored, for compatibility with later versions of the contract. A key in
    the address has to be the one in the body, as the CORS preflight admitted that form alone.

    Raises `BadSubmission` if it breaks a rule; those of `shape` are checked before those of `text`.
    """
    if not isinstance(body, dict):
        raise BadSubmission("shape")
    key, values = body.get("f"), body.get("v")
    if not isinstance(key, str) or not 0 < len(key) <= FORM_KEY_CHARS_MAX:
        raise BadSubmission("shape")
    if form_key is not None and form_key != key:
        raise BadSubmission("shape")
    if not isinstance(values, dict) or len(values) > FORM_FIELDS_MAX:
        raise BadSubmission("shape")
    _check_shape(values)
    _check_text(key, values)
    return SubmissionInput(key, values)


def prepare(values: Mapping[str, Scalar], mapping: FieldMap, country: str | None) -> PreparedSubmission:
    """Read checked *values* as a form with this *mapping* in this *country* (ISO 3166 alpha-2) does.

    What is sensitive is dropped, whatever it is mapped to, and card numbers are cut out of longer texts; a
    valid phone number or e-mail address is no card number. Identity numbers and secrets are dropped unless
    the form maps them: then it asks for them on purpose.

    Of several fields for the same thing, the first good one in the order of the contract is the
    contact's, and the others stay ordinary fields. A surname is joined to a first name and stays one, too.
    """
    named = {name: value for name, value in values.items() if not _is_dropped(name, mapping, country)}
    contact = _contact_fields(named, mapping)
    phones = {
        name: phone
        for name in contact["phone"]
        if (phone := _phone(named[name], country)) and not _may_be_card(named[name], phone)
    }
    emails = {name: email for name in contact["email"] if (email := _email(named[name]))}
    fields, cut = _without_cards(named, {*phones, *emails})
    names = {name: full for name in contact["name"] if (full := _full_name(fields.get(name)))}

    name_field, name = next(iter(names.items()), (None, None))
    if name_field is not None and name is not None and plain_name(name_field) in FIRST_NAMES - {*mapping}:
        name = _with_surname(name, fields, mapping)
    phone_field, phone = next(iter(phones.items()), (None, None))
    recognised = [*islice(emails, 1), *islice(names, 1)]
    if phone_field is not None and phone is not None and phone.extension is None:
        recognised.append(phone_field)
    return PreparedSubmission(
        email=next(iter(emails.values()), None),
        phone=phone.number if phone else None,
        name=name,
        fields=fields,
        recognised=tuple(recognised),
        mapped=_mapped_fields(fields, mapping),
        dropped=len(values) - len(fields) + cut,
        invalid={
            name: "invalid"
            for name in (*contact["email"], *contact["phone"])
            if name in fields and name not in emails and name not in phones
        },
    )


def is_filled_in(values: Mapping[str, Scalar], name: str) -> bool:
    """Whether there is something in the field called *name*, in whatever case: an unticked box is nothing."""
    plain = plain_name(name)
    return any(
        plain_name(name) == plain and value is not False and not _is_blank(value)
        for name, value in values.items()
    )


def _is_dropped(name: str, mapping: FieldMap, country: str | None) -> bool:
    """Whether a field called *name* is dropped whatever its value."""
    return is_sensitive_name(name, country) or (
        is_secret_name(name, country) and plain_name(name) not in mapping
    )


def _without_cards(values: Mapping[str, Scalar], known: Collection[str]) -> tuple[dict[str, Scalar], int]:
    """*values* without card numbers, and how many of these were cut out of texts.

    A value that is nothing but a card number is dropped with its field. Those *known* to be something else
    stay.
    """
    fields: dict[str, Scalar] = {}
    cut = 0
    for name, value in values.items():
        if name not in known:
            if is_card_number(value):
                continue
            if isinstance(value, str) and len(value) >= CARD_DIGITS_MIN:
                value, many = without_cards(value)
                cut += many
        fields[name] = value
    return fields, cut


def _contact_fields(values: Mapping[str, Scalar], mapping: FieldMap) -> dict[Kind, list[str]]:
    """The names of the filled-in fields for each kind, in the order in which they win."""
    by_name: dict[str, tuple[Meaning, str]] = {}
    for name, value in values.items():
        plain = plain_name(name)
        meaning = meaning_of(plain, mapping)
        # One field for each plain name: else a body full of ` phone`, `PHONE` and so on costs a parse each.
        if meaning is not None and plain not in by_name and not _is_blank(value):
            by_name[plain] = (meaning, name)
    fields: dict[Kind, list[str]] = {"email": [], "phone": [], "name": []}
    for meaning, name in sorted(by_name.values(), key=lambda field: field[0].rank):
        fields[meaning.kind].append(name)
    return fields


def _mapped_fields(values: Mapping[str, Scalar], mapping: FieldMap) -> dict[str, str]:
    """The slugs of other properties to the first filled-in field that the form's mapping gives each."""
    fields: dict[str, str] = {}
    if mapping:
        for name, value in values.items():
            plain = plain_name(name)
            if plain in mapping and meaning_of(plain, mapping) is None and not _is_blank(value):
                fields.setdefault(mapping[plain], name)
    return fields


def _phone(value: Scalar, country: str | None) -> Phone | None:
    try:
        return (
            parse_phone(value, country)
            if isinstance(value, str | int) and not isinstance(value, bool)
            else None
        )
    except InvalidValue:
        return None


def _may_be_card(value: Scalar, phone: Phone) -> bool:
    """Whether *value*, which parses as *phone*, is more likely a card number.

    No card starts with 0 or +, and few card numbers are in an assigned range of phone numbers.
    """
    return (
        is_card_number(value)
        and not str(value).lstrip().startswith(("+", "0", "("))
        and not is_assigned(phone.number)
    )


def _email(value: Scalar) -> str | None:
    try:
        return normalise_email(value) if isinstance(value, str) else None
    except InvalidValue:
        return None


def _full_name(value: Scalar) -> str | None:
    return " ".join(value.split()) if isinstance(value, str) else None


def _with_surname(name: str, fields: Mapping[str, Scalar], mapping: FieldMap) -> str:
    """The first name *name* with the surname among *fields*, if there is one that the form does not map."""
    known = {*SURNAMES} - {*mapping}
    surnames: dict[str, str] = {}
    for field, value in fields.items():
        plain, surname = plain_name(field), _full_name(value)
        if surname and plain in known:
            surnames.setdefault(plain, surname)
    found = (f"{name} {surnames[plain]}" for plain in SURNAMES if plain in surnames)
    return next((full for full in found if len(full) <= FORM_VALUE_CHARS_MAX), name)


def _is_blank(value: Scalar) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _check_shape(values: Mapping[str, object]) -> None:
    faults: dict[str, FieldFault] = {}
    names_good = True
    for name, value in values.items():
        if not 0 < len(name) <= FORM_FIELD_NAME_CHARS_MAX:
            names_good = False
        elif type(value) not in _SCALARS:
            faults[name] = "wrong_type"
        elif isinstance(value, str) and len(value) > FORM_VALUE_CHARS_MAX:
            faults[name] = "too_long"
    if faults or not names_good:
        raise BadSubmission("shape", faults)


def _check_text(key: str, values: Mapping[str, Scalar]) -> None:
    strings = [value for value in values.values() if isinstance(value, str)]
    if _is_storable("".join((key, *values, *strings))):
        return
    raise BadSubmission(
        "text",
        {
            name: "unstorable"
            for name, value in values.items()
            if isinstance(value, str) and not _is_storable(value)
        },
    )


def _is_storable(text: str) -> bool:
    """Whether databases can store *text*: it has neither NUL nor unpaired surrogates.

    Other control characters are storable, and are accepted: they come with pasted text (a vertical tab is a
    line break of a word processor), and are invisible, so people could not remove them.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
