/** Which records are selected, by their ids: they stay so while the list is scrolled, sorted and asked again. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { RecordLine } from "../values/properties";

export interface Selected {
  ids: ReadonlySet<string>;
  /** With *until*, all from the one that was toggled before. */
  toggle: (row: number, isRange?: boolean) => void;
  toggleAll: () => void;
  clear: () => void;
  set: (ids: Iterable<string>) => void;
}

/** Of *rows*; another list, named by *of*, begins with none. */
export function useSelected(rows: readonly RecordLine[], of: string): Selected {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const last = useRef(-1);
  useEffect(() => setIds(new Set()), [of]);
  return {
    ids,
    toggle: (row, isRange = false) => {
      const next = new Set(ids);
      const [from, to] = isRange && last.current >= 0 ? [Math.min(last.current, row), Math.max(last.current, row)] : [row, row];
      const isOn = !ids.has(rows[row]?.id ?? "");
      for (const { id } of rows.slice(from, to + 1)) {
        if (isOn) next.add(id);
        else next.delete(id);
      }
      last.current = row;
      setIds(next);
    },
    toggleAll: () => setIds(rows.every(({ id }) => ids.has(id)) ? new Set() : new Set(rows.map(({ id }) => id))),
    clear: () => setIds(new Set()),
    set: (all) => setIds(new Set(all)),
  };
}
