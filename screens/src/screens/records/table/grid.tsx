/** The table of records as a grid: one cell has the focus, arrows move it, and typing changes what is in it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { go, to } from "../../../house/address";
import { toast } from "../../../house/toasts";
import { messages } from "../../../messages/messages";
import { later } from "../../../parts/later";
import { withPending } from "../pending";
import type { Onward } from "../values/editing";
import type { Edit, Property, RecordLine } from "../values/properties";
import type { Narrowed, Sort } from "../which";
import type { Column } from "./columns";
import { CHECK_WIDTH, useFollowed, useInSight } from "./focus";
import { GridRows } from "./grid_rows";
import { GridHead, type HeadActions } from "./head";
import { blockOf, HEAD, moved, type Place } from "./places";
import { cellId, type Editing } from "./row";
import type { Selected } from "./selected";
import "../../../styles/records.css";

const HANDS_MS = 100;
/** Rows that are drawn and not seen, above and below. */
const MARGINS = 16;

/** What it shows is asked for once the rows are there. */
const GridFoot = later(async () => (await import("./foot")).GridFoot);

type Hands = typeof import("./hands");

/** What changes cells, once it is loaded. */
let hands: Hands | null = null;

/** Do *act*, which takes more than what draws cells; undefined where that cannot be loaded. */
async function withHands<T>(act: (loaded: Hands) => T): Promise<Awaited<T> | undefined> {
  try {
    hands ??= await import("./hands");
  } catch {
    toast(messages.problems.noConnection, { kind: "failed" });
    return undefined;
  }
  return await act(hands);
}

interface GridProps {
  label: string;
  objectType: string;
  /** All of the object. */
  properties: readonly Property[];
  columns: readonly Column[];
  rows: readonly RecordLine[];
  /** How many there are in all; undefined until that is known. */
  count: number | undefined;
  hasMore: boolean;
  isOld: boolean;
  see: (first: number, last: number) => void;
  canWrite: boolean;
  sort: readonly Sort[];
  head: HeadActions;
  selected: Selected;
  /** Of the list: what its foot adds up. */
  narrowed: Narrowed;
}

interface Begun {
  id: string;
  column: number;
  begin: string | undefined;
  record: RecordLine;
  Field: Editing["Field"];
  pin: Editing["pin"];
}

export function Grid({ label, objectType, properties, columns, rows, canWrite, sort, head, selected, ...props }: GridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const [anchor, setAnchor] = useState<Place | null>(null);
  const [begun, setBegun] = useState<Begun | null>(null);
  const [hasFocus, setHasFocus] = useState(false);
  const [isReady, setIsReady] = useState(hands !== null);
  /** What is typed into a field while it is loaded. */
  const waiting = useRef<{ typed: string | undefined } | null>(null);
  const drawn = useRef(0);
  useFollowed(rows, at, setAt);
  useInSight(grid, body, at, columns, hasFocus);

  useEffect(() => {
    // Before the first cell is changed, and after all are drawn.
    const timer = setTimeout(() => void withHands(() => setIsReady(true)), HANDS_MS);
    return () => clearTimeout(timer);
  }, []);

  const block = blockOf(anchor ?? at, at);
  const isBlock = anchor !== null && (block.top !== block.bottom || block.first !== block.last);
  const shownRow = (row: number): RecordLine | undefined => rows[row] && withPending(rows[row]);
  const goTo = (place: Place, extend = false) => {
    setAnchor(extend ? (anchor ?? at) : null);
    setAt(place);
  };
  const edit = (place: Place, begin?: string) => {
    const record = shownRow(place.row);
    if (!record || !canWrite) return;
    setAnchor(null);
    setAt(place);
    const start = ({ ValueField: Field, pinning }: Hands, typed: string | undefined) =>
      setBegun({ id: record.id, column: place.column, begin: typed, record, Field, pin: pinning() });
    if (hands) return start(hands, begin);
    waiting.current = { typed: begin };
    void withHands((loaded) => start(loaded, waiting.current?.typed)).finally(() => {
      waiting.current = null;
    });
  };
  const finish = (onward: Onward) => {
    setBegun(null);
    if (onward === "stay" && document.activeElement !== document.body && !grid.current?.contains(document.activeElement)) return;
    grid.current?.focus({ preventScroll: true });
    const steps: Record<Onward, [number, number]> = { stay: [0, 0], down: [1, 0], up: [-1, 0], next: [0, 1], previous: [0, -1] };
    const [down, along] = steps[onward];
    if (onward !== "stay")
      goTo({
        row: Math.max(0, Math.min(rows.length - 1, at.row + down)),
        column: Math.max(0, Math.min(columns.length - 1, at.column + along)),
      });
  };
  const change = (edits: Edit[]) => void withHands((loaded) => loaded.save(edits, properties));
  const clear = () => void withHands((loaded) => change(loaded.emptied(block, rows, columns)));
  const copy = (event: ClipboardEvent): boolean => {
    if (begun || !event.clipboardData) return false;
    event.preventDefault();
    if (hands) hands.copyBlock(event.clipboardData, block, rows, columns);
    else void withHands((loaded) => loaded.copyAsText(block, rows, columns));
    return true;
  };
  const paste = async (data: DataTransfer) => {
    const pasted = await withHands((loaded) => loaded.paste(data, block, isBlock, rows, columns));
    if (!pasted) return;
    change(pasted.edits);
    if (!pasted.end) return;
    setAnchor(at);
    setAt(pasted.end);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.defaultPrevented) return;
    if (begun) {
      // The field has a fault and not the focus.
      if (event.key === "Escape") finish("stay");
      else grid.current?.querySelector<HTMLElement>(".value-control")?.focus();
      return;
    }
    if (waiting.current) {
      if (event.key.length === 1) waiting.current.typed = (waiting.current.typed ?? "") + event.key;
      return event.preventDefault();
    }
    const isCommand = event.ctrlKey || event.metaKey;
    if (at.row === HEAD && hands?.headKey(event, at.column, objectType, columns, head)) return event.preventDefault();
    const size = { rows: rows.length, columns: columns.length, page: Math.max(1, drawn.current - MARGINS) };
    const place = event.altKey ? null : moved(at, event, size, document.documentElement.dir === "rtl");
    if (place) {
      event.preventDefault();
      return goTo(place, event.shiftKey);
    }
    if (at.row === HEAD) return;
    const does = (act: () => void) => {
      event.preventDefault();
      act();
    };
    const property = columns[at.column]?.property;
    const record = shownRow(at.row);
    if (!record || !property) return;
    if (isCommand && event.key === "Enter") does(() => void go(to(`/app/records/${objectType}/${record.id}`)));
    else if (isCommand && event.key.toLowerCase() === "z" && !event.shiftKey)
      does(() => void withHands((loaded) => loaded.undo(properties)));
    else if (isCommand && event.key.toLowerCase() === "a") does(selected.toggleAll);
    else if (event.key === " " && event.shiftKey) does(() => selected.toggle(at.row));
    else if (event.key === " " && property.type === "boolean" && canWrite)
      does(() => change([{ record, change: { values: { [property.slug]: record.properties[property.slug] !== true }, texts: {} } }]));
    else if (event.key === "Escape" && isBlock) does(() => setAnchor(null));
    else if (!canWrite || isCommand || event.altKey) return;
    else if (event.key === "Enter" || event.key === "F2") does(() => edit(at));
    else if (event.key === "Delete" || event.key === "Backspace") does(clear);
    else if (event.key.length === 1 && event.key !== " ") does(() => edit(at, event.key));
  };

  const placeOf = (target: EventTarget | null): Place | null => {
    const cell = (target as Element | null)?.closest<HTMLElement>("[data-column]");
    const row = cell?.closest<HTMLElement>("[data-id]");
    if (!cell || !row) return null;
    return { row: Number(row.getAttribute("aria-rowindex")) - 2, column: Number(cell.dataset.column) };
  };
  const editing: Editing | null = begun && {
    record: begun.record,
    column: begun.column,
    Field: begun.Field,
    pin: begun.pin,
    begin: begun.begin,
    onSave: (made, onward) => {
      change([{ record: begun.record, change: made }]);
      finish(onward);
    },
    onCancel: () => finish("stay"),
  };
  const template = `${canWrite ? `${CHECK_WIDTH}px ` : ""}${columns.map(({ width }) => `${width}px`).join(" ")}`;
  const width = columns.reduce((sum, column) => sum + column.width, canWrite ? CHECK_WIDTH : 0);
  const areAll = rows.length > 0 && rows.every(({ id }) => selected.ids.has(id));
  return (
    <div
      ref={grid}
      id="grid"
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={(props.count ?? rows.length) + 1}
      aria-colcount={columns.length}
      aria-multiselectable={canWrite}
      aria-readonly={!canWrite || !isReady}
      data-selects={canWrite ? "" : undefined}
      aria-busy={props.isOld || undefined}
      aria-activedescendant={hasFocus && !begun ? cellId(at.row, at.column) : undefined}
      style={{ "--columns": template, "--wide": `${width}px` }}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) => currentTarget.toggleAttribute("data-sideways", currentTarget.scrollLeft !== 0)}
      onFocus={() => setHasFocus(true)}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setHasFocus(false);
      }}
      onCopy={copy}
      onCut={(event) => {
        if (copy(event) && canWrite) clear();
      }}
      onPaste={(event) => {
        if (begun || !canWrite || !event.clipboardData) return;
        event.preventDefault();
        void paste(lasting(event.clipboardData));
      }}
      onPointerDown={(event) => {
        const place = placeOf(event.target);
        if (!place || event.button !== 0 || (begun && (event.target as Element).closest("[data-editing]"))) return;
        goTo(place, event.shiftKey);
      }}
      onPointerMove={(event) => {
        const place = event.buttons === 1 && event.pointerType === "mouse" ? placeOf(event.target) : null;
        if (place && !begun && (place.row !== at.row || place.column !== at.column)) goTo(place, true);
      }}
      onDblClick={(event) => {
        const place = placeOf(event.target);
        if (place && !(event.target as Element).closest("a")) edit(place);
      }}
      onClick={(event) => {
        const box = (event.target as Element).closest("[data-select]");
        const row = box?.closest<HTMLElement>("[data-id]");
        if (row) selected.toggle(Number(row.getAttribute("aria-rowindex")) - 2, event.shiftKey);
      }}
    >
      <GridHead
        objectType={objectType}
        columns={columns}
        sort={sort}
        focus={hasFocus && at.row === HEAD ? at.column : null}
        actions={head}
        selectAll={canWrite ? { isAll: areAll, isSome: selected.ids.size > 0, count: rows.length, toggle: selected.toggleAll } : undefined}
      />
      <GridRows
        grid={grid}
        body={body}
        drawn={drawn}
        rows={rows}
        columns={columns}
        see={props.see}
        canSelect={canWrite}
        selected={selected}
        focus={hasFocus ? at : null}
        block={isBlock ? block : null}
        editing={editing}
      />
      <GridFoot isWanted objectType={objectType} narrowed={props.narrowed} columns={columns} canSelect={canWrite} hasMore={props.hasMore} />
    </div>
  );
}

/** What *data* has, which is empty once its event is over: what pastes it may still have to be loaded. */
function lasting(data: DataTransfer): DataTransfer {
  const own = new DataTransfer();
  for (const type of data.types) if (type !== "Files") own.setData(type, data.getData(type));
  return own;
}
