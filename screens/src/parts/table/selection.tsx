/** The selection of rows, and the bar of what can be done with all of it at once. */
import { useEffect, useRef, useState } from "preact/hooks";
import { messages, say } from "../../messages/messages";
import { Button } from "../button";

export interface Bulk<R> {
  label: string;
  danger?: boolean;
  run: (rows: R[]) => Promise<void> | void;
}

export interface Selection<R> {
  /** Those that are selected and still in the list. */
  rows: readonly R[];
  isAll: boolean;
  has: (id: string) => boolean;
  toggle: (id: string) => void;
  toggleAll: () => void;
  clear: () => void;
  /** Select those that come next, too. */
  selectNext: () => void;
}

export function useSelection<R>(rows: readonly R[] = [], idOf: (row: R) => string): Selection<R> {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const chosen = rows.filter((row) => ids.has(idOf(row)));
  const isAll = chosen.length === rows.length;
  const clear = () => setIds(new Set());
  const rest = useRef(false); // Whether rows that are on their way are selected as well.
  useEffect(() => {
    if (!rest.current) return;
    rest.current = false;
    setIds(new Set(rows.map(idOf)));
  }, [rows.length]);
  return {
    rows: chosen,
    isAll,
    has: (id) => ids.has(id),
    toggle: (id) => {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      setIds(next);
    },
    toggleAll: () => (isAll ? clear() : setIds(new Set(rows.map(idOf)))),
    clear,
    selectNext: () => {
      rest.current = true;
    },
  };
}

export function SelectAll<R>({ selection, loaded }: { selection: Selection<R>; loaded: number }) {
  return (
    <input
      type="checkbox"
      aria-label={say(messages.table.selectAll, { n: loaded })}
      checked={selection.isAll}
      onChange={selection.toggleAll}
    />
  );
}

export function Select<R>({ selection, id, name }: { selection: Selection<R>; id: string; name: string }) {
  return (
    <input
      type="checkbox"
      aria-label={say(messages.table.select, { name })}
      checked={selection.has(id)}
      onChange={() => selection.toggle(id)}
    />
  );
}

interface BulkBarProps<R> {
  selection: Selection<R>;
  bulk: readonly Bulk<R>[];
  /** Loads more rows, where all are selected that are there and there are others. */
  more: (() => void) | undefined;
}

export function BulkBar<R>({ selection: { rows, clear }, bulk, more }: BulkBarProps<R>) {
  const selected = say(messages.table.selected, { n: rows.length });
  return (
    <div class="bulk" role="toolbar" aria-label={selected}>
      <span>{selected}</span>
      {bulk.map((act) => (
        <Button
          key={act.label}
          small
          look={act.danger ? "danger" : "plain"}
          onClick={async () => {
            await act.run([...rows]);
            clear();
          }}
        >
          {act.label}
        </Button>
      ))}
      {more && (
        <Button small look="quiet" onClick={more}>
          {messages.table.loadRest}
        </Button>
      )}
      <Button small look="quiet" onClick={clear}>
        {messages.table.clear}
      </Button>
    </div>
  );
}
