/**
 * Keys of the program: single letters and `G` with a letter. Never while typing, never with a modifier that
 * a browser or a screen reader needs, and they can be switched off.
 */
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

const SEQUENCE_MS = 1_500;
const OFF = "svc-keys-off";

export interface Key {
  /** `j`, `Enter`, `?`, `g s`. Letters are lower case. */
  key: string;
  label: string;
  run: () => void;
  /** Also in a dialog. */
  inDialogs?: boolean;
}

interface Layer {
  keys: () => Key[];
  /** When its component was first drawn: a component is before what is in it. */
  drawn: number;
}

const layers: Layer[] = [];
let drawn = 0;
/** Whether single keys work in this browser. */
export const keysAreOn = signal(localStorage.getItem(OFF) === null);

export function switchKeys(on: boolean): void {
  keysAreOn.value = on;
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "1");
}

/** Have *keys* work while the component is there. The component that came last wins, or is within the other. */
export function useKeys(keys: Key[]): void {
  const now = useRef(keys);
  now.current = keys;
  const place = useRef(0);
  place.current ||= ++drawn;
  // As soon as it is seen: a key that comes before the next frame is meant for it.
  useLayoutEffect(() => {
    const layer = { keys: () => now.current, drawn: place.current };
    layers.push(layer);
    layers.sort((one, other) => one.drawn - other.drawn); // Effects of what is within run first.
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, []);
}

/** What works now, the last layer first: for the list of keys and for the palette. */
export function activeKeys(): Key[] {
  return layers.toReversed().flatMap((layer) => layer.keys());
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return Boolean(element?.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]"));
}

let prefix = "";
let prefixTimer = 0;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!keysAreOn.peek() && event.key !== "Escape") return;
  if (isTyping(event.target) || document.querySelector(":popover-open")) return;
  const inDialog = document.querySelector("dialog:modal") !== null;
  const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const asked = prefix ? `${prefix} ${pressed}` : pressed;
  clearTimeout(prefixTimer);
  prefix = "";
  // A control that has the focus has its own Enter and Space.
  if (["Enter", " "].includes(pressed) && (event.target as Element | null)?.closest("a, button, summary, input")) return;
  const keys = activeKeys().filter((key) => !inDialog || key.inDialogs);
  const found = keys.find((key) => key.key === asked);
  if (found) {
    event.preventDefault();
    found.run();
  } else if (keys.some((key) => key.key.startsWith(`${asked} `))) {
    prefix = asked;
    prefixTimer = window.setTimeout(() => (prefix = ""), SEQUENCE_MS);
  }
});
