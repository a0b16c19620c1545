/** Steps of a run as a log: what each was given and made, when, and what went wrong. */
import type { ComponentChildren } from "preact";
import { to } from "../../house/address";
import { formatDateTime, formatTime } from "../../house/formats";
import type { Answer } from "../../house/tools";
import { workflows as words } from "../../messages/en/workflows";
import { say } from "../../messages/messages";
import { RecordLink } from "../../parts/record_link";
import { Foreign } from "../../parts/texts";
import { nodeOf, placed, type WorkflowDocument } from "./model";
import { labelOf } from "./scope";
import { durationText } from "./trigger_text";
import "../../styles/workflows.css";

export type RunStep = Answer<"workflow.run_get">["steps"][number];

interface LogProps {
  steps: readonly RunStep[];
  /** The document that the run has, where it is there. */
  document: WorkflowDocument | null;
  isDry?: boolean;
  /** What can be done at a step. */
  actionsOf?: (step: RunStep) => ComponentChildren;
}

export function StepLog({ steps, document, isDry = false, actionsOf }: LogProps) {
  const depths = new Map(placed((document?.steps ?? []).map(nodeOf)).map(({ node, around }) => [node.facts.key, around.length] as const));
  const kinds = words.kinds as Readonly<Record<string, string>>;
  // What a dry run made is gone again.
  const undone = new Set(isDry ? steps.flatMap(({ type, output }) => (type === "update_record" ? [] : (output?.recordId ?? []))) : []);
  return (
    <ol class="step-log">
      {steps.map((step) => (
        <li key={step.key} data-state={step.state} style={{ marginInlineStart: `${(depths.get(step.key) ?? 0) * 20}px` }}>
          <header>
            <span class={`run-dot run-${step.state}`} aria-hidden="true" />
            <strong>{kinds[step.type] ?? step.type}</strong> <code>{step.key}</code>
            <span class="hidden">{words.states[step.state]}</span>
            {!isDry && <Times step={step} />}
          </header>
          {step.error && (
            <p class="field-fault">
              <Foreign>{told(step.error)}</Foreign>
            </p>
          )}
          <Members of={step.input} title={words.input} undone={undone} />
          <Members of={step.output} title={words.output} undone={undone} />
          {actionsOf?.(step)}
        </li>
      ))}
    </ol>
  );
}

/** What an error says, with a property's name instead of the pointer to it. */
const told = ({ detail, code }: Record<string, unknown>) => String(detail ?? code ?? "").replace(/^(\/\w+)*\/(\w+): /, "$2: ");

function Times({ step: { startedAt, endedAt, attempts } }: { step: RunStep }) {
  const took = endedAt === null ? null : Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000);
  return (
    <span class="soft step-times">
      <time dateTime={startedAt} title={formatDateTime(startedAt)}>
        {formatTime(startedAt)}
      </time>
      {took !== null && took > 0 && ` · ${durationText(took)}`}
      {attempts > 1 && ` · ${say(words.tries, { n: attempts })}`}
    </span>
  );
}

/** Members as a list of names and values: those of `properties` beside the others. */
function Members({ of, title, undone }: { of: Record<string, unknown> | null; title: string; undone: ReadonlySet<unknown> }) {
  const entries = Object.entries(of ?? {})
    .flatMap(([name, value]): [string, unknown][] =>
      name === "properties" && value !== null && typeof value === "object" ? Object.entries(value) : [[name, value]],
    )
    .filter(([, value]) => !isBareId(value));
  if (entries.length === 0) return null;
  return (
    <dl class="step-members" aria-label={title}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>{undone.has(value) ? <span class="soft">{words.undone}</span> : <Shown name={name} value={value} />}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An id that says nothing to people: of a note, a reply, a delivery. */
const isBareId = (value: unknown) => typeof value === "string" && /^(not|rpl|dlv)_[0-9A-Z]{26}$/.test(value);

function Shown({ name, value }: { name: string; value: unknown }) {
  if (value === null || value === undefined) return <span class="soft">–</span>;
  if (name === "seconds" && typeof value === "number") return <>{durationText(value)}</>;
  if (typeof value !== "string") return <code>{JSON.stringify(value)}</code>;
  if (value.startsWith("rec_")) return <RecordLink id={value} />;
  if (value.startsWith("apr_")) return <a href={to("/app/approvals", { open: value })}>{value}</a>;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return <time dateTime={value}>{formatDateTime(value)}</time>;
  return <Foreign>{value}</Foreign>;
}
