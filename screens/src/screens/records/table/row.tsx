/** A row of the grid: drawn anew only when something of it is another. */
import { Component, type ComponentType } from "preact";
import { to } from "../../../house/address";
import { records as words } from "../../../messages/en/records";
import { messages, say } from "../../../messages/messages";
import { Icon } from "../../../parts/icon";
import type { Slotted } from "../../../parts/window";
import { cellKey } from "../pending";
import type { Onward, ValueFieldProps } from "../values/editing";
import { type Change, type RecordLine, titleOf } from "../values/properties";
import { isPlain, ValueText } from "../values/value_text";
import { textOf } from "../values/writing";
import { alignOf, type Column } from "./columns";
import { ROW_HEIGHT } from "./focus";
import "../../../styles/records.css";

export const rowId = (slot: number): string => `row-${slot}`;
export const cellId = (row: number, column: number): string => `cell-${row}-${column}`;

/** What is done in a cell that is edited. */
export interface Editing {
  Field: ComponentType<ValueFieldProps>;
  record: RecordLine;
  column: number;
  begin: string | undefined;
  /** Keeps its row where it is among the elements. */
  pin: (slots: readonly Slotted[], row: number, spare: number) => readonly Slotted[];
  onSave: (change: Change, onward: Onward) => void;
  onCancel: () => void;
}

interface RowProps {
  record: RecordLine;
  slot: number;
  at: number;
  columns: readonly Column[];
  isSelected: boolean;
  canSelect: boolean;
  /** The column that has the focus, if it is in this row. */
  focus: number | null;
  /** The first and the last column that are marked. */
  first: number | null;
  last: number | null;
  editing: Editing | null;
  /** Why values were refused, by `cellKey`: of this row and of others. */
  refused: ReadonlyMap<string, string>;
}

export class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return (Object.keys(next) as (keyof RowProps)[]).some((key) => next[key] !== this.props[key]);
  }

  render() {
    const { record, slot, at, columns, isSelected, canSelect } = this.props;
    const name = titleOf(
      record,
      columns.map(({ property }) => property),
    );
    return (
      <div
        id={rowId(slot)}
        class="grid-row"
        role="row"
        aria-rowindex={at + 2}
        aria-selected={canSelect ? isSelected : undefined}
        data-id={record.id}
        data-edited={this.props.editing ? "" : undefined}
        style={{ transform: `translateY(${at * ROW_HEIGHT}px)` }}
      >
        {canSelect && (
          <div class="grid-check" role="gridcell">
            <input type="checkbox" tabIndex={-1} checked={isSelected} aria-label={say(messages.table.select, { name })} data-select />
          </div>
        )}
        {columns.map((_, place) => this.cell(place, name))}
      </div>
    );
  }

  private cell(place: number, name: string) {
    const { record, at, columns, focus, first, last, editing, refused } = this.props;
    const { property } = columns[place] as Column;
    const isEdited = editing?.column === place;
    const isMarked = first !== null && last !== null && place >= first && place <= last;
    const fault = refused.get(cellKey(record.id, property.slug));
    const isText = place > 0 && !isEdited && isPlain(property);
    return (
      <div
        key={property.slug}
        id={focus === place ? cellId(at, place) : undefined}
        class={place === 0 ? "grid-cell grid-name" : isText ? "grid-cell grid-text" : "grid-cell"}
        role="gridcell"
        dir={isText ? "auto" : undefined}
        data-column={place}
        data-align={alignOf(property)}
        data-focus={focus === place ? "" : undefined}
        data-marked={isMarked ? "" : undefined}
        data-editing={isEdited ? "" : undefined}
        aria-invalid={fault ? "true" : undefined}
      >
        {isEdited && editing ? (
          <editing.Field
            property={property}
            record={editing.record}
            begin={editing.begin}
            onSave={editing.onSave}
            onCancel={editing.onCancel}
          />
        ) : isText ? (
          textOf(property, record)
        ) : place === 0 ? (
          <a class="grid-open" tabIndex={-1} href={to(`/app/records/${record.objectType}/${record.id}`)}>
            {property.slug in record.properties ? <ValueText property={property} record={record} bare /> : <span class="soft">{name}</span>}
          </a>
        ) : (
          <ValueText property={property} record={record} />
        )}
        {fault && !isEdited && (
          <span class="grid-fault" title={say(words.refused, { why: fault })}>
            <Icon name="circle-alert" size={14} label={say(words.refused, { why: fault })} />
          </span>
        )}
      </div>
    );
  }
}
