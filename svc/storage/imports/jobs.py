"""Imports, opened for an upload, started, and cancelled; an organization has one at a time."""

import msgspec

from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, named_at
from svc.domain.identity.callers import Call
from svc.domain.imports.columns import ID, IF_VERSION, check_columns, proposals
from svc.domain.imports.exported import FileFormat
from svc.domain.imports.imports import BY_ID, BY_MATCH, Counts, Layout, ReadingSettings
from svc.domain.imports.layouts import layout_of
from svc.domain.imports.encodings import Encoding
from svc.domain.limits import IMPORT_BYTES_MAX
from svc.domain.near_names import hint, shown
from svc.domain.records.matching import IDENTITY_KINDS
from svc.domain.records.objects import CONTACT
from svc.storage.imports import rows as import_rows
from svc.storage.imports import starters, uploads
from svc.storage.imports.announcing import announce_progress, announce_start
from svc.storage.imports.rows import Import
from svc.storage.records import objects
from svc.storage.records.objects import StoredObject
from svc.storage.store import Tx
