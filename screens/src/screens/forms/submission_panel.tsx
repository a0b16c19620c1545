/** One submission: what was sent, what led to it, and, while it is held, who may have sent it. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { to } from "../../house/address";
import { may } from "../../house/boot";
import { formatNumber, formatRelative } from "../../house/formats";
import { useKeys } from "../../house/keys";
import { useAnswer } from "../../house/queries";
import { submissions as words } from "../../messages/en/submissions";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Failure } from "../../parts/failure";
import { Panel } from "../../parts/panel";
import { RecordLink } from "../../parts/record_link";
import { Skeleton } from "../../parts/states";
import { Foreign, RelativeTime } from "../../parts/texts";
import { Attach } from "./attach";
import { discard, restore } from "./discarding";
import { nameOf, StateBadge, type Submission } from "./submission";

const said = words.panel;

interface SubmissionPanelProps {
  id: string;
  formName: (id: string) => string;
  onClose: () => void;
  /** Show the next one that is held, and say which; null where there is none. */
  showNext: (attached: string) => string | null;
  /** It was discarded or restored, and is in another list now. */
  onMoved: () => void;
}

export function SubmissionPanel({ id, formName, onClose, showNext, onMoved }: SubmissionPanelProps) {
  const { answer, problem, query, isOld } = useAnswer("submission.get", { id });
  const [done, setDone] = useState<{ text: string; at: string } | null>(null);
  const title = answer && !isOld ? <Foreign>{nameOf(answer)}</Foreign> : "";
  return (
    <Panel
      title={title}
      of={id}
      onClose={onClose}
      actions={answer && !isOld && answer.state !== "Filed" && <Move key={id} submission={answer} onMoved={onMoved} />}
    >
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

/** *Discard*, or *Restore* of one that is discarded; the key `D` does it, too. */
function Move({ submission: { id, discardedAt }, onMoved }: { submission: Submission; onMoved: () => void }) {
  const act = useAct(async () => {
    const { done, problem } = await (discardedAt ? restore([id]) : discard([id]));
    if (done.length > 0) onMoved();
    return problem ? { ok: false, problem } : { ok: true, answer: null };
  });
  const label = discardedAt ? said.restore : said.discard;
  useKeys([{ key: "d", label, run: () => void act.run() }]);
  return (
    <Button look="quiet" small icon={discardedAt ? "undo-2" : "trash-2"} busy={act.busy} onClick={() => void act.run()}>
      {label}
    </Button>
  );
}

function Shown({
  submission,
  formName,
  onAttached,
}: {
  submission: Submission;
  formName: string;
  onAttached: (name: string | null) => void;
}) {
  const { state, filedAt, discardedAt, dropped, fields, visits } = submission;
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
        <Became submission={submission} />
      </dl>
      {discardedAt && <p class="soft">{say(said.discarded, { when: formatRelative(discardedAt) })}</p>}
      {state === "Queued" && !discardedAt && <p class="soft">{said.queued}</p>}
      {state === "Filed" && filedAt && <p class="soft">{say(said.filed, { when: formatRelative(filedAt) })}</p>}
      {state === "Held" && !discardedAt && <Attach submission={submission} onAttached={onAttached} />}
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

/** What a filed one has become: each leads to its page. */
function Became({ submission: { contactId, dealId, noteId } }: { submission: Submission }) {
  if (contactId === null) return null;
  return (
    <>
      <dt>{said.contact}</dt>
      <dd>
        <RecordLink id={contactId} />
      </dd>
      {dealId && (
        <>
          <dt>{said.deal}</dt>
          <dd>
            <RecordLink id={dealId} />
          </dd>
        </>
      )}
      {noteId && may("records.read") && (
        <>
          <dt>{said.note}</dt>
          <dd>
            <a href={to(`/app/records/contact/${contactId}`, { kind: "notes" })}>{said.openNote}</a>
          </dd>
        </>
      )}
    </>
  );
}

function Value({ value }: { value: string | number | boolean | null }) {
  if (value === null || value === "") return <span class="soft">{said.empty}</span>;
  if (typeof value === "boolean") return <>{value ? said.yes : said.no}</>;
  return <Foreign>{typeof value === "number" ? formatNumber(value) : value}</Foreign>;
}
