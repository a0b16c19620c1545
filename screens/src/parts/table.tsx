/** A list of things: a table on a desk, lines on a phone. `J K` move, `Enter` opens, `X` selects. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../house/keys";
import type { Problem } from "../house/problems";
import { messages, say } from "../messages/messages";
import { Button } from "./button";
import { Failure } from "./failure";
import { ErrorBox, Skeleton } from "./states";

export interface Column<R> {
  key: string;
  label: string;
  cell: (row: R) => ComponentChildren;
  /** Numbers stand at the end. */
  align?: "end";
  /** A part of the width, such as `30%`; the rest is shared. */
  width?: string;
  /**
   * On a phone, where a row is a card: `title` is its first line, `side` stands at the end of that, `line` below
   * with the label, `plain` below without it, `hidden` not at all.
   */
  phone?: "title" | "side" | "line" | "plain" | "hidden";
}

export interface Bulk<R> {
  label: string;
  danger?: boolean;
  run: (rows: R[]) => Promise<void> | void;
}

interface TableProps<R> {
  label: string;
  columns: readonly Column<R>[];
  /** Undefined until there is an answer: a skeleton is shown, or the problem. */
  rows: readonly R[] | undefined;
  /** Why the last question failed; older rows stay. */
  problem?: Problem | null;
  again?: () => void;
  idOf: (row: R) => string;
  /** What a row is called, for those who do not see it. */
  nameOf: (row: R) => string;
  /** Where a row leads; the first column is the link. */
  hrefOf?: (row: R) => string;
  /** The row whose panel is open. */
  openId?: string | null;
  actions?: (row: R) => ComponentChildren;
  bulk?: readonly Bulk<R>[];
  hasMore?: boolean;
  more?: () => void;
  /** Shown instead, where there are no rows. */
  empty: ComponentChildren;
  /** The rows are those of another filter, while newer ones are on their way. */
  isOld?: boolean;
}

export function Table<R>(props: TableProps<R>) {
  const { columns, rows, idOf, nameOf, hrefOf, actions, bulk, more } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const drawn = useDrawn(rows?.length ?? 0);
  const hasMore = Boolean(props.hasMore) && drawn === rows?.length;
  const canSelect = Boolean(bulk?.length);
  const chosen = rows?.filter((row) => selected.has(idOf(row))) ?? [];

  const lines = () => [...(body.current?.rows ?? [])];
  const current = () => lines().findIndex((line) => line.contains(document.activeElement));
  const focusLine = (at: number) => {
    const line = lines()[Math.max(0, Math.min(at, lines().length - 1))];
    (line?.querySelector<HTMLElement>("a[data-row]") ?? line)?.focus();
    line?.scrollIntoView({ block: "nearest" });
  };
  const move = (step: number) => {
    const from = current() >= 0 ? current() : lines().findIndex((line) => line.dataset["open"] !== undefined);
    focusLine(from < 0 ? 0 : from + step);
  };
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  useKeys([
    { key: "j", label: messages.keys.next, run: () => move(1) },
    { key: "k", label: messages.keys.previous, run: () => move(-1) },
    ...(hrefOf ? [{ key: "Enter", label: messages.keys.open, run: () => lines()[current()]?.querySelector<HTMLElement>("a[data-row]")?.click() }] : []),
    ...(canSelect
      ? [
          {
            key: "x",
            label: messages.keys.select,
            run: () => {
              const row = rows?.[current()];
              if (row) toggle(idOf(row));
            },
          },
        ]
      : []),
  ]);
  useEffect(() => {
    if (!end.current || !hasMore || !more) return undefined;
    const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && more(), { rootMargin: "600px" });
    seen.observe(end.current);
    return () => seen.disconnect();
  }, [hasMore, more, rows?.length]);


  const again = props.again ?? (() => undefined);
  if (rows === undefined) return props.problem ? <Failure problem={props.problem} again={again} /> : <Skeleton head="rows" />;
  if (rows.length === 0) return <>{props.empty}</>;
  return (
    <div class="table-frame" aria-busy={props.isOld || undefined}>
      {props.problem && <ErrorBox problem={props.problem} again={again} />}
      <table class={canSelect ? "table table-selects" : "table"} aria-label={props.label}>
        <colgroup>
          {canSelect && <col class="table-check" />}
          {columns.map((column) => (
            <col key={column.key} {...(column.width && { style: { width: column.width } })} />
          ))}
          {actions && <col class="table-actions" />}
        </colgroup>
        <thead>
          <tr>
            {canSelect && (
              <th class="table-check">
                <input
                  type="checkbox"
                  aria-label={messages.table.selectAll}
                  checked={chosen.length === rows.length}
                  onChange={() => setSelected(chosen.length === rows.length ? new Set() : new Set(rows.map(idOf)))}
                />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.key} scope="col" class={column.align === "end" ? "number" : undefined}>
                {column.label}
              </th>
            ))}
            {actions && (
              <th class="table-actions">
                <span class="hidden">{messages.common.more}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.slice(0, drawn).map((row) => {
            const id = idOf(row);
            return (
              <tr
                key={id}
                id={`row-${id}`}
                tabIndex={hrefOf ? undefined : -1}
                data-open={props.openId === id ? "" : undefined}
                aria-selected={selected.has(id) || undefined}
              >
                {canSelect && (
                  <td class="table-check">
                    <input type="checkbox" aria-label={say(messages.table.select, { name: nameOf(row) })} checked={selected.has(id)} onChange={() => toggle(id)} />
                  </td>
                )}
                {columns.map((column, index) => (
                  <td
                    key={column.key}
                    class={column.align === "end" ? "number" : undefined}
                    data-phone={column.phone ?? (index === 0 ? "title" : "line")}
                    data-label={column.label}
                  >
                    {index === 0 && hrefOf ? (
                      <a data-row id={`open-${id}`} href={hrefOf(row)} aria-current={props.openId === id ? "true" : undefined}>
                        {column.cell(row)}
                      </a>
                    ) : (
                      column.cell(row)
                    )}
                  </td>
                ))}
                {actions && <td class="table-actions">{actions(row)}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
      {hasMore && (
        <div ref={end} class="table-more" role="status">
          {messages.table.loadingMore}
        </div>
      )}
      {canSelect && chosen.length > 0 && (
        <div class="bulk" role="toolbar" aria-label={say(messages.table.selected, { n: chosen.length })}>
          <span>{say(messages.table.selected, { n: chosen.length })}</span>
          {bulk?.map((act) => (
            <Button
              key={act.label}
              small
              look={act.danger ? "danger" : "plain"}
              onClick={async () => {
                await act.run([...chosen]);
                setSelected(new Set());
              }}
            >
              {act.label}
            </Button>
          ))}
          <Button small look="quiet" onClick={() => setSelected(new Set())}>
            {messages.table.clear}
          </Button>
        </div>
      )}
    </div>
  );
}

const ROW_HEIGHT = 40; // At least.

/**
 * How many of *count* rows are drawn: at first those that the window can show, so that they are seen before
 * the others cost anything, and all once these are painted.
 */
function useDrawn(count: number): number {
  const [all, setAll] = useState(false);
  const first = Math.ceil(window.innerHeight / ROW_HEIGHT);
  const isMore = !all && count > first;
  useEffect(() => {
    if (!isMore) return undefined;
    let after = 0;
    const frame = requestAnimationFrame(() => (after = window.setTimeout(() => setAll(true))));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(after);
    };
  }, [isMore]);
  return isMore ? first : count;
}
