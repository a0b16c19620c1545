/** What is being changed of a thing that others may change too: each value for itself, nothing overwritten unseen. */
import { useEffect, useState } from "preact/hooks";

type Values = Readonly<Record<string, string | boolean>>;

interface State<V extends Values> {
  version: number;
  base: V;
  draft: V;
  /** Values that were changed here, and by somebody else to something different. */
  clashes: readonly (keyof V & string)[];
}

export interface Draft<V extends Values> extends State<V> {
  dirty: boolean;
  set: (change: Partial<V>) => void;
  /** The values that differ from what is stored. */
  changes: () => Partial<V>;
  /** Show what is stored, as after saving or cancelling. */
  take: (version: number, stored: V) => void;
  /** Settle the clashes: by what the others saved, or by what is here. */
  settle: (by: "theirs" | "mine") => void;
}

/** Edit *stored*, which is at *version*. Newer versions are merged in as they come: values that are untouched here follow. */
export function useDraft<V extends Values>(version: number, stored: V): Draft<V> {
  const [state, setState] = useState<State<V>>({ version, base: stored, draft: stored, clashes: [] });
  useEffect(() => setState((before) => (version > before.version ? merged(before, version, stored) : before)), [version]);
  const { base, draft } = state;
  const changed = keysOf(base).filter((key) => draft[key] !== base[key]);
  return {
    ...state,
    dirty: changed.length > 0,
    set: (change) => setState((before) => ({ ...before, draft: { ...before.draft, ...change } })),
    changes: () => pick(draft, changed),
    take: (newer, values) => setState({ version: newer, base: values, draft: values, clashes: [] }),
    settle: (by) =>
      setState((before) => ({
        ...before,
        draft: by === "theirs" ? { ...before.draft, ...pick(before.base, before.clashes) } : before.draft,
        clashes: [],
      })),
  };
}

function merged<V extends Values>({ base, draft, clashes }: State<V>, version: number, stored: V): State<V> {
  const touched = keysOf(base).filter((key) => draft[key] !== base[key] && draft[key] !== stored[key]);
  const clashing = touched.filter((key) => stored[key] !== base[key] || clashes.includes(key));
  return { version, base: stored, draft: { ...stored, ...pick(draft, touched) }, clashes: clashing };
}

const keysOf = <V extends Values>(values: V) => Object.keys(values) as (keyof V & string)[];

function pick<V extends Values>(values: V, keys: readonly (keyof V)[]): Partial<V> {
  const picked: Partial<V> = {};
  for (const key of keys) picked[key] = values[key];
  return picked;
}
