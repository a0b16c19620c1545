/** Places in a grid: where the focus is, what is marked, and where a key leads. */

/** Row -1 is the head. */
export interface Place {
  row: number;
  column: number;
}

/** A block of cells, both ends included. */
export interface Block {
  top: number;
  bottom: number;
  first: number;
  last: number;
}

export interface Size {
  rows: number;
  columns: number;
  /** Rows that the window shows, for Page Up and Page Down. */
  page: number;
}

export const HEAD = -1;

const between = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));

/** Where *event* leads from *at*; null for a key that does not move. */
export function moved(
  at: Place,
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">,
  size: Size,
  isMirrored = false,
): Place | null {
  const far = event.ctrlKey || event.metaKey;
  const [left, right] = isMirrored ? [1, -1] : [-1, 1];
  const by = (rows: number, columns: number): Place => ({
    row: between(at.row + rows, event.shiftKey ? 0 : HEAD, size.rows - 1),
    column: between(at.column + columns, 0, size.columns - 1),
  });
  switch (event.key) {
    case "ArrowUp":
      return far ? { ...at, row: 0 } : by(-1, 0);
    case "ArrowDown":
      return far ? { ...at, row: size.rows - 1 } : by(1, 0);
    case "ArrowLeft":
      return far ? { ...at, column: isMirrored ? size.columns - 1 : 0 } : by(0, left);
    case "ArrowRight":
      return far ? { ...at, column: isMirrored ? 0 : size.columns - 1 } : by(0, right);
    case "Home":
      return far ? { row: 0, column: 0 } : { ...at, column: 0 };
    case "End":
      return far ? { row: size.rows - 1, column: size.columns - 1 } : { ...at, column: size.columns - 1 };
    case "PageUp":
      return { ...at, row: between(at.row - size.page, 0, size.rows - 1) };
    case "PageDown":
      return { ...at, row: between(at.row + size.page, 0, size.rows - 1) };
    default:
      return null;
  }
}

/** The cells from *anchor* to *at*. */
export const blockOf = (anchor: Place, at: Place): Block => ({
  top: Math.max(0, Math.min(anchor.row, at.row)),
  bottom: Math.max(anchor.row, at.row),
  first: Math.min(anchor.column, at.column),
  last: Math.max(anchor.column, at.column),
});
