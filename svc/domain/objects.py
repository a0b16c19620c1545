"""The objects that every organization starts with."""

from typing import Final

import msgspec

from svc.domain.properties import Property


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
