"""The tables of forms and submissions."""

from typing import Final

import sqlalchemy as sa

from svc.domain.scalars import Scalar
from svc.storage import schema

forms: Final = schema.table(
    "forms",
    schema.id_(),
    schema.of_organization(),
    schema.ref("site_id", "sites.id", null=True),
    schema.text("name", schema.SCRUBBED),
    schema.word("form_key", unique=True),
    schema.word("status"),
    schema.json(
        "field_map",
        dict[str, str],
        schema.SCRUBBED,
        note="by the name of a field, the slug of the contact's property that it fills",
    ),
    schema.text(
        "deal_title", schema.SCRUBBED, null=True, note="the template of the deal that a submission opens"
    ),
    schema.text("honeypot", schema.SCRUBBED, null=True, note="the hidden field that only programs fill in"),
    schema.past("created_at"),
    schema.past("updated_at"),
    schema.number("version", default="1"),
    sa.Index("ix_forms_organization_id", "organization_id"),
    leaves=schema.ExportFile("forms", "A form."),
    life=schema.KEPT,
)

# Literals: each of these states has a partial index, which is used only if the statement contains the state.
# The index has the state as a column, too, so that the planner prefers it to others with its first column.
DUE: Final = sa.literal_column("'due'", sa.Text)
QUEUED: Final = sa.literal_column("'queued'", sa.Text)
HELD: Final = sa.literal_column("'held'", sa.Text)
DISCARDED: Final = sa.literal_column("'discarded'", sa.Text)

submissions: Final = schema.table(
    "submissions",
    schema.id_(own="submissions"),
    schema.of_organization(),
    schema.ref("form_id", "forms.id"),
    schema.word("state"),
    schema.past("received_at"),
    schema.word("sender", note="a digest of the address that sent it"),
    schema.json(
        "visitors",
        tuple[str, ...],
        schema.NOBODY,
        null=True,
        note="names in `visits` that the sender had, until it was filed",
    ),
    schema.word("email", null=True),
    schema.word("phone", null=True),
    schema.text("name", schema.SCRUBBED, null=True),
    schema.json("fields", dict[str, Scalar], schema.SCRUBBED),
    schema.json(
        "recognised",
        tuple[str, ...],
        schema.SCRUBBED,
        note="fields in which an e-mail, a phone or a name was found",
    ),
    schema.json(
        "mapped", dict[str, str], schema.SCRUBBED, note="by slug, what the form's map took from the fields"
    ),
    schema.number("dropped", note="how many fields were dropped, such as passwords and card numbers"),
    schema.past("queued_at", null=True, stays=schema.INTERNAL),
    schema.past("paced_at", null=True, stays=schema.INTERNAL),
    schema.past("filed_at", null=True),
    schema.word("filed_by", null=True),
    schema.word("held_reason", null=True),
    schema.json(
        "candidates", tuple[str, ...], schema.SCRUBBED, null=True, note="contacts that a held one may be from"
    ),
    schema.of_record("contact_id"),
    schema.of_record("deal_id"),
    schema.word("discarded_from", null=True, note="the state that it had when it was discarded"),
    schema.past("discarded_at", null=True),
    schema.word("discarded_by", null=True),
    schema.past("restored_at", null=True, stays=schema.INTERNAL),
    sa.Index("ix_submissions_form_id_id", "form_id", "id"),
    schema.PartialIndex("ix_submissions_contact_id", "contact_id", where="contact_id IS NOT NULL"),
    schema.PartialIndex("ix_submissions_due", "organization_id", "state", "id", where="state = 'due'"),
    schema.PartialIndex("ix_submissions_held", "form_id", "state", "id", where="state = 'held'"),
    schema.PartialIndex("ix_submissions_queued", "form_id", "state", "id", where="state = 'queued'"),
    schema.PartialIndex("ix_submissions_discarded", "form_id", "state", "id", where="state = 'discarded'"),
    schema.PartialIndex("ix_submissions_discarded_at", "discarded_at", where="discarded_at IS NOT NULL"),
    schema.PartialIndex("ix_submissions_restored", "form_id", "paced_at", where="restored_at IS NOT NULL"),
    leaves=schema.ExportFile("submissions", "What was sent with a form."),
    life=schema.KEPT,
)

# Derived from submissions, for searches: see `search_blocks`. Large values come last, so that the others are
# read without them.
submission_blocks: Final = schema.table(
    "submission_blocks",
    schema.of_organization(primary=True),
    schema.word("first_id", primary=True),
    schema.word("end_id"),
    schema.blob("texts", stays="derived from others"),
    schema.blob("ids", stays="derived from others"),
    sqlite_with_rowid=False,
    leaves=schema.Stays("derived from `submissions`, for searches"),
    erasure=schema.Exempt("derived from submissions, and changed with them"),
    life=schema.WITH_PARENT,
)

server_keys: Final = schema.table(
    "server_keys",
    schema.id_(),
    schema.of_organization(),
    schema.text("name", schema.SCRUBBED),
    schema.secret_digest(unique=True),
    schema.word("visible_start"),
    schema.past("created_at"),
    schema.time("expires_at", schema.Untouched("it was shown to people, who can revoke it")),
    schema.past("revoked_at", null=True),
    sa.Index("ix_server_keys_organization_id", "organization_id"),
    leaves=schema.ExportFile("server_keys", "A server key of the form endpoint, without the key."),
    life=schema.KEPT,
)
