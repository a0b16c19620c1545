"""Views of embeds, read from published records and forms."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, assert_never

import msgspec
import sqlalchemy as sa
import structlog

from svc.domain.embeds.blocks import AnyBlock, Embed, FormBlock, HeroBlock, RecordsBlock, Refused, TextBlock
from svc.domain.embeds.embedded_forms import EmbeddedForm, embedded
from svc.domain.embeds.rules import hidden_condition, public_fields
from svc.domain.embeds.views import Allowance, BlockView, FormView, RecordsView, fill
from svc.domain.errors import DomainError, InvalidInput, NotFound
from svc.domain.forms.acceptance import is_open
from svc.domain.identity.organizations import Organization
from svc.domain.records.formats import Formats
from svc.domain.records.objects import CONTACT, FIRST_PROPERTY, is_public
from svc.domain.records.queries import parse
from svc.domain.records.values import Values
from svc.storage.embeds import embeds
from svc.storage.forms import forms
from svc.storage.identity import organizations
from svc.storage.records import objects
from svc.storage.records.listing import lists as record_lists
from svc.storage.records.listing import related
from svc.storage.records.objects import StoredObject, StoredProperty

log = structlog.get_logger("svc.storage.embeds")

_PAGES_MAX = 4
"""Pages that are read for one block: each looks at so many records at most, see `EXAMINED_MAX`."""
_FAULTS = (DomainError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What wrong data raises, as opposed to a failing store."""


class BlockViews(NamedTuple):
    """What blocks show."""

    views: tuple[BlockView, ...]
    unindexed: tuple[str, ...]
    """Ids of properties that have no index yet, with which this had been quicker: see `listing.index`."""


def outline(views: Iterable[BlockView]) -> tuple[BlockView, ...]:
    """*views* when no records can be read."""
    return tuple(
        RecordsView(block=one.block, refused="error") if isinstance(one, RecordsView) else one
        for one in views
    )


def by_key(conn: sa.Connection, embed_key: str, now: int) -> tuple[Embed, BlockViews | None]:
    """The embed with the public key, and what it shows: nothing unless it is active. Raises `NotFound`."""
    embed = embeds.by_key(conn, embed_key)
    organization = organizations.get(conn, embed.organization_id)
    if embed.status != "active" or organization.closed_at is not None:
        return embed, None
    return embed, of_blocks(conn, organization, embed.blocks, now)


def refusals(
    conn: sa.Connection, organization: Organization, blocks: Sequence[AnyBlock], now: int
) -> dict[int, Refused]:
    """Which of *blocks*, by their places, would show nothing, and why."""
    reader = _Reader(conn, organization, now)
    found = {
        place: reader.refusal(block) for place, block in enumerate(blocks) if isinstance(block, RecordsBlock)
    }
    return {place: why for place, why in found.items() if why is not None}


def of_blocks(
    conn: sa.Connection,
    organization: Organization,
    blocks: Sequence[AnyBlock],
    now: int,
    *,
    as_if_published: Iterable[str] = (),
) -> BlockViews:
    """The views of *blocks*, of any embed; *as_if_published*: slugs of objects that might be published."""
    reader = _Reader(conn, organization, now, frozenset(as_if_published))
    views = tuple(map(reader.view, blocks))
    return BlockViews(views, tuple(dict.fromkeys(reader.unindexed)))


class _Reader:
    """Reads the blocks of one embed."""

    def __init__(
        self,
        conn: sa.Connection,
        organization: Organization,
        now: int,
        as_if_published: frozenset[str] = frozenset(),
    ) -> None:
        self._as_if_published = as_if_published
        self._conn = conn
        self._now = now
        self._organization = organization
        self._formats = Formats(organization.locale, organization.time_zone)
        self._allowance = Allowance()
        self._objects: dict[str, StoredObject | None] = {}
        self._forms: Mapping[str, EmbeddedForm] | None = None
        self.unindexed: list[str] = []

    def view(self, block: AnyBlock) -> BlockView:
        match block:
            case RecordsBlock():
                return self._records(block)
            case FormBlock():
                return FormView(block=block, form=self._form(block.form_id))
            case HeroBlock() | TextBlock():
                return block
            case _:
                assert_never(block)

    def _object(self, slug: str) -> StoredObject | None:
        if slug not in self._objects:
            try:
                found = objects.get(self._conn, self._organization.id, slug)
            except NotFound:
                self._objects[slug] = None
            else:
                publishable = found.publishable or slug in self._as_if_published
                self._objects[slug] = msgspec.structs.replace(found, publishable=publishable)
        return self._objects[slug]

    def refusal(self, block: RecordsBlock) -> Refused | None:
        """Why *block* would show nothing, as things are now."""
        planned = self._plan(block)
        return None if isinstance(planned, list) else planned

    def _plan(self, block: RecordsBlock) -> list[StoredProperty] | Refused:
        """The properties that *block* shows, or why there are none."""
        object_ = self._object(block.object_type)
        if object_ is None or not object_.publishable:
            return "not_publishable"
        if hidden_condition(block, object_) is not None:
            # Personal since it was saved. Without its filter the block would show what it was not meant to.
            return "error"
        try:
            parse(object_.properties, block.filters, block.sort, self._organization.country)
        except InvalidInput:
            return "error"  # what it asks for is gone since
        return [prop for prop in public_fields(block, object_) if self._leads_to_public(prop)] or "no_fields"

    def _records(self, block: RecordsBlock) -> RecordsView:
        planned = self._plan(block)
        if not isinstance(planned, list):
            return RecordsView(block=block, refused=planned)
        try:
            found = list(self._list(block))
            return fill(
                block,
                planned,
                found,
                names=self._names(planned, found),
                formats=self._formats,
                allowance=self._allowance,
            )
        except _FAULTS as error:
            log.warning("a block shows no records", object=block.object_type, why=type(error).__name__)
            return RecordsView(block=block, refused="error")

    def _list(self, block: RecordsBlock) -> Iterator[Values]:
        """The values of the block's records; a page may be short though there are more."""
        object_ = self._object(block.object_type)
        assert object_ is not None  # noqa: S101  # the block was planned
        left, cursor = block.limit, None
        for _ in range(_PAGES_MAX):
            page = record_lists.list_page(
                self._conn,
                object_,
                country=self._organization.country,
                filters=block.filters,
                sort=block.sort,
                cursor=cursor,
                limit=left,
            )
            self.unindexed += page.unindexed
            yield from (record.properties for record in page.records)
            left, cursor = left - len(page.records), page.next_cursor
            if not left or cursor is None:
                return

    def _leads_to_public(self, prop: StoredProperty) -> bool:
        """Whether a relation leads to records whose names may be shown. What is no relation leads nowhere."""
        if prop.type != "relation":
            return True
        object_ = self._object(prop.options[0])
        if object_ is None or not object_.publishable:
            return False
        name = object_.properties.get(FIRST_PROPERTY.slug)
        return name is not None and is_public(name)

    def _names(self, shown: Iterable[StoredProperty], found: Iterable[Values]) -> dict[str, str]:
        """The names of the records that relations lead to, by id."""
        relations = [prop.slug for prop in shown if prop.type == "relation"]
        ids = {values[slug] for values in found for slug in relations if slug in values}
        if not ids:
            return {}
        leads = related.by_ids(self._conn, self._organization.id, ids)
        named = {record_id: lead.values.get(FIRST_PROPERTY.slug) for record_id, lead in leads.items()}
        return {record_id: name for record_id, name in named.items() if name is not None}

    def _form(self, form_id: str) -> EmbeddedForm | None:
        """The form, if it takes submissions."""
        if self._forms is None:
            contact = self._object(CONTACT)
            properties = {} if contact is None else contact.properties
            self._forms = {
                form.id: embedded(form, properties)
                for form in forms.list_all(self._conn, self._organization.id)
                if is_open(form, self._organization, self._now)
            }
        return self._forms.get(form_id)
