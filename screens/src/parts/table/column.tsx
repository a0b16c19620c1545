/** Columns: how wide they are, what stands above them, and a row's cells in them. */
import type { ComponentChildren } from "preact";
import { messages } from "../../messages/messages";

export interface Column<R> {
  key: string;
  label: string;
  cell: (row: R) => ComponentChildren;
  /** Numbers stand at the end. */
  align?: "end";
  /** A part of the width, such as `30%`; the rest is shared. */
  width?: string;
  /**
   * On a phone, where a row is a card: `title` is its first line, `side` stands at the end of that, `line` below
   * with the label, `plain` below without it, `text` below on a line of its own, `hidden` not at all.
   */
  phone?: "title" | "side" | "line" | "plain" | "text" | "hidden";
}

interface HeadProps<R> {
  columns: readonly Column<R>[];
  /** The box that selects all rows, where they can be selected. */
  selectAll: ComponentChildren;
  hasActions: boolean;
}

export function Head<R>({ columns, selectAll, hasActions }: HeadProps<R>) {
  return (
    <>
      <colgroup>
        {selectAll && <col class="table-check" />}
        {columns.map((column) => (
          <col key={column.key} {...(column.width && { style: { width: column.width } })} />
        ))}
        {hasActions && <col class="table-actions" />}
      </colgroup>
      <thead>
        <tr>
          {selectAll && <th class="table-check">{selectAll}</th>}
          {columns.map((column) => (
            <th key={column.key} scope="col" class={column.align === "end" ? "number" : undefined}>
              {column.label}
            </th>
          ))}
          {hasActions && (
            <th class="table-actions">
              <span class="hidden">{messages.common.more}</span>
            </th>
          )}
        </tr>
      </thead>
    </>
  );
}

interface CellsProps<R> {
  columns: readonly Column<R>[];
  row: R;
  id: string;
  href: string | undefined;
  isOpen: boolean;
}

/** The first one is the link to where the row leads. */
export function Cells<R>({ columns, row, id, href, isOpen }: CellsProps<R>) {
  return (
    <>
      {columns.map((column, index) => (
        <td
          key={column.key}
          class={column.align === "end" ? "number" : undefined}
          data-phone={column.phone ?? (index === 0 ? "title" : "line")}
          data-label={column.label}
        >
          {index === 0 && href !== undefined ? (
            <a data-row draggable={false} id={`open-${id}`} href={href} aria-current={isOpen ? "true" : undefined}>
              {column.cell(row)}
            </a>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </>
  );
}
