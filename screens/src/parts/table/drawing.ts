/** The drawing of a table in two goes: the rows that the window shows, then all. */
import { useEffect, useState } from "preact/hooks";

const ROW_HEIGHT = 40; // At least.

/**
 * How many of *count* rows are drawn: at first those that the window can show, so that they are seen before
 * the others cost anything, and all once these are painted.
 */
export function useDrawnCount(count: number): number {
  const [all, setAll] = useState(false);
  const first = Math.ceil(window.innerHeight / ROW_HEIGHT);
  const isMore = !all && count > first;
  useEffect(() => {
    if (!isMore) return undefined;
    let after = 0;
    const frame = requestAnimationFrame(() => (after = window.setTimeout(() => setAll(true))));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(after);
    };
  }, [isMore]);
  return isMore ? first : count;
}
