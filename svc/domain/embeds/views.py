"""What an embed shows: its blocks with the values of published records, and their JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, assert_never

import msgspec
from markupsafe import escape
from msgspec import UNSET, UnsetType

from svc.domain.embeds.blocks import FormBlock, HeroBlock, RecordsBlock, Refused, TextBlock
from svc.domain.embeds.embedded_forms import EmbeddedForm
from svc.domain.embeds.html_safety import is_safe_href, is_safe_src
from svc.domain.embeds.limits import EMBED_RECORDS_BYTES_MAX
from svc.domain.files.files import is_file_id
from svc.domain.records.formats import Formats
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import CURRENCY_SUFFIX, Property
from svc.domain.records.values import Values

Row = dict[str, Any]
Texts = dict[str, str]

_CELL_BYTES: Final = 360
"""Bytes of HTML that a cell takes beside its text."""


class Column(msgspec.Struct, frozen=True):
    """A column of a block of records."""

    slug: str
    label: str


class RecordsView(msgspec.Struct, frozen=True, kw_only=True):
    """A block of records with what it shows, or why it shows nothing."""

    block: RecordsBlock
    properties: tuple[Property, ...] = ()
    rows: tuple[Row, ...] = ()
    """Raw values by slug, an amount's currency beside it."""
    texts: tuple[Texts, ...] = ()
    """The formatted text of each cell of `rows`."""
    refused: Refused | None = None


class FormView(msgspec.Struct, frozen=True, kw_only=True):
    """A block with a form; without one when the form takes no submissions now."""

    block: FormBlock
    form: EmbeddedForm | None


BlockView = HeroBlock | TextBlock | RecordsView | FormView


class ShownRecords(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="records"
):
    """A block of records as JSON shows it."""

    object_type: str
    heading: str | UnsetType = UNSET
    columns: list[Column]
    rows: tuple[Row, ...]
    text: tuple[Texts, ...]
    refused: Refused | UnsetType = UNSET


class ShownEmbed(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An embed as JSON shows it."""

    ok: bool
    blocks: list[HeroBlock | TextBlock | ShownRecords | FormBlock]
    form_keys: dict[str, str]


class Allowance:
    """The bytes that the records of one embed may still take."""

    __slots__ = ("left",)

    def __init__(self, bytes_max: int = EMBED_RECORDS_BYTES_MAX) -> None:
        self.left = bytes_max

    def take(self, row: Row, texts: Texts) -> bool:
        """Take the room for a row, if there is enough."""
        written = sum(_CELL_BYTES + len(escape(text).encode()) for text in texts.values())
        self.left -= len(msgspec.json.encode(row)) + written
        return self.left >= 0


def fill(
    block: RecordsBlock,
    properties: Sequence[Property],
    records: Iterable[Values],
    *,
    names: Mapping[str, str],
    formats: Formats,
    allowance: Allowance,
) -> RecordsView:
    """*block* with *properties* of *records*; a relation shows the name of the record that it leads to.

    *names* are those of related records, by id. Rows that are not allowed for are left out. Raises what
    `Formats.text` does for values that are none of their properties.
    """
    rows: list[Row] = []
    texts: list[Texts] = []
    for values in records:
        row: Row = {}
        text: Texts = {}
        for prop in properties:
            value = _raw(prop, values, names)
            currency = values.get(prop.slug + CURRENCY_SUFFIX) if prop.type == "amount" else None
            row[prop.slug] = value
            if prop.type == "amount":
                row[prop.slug + CURRENCY_SUFFIX] = currency
            text[prop.slug] = formats.text(prop, value, currency)
        if not allowance.take(row, text):
            break
        rows.append(row)
        texts.append(text)
    return RecordsView(block=block, properties=tuple(properties), rows=tuple(rows), texts=tuple(texts))


def _raw(prop: Property, values: Values, names: Mapping[str, str]) -> Any:
    """The value as it may be published: never an id of a record or a picture."""
    value = values.get(prop.slug)
    if value is None:
        return None
    match KINDS[prop.type].refers_to:
        case "record" | "member":
            return names.get(value)
        case "file":
            return None if is_file_id(value) or not is_safe_src(value) else value
        case None:
            return value if prop.type != "url" or is_safe_href(value) else None
        case other:
            assert_never(other)


def shown(views: Sequence[BlockView]) -> ShownEmbed:
    """*views* as JSON has them."""
    return ShownEmbed(
        ok=True,
        blocks=[_shown(view) for view in views],
        form_keys={
            view.block.form_id: view.form.form_key
            for view in views
            if isinstance(view, FormView) and view.form is not None
        },
    )


def _shown(view: BlockView) -> HeroBlock | TextBlock | ShownRecords | FormBlock:
    if isinstance(view, FormView):
        return view.block
    if not isinstance(view, RecordsView):
        return view
    return ShownRecords(
        object_type=view.block.object_type,
        heading=UNSET if view.block.heading is None else view.block.heading,
        columns=[Column(prop.slug, prop.label) for prop in view.properties],
        rows=view.rows,
        text=view.texts,
        refused=UNSET if view.refused is None else view.refused,
    )
