/** Changes that are on their way: shown in the place of what the lists have, until these have them. */
import { signal } from "@preact/signals";
import type { Change, RecordLine } from "./values/properties";

interface Pending extends Change {
  /** The version that has it; null while it is on its way. */
  version: number | null;
}

/** What is shown instead of what the lists have, by record. */
export const pending = signal<ReadonlyMap<string, Pending>>(new Map());
/** Why a value was refused, by `cellKey`. */
export const refusals = signal<ReadonlyMap<string, string>>(new Map());

export const cellKey = (id: string, slug: string): string => `${id} ${slug}`;

/** *record* with what was changed here and is not in it yet. */
export function withPending(record: RecordLine, changes = pending.value): RecordLine {
  const own = changes.get(record.id);
  if (!own || (own.version !== null && record.version >= own.version)) return record;
  return { ...record, properties: { ...record.properties, ...own.values }, texts: { ...record.texts, ...own.texts } };
}
