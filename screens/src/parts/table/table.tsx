/** A list of things: a table on a desk, lines on a phone. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Problem } from "../../house/problems";
import { Failure } from "../failure";
import { ErrorBox, Skeleton } from "../states";
import { Cells, type Column, Head } from "./column";
import { useDrawnCount } from "./drawing";
import { More } from "./more";
import { followRow } from "./row_clicks";
import { useRowKeys } from "./row_keys";
import { type Bulk, BulkBar, Select, SelectAll, useSelection } from "./selection";

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

export function Table<R>({ label, columns, rows, idOf, nameOf, hrefOf, openId, actions, bulk = [], more, ...props }: TableProps<R>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const selection = useSelection(rows, idOf);
  const drawn = useDrawnCount(rows?.length ?? 0);
  const canSelect = bulk.length > 0;
  const select = (at: number) => {
    const row = rows?.[at];
    if (row) selection.toggle(idOf(row));
  };
  const selectRest = () => {
    selection.selectNext();
    more?.();
  };
  useRowKeys(body, { canOpen: hrefOf !== undefined, select: canSelect ? select : undefined });

  const again = props.again ?? (() => undefined);
  if (rows === undefined) return props.problem ? <Failure problem={props.problem} again={again} /> : <Skeleton head="rows" />;
  if (rows.length === 0) return <>{props.empty}</>;
  return (
    <div class="table-frame" aria-busy={props.isOld || undefined}>
      {props.problem && <ErrorBox problem={props.problem} again={again} />}
      <table class={canSelect ? "table table-selects" : "table"} aria-label={label}>
        <Head
          columns={columns}
          selectAll={canSelect && <SelectAll selection={selection} loaded={rows.length} />}
          hasActions={actions !== undefined}
        />
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: by keys, the link is there. */}
        <tbody ref={body} onClick={followRow}>
          {rows.slice(0, drawn).map((row) => {
            const id = idOf(row);
            const isOpen = openId === id;
            return (
              <tr
                key={id}
                id={`row-${id}`}
                tabIndex={hrefOf ? undefined : -1}
                data-open={isOpen ? "" : undefined}
                aria-selected={selection.has(id) || undefined}
              >
                {canSelect && (
                  <td class="table-check">
                    <Select selection={selection} id={id} name={nameOf(row)} />
                  </td>
                )}
                <Cells columns={columns} row={row} id={id} href={hrefOf?.(row)} isOpen={isOpen} />
                {actions && <td class="table-actions">{actions(row)}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
      {props.hasMore && drawn === rows.length && <More count={rows.length} more={more} />}
      {canSelect && selection.rows.length > 0 && (
        <BulkBar selection={selection} bulk={bulk} more={selection.isAll && props.hasMore ? selectRest : undefined} />
      )}
    </div>
  );
}
