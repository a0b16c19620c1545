/** A board: the records of a list in columns, one for each choice of a property, moved from one to another. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { setParameters } from "../../../house/address";
import { may } from "../../../house/boot";
import { useAnswer } from "../../../house/queries";
import { toast } from "../../../house/toasts";
import type { Answer, Input } from "../../../house/tools";
import { records as words } from "../../../messages/en/records";
import { recordsLater as later } from "../../../messages/en/records_later";
import { say } from "../../../messages/messages";
import { save, undo } from "../edits";
import { pending, withPending } from "../pending";
import { useRows } from "../rows";
import { type Property, type RecordLine, titleOf } from "../values/properties";
import { totalTexts } from "../values/sums";
import type { Narrowed, Sort } from "../which";
import { BoardColumn, type Figures } from "./board_column";
import { cardElementId } from "./card";
import "../../../styles/records.css";

/** By then both lists have been asked again. */
const SETTLED_MS = 10_000;

interface BoardProps {
  objectType: string;
  properties: readonly Property[];
  /** The property whose choices are the columns. */
  by: Property;
  narrowed: Narrowed;
  sort: readonly Sort[];
}

export function Board({ objectType, properties, by, narrowed, sort }: BoardProps) {
  const choices = [...by.options, null];
  const which = (choice: string | null): Input<"record.list"> => ({
    objectType,
    texts: true,
    ...narrowed,
    filters: [
      ...(narrowed.filters ?? []),
      choice === null ? { property: by.slug, op: "is_empty" } : { property: by.slug, op: "eq", value: choice },
    ],
    ...(sort.length && { sort: [...sort] }),
  });
  // As many in every drawing: another property is another component, and so are other choices.
  const lists = choices.map((choice) => useRows(which(choice)));
  const figures = useFigures(objectType, properties, by, narrowed);
  const canWrite = may("records.write");
  const board = useRef<HTMLDivElement>(null);
  const followed = useRef<string | null>(null);
  const moved = useRef(new Map<string, RecordLine>());
  const changes = pending.value;
  const choiceOf = (record: RecordLine) => (record.properties[by.slug] as string | undefined) ?? null;
  const listed = lists.flatMap((list) => list.state.value.answer?.rows ?? []);
  // One list may have let go of a record that the other does not have yet.
  const between = [...moved.current.values()].filter(({ id }) => !listed.some((row) => row.id === id));
  const loaded = [...listed, ...between].map((row) => withPending(row, changes));
  const columns = choices.map((choice, at) => {
    const own = new Set(lists[at]?.state.value.answer?.rows.map(({ id }) => id));
    const here = loaded.filter((record) => choiceOf(record) === choice);
    // What has just come from another column stands on top until the list has it in its place.
    return { choice, list: lists[at], rows: unique([...here.filter(({ id }) => !own.has(id)), ...here.filter(({ id }) => own.has(id))]) };
  });
  useLayoutEffect(() => {
    const card = followed.current && document.getElementById(cardElementId(followed.current));
    if (card && document.activeElement !== card) {
      card.focus();
      followed.current = null;
    }
  });

  const move = async (record: RecordLine, choice: string | null) => {
    if (!canWrite || choiceOf(record) === choice) return;
    followed.current = record.id;
    moved.current.set(record.id, record);
    const stored = await save([{ record, change: { values: { [by.slug]: choice }, texts: {} } }], properties);
    if (stored > 0) {
      const said = { name: titleOf(record, properties), choice: choice ?? words.none };
      setTimeout(() => moved.current.delete(record.id), SETTLED_MS);
      toast(say(later.board.moved, said), { undo: () => void undo(properties) });
    }
  };
  const isShown = ({ choice, rows }: (typeof columns)[number]) => choice !== null || rows.length > 0;
  const find = (id: string) => loaded.find((record) => record.id === id);
  const onKeyDown = (event: KeyboardEvent) => {
    const card = (event.target as Element).closest<HTMLElement>("[data-card]");
    const record = card && find(card.dataset.card ?? "");
    if (!card || !record || card !== event.target) return;
    const column = columns.findIndex(({ rows }) => rows.some(({ id }) => id === record.id));
    const row = columns[column]?.rows.findIndex(({ id }) => id === record.id) ?? 0;
    const along = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const down = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const isMirrored = document.documentElement.dir === "rtl";
    const next = column + (isMirrored ? -along : along);
    if (!along && !down) return;
    event.preventDefault();
    const target = columns[next];
    if (along && event.altKey) {
      if (target) void move(record, target.choice);
      return;
    }
    const wanted = along ? nearest(columns, column, next > column ? 1 : -1)?.[0] : columns[column]?.rows[row + down];
    if (wanted) document.getElementById(cardElementId(wanted.id))?.focus();
  };
  return (
    <div class="board" ref={board} role="group" aria-label={say(words.by, { property: by.label })} onKeyDown={onKeyDown}>
      {columns.filter(isShown).map(({ choice, list, rows }) => (
        <BoardColumn
          key={choice ?? ""}
          choice={choice}
          by={by}
          properties={properties}
          rows={rows}
          figures={figures.get(choice)}
          problem={list?.state.value.problem ?? null}
          isLoading={list?.state.value.answer === undefined}
          see={(first, last) => list?.see(first, last)}
          again={() => void list?.again()}
          drop={(id) => {
            const record = find(id);
            if (record) void move(record, choice);
          }}
          choices={choices}
          onMove={(record, to) => void move(record, to)}
          onNew={canWrite ? () => setParameters({ new: "1", with: choice, by: by.slug }) : undefined}
          canWrite={canWrite}
        />
      ))}
    </div>
  );
}

function unique(rows: readonly RecordLine[]): RecordLine[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** The rows of the next column that has any, in one direction. */
function nearest(columns: readonly { rows: readonly RecordLine[] }[], from: number, step: 1 | -1): readonly RecordLine[] | undefined {
  for (let at = from + step; at >= 0 && at < columns.length; at += step) if (columns[at]?.rows.length) return columns[at]?.rows;
  return undefined;
}

/** How many there are of each choice, and what their first amount adds up to. */
function useFigures(objectType: string, properties: readonly Property[], by: Property, narrowed: Narrowed): Map<string | null, Figures> {
  const amount = properties.find(({ type }) => type === "amount");
  const { answer } = useAnswer("record.aggregate", {
    objectType,
    ...narrowed,
    groupBy: [by.slug],
    measures: [{ op: "count" }, ...(amount ? [{ op: "sum" as const, property: amount.slug }] : [])],
  });
  const groups: Answer<"record.aggregate">["groups"] = answer?.groups ?? [];
  return new Map(
    groups.map(({ key, values: [count, sum] }) => [
      (key[by.slug] as string | null) ?? null,
      { count: Number(count), sum: amount ? totalTexts(amount, sum) : [] },
    ]),
  );
}
