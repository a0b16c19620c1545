/** Which rows the window shows: only these are drawn, however many there are. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Rows above and below that are drawn as well, so that a quick scroll shows none that are missing. */
const MARGIN = 8;
/** The rows that are drawn change by so many at once. */
const STEP = 2;

export interface Drawn {
  first: number;
  /** The one behind the last. */
  last: number;
  /** How many are drawn where there are enough: as many wherever one scrolls to. */
  span: number;
}

/**
 * From which to which of *count* rows of *height* px are drawn. They stand in *body*, and are scrolled by *scroller* or with
 * the page.
 */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  body: RefObject<HTMLElement | null>,
  { count, height }: { count: number; height: number },
): Drawn {
  const [at, setAt] = useState(() => {
    const shown = Math.ceil(window.innerHeight / height);
    return { first: 0, last: shown, span: shown };
  });
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      if (!body.current) return;
      const clip = scroller.current?.getBoundingClientRect();
      const top = body.current.getBoundingClientRect().top;
      const from = Math.max(0, clip?.top ?? 0);
      const until = Math.min(window.innerHeight, clip?.bottom ?? window.innerHeight);
      const span = (Math.ceil((until - from) / height / STEP) + 1) * STEP + 2 * MARGIN;
      const first = Math.max(0, Math.floor(((from - top) / height - MARGIN) / STEP) * STEP);
      setAt((before) => (before.first === first && before.span === span ? before : { first, last: first + span, span }));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    const on = scroller.current ?? window;
    on.addEventListener("scroll", soon, { passive: true });
    window.addEventListener("scroll", soon, { passive: true });
    window.addEventListener("resize", soon);
    return () => {
      cancelAnimationFrame(frame);
      on.removeEventListener("scroll", soon);
      window.removeEventListener("scroll", soon);
      window.removeEventListener("resize", soon);
    };
  }, [height, count]);
  return { first: Math.min(at.first, Math.max(0, count - 1)), last: Math.min(count, at.last), span: at.span };
}

export interface Slotted {
  slot: number;
  row: number;
}

/**
 * The rows that are drawn, each with its slot: one that comes takes the slot, and so the elements, of one that goes. Elements stay
 * where they are, so the slots do not stand in the order of the rows: `aria-owns` says it.
 */
export function slotted({ first, last, span }: Drawn): Slotted[] {
  return Array.from({ length: last - first }, (_, n) => ({ slot: (first + n) % span, row: first + n })).sort(
    (one, other) => one.slot - other.slot,
  );
}
