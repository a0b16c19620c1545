/** Columns of a list: which, in which order, and how wide. Widths are a browser's own. */
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { organization } from "../../../house/boot";
import { isNumeric, nameProperty, type Property } from "../values/properties";

export interface Column {
  property: Property;
  width: number;
}

const SHOWN_FIRST = 8;
export const WIDTH_MIN = 72;
export const WIDTH_MAX = 800;
const WIDTHS: Partial<Record<Property["type"], number>> = {
  boolean: 96,
  number: 110,
  amount: 130,
  duration: 110,
  date: 130,
  datetime: 190,
  select: 140,
  multi_select: 220,
  email: 220,
  phone: 150,
  long_text: 260,
  relation: 200,
  member: 180,
};
const NAME_WIDTH = 260;
const WIDTH = 160;

/** The properties that are shown: the one that names a record first, then those that are chosen. */
export function shownProperties(properties: readonly Property[], chosen: readonly string[] | null): readonly Property[] {
  const name = nameProperty(properties);
  const slugs =
    chosen ??
    properties
      .filter(({ type }) => type !== "long_text")
      .map(({ slug }) => slug)
      .slice(0, SHOWN_FIRST);
  const found = slugs.flatMap((slug) => properties.find((property) => property.slug === slug) ?? []);
  return name ? [name, ...found.filter((property) => property !== name)] : found;
}

const storageKey = (objectType: string): string => `svc-widths-${organization?.id}-${objectType}`;
const widths = new Map<string, Readonly<Record<string, number>>>();
const widened = signal(0);

function widthsOf(objectType: string): Readonly<Record<string, number>> {
  const known = widths.get(objectType);
  if (known) return known;
  let stored: Record<string, number> = {};
  try {
    stored = JSON.parse(localStorage.getItem(storageKey(objectType)) ?? "{}") as Record<string, number>;
  } catch {
    // Written by another version: as if nothing was widened.
  }
  widths.set(objectType, stored);
  return stored;
}

/** *shown* with their widths. */
export function useColumns(objectType: string, shown: readonly Property[]): readonly Column[] {
  return useMemo(() => {
    const own = widthsOf(objectType);
    return shown.map((property, at) => ({
      property,
      width: own[property.slug] ?? (at === 0 ? NAME_WIDTH : (WIDTHS[property.type] ?? WIDTH)),
    }));
  }, [objectType, shown, widened.value]);
}

export function widen(objectType: string, slug: string, width: number): void {
  const px = { ...widthsOf(objectType), [slug]: Math.round(Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, width))) };
  widths.set(objectType, px);
  localStorage.setItem(storageKey(objectType), JSON.stringify(px));
  widened.value += 1;
}

/** *slugs* with *moved* in the place of *target*; the first, which names a record, stays where it is. */
export function reordered(slugs: readonly string[], moved: string, target: string): string[] {
  const rest = slugs.filter((slug) => slug !== moved);
  const at = Math.max(1, slugs.indexOf(target));
  return [...rest.slice(0, at), moved, ...rest.slice(at)];
}

export const alignOf = (property: Property): "end" | undefined => (isNumeric(property) ? "end" : undefined);
