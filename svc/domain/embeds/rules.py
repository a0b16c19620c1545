"""Validation of an embed when it is saved: it shows what its owner meant, and no personal data."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar, assert_never

from svc.domain.embeds.blocks import AnyBlock, FormBlock, HeroBlock, RecordsBlock, TextBlock
from svc.domain.embeds.html_safety import check_href, check_src
from svc.domain.embeds.limits import (
    EMBED_BODY_CHARS_MAX,
    EMBED_FIELDS_MAX,
    EMBED_ROWS_MAX,
    EMBED_SUBTITLE_CHARS_MAX,
    EMBED_TITLE_CHARS_MAX,
)
from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.input.near_names import hint, shown
from svc.domain.records.objects import is_public
from svc.domain.records.properties import Property
from svc.domain.records.queries import parse, placed
from svc.domain.records.values import is_storable

P_co = TypeVar("P_co", bound=Property, covariant=True)


class ObjectFacts(Protocol[P_co]):
    """The object of a block of records, as far as validation needs it."""

    @property
    def publishable(self) -> bool: ...

    @property
    def properties(self) -> Mapping[str, P_co]: ...


class NamedByBlocks(Protocol):
    """The objects and forms of an organization that blocks may refer to."""

    @property
    def country(self) -> str: ...

    @property
    def objects(self) -> Mapping[str, ObjectFacts[Property]]: ...

    @property
    def form_ids(self) -> Collection[str]: ...


def name_faults(name: str) -> list[Fault]:
    """The faults of an embed's name."""
    return _text_faults("/name", name, NAME_CHARS_MAX)


def block_faults(blocks: Sequence[AnyBlock], known: NamedByBlocks, blocks_max: int) -> list[Fault]:
    """Every fault of *blocks*, of which there may be *blocks_max*."""
    if len(blocks) > blocks_max:
        return [Fault("/blocks", "too_many", f"at most {blocks_max}")]
    return [
        fault for place, block in enumerate(blocks) for fault in _faults(f"/blocks/{place}", block, known)
    ]


def public_fields(block: RecordsBlock, object_: ObjectFacts[P_co]) -> list[P_co]:
    """The properties that *block* shows, in its order: those that exist and are public."""
    shown_properties = [object_.properties[slug] for slug in block.fields if slug in object_.properties]
    return [prop for prop in shown_properties if is_public(prop)]


def hidden_condition(block: RecordsBlock, object_: ObjectFacts[P_co]) -> str | None:
    """The pointer, below the block, to a filter or sort on a property that is not public."""
    conditions = [(f"/filters{pointer}/property", asked.property) for pointer, asked in placed(block.filters)]
    conditions += [
        (f"/sort/{place}/property", condition.property) for place, condition in enumerate(block.sort)
    ]
    for pointer, slug in conditions:
        prop = object_.properties.get(slug)
        if prop is not None and not is_public(prop):
            return pointer
    return None


def _faults(at: str, block: AnyBlock, known: NamedByBlocks) -> Iterator[Fault]:
    match block:
        case HeroBlock():
            yield from _text_faults(f"{at}/title", block.title, EMBED_TITLE_CHARS_MAX)
            yield from _text_faults(f"{at}/subtitle", block.subtitle, EMBED_SUBTITLE_CHARS_MAX)
            yield from _text_faults(f"{at}/ctaLabel", block.cta_label, EMBED_TITLE_CHARS_MAX)
            yield from _address_faults(f"{at}/image", block.image, check_src)
            yield from _address_faults(f"{at}/ctaHref", block.cta_href, check_href)
        case TextBlock():
            yield from _text_faults(f"{at}/body", block.body, EMBED_BODY_CHARS_MAX)
            yield from _heading_faults(at, block.heading)
        case FormBlock():
            yield from _heading_faults(at, block.heading)
            if block.form_id not in known.form_ids:
                yield Fault(f"{at}/formId", "not_found", f"there is no form {shown(block.form_id)}")
        case RecordsBlock():
            yield from _heading_faults(at, block.heading)
            object_ = known.objects.get(block.object_type)
            if object_ is None:
                slug = block.object_type
                detail = f"there is no object {shown(slug)}{hint(slug, known.objects)}"
                yield Fault(f"{at}/objectType", "not_found", detail)
            else:
                yield from _records_faults(at, block, object_, known.country)
        case _:
            assert_never(block)


def _records_faults(
    at: str, block: RecordsBlock, object_: ObjectFacts[Property], country: str
) -> Iterator[Fault]:
    if len(block.fields) > EMBED_FIELDS_MAX:
        yield Fault(f"{at}/fields", "too_many", f"at most {EMBED_FIELDS_MAX}")
    for place, slug in enumerate(block.fields):
        if slug not in object_.properties:
            detail = f"{shown(slug)} is no property of this object{hint(slug, object_.properties)}"
            yield Fault(f"{at}/fields/{place}", "unknown_property", detail)
        elif slug in block.fields[:place]:
            yield Fault(f"{at}/fields/{place}", "invalid_value", "named twice")
    if not 0 < block.limit <= EMBED_ROWS_MAX:
        yield Fault(f"{at}/limit", "invalid_value", f"not between 1 and {EMBED_ROWS_MAX}")
    try:
        parse(object_.properties, block.filters, block.sort, country)
    except InvalidInput as error:
        for fault in error.faults:
            yield Fault(at + fault.pointer, fault.code, fault.detail)
    if hidden := hidden_condition(block, object_):
        yield Fault(at + hidden, "personal_property", "what is personal may not be inferred from an embed")


def _heading_faults(at: str, heading: str | None) -> list[Fault]:
    return _text_faults(f"{at}/heading", heading, EMBED_TITLE_CHARS_MAX)


def _text_faults(pointer: str, text: str | None, characters_max: int) -> list[Fault]:
    if text is None:
        return []
    if not 0 < len(text) <= characters_max or not text.strip():
        return [Fault(pointer, "invalid_value", f"not 1 to {characters_max} characters")]
    if not is_storable(text):
        return [Fault(pointer, "invalid_value", "holds a character that cannot be stored")]
    return []


def _address_faults(pointer: str, address: str | None, check: Callable[[str], None]) -> list[Fault]:
    try:
        if address is not None:
            check(address)
    except InvalidValue as error:
        return [Fault(pointer, "invalid_value", str(error))]
    return []
