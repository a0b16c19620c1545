/** What can be done with the records that are selected. */
import { useState } from "preact/hooks";
import { toast } from "../../../house/toasts";
import { recordsLater as words } from "../../../messages/en/records_later";
import { messages, say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import type { Rows } from "../rows";
import type { Selected } from "../table/selected";
import type { Property, RecordLine } from "../values/properties";
import { BulkEdit } from "./bulk_edit";
import { deleteRecords } from "./deleting";
import "../../../styles/records.css";

/** More are not held in a page. */
const SELECTED_MAX = 20_000;

interface BulkBarProps {
  list: Rows;
  rows: readonly RecordLine[];
  count: number | undefined;
  selected: Selected;
  properties: readonly Property[];
}

export function BulkBar({ list, rows, count, selected, properties }: BulkBarProps) {
  const [progress, setProgress] = useState<string | null>(null);
  const [isEditing, setIsEditing] = useState(false);
  const chosen = rows.filter(({ id }) => selected.ids.has(id));
  const n = chosen.length;
  if (n === 0) return null;
  const title = say(messages.table.selected, { n });
  const hasRest = count !== undefined && count > n && count <= SELECTED_MAX;
  const selectRest = async () => {
    setProgress(words.bulk.selecting);
    const all = await list.all(SELECTED_MAX);
    setProgress(null);
    if (all) selected.set(all.map(({ id }) => id));
    else toast(messages.problems.noAnswer, { kind: "failed" });
  };
  const remove = async () => {
    setProgress(say(words.bulk.progress, { done: 0, n }));
    await deleteRecords(
      chosen.map(({ id }) => id),
      (done) => setProgress(say(words.bulk.progress, { done, n })),
    );
    setProgress(null);
    selected.clear();
  };
  return (
    <div class="bulk records-bulk" role="toolbar" aria-label={title}>
      <span role="status">{progress ?? title}</span>
      {progress === null && (
        <>
          {hasRest && (
            <Button small look="quiet" onClick={() => void selectRest()}>
              {say(words.bulk.selectAll, { n: count })}
            </Button>
          )}
          <Button small icon="pencil" onClick={() => setIsEditing(true)}>
            {words.bulk.edit}
          </Button>
          <Button small icon="trash-2" look="danger" onClick={() => void remove()}>
            {words.bulk.remove}
          </Button>
          <Button small look="quiet" onClick={selected.clear}>
            {messages.table.clear}
          </Button>
        </>
      )}
      {isEditing && <BulkEdit records={chosen} properties={properties} onClose={() => setIsEditing(false)} />}
    </div>
  );
}
