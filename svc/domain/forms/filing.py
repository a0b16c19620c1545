"""Filing of stored submissions. Pure: it decides, and storage does.

A batch is filed in the order of arrival against one `ContactIndex`, which learns each contact that
the batch makes; so two submissions of one new person make one contact.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, assert_never

import msgspec

from svc.domain.errors import InvalidValue
from svc.domain.forms.forms import Form, deal_title
from svc.domain.forms.limits import CANDIDATES_MAX
from svc.domain.records.matching import Clear, HeldReason, Match, NoMatch, Unclear, gain, match
from svc.domain.records.properties import Property, Value
from svc.domain.records.values import coerce
from svc.domain.scalars import Scalar, text_of


class StoredSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """A submission as it was stored. `email` and `phone` are normalized, and at least one is there."""

    id: str
    form: Form
    received_at: int
    email: str | None
    phone: str | None
    name: str | None
    fields: dict[str, Scalar]
    """Every field that was kept, by the name that it was sent under."""
    recognised: tuple[str, ...]
    """The fields that e-mail, phone and name were taken from."""
    mapped: dict[str, str]
    """Slugs of contact properties to the fields that the form maps to them."""
    dropped: int
    """How many sensitive fields were dropped on arrival, and card numbers cut out of texts."""
    held_reason: HeldReason | None = None
    """Why it waits, or waited; `spam` from the start where the honeypot was filled in."""
    visitors: tuple[str, ...] = ()
    """Digests that the sender's browser has in visits of the last days."""


class Contact(msgspec.Struct, kw_only=True):
    """A contact as filing knows it. `properties` grows as submissions fill it in."""

    id: str
    properties: dict[str, Any]
    created_at: int | None = None
    """When it was stored, ms since the epoch; None for one that is not yet."""
    version: int = 0
    """As it will be stored, which each submission that fills something in counts up."""
    known_by: list[tuple[str, str]] = []
    """E-mails and phones that found it, as (`email` or `phone`, value); of merged contacts, too."""


class ContactIndex:
    """The contacts that a batch may match, by e-mail and by phone, and the formats of the organization."""

    def __init__(
        self,
        contacts: Iterable[Contact],
        *,
        properties: Mapping[str, Property],
        country: str,
        new_contact_id: Callable[[], str],
    ) -> None:
        """*properties* are those of a contact that the batch's `mapped` values may name, by slug."""
        self.properties = properties
        self.country = country
        self.new_contact_id = new_contact_id
        self._contacts: dict[str, Contact] = {}
        self._by: dict[tuple[str, Any], set[str]] = {}
        for contact in contacts:
            self.add(contact)

    def __getitem__(self, contact_id: str) -> Contact:
        return self._contacts[contact_id]

    def add(self, contact: Contact) -> None:
        """Index *contact*; again after its e-mail or phone was filled in."""
        self._contacts[contact.id] = contact
        own = [(slug, value) for slug in ("email", "phone") if (value := contact.properties.get(slug))]
        for slug, value in (*own, *contact.known_by):
            self._by.setdefault((slug, value), set()).add(contact.id)

    def having(self, slug: str, value: str | None) -> set[str]:
        """Ids of the contacts whose e-mail or phone is *value*."""
        return self._by.get((slug, value), set()) if value else set()

    def match(self, email: str | None, phone: str | None) -> Match:
        """Match e-mail and phone to a contact."""
        with_phone = self.having("phone", phone)
        others = {
            contact_id
            for contact_id in with_phone
            if self[contact_id].properties.get("email") not in {None, email}
        }
        return match(email, self.having("email", email), with_phone, others)


class Enrichment(msgspec.Struct, frozen=True, kw_only=True):
    """The values that a contact gains from a sender who was matched to it, or is new."""

    contact: Contact
    created: bool
    filled: dict[str, Value]
    """Properties of the contact that were empty, and are not any more."""
    suggested: dict[str, Value]
    """Values that differ from the contact's, to be accepted by a person."""
    properties: dict[str, Any]
    """The contact's from then on; a later submission of the batch may fill in more."""
    version: int
    """The contact's from then on."""


class Filing(msgspec.Struct, frozen=True, kw_only=True):
    """What one submission changes. Either it is held, or it has a contact."""

    submission: StoredSubmission
    held: HeldReason | None = None
    candidates: tuple[str, ...] = ()
    contact: Contact | None = None
    created: bool = False
    filled: dict[str, Value] = {}
    """Properties of the contact that were empty, and are not any more."""
    suggested: dict[str, Value] = {}
    """Values that differ from the contact's, to be accepted by a person."""
    properties: dict[str, Any] = {}
    """The contact's from then on; a later submission of the batch may fill in more."""
    version: int = 0
    """The contact's from then on."""
    note: str = ""
    deal_title: str | None = None


def file(submission: StoredSubmission, directory: ContactIndex) -> Filing:
    """Match *submission* to a contact and file it there or to a new one, or hold it for a decision."""
    match_ = directory.match(submission.email, submission.phone)
    if submission.held_reason == "spam":
        return Filing(submission=submission, held="spam", candidates=_candidates(match_))
    if isinstance(match_, Unclear):
        return Filing(submission=submission, held=match_.reason, candidates=_candidates(match_))
    return file_to(submission, match_.contact_id if isinstance(match_, Clear) else None, directory)


def file_to(submission: StoredSubmission, contact_id: str | None, directory: ContactIndex) -> Filing:
    """File *submission* to the contact that is known to be its sender; None makes a new one.

    An empty property is filled. A different value is suggested, and so is an e-mail or a phone of another
    contact.
    """
    wanted, unread = _wanted(submission, directory)
    learned = enrich(contact_id, wanted, directory)
    template = submission.form.deal_title
    return Filing(
        submission=submission,
        contact=learned.contact,
        created=learned.created,
        filled=learned.filled,
        suggested=learned.suggested,
        properties=learned.properties,
        version=learned.version,
        note=_note(submission, unread),
        deal_title=template and (deal_title(template, submission.fields) or submission.form.name),
    )


def enrich(contact_id: str | None, wanted: Mapping[str, Value], directory: ContactIndex) -> Enrichment:
    """Merge *wanted*, values by slug, into the contact; None makes a new one.

    An empty property is filled. A different value is suggested, and so is an e-mail or a phone of another
    contact.
    """
    contact = directory[contact_id] if contact_id else Contact(id=directory.new_contact_id(), properties={})
    filled, suggested = gain(contact_id, contact.properties, wanted, directory.having)
    contact.properties.update(filled)
    contact.version += 1 if filled else 0
    directory.add(contact)
    return Enrichment(
        contact=contact,
        created=contact_id is None,
        filled=filled,
        suggested=suggested,
        properties=dict(contact.properties),
        version=contact.version,
    )


def _candidates(match_: Match) -> tuple[str, ...]:
    match match_:
        case Clear(contact_id):
            return (contact_id,)
        case Unclear(candidates=candidates):
            return candidates[:CANDIDATES_MAX]
        case NoMatch():
            return ()
        case _:
            assert_never(match_)


def _wanted(submission: StoredSubmission, directory: ContactIndex) -> tuple[dict[str, Value], set[str]]:
    """The contact's values that the submission brings, and the fields that cannot be read as such."""
    known = {"name": submission.name, "email": submission.email, "phone": submission.phone}
    wanted: dict[str, Value] = {slug: value for slug, value in known.items() if value}
    unread: set[str] = set()
    for slug, field in submission.mapped.items():
        prop = directory.properties.get(slug)
        try:
            if prop is None:
                raise InvalidValue("no such property")  # noqa: TRY301  # removed since it was mapped
            value = coerce(prop, submission.fields[field], directory.country)
        except InvalidValue:
            unread.add(field)
        else:
            if value is not None:
                wanted[slug] = value
    return wanted, unread


def _note(submission: StoredSubmission, unread: set[str]) -> str:
    """The note's text: a line for each field that is not on the contact, and how many were dropped."""
    elsewhere = {*submission.recognised, *submission.mapped.values()} - unread
    lines = [
        f"{name}: {text_of(value)}" for name, value in submission.fields.items() if name not in elsewhere
    ]
    if submission.dropped:
        what = (
            "1 sensitive value was"
            if submission.dropped == 1
            else f"{submission.dropped} sensitive values were"
        )
        lines.append(f"({what} dropped)")
    return "\n".join(lines)
