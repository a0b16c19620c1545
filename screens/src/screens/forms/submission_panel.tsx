/** One submission: what was sent, what led to it, and, while it is held, who may have sent it. */
import { useState } from "preact/hooks";
import { formatNumber, formatRelative } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { submissions as words } from "../../messages/en/submissions";
import { say } from "../../messages/messages";
import { Failure } from "../../parts/failure";
import { Panel } from "../../parts/panel";
import { Skeleton } from "../../parts/states";
import { Foreign, RelativeTime } from "../../parts/texts";
import { Attach } from "./attach";
import { nameOf, StateBadge } from "./submissions";

export type Submission = Answer<"submission.get">;
const said = words.panel;

interface SubmissionPanelProps {
  id: string;
  formName: (id: string) => string;
  onClose: () => void;
  /** Show the next one that is held, and say which; null where there is none. */
  showNext: (attached: string) => string | null;
}

export function SubmissionPanel({ id, formName, onClose, showNext }: SubmissionPanelProps) {
  const { answer, problem, query, isOld } = useAnswer("submission.get", { id });
  const [done, setDone] = useState<{ text: string; at: string } | null>(null);
  const title = answer && !isOld ? <Foreign>{nameOf(answer)}</Foreign> : "";
  return (
    <Panel title={title} of={id} onClose={onClose}>
      {done?.at === id && (
        <p class="said" role="status">
          {done.text}
        </p>
      )}
      {problem && !answer ? (
        <Failure problem={problem} again={() => void query.again()} />
      ) : !answer || isOld ? (
        <Skeleton lines={5} height={32} />
      ) : (
        <Shown
          key={answer.id}
          submission={answer}
          formName={formName(answer.formId)}
          onAttached={(name) => {
            const text = name === null ? said.attachedNew : say(said.attached, { name });
            const next = showNext(answer.id);
            setDone({ text: `${text} ${next ? said.nextHeld : said.lastHeld}`, at: next ?? answer.id });
          }}
        />
      )}
    </Panel>
  );
}

function Shown({ submission, formName, onAttached }: { submission: Submission; formName: string; onAttached: (name: string | null) => void }) {
  const { state, filedAt, dropped, fields, visits } = submission;
  return (
    <div class="stack-wide">
      <dl class="facts">
        <dt>{words.state}</dt>
        <dd>
          <StateBadge of={submission} />
        </dd>
        <dt>{words.form}</dt>
        <dd>
          <Foreign>{formName}</Foreign>
        </dd>
        <dt>{words.received}</dt>
        <dd>
          <RelativeTime at={submission.receivedAt} />
        </dd>
      </dl>
      {state === "Queued" && <p class="soft">{said.queued}</p>}
      {state === "Filed" && filedAt && <p class="soft">{say(said.filed, { when: formatRelative(filedAt) })}</p>}
      {state === "Held" && <Attach submission={submission} onAttached={onAttached} />}
      <section>
        <h3>{said.fields}</h3>
        <dl class="facts">
          {Object.entries(fields).map(([name, value]) => (
            <>
              <dt>
                <Foreign>{name}</Foreign>
              </dt>
              <dd>
                <Value value={value} />
              </dd>
            </>
          ))}
        </dl>
        {dropped > 0 && <p class="soft note">{say(said.dropped, { n: dropped })}</p>}
      </section>
      <section>
        <h3>{said.visits}</h3>
        {visits.length === 0 && <p class="soft">{said.noVisits}</p>}
        <ol class="visits">
          {visits.map((visit) => (
            <li key={visit.at + visit.url}>
              <Foreign>{visit.title ?? visit.url}</Foreign>
              <span class="soft">
                <Foreign>{visit.url}</Foreign>
                {visit.referrer && (
                  <>
                    {" · "}
                    <Foreign>{say(said.from, { referrer: visit.referrer })}</Foreign>
                  </>
                )}
                {" · "}
                <RelativeTime at={visit.at} />
              </span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function Value({ value }: { value: string | number | boolean | null }) {
  if (value === null || value === "") return <span class="soft">{said.empty}</span>;
  if (typeof value === "boolean") return <>{value ? said.yes : said.no}</>;
  return <Foreign>{typeof value === "number" ? formatNumber(value) : value}</Foreign>;
}
