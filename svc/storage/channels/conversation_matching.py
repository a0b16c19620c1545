"""Conversation matching: which contact the participant of a conversation is.

The rules are those for the sender of a form: clear, new, or held until a person decides. The bridge is not
told.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, assert_never

import msgspec

from svc.domain.channels.messages import Evidence
from svc.domain.channels.participants import Participant
from svc.domain.errors import InvalidValue
from svc.domain.forms.filing import ContactIndex, enrich
from svc.domain.forms.limits import CANDIDATES_MAX
from svc.domain.records.contact_points import normalise_email, normalise_phone
from svc.domain.records.matching import Clear, HeldReason, Unclear
from svc.domain.records.objects import CONTACT
from svc.storage import readable
from svc.storage.events import events
from svc.storage.identity import organizations
from svc.storage.records import contacts, enrichments, objects
from svc.storage.records.enrichments import SourcedEnrichment
from svc.storage.store import Tx


class ParticipantMatch(NamedTuple):
    """The contact of a participant; or why it is held, with the contacts that it may be."""

    contact_id: str | None
    held_reason: HeldReason | None = None
    candidates: tuple[str, ...] = ()


def match(
    tx: Tx,
    organization_id: str,
    participant: Participant,
    *,
    contact_id: str | None,
    source: Mapping[str, Any],
) -> ParticipantMatch | None:
    """Find or create the contact of a participant, and write to it what the participant has and it has not.

    With *contact_id*, that contact is it. None where there is no e-mail and no phone, where the contact was
    deleted, or where a candidate cannot be read.
    """
    organization = organizations.get(tx.conn, organization_id)
    email, phone = _contact_points(participant, organization.country)
    try:
        known = contacts.known_by(
            tx.conn, organization.id, [email] if email else [], [phone] if phone else []
        )
    except msgspec.DecodeError as error:
        # The message is recorded all the same; a person may choose the contact once it can be read.
        readable.tell("contacts of a conversation", source["conversationId"], error)
        return None
    if contact_id is not None and contact_id not in {contact.id for contact in known}:
        known += contacts.by_ids(tx.conn, organization.id, [contact_id])
    directory = ContactIndex(
        known,
        properties={},
        country=organization.country,
        new_contact_id=lambda: tx.new_id("rec"),
    )
    if contact_id is None:
        if email is None and phone is None:
            return None
        verdict = directory.match(email, phone)
        if isinstance(verdict, Unclear):
            return ParticipantMatch(None, verdict.reason, verdict.candidates[:CANDIDATES_MAX])
        contact_id = verdict.contact_id if isinstance(verdict, Clear) else None
    elif contact_id not in {contact.id for contact in known}:
        return None  # it was deleted; a restore finds the conversation at the contact again
    values = {slug: value for slug, value in (("email", email), ("phone", phone)) if value}
    has_name = contact_id is not None and directory[contact_id].properties.get("name") is not None
    # The name at a messenger fills an empty one, and is no suggestion for a contact that has one.
    if participant.name and not has_name:
        values["name"] = participant.name
    return ParticipantMatch(
        _enrich(tx, organization_id, values, directory, contact_id=contact_id, source=source)
    )


def new_contact(
    tx: Tx, organization_id: str, participant: Participant, *, source: Mapping[str, Any]
) -> ParticipantMatch | None:
    """Create a contact of a participant, also where others have the same e-mail or phone.

    None where there is no name, no e-mail and no phone.
    """
    organization = organizations.get(tx.conn, organization_id)
    email, phone = _contact_points(participant, organization.country)
    facts = {"email": email, "phone": phone, "name": participant.name or participant.username}
    values = {slug: value for slug, value in facts.items() if value}
    if not values:
        return None
    directory = ContactIndex(
        [], properties={}, country=organization.country, new_contact_id=lambda: tx.new_id("rec")
    )
    return ParticipantMatch(_enrich(tx, organization_id, values, directory, contact_id=None, source=source))


def _enrich(
    tx: Tx,
    organization_id: str,
    values: dict[str, str],
    directory: ContactIndex,
    *,
    contact_id: str | None,
    source: Mapping[str, Any],
) -> str:
    """Write *values* that it has not to the contact, a new one without *contact_id*; its id."""
    enrichment = enrich(contact_id, values, directory)
    sourced = SourcedEnrichment(**msgspec.structs.asdict(enrichment), source=source)
    object_id = objects.ids_by_slug(tx.conn, organization_id)[CONTACT]
    enrichments.write(tx, organization_id, object_id, [sourced])
    events.record(tx, organization_id, list(enrichments.happened(tx.conn, object_id, sourced, tx.now)))
    return enrichment.contact.id


def _contact_points(participant: Participant, country: str) -> tuple[str | None, str | None]:
    """The normalized e-mail and phone; None for one that is not valid."""
    normalised: dict[str, str | None] = {"email": None, "phone": None}
    for kind in ("email", "phone"):
        value = getattr(participant, kind)
        if value:
            try:
                normalised[kind] = normalise(Evidence(kind=kind, value=value), country)
            except InvalidValue:
                continue
    return normalised["email"], normalised["phone"]


def normalise(evidence: Evidence, country: str) -> str:
    """The value as contacts are known by it. Raises `InvalidValue`."""
    match evidence.kind:
        case "email":
            return normalise_email(evidence.value)
        case "phone":
            return normalise_phone(evidence.value, country)
        case "username":
            return evidence.value
        case _:
            assert_never(evidence.kind)
