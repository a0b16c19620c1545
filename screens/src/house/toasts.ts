/** Short words on what was done, with a way back where there is one: 10 seconds, or the key `Z`. */
import { signal } from "@preact/signals";

export const TOAST_MS = 10_000;
const SHOWN_MAX = 3;

export interface Toast {
  id: number;
  text: string;
  kind: "done" | "failed";
  undo: (() => void) | null;
}

export const toasts = signal<Toast[]>([]);
let last = 0;

/** Say *text*; with *undo*, what was done can be taken back. */
export function toast(text: string, { undo = null, kind = "done" }: Partial<Pick<Toast, "undo" | "kind">> = {}): void {
  last += 1;
  toasts.value = [...toasts.value, { id: last, text, kind, undo }].slice(-SHOWN_MAX);
}

const NEXT = "svc-toast";

/** Say *text* on the page that comes after this one is loaded anew. */
export function toastOnNextPage(text: string): void {
  sessionStorage.setItem(NEXT, text);
}

const kept = sessionStorage.getItem(NEXT);
if (kept !== null) {
  sessionStorage.removeItem(NEXT);
  toast(kept);
}

export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
}

/** Take back the last thing that can be; false where there is none. */
export function undoLast(): boolean {
  const found = toasts.value.findLast((shown) => shown.undo);
  if (!found?.undo) return false;
  dismissToast(found.id);
  found.undo();
  return true;
}
