/** Changes that are on their way: shown in the place of what the lists have, until these have them. */
import { signal } from "@preact/signals";
import type { Change, RecordLine } from "./values/properties";

interface Pending extends Change {
  /** The version that has each value; none while it is on its way. */
  versions: Readonly<Record<string, number>>;
}

/** What is shown instead of what the lists have, by record. */
export const pending = signal<ReadonlyMap<string, Pending>>(new Map());
/** Why a value was refused, by `cellKey`. */
export const refusals = signal<ReadonlyMap<string, string>>(new Map());

export const cellKey = (id: string, slug: string): string => `${id} ${slug}`;

/** *record* with what was changed here and is not in it yet. */
export function withPending(record: RecordLine, changes = pending.value): RecordLine {
  const own = changes.get(record.id);
  if (!own) return record;
  // One that no version has yet compares as false.
  const isNewer = ([slug]: [string, unknown]) => !(record.version >= (own.versions[slug] as number));
  const values = Object.entries(own.values).filter(isNewer);
  if (!values[0]) return record;
  const texts = Object.entries(own.texts).filter(isNewer);
  return {
    ...record,
    properties: { ...record.properties, ...Object.fromEntries(values) },
    texts: { ...record.texts, ...Object.fromEntries(texts) },
  };
}
