/** Which rows the window shows: only these are drawn, however many there are. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Rows above and below that are drawn as well, so that a quick scroll shows none that are missing. */
const MARGIN = 8;
/** The rows that are drawn change by so many at once. */
const STEP = 2;

/**
 * From which to which of *count* rows of *height* px are drawn. They stand in *body*, and are scrolled by *scroller* or with
 * the page.
 */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  body: RefObject<HTMLElement | null>,
  { count, height }: { count: number; height: number },
): { first: number; last: number } {
  const [at, setAt] = useState({ first: 0, last: Math.ceil(window.innerHeight / height) });
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      if (!body.current) return;
      const clip = scroller.current?.getBoundingClientRect();
      const top = body.current.getBoundingClientRect().top;
      const from = (Math.max(0, clip?.top ?? 0) - top) / height - MARGIN;
      const until = (Math.min(window.innerHeight, clip?.bottom ?? window.innerHeight) - top) / height + MARGIN;
      const first = Math.max(0, Math.floor(from / STEP) * STEP);
      const last = Math.max(first, Math.ceil(until / STEP) * STEP);
      setAt((before) => (before.first === first && before.last === last ? before : { first, last }));
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
  return { first: Math.min(at.first, Math.max(0, count - 1)), last: Math.min(count, at.last) };
}
