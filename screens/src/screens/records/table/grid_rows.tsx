/** The rows of the grid that the window shows. Apart from the grid, so that scrolling draws nothing else. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { type Slotted, slotted, useWindow } from "../../../parts/window";
import { refusals, withPending } from "../pending";
import type { RecordLine } from "../values/properties";
import type { Column } from "./columns";
import { ROW_HEIGHT } from "./focus";
import type { Block, Place } from "./places";
import { type Editing, Row, rowId } from "./row";
import type { Selected } from "./selected";
import "../../../styles/records.css";

interface RowsProps {
  grid: RefObject<HTMLDivElement | null>;
  body: RefObject<HTMLDivElement | null>;
  /** Where it says how many rows are drawn. */
  drawn: { current: number };
  rows: readonly RecordLine[];
  columns: readonly Column[];
  see: (first: number, last: number) => void;
  canSelect: boolean;
  selected: Selected;
  /** The cell with the focus, if the grid has it. */
  focus: Place | null;
  /** What is marked. */
  block: Block | null;
  editing: Editing | null;
}

export function GridRows({ grid, body, drawn, rows, columns, see, canSelect, selected, focus, block, editing }: RowsProps) {
  const inWindow = useWindow(grid, body, { count: rows.length, height: ROW_HEIGHT });
  const { first, last, span } = inWindow;
  useEffect(() => {
    drawn.current = last - first;
    see(first, last);
  }, [first, last, rows]);
  const slots = slotted(inWindow);
  const edited = editing ? rows.findIndex(({ id }) => id === editing.record.id) : -1;
  const drawnRows = editing && edited >= 0 ? editing.pin(slots, edited, span) : slots;
  return (
    <div class="grid-rows" role="rowgroup" ref={body} aria-owns={inOrder(drawnRows)} style={{ blockSize: `${rows.length * ROW_HEIGHT}px` }}>
      {drawnRows.map(({ slot, row }) => {
        const record = withPending(rows[row] as RecordLine);
        const isMarked = block && row >= block.top && row <= block.bottom;
        return (
          <Row
            key={slot}
            slot={slot}
            record={record}
            at={row}
            columns={columns}
            canSelect={canSelect}
            isSelected={selected.ids.has(record.id)}
            focus={focus?.row === row ? focus.column : null}
            first={isMarked ? block.first : null}
            last={isMarked ? block.last : null}
            editing={row === edited ? editing : null}
            refused={refusals.value}
          />
        );
      })}
    </div>
  );
}

const inOrder = (slots: readonly Slotted[]): string =>
  slots
    .toSorted((one, other) => one.row - other.row)
    .map(({ slot }) => rowId(slot))
    .join(" ");
