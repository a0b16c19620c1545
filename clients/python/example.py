"""What a program does with the generated client. `make client` generates it and checks this file against it.

With a service that runs: `python example.py http://127.0.0.1:8000 svck_…`
"""

import sys
from collections.abc import Iterator

from svc_api import AuthenticatedClient
from svc_api.api.note import note_create, note_list
from svc_api.api.object_ import object_list
from svc_api.api.organization import organization_get
from svc_api.api.record import record_count, record_create, record_get, record_list, record_update
from svc_api.models import (
    CountRecords,
    CreateNote,
    CreateRecord,
    CreateRecordProperties,
    FilterGroup,
    GetRecord,
    ListNotes,
    ListRecords,
    NoteAnswer,
    NoteList,
    NotFoundProblem,
    ObjectList,
    OrganizationAnswer,
    PlainFilter,
    PlainFilterOp,
    RecordAnswer,
    RecordCount,
    RecordList,
    ShownRecord,
    UpdateRecord,
    UpdateRecordProperties,
    ValidationFailedOrIdempotencyMismatchProblem,
)


def walk(address: str, key: str) -> Iterator[str]:
    """Ten calls of tools, and what each has answered in a line."""
    client = AuthenticatedClient(base_url=address, token=key)

    organization = organization_get.sync(client=client)  # it needs no input, and so no body
    assert isinstance(organization, OrganizationAnswer), organization
    yield f"organization {organization.name}"

    objects = object_list.sync(client=client)
    assert isinstance(objects, ObjectList), objects
    yield f"objects {' '.join(one.slug for one in objects.objects[:3])}"

    new = CreateRecord("contact", CreateRecordProperties.from_dict({"name": "Ada", "city": "Wick"}))
    made = record_create.sync(client=client, body=new, idempotency_key="generated-client")
    assert isinstance(made, RecordAnswer), made
    yield f"made {made.properties['name']}"

    again = record_create.sync(client=client, body=new, idempotency_key="generated-client")
    assert isinstance(again, RecordAnswer), again
    yield f"repeated, the same record: {again.id == made.id}"

    changes = UpdateRecord(made.id, UpdateRecordProperties.from_dict({"city": "Thurso"}))
    changed = record_update.sync(client=client, body=changes)
    assert isinstance(changed, RecordAnswer), changed
    yield f"moved to {changed.properties['city']}"

    in_thurso: list[FilterGroup | PlainFilter] = [PlainFilter("city", PlainFilterOp.EQ, "Thurso")]
    found = record_list.sync(client=client, body=ListRecords("contact", filters=in_thurso, limit=1))
    assert isinstance(found, RecordList), found
    yield f"listed {found.records[0].properties['name']}"

    count = record_count.sync(client=client, body=CountRecords("contact", filters=in_thurso))
    assert isinstance(count, RecordCount), count
    yield f"counted {count.count}"

    note = note_create.sync(client=client, body=CreateNote(made.id, body="Met at the harbour."))
    assert isinstance(note, NoteAnswer), note
    notes = note_list.sync(client=client, body=ListNotes(made.id))
    assert isinstance(notes, NoteList), notes
    yield f"noted {notes.notes[0].body}"

    shown = record_get.sync(client=client, body=GetRecord(made.id))
    assert isinstance(shown, ShownRecord), shown
    yield f"shown {shown.created_at.tzinfo}"

    # A refusal is a value of its own type.
    missing = record_get.sync(client=client, body=GetRecord("rec_none"))
    assert isinstance(missing, NotFoundProblem), missing
    yield f"refused {missing.status} {missing.code}: {missing.detail}"

    wrong = CreateRecord("contact", CreateRecordProperties.from_dict({"nmae": "Ada"}))
    refused = record_create.sync(client=client, body=wrong)
    assert isinstance(refused, ValidationFailedOrIdempotencyMismatchProblem), refused
    yield f"refused {refused.status} {refused.code}: {refused.detail}"


if __name__ == "__main__":
    for line in walk(*sys.argv[1:]):
        print(line)
