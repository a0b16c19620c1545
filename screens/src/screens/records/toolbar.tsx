/** What narrows, orders and arranges a list: filters, columns, table or board. */
import { records as words } from "../../messages/en/records";
import { say } from "../../messages/messages";
import { Search } from "../../parts/filter";
import { Icon } from "../../parts/icon";
import { later } from "../../parts/later";
import { Pop } from "./pop";
import { shownProperties } from "./table/columns";
import type { Property } from "./values/properties";
import type { Spec } from "./which";
import "../../styles/records.css";

const ColumnPanel = later(async () => (await import("./column_panel")).ColumnPanel);
const SortChoice = later(async () => (await import("./sort_choice")).SortChoice);
const FilterPanel = later(async () => (await import("./filter_panel")).FilterPanel);

interface ToolbarProps {
  properties: readonly Property[];
  spec: Spec;
  count: number | undefined;
  isPhone: boolean;
  onSpec: (change: Partial<Spec>) => void;
}

export function Toolbar({ properties, spec, count, isPhone, onSpec }: ToolbarProps) {
  const selects = properties.filter(({ type }) => type === "select");
  const isBoard = spec.board !== null;
  return (
    <div class="records-tools">
      <Search label={words.search} />
      <Pop label={words.filter} icon="list-filter" count={spec.filters.length}>
        {() => <FilterPanel isWanted properties={properties} filters={spec.filters} onFilters={(filters) => onSpec({ filters })} />}
      </Pop>
      {isPhone ? (
        <SortChoice isWanted properties={properties} sort={spec.sort} onSort={(sort) => onSpec({ sort })} />
      ) : (
        !isBoard && (
          <Pop label={words.columns} icon="columns-3">
            {() => (
              <ColumnPanel
                isWanted
                properties={properties}
                shown={shownProperties(properties, spec.columns).map(({ slug }) => slug)}
                onColumns={(columns) => onSpec({ columns })}
              />
            )}
          </Pop>
        )
      )}
      {selects.length > 0 && <Arrangement selects={selects} board={spec.board} onBoard={(board) => onSpec({ board })} />}
      {count !== undefined && <span class="records-count soft">{say(words.count, { n: count })}</span>}
    </div>
  );
}

interface ArrangementProps {
  selects: readonly Property[];
  board: string | null;
  onBoard: (board: string | null) => void;
}

function Arrangement({ selects, board, onBoard }: ArrangementProps) {
  const isBoard = board !== null;
  return (
    <>
      <div class="segments records-arrangement" role="group" aria-label={words.arrangement}>
        {(["table", "board"] as const).map((one) => (
          <button key={one} type="button" aria-pressed={isBoard === (one === "board")} onClick={() => onBoard(one === "board" ? "" : null)}>
            <Icon name={one === "board" ? "square-kanban" : "table-2"} size={14} />
            {words.arrangements[one]}
          </button>
        ))}
      </div>
      {isBoard && selects.length > 1 && (
        <div class="select filter">
          <select class="control" aria-label={words.boardBy} value={board} onChange={(event) => onBoard(event.currentTarget.value)}>
            {selects.map(({ slug, label }) => (
              <option key={slug} value={slug} selected={slug === board}>
                {say(words.by, { property: label })}
              </option>
            ))}
          </select>
          <Icon name="chevron-down" />
        </div>
      )}
    </>
  );
}
