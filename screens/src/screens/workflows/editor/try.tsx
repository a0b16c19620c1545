/** A dry run of the draft: with a past event or with a record, each step with its values filled in. */
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { type Answer, read, write } from "../../../house/tools";
import { workflows as words } from "../../../messages/en/workflows";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { Combobox, type Option } from "../../../parts/combobox";
import { ErrorBox } from "../../../parts/states";
import { Foreign, RelativeTime } from "../../../parts/texts";
import type { WorkflowDocument } from "../model";
import { hasRecord, recordObject, valuesAt } from "../scope";
import { Conditions } from "../sentences";
import { StepLog } from "../step_log";
import { useEditor } from "./context";
import "../../../styles/workflows.css";

type Report = NonNullable<Answer<"workflow.trigger_list">["draft"]>;

interface TryProps {
  id: string | null;
  document: WorkflowDocument;
  report: Report | null;
}

export function Try({ id, document, report }: TryProps) {
  const { known } = useEditor();
  const [record, setRecord] = useState<Option | null>(null);
  const { trigger } = document;
  useEffect(() => setRecord(null), [trigger.type]);
  const act = useAct((start: { eventId: string } | { recordId: string } | object) =>
    write("workflow.run", { ...(id && { id }), draft: document, dryRun: true, ...start }),
  );
  const [tried, setTried] = useState<Answer<"workflow.run"> | null>(null);
  const run = async (start: { eventId: string } | { recordId: string } | object) => setTried((await act.run(start)) ?? null);
  const isFaulty = (report?.faults.length ?? 0) > 0;
  const events = report?.events ?? [];
  const would = events.filter(({ whyNot }) => whyNot.length === 0).length;
  const takesRecord = hasRecord(trigger, known);
  const object = recordObject(trigger, known);
  const isEvent = known.vocabulary.triggers.some(({ type, eventType }) => type === trigger.type && eventType !== null);
  const find = async (query: string): Promise<Option[]> => {
    const found = await (query.length >= 2
      ? read("record.search", { query, limit: 8, ...(object && { objectType: object }) })
      : read("record.list", { objectType: object ?? "contact", limit: 8 }));
    if (!found.ok) return [];
    return found.answer.records.map(({ id: recordId, properties }) => ({ id: recordId, label: String(properties.name ?? recordId) }));
  };
  return (
    <div class="try">
      <p class="soft">{words.tryAbout}</p>
      {isEvent && events.length > 0 && (
        <>
          <h3>{words.tryPast}</h3>
          <p class="soft" role="status">
            {say(words.startsFor, { n: would, of: events.length })}
          </p>
          <ul class="past-events">
            {events.slice(0, 8).map((event) => (
              <li key={event.id}>
                <div>
                  <span class={event.whyNot.length === 0 ? "run-dot run-done" : "run-dot run-cancelled"} aria-hidden="true" />
                  <span class="past-name">
                    <Foreign>{event.name ?? words.unnamed}</Foreign>
                    <span class="soft">
                      {" "}
                      <RelativeTime at={event.at} />
                    </span>
                  </span>
                  <Button
                    small
                    busy={act.busy}
                    disabled={isFaulty}
                    label={say(words.tryWith, { name: event.name ?? words.unnamed })}
                    onClick={() => void run({ eventId: event.id })}
                  >
                    {words.tryNow}
                  </Button>
                </div>
                {event.whyNot.length > 0 && (
                  <p class="soft past-why">
                    {words.wouldNot}: <Why why={event.whyNot} document={document} />
                  </p>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {isEvent && report && events.length === 0 && <p class="soft">{words.noPast}</p>}
      {takesRecord && (
        <div class="try-record">
          <Combobox label={words.tryRecord} placeholder={words.tryFindRecord} value={record} onValue={setRecord} find={find} />
          <Button busy={act.busy} disabled={isFaulty || record === null} onClick={() => record && void run({ recordId: record.id })}>
            {words.tryNow}
          </Button>
        </div>
      )}
      {!takesRecord && (
        <div>
          <Button busy={act.busy} disabled={isFaulty} onClick={() => void run({})}>
            {words.tryNow}
          </Button>
        </div>
      )}
      <ErrorBox problem={act.problem} />
      {tried && (
        <section class="tried" aria-label={words.tried}>
          <h3>{words.tried}</h3>
          {tried.steps.length === 0 ? <p class="soft">{words.triedNothing}</p> : <StepLog steps={tried.steps} document={document} isDry />}
        </section>
      )}
    </div>
  );
}

/** What kept an event from starting a run: conditions as they stand in the editor, all else as the service says it. */
function Why({ why, document }: { why: readonly string[]; document: WorkflowDocument }) {
  const { known, model } = useEditor();
  const values = valuesAt({ ...model, steps: [] }, null, known);
  return (
    <>
      {why.map((text, at) => {
        const filter = document.conditions?.[Number(/^\/conditions\/(\d+)/.exec(text)?.[1] ?? Number.NaN)];
        return (
          <span key={text}>
            {at > 0 && "; "}
            {filter ? (
              <>
                {words.notSo} <Conditions filters={[filter]} values={values} />
              </>
            ) : (
              text
            )}
          </span>
        );
      })}
    </>
  );
}
