"""Files that are stored together with what uses them, such as the attachments of a message."""

from collections.abc import Mapping
from typing import NamedTuple

from svc.domain.files.files import Use
from svc.storage.files import files, uses
from svc.storage.files.files import NewFile
from svc.storage.files.uses import FileUse
from svc.storage.store import Tx


class PlannedFile(NamedTuple):
    """A file that is stored with its subject."""

    file_id: str
    size: int


def plan(tx: Tx, organization_id: str, contents: Mapping[int, NewFile]) -> dict[int, PlannedFile]:
    """The files that *contents*, by their places, become; none where there is no room for all of them."""
    sizes = [new.facts.size for new in contents.values()]
    if not sizes or not files.has_room(tx.conn, organization_id, sizes):
        return {}
    return {place: PlannedFile(tx.new_id("fil"), new.facts.size) for place, new in contents.items()}


def add(
    tx: Tx,
    organization_id: str,
    by: Use,
    contents: Mapping[int, NewFile],
    planned: Mapping[int, PlannedFile],
) -> None:
    """Store the files that were *planned*, and that they are used *by* something."""
    for place, file in planned.items():
        files.add(tx, organization_id, contents[place], file.file_id)
        uses.add(tx.conn, [FileUse(file.file_id, by.id, str(place), organization_id, by.noun)])
