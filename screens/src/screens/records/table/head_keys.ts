/** Keys of the head of the grid. Loaded once the grid is drawn, with all that changes it. */
import { type Column, widen } from "./columns";
import type { HeadActions } from "./head";

const WIDEN_STEP = 16;

/** `Enter` sorts, `Alt` with an arrow moves the column, with `Shift` as well makes it wider. True for a key of these. */
export function headKey(
  event: KeyboardEvent,
  at: number,
  objectType: string,
  columns: readonly Column[],
  { sort, move }: HeadActions,
): boolean {
  const column = columns[at];
  if (!column) return false;
  const { slug } = column.property;
  if (event.key === "Enter" || event.key === " ") {
    sort(slug, event.shiftKey);
    return true;
  }
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (!event.altKey || step === 0) return false;
  const target = columns[at + step];
  if (event.shiftKey) widen(objectType, slug, column.width + step * WIDEN_STEP);
  else if (target && at > 0) move(slug, target.property.slug);
  return true;
}
