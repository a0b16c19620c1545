/** A column of a board: the cards of one choice, as far as they are scrolled. */
import { useEffect, useRef, useState } from "preact/hooks";
import { formatNumber } from "../../../house/formats";
import type { Problem } from "../../../house/problems";
import { records as words } from "../../../messages/en/records";
import { recordsLater as later } from "../../../messages/en/records_later";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { ErrorBox, Skeleton } from "../../../parts/states";
import { useWindow } from "../../../parts/window";
import type { Property, RecordLine } from "../values/properties";
import { ChoiceText } from "../values/value_text";
import { CARD_HEIGHT, CARD_TYPE, Card } from "./card";
import "../../../styles/records.css";

export interface Figures {
  count: number;
  sum: readonly string[];
}

interface BoardColumnProps {
  choice: string | null;
  choices: readonly (string | null)[];
  by: Property;
  properties: readonly Property[];
  rows: readonly RecordLine[];
  figures: Figures | undefined;
  problem: Problem | null;
  isLoading: boolean;
  see: (first: number, last: number) => void;
  again: () => void;
  drop: (id: string) => void;
  onMove: (record: RecordLine, choice: string | null) => void;
  onNew: (() => void) | undefined;
  canWrite: boolean;
}

export function BoardColumn({
  choice,
  by,
  properties,
  rows,
  figures,
  problem,
  isLoading,
  see,
  again,
  drop,
  onNew,
  ...props
}: BoardColumnProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLUListElement>(null);
  const [isOver, setIsOver] = useState(false);
  const { first, last } = useWindow(scroller, body, { count: rows.length, height: CARD_HEIGHT });
  useEffect(() => see(first, last), [first, last, rows.length]);
  const name = choice ?? words.none;
  const count = figures?.count ?? (isLoading ? undefined : rows.length);
  return (
    <section
      class="board-column"
      aria-label={name}
      data-over={isOver ? "" : undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(CARD_TYPE)) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        drop(event.dataTransfer?.getData(CARD_TYPE) ?? "");
      }}
    >
      <header>
        <h2>{choice === null ? <span class="soft">{words.none}</span> : <ChoiceText property={by} choice={choice} />}</h2>
        {count !== undefined && <span class="soft board-count">{formatNumber(count)}</span>}
        {onNew && <Button small look="quiet" icon="plus" label={say(later.board.create, { choice: name })} onClick={onNew} />}
        {figures && figures.sum.length > 0 && <span class="board-sum">{figures.sum.join(" · ")}</span>}
      </header>
      <div class="board-cards" ref={scroller}>
        {isLoading && !problem && <Skeleton lines={2} height={CARD_HEIGHT - 8} />}
        {problem && <ErrorBox problem={problem} again={again} />}
        <ul ref={body} style={{ blockSize: `${rows.length * CARD_HEIGHT}px` }}>
          {rows.slice(first, last).map((record, at) => (
            <Card key={record.id} record={record} at={first + at} by={by} properties={properties} {...props} />
          ))}
        </ul>
        {!isLoading && rows.length === 0 && <p class="board-none soft">{later.board.none}</p>}
      </div>
    </section>
  );
}
