/** Undo of an import: looked at first, then done; a large one goes on by itself. */
import { useAct } from "../../house/acts";
import { screens, to } from "../../house/address";
import type { Query } from "../../house/queries";
import { write } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ErrorBox } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Foreign } from "../../parts/texts";
import { sentence } from "./phrases";
import type { Import } from "./upload";
import "../../styles/imports.css";

type Undo = NonNullable<Import["undo"]>;
type Left = Undo["left"][number];

const said = words.undo;

interface UndoProps {
  of: Import;
  query: Query<Import>;
}

export function UndoPart({ of: { id, undo, canUndo }, query }: UndoProps) {
  const act = useAct(async (dryRun: boolean) => {
    const result = await write("import.undo", { id, dryRun });
    if (result.ok) query.expect((import_) => ({ ...import_, undo: result.answer }));
    return result;
  });
  if (!canUndo && !undo) return null;
  const again = canUndo && undo?.state !== "running";
  return (
    <section class="stack import-undo" aria-live="polite">
      <h3>{said.title}</h3>
      <ErrorBox problem={act.problem} />
      {undo && !isGiven(undo) && <Figures of={undo} />}
      {undo?.dryRun && undo.state === "done" && canUndo ? (
        <div class="form-actions">
          {takenBack(undo) > 0 && (
            <Button look="danger" icon="undo-2" busy={act.busy} onClick={() => void act.run(false)}>
              {say(said.confirm, { n: takenBack(undo) })}
            </Button>
          )}
          <Button busy={act.busy} onClick={() => void act.run(true)}>
            {said.again}
          </Button>
        </div>
      ) : (
        again && (
          <>
            {!undo && <p class="soft">{said.about}</p>}
            <div>
              <Button icon="undo-2" busy={act.busy} onClick={() => void act.run(true)}>
                {said.button}
              </Button>
            </div>
          </>
        )
      )}
    </section>
  );
}

/** What a dry run that failed has found is nothing. */
const isGiven = (undo: Undo) => undo.dryRun && undo.state === "failed";

const takenBack = ({ counts }: Undo) => counts.deleted + counts.reverted;

function Figures({ of: undo }: { of: Undo }) {
  const { counts, dryRun, state, left, failure } = undo;
  const n = takenBack(undo) + counts.left;
  if (state === "running") return <p role="status">{say(dryRun ? said.counting : said.undoing, { n })}</p>;
  const lines = [
    counts.deleted > 0 && say(said.deletes, { n: counts.deleted }),
    counts.reverted > 0 && say(said.reverts, { n: counts.reverted }),
    counts.left > 0 && say(said.stays, { n: counts.left }),
  ].filter(Boolean);
  return (
    <>
      <p>
        <strong>{headOf(undo)}</strong>
      </p>
      {failure && (
        <p class="field-fault">
          <Foreign>{failure}</Foreign>
        </p>
      )}
      {takenBack(undo) === 0 && dryRun ? (
        <p class="soft">{said.nothing}</p>
      ) : (
        <ul class="import-facts">
          {lines.map((line) => (
            <li key={String(line)}>{line}</li>
          ))}
        </ul>
      )}
      {counts.deleted > 0 && <p class="soft">{said.restorable}</p>}
      {left.length > 0 && <LeftRecords of={undo} />}
    </>
  );
}

function headOf({ dryRun, state, counts }: Undo): string {
  if (dryRun) return said.would;
  if (state === "failed") return said.failed;
  return counts.left > 0 ? said.partly : said.done;
}

function LeftName({ of: { objectId, objectType, name } }: { of: Left }) {
  const label = name ? <Foreign>{name}</Foreign> : <code>{objectId}</code>;
  const path = `/app/records/${objectType}/${objectId}`;
  return screens.has(path) ? <a href={to(path)}>{label}</a> : label;
}

function LeftRecords({ of: { left, counts } }: { of: Undo }) {
  return (
    <>
      {left.length < counts.left && <p class="soft">{say(said.first, { shown: left.length, n: counts.left })}</p>}
      <Table
        label={said.left}
        rows={left}
        idOf={({ objectId }: Left) => objectId}
        nameOf={({ objectId }: Left) => objectId}
        empty={null}
        columns={[
          { key: "record", label: said.record, width: "50%", cell: (one: Left) => <LeftName of={one} /> },
          { key: "why", label: said.why, phone: "plain", cell: ({ why }: Left) => sentence(why) },
        ]}
      />
    </>
  );
}
