/** The cell with the focus: it stays with its record, and in sight. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { RecordLine } from "../values/properties";
import type { Column } from "./columns";
import { HEAD, type Place } from "./places";

export const ROW_HEIGHT = 40;
/** Of the column of boxes. */
export const CHECK_WIDTH = 40;

/** Keep the focus on the record that has it when rows come, go or change places. */
export function useFollowed(rows: readonly RecordLine[], at: Place, setAt: (at: Place) => void): void {
  const id = useRef<string | undefined>(undefined);
  const before = useRef(rows);
  useLayoutEffect(() => {
    if (before.current !== rows && at.row >= 0 && rows[at.row]?.id !== id.current) {
      const now = rows.findIndex((row) => row.id === id.current);
      if (now >= 0) setAt({ ...at, row: now });
      else if (at.row >= rows.length) setAt({ ...at, row: Math.max(0, rows.length - 1) });
    }
    before.current = rows;
    id.current = rows[at.row]?.id;
  }, [rows, at]);
}

/** Scroll so that the cell with the focus is seen, beside the head, the foot and the first column, which stay. */
export function useInSight(
  grid: { current: HTMLElement | null },
  body: { current: HTMLElement | null },
  at: Place,
  columns: readonly Column[],
  hasFocus: boolean,
): void {
  useLayoutEffect(() => {
    if (!grid.current || !body.current || !hasFocus || at.row === HEAD) return;
    const head = body.current.offsetTop;
    const foot = grid.current.querySelector<HTMLElement>(".grid-foot")?.offsetHeight ?? 0;
    const top = at.row * ROW_HEIGHT;
    const { scrollTop, clientHeight, scrollLeft, clientWidth } = grid.current;
    if (top < scrollTop) grid.current.scrollTop = top;
    else if (top + ROW_HEIGHT > scrollTop + clientHeight - head - foot)
      grid.current.scrollTop = top + ROW_HEIGHT - clientHeight + head + foot;
    if (at.column === 0) return;
    const stays = CHECK_WIDTH + (columns[0]?.width ?? 0);
    const start = columns.slice(1, at.column).reduce((sum, column) => sum + column.width, 0);
    const end = start + (columns[at.column]?.width ?? 0);
    const way = scrollLeft < 0 ? -1 : 1; // To the left where it is mirrored.
    const from = Math.abs(scrollLeft);
    if (start < from) grid.current.scrollLeft = way * start;
    else if (end > from + clientWidth - stays) grid.current.scrollLeft = way * (end + stays - clientWidth);
  }, [at, hasFocus]);
}
