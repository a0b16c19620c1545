/** What changes cells of the grid: copying, pasting, emptying. Loaded once the grid is drawn, with the fields of values. */
import { toast } from "../../../house/toasts";
import { recordsLater as words } from "../../../messages/en/records_later";
import { say } from "../../../messages/messages";
import type { Slotted } from "../../../parts/window";
import { withPending } from "../pending";
import { type Change, currencySlug, type Edit, type Property, type RecordLine } from "../values/properties";
import { copyCells, pastedCells, takePasted } from "./cells_text";
import type { Column } from "./columns";
import type { Block } from "./places";

export { save, undo } from "../edits";
export { ValueField } from "../values/value_field";
export { headKey } from "./head_keys";

/**
 * Keeps a row that is edited in the slot in which its field stands, however far it is scrolled away or moved: an element that is
 * put elsewhere loses its focus. What comes into that slot takes one that no row has.
 */
export function pinning(): (slots: readonly Slotted[], row: number, spare: number) => readonly Slotted[] {
  let own: number | undefined;
  return (slots, row, spare) => {
    const slot = own ?? row % spare;
    own = slot;
    const others = slots.filter((one) => one.row !== row).map((one) => (one.slot === slot ? { ...one, slot: spare } : one));
    return [...others, { slot, row }].sort((one, other) => one.slot - other.slot);
  };
}

const PASTED_MAX = 5_000;

export function copyBlock(
  data: DataTransfer,
  { top, bottom, first, last }: Block,
  rows: readonly RecordLine[],
  columns: readonly Column[],
): void {
  const marked = rows.slice(top, bottom + 1).map((row) => withPending(row));
  copyCells(
    data,
    marked,
    columns.slice(first, last + 1).map(({ property }) => property),
  );
}

/** As a text alone, where it is too late for what is copied to be more. */
export async function copyAsText(block: Block, rows: readonly RecordLine[], columns: readonly Column[]): Promise<void> {
  const data = new DataTransfer();
  copyBlock(data, block, rows, columns);
  await navigator.clipboard.writeText(data.getData("text/plain"));
}

/** What empties the cells of *block*. */
export function emptied({ top, bottom, first, last }: Block, rows: readonly RecordLine[], columns: readonly Column[]): Edit[] {
  return rows.slice(top, bottom + 1).flatMap((row): Edit[] => {
    const record = withPending(row);
    const slugs = columns.slice(first, last + 1).flatMap(({ property: { slug } }) => (record.properties[slug] == null ? [] : slug));
    const change: Change = { values: Object.fromEntries(slugs.map((slug) => [slug, null])), texts: {} };
    return slugs.length > 0 ? [{ record, change }] : [];
  });
}

/** What pasting *data* at *block* changes, and where what was pasted ends if that is to be marked. */
export async function paste(data: DataTransfer, block: Block, isBlock: boolean, rows: readonly RecordLine[], columns: readonly Column[]) {
  const cells = pastedCells(data).slice(0, PASTED_MAX);
  const { made, faults } = await editsOfPasted(cells, block, isBlock, rows, columns);
  const why = [...new Set(faults)].slice(0, 3).join(" ");
  if (faults.length > 0) toast(say(words.notPasted, { n: faults.length, why }), { kind: "failed" });
  const width = Math.max(0, ...cells.map((row) => row.length));
  const isOne = isBlock || cells.length * width <= 1;
  const end = {
    row: Math.min(rows.length, block.top + cells.length) - 1,
    column: Math.min(columns.length, block.first + width) - 1,
  };
  return { edits: made, end: isOne ? null : end };
}

/** What pasting *cells* at *block* changes; one cell fills the whole block. */
async function editsOfPasted(
  cells: ReturnType<typeof pastedCells>,
  block: Block,
  isBlock: boolean,
  rows: readonly RecordLine[],
  columns: readonly Column[],
): Promise<{ made: Edit[]; faults: string[] }> {
  const fills = cells.length === 1 && cells[0]?.length === 1 && isBlock;
  const height = fills ? block.bottom - block.top + 1 : cells.length;
  const made: Edit[] = [];
  const faults: string[] = [];
  for (let down = 0; down < height; down += 1) {
    const row = rows[block.top + down];
    if (!row) break;
    const record = withPending(row);
    const values: Record<string, unknown> = {};
    const texts: Record<string, string> = {};
    const line = fills ? Array(block.last - block.first + 1).fill(cells[0]?.[0]) : (cells[down] ?? []);
    for (const [along, cell] of line.entries()) {
      const property = columns[block.first + along]?.property;
      if (!property || !cell) continue;
      const taken = await takePasted(cell, property);
      if (!taken.ok) faults.push(taken.fault);
      else if (differs(record, property, taken.change)) {
        Object.assign(values, taken.change.values);
        Object.assign(texts, taken.change.texts);
      }
    }
    if (Object.keys(values).length > 0) made.push({ record, change: { values, texts } });
  }
  return { made, faults };
}

function differs({ properties }: RecordLine, property: Property, { values }: Change): boolean {
  return [property.slug, currencySlug(property)].some(
    (slug) => slug in values && JSON.stringify(values[slug] ?? null) !== JSON.stringify(properties[slug] ?? null),
  );
}
