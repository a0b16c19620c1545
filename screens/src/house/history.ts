/** What is edited, with the steps that can be taken back. */
import { useRef, useState } from "preact/hooks";

const STEPS_MAX = 100;
const JOINED_MS = 1_000;

interface Steps<T> {
  past: T[];
  now: T;
  future: T[];
}

/** A draft with undo and redo. What is typed into one field within a second, told by *what*, is one step. */
export function useHistory<T>(first: T) {
  const [steps, setSteps] = useState<Steps<T>>({ past: [], now: first, future: [] });
  const last = useRef({ what: "", at: 0 });
  const change = (made: (draft: T) => T, what = "") => {
    const at = performance.now();
    const isJoined = what !== "" && what === last.current.what && at - last.current.at < JOINED_MS;
    last.current = { what, at };
    setSteps(({ past, now }) => ({ past: isJoined ? past : [...past, now].slice(-STEPS_MAX), now: made(now), future: [] }));
  };
  const undo = () => {
    last.current.what = "";
    setSteps(({ past, now, future }) => {
      const before = past.at(-1);
      return before ? { past: past.slice(0, -1), now: before, future: [now, ...future] } : { past, now, future };
    });
  };
  const redo = () => {
    last.current.what = "";
    setSteps(({ past, now, future: [after, ...future] }) => (after ? { past: [...past, now], now: after, future } : { past, now, future }));
  };
  const reset = (draft: T) => setSteps({ past: [], now: draft, future: [] });
  return { draft: steps.now, change, undo, redo, reset, canUndo: steps.past.length > 0, canRedo: steps.future.length > 0 };
}
