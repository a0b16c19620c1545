"""Objects: the built-in ones of every organization, and the rules for custom ones."""

import re
from collections.abc import Collection
from typing import Final

import msgspec

from svc.domain.errors import Fault, InvalidInput
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import LABEL_CHARS_MAX, OPTION_CHARS_MAX, OPTIONS_MAX, SLUG_CHARS_MAX
from svc.domain.records.properties import CURRENCY_SUFFIX, Property


class BuiltinObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object that cannot be removed, with the properties that it starts with."""

    slug: str
    label: str
    label_plural: str
    properties: tuple[Property, ...]


CONTACT: Final = "contact"
COMPANY: Final = "company"
DEAL: Final = "deal"

DEAL_STAGES: Final = ("New", "Qualified", "Proposal", "Won", "Lost")

BUILTIN_OBJECTS: Final = (
    BuiltinObject(
        slug=CONTACT,
        label="Contact",
        label_plural="Contacts",
        properties=(
            Property(slug="name", label="Name", type="text", personal=True),
            Property(slug="email", label="E-mail", type="email", personal=True),
            Property(slug="phone", label="Phone", type="phone", personal=True),
            Property(slug="company", label="Company", type="relation", options=(COMPANY,)),
            Property(slug="job_title", label="Job title", type="text"),
            Property(slug="website", label="Website", type="url"),
            Property(slug="city", label="City", type="text"),
            Property(slug="country", label="Country", type="text"),
        ),
    ),
    BuiltinObject(
        slug=COMPANY,
        label="Company",
        label_plural="Companies",
        properties=(
            Property(slug="name", label="Name", type="text"),
            Property(slug="website", label="Website", type="url"),
            Property(slug="email", label="E-mail", type="email", personal=True),
            Property(slug="phone", label="Phone", type="phone", personal=True),
            Property(slug="city", label="City", type="text"),
            Property(slug="country", label="Country", type="text"),
        ),
    ),
    BuiltinObject(
        slug=DEAL,
        label="Deal",
        label_plural="Deals",
        properties=(
            Property(slug="name", label="Name", type="text"),
            Property(slug="amount", label="Amount", type="amount"),
            Property(slug="stage", label="Stage", type="select", options=DEAL_STAGES),
            Property(slug="close_date", label="Close date", type="date"),
            Property(slug="contact", label="Contact", type="relation", options=(CONTACT,)),
            Property(slug="company", label="Company", type="relation", options=(COMPANY,)),
        ),
    ),
)

FIRST_PROPERTY: Final = Property(slug="name", label="Name", type="text")
"""What a custom object starts with: records must be called something."""

_NEEDED: Final = frozenset(
    {(CONTACT, "name"), (CONTACT, "email"), (CONTACT, "phone")}
    | {(DEAL, "name"), (DEAL, "stage"), (DEAL, "contact")}
)
"""The properties that forms and messengers write to, by object."""
NAMES: Final = frozenset(
    """
    name names full_name fullname first_name firstname given_name forename middle_name last_name lastname
    family_name surname second_name maiden_name birth_name nickname alias initials
    """.split()  # noqa: SIM905  # reads better than twenty strings
)
"""Slugs that a contact's names have; they are personal."""
_SLUG: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def is_personal(object_slug: str, prop: Property) -> bool:
    """Whether *prop* is personal and cannot be made public."""
    return KINDS[prop.type].is_personal or (object_slug == CONTACT and prop.slug in NAMES)


def is_public(prop: Property) -> bool:
    """Whether values of *prop* may be shown in public, and be used in filters and sorts there.

    Personal properties may not, nor references to a person: a member, or a relation to a contact.
    """
    if prop.personal or not KINDS[prop.type].is_public:
        return False
    return prop.type != "relation" or prop.options != (CONTACT,)


def is_needed(object_slug: str, slug: str) -> bool:
    """Whether the built-in object requires its property *slug*."""
    return (object_slug, slug) in _NEEDED


def check_object(slug: str, label: str, label_plural: str) -> None:
    """Raises `InvalidInput` with every fault of a new object."""
    faults = [
        *_slug_faults(slug),
        *_label_faults("/label", label),
        *_label_faults("/labelPlural", label_plural),
    ]
    if faults:
        raise InvalidInput(faults)


def check_property(object_slug: str, prop: Property, objects: Collection[str]) -> Property:
    """*prop* as it may be stored: personal where it must be. *objects* are the existing slugs.

    Raises `InvalidInput` with every fault.
    """
    faults = [*_slug_faults(prop.slug), *_label_faults("/label", prop.label)]
    kind = KINDS.get(prop.type)
    if kind is None:
        faults.append(Fault("/type", "invalid_value", "no such type"))
    if prop.slug.endswith(CURRENCY_SUFFIX):
        faults.append(Fault("/slug", "invalid_value", f"{CURRENCY_SUFFIX} is for the currencies of amounts"))
    if prop.unique and not (kind is not None and kind.is_unique):
        faults.append(Fault("/unique", "invalid_value", f"type {prop.type} cannot be unique"))
    if detail := _options_fault(prop, objects):
        faults.append(Fault("/options", "invalid_value", detail))
    if faults:
        raise InvalidInput(faults)
    return msgspec.structs.replace(prop, personal=True) if is_personal(object_slug, prop) else prop


def _options_fault(prop: Property, objects: Collection[str]) -> str | None:
    options = prop.options
    if prop.type == "relation":
        one_object = len(options) == 1 and options[0] in objects
        return None if one_object else "a relation leads to one object: name its slug"
    if prop.type not in {"select", "multi_select"}:
        return f"type {prop.type} has no choices" if options else None
    if not 0 < len(options) <= OPTIONS_MAX:
        return f"there must be 1 to {OPTIONS_MAX} choices"
    if len({option.casefold() for option in options}) < len(options):
        return "two choices are the same"
    if any(
        option != option.strip() or "," in option or not _is_label(option, OPTION_CHARS_MAX)
        for option in options
    ):
        return f"a choice has 1 to {OPTION_CHARS_MAX} printable characters, no comma, no space around it"
    return None


def _slug_faults(slug: str) -> list[Fault]:
    if len(slug) <= SLUG_CHARS_MAX and _SLUG.fullmatch(slug):
        return []
    return [
        Fault("/slug", "invalid_value", f"not a slug such as job_title, of up to {SLUG_CHARS_MAX} characters")
    ]


def _label_faults(pointer: str, label: str) -> list[Fault]:
    if _is_label(label, LABEL_CHARS_MAX):
        return []
    return [Fault(pointer, "invalid_value", f"not 1 to {LABEL_CHARS_MAX} printable characters")]


def _is_label(text: str, characters_max: int) -> bool:
    return 0 < len(text) <= characters_max and text.isprintable() and not text.isspace()
