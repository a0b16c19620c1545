/** Opens the palette, which is loaded once the page has been drawn: it is no part of what a first visit waits for. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

const AFTER_MS = 1_000;

export const paletteIsOpen = signal(false);
const loaded = signal<ComponentType<{ early: string; onClose: () => void }> | null>(null);
/** What is typed between the key that opens it and its field being there. */
let early = "";

async function load(): Promise<void> {
  const module = await import("./palette").catch(() => null);
  if (module) loaded.value = module.OpenPalette;
  else paletteIsOpen.value = false; // There is no connection: the next try loads it.
}

export function openPalette(): void {
  early = "";
  paletteIsOpen.value = true;
  if (!loaded.peek()) void load();
}

export const closePalette = (): void => {
  paletteIsOpen.value = false;
};

// Before the keys of the page are looked at.
document.addEventListener(
  "keydown",
  (event) => {
    if (!paletteIsOpen.peek() || loaded.peek() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") closePalette();
    else if (event.key.length === 1) early += event.key;
    else return;
    event.preventDefault();
  },
  true,
);

export function Palette() {
  useEffect(() => {
    const timer = setTimeout(() => void load(), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const OpenPalette = loaded.value;
  return paletteIsOpen.value && OpenPalette ? <OpenPalette early={early} onClose={closePalette} /> : null;
}
