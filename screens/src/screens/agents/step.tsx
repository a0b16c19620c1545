/** One step of a run or of a trial: what the model said, a tool's call with its input and answer, or the end. */
import type { ComponentChildren } from "preact";
import { screens, to } from "../../house/address";
import { formatCredits, formatList } from "../../house/formats";
import { agents } from "../../messages/en/agents";
import { say } from "../../messages/messages";
import { Icon } from "../../parts/icon";
import type { IconName } from "../../parts/icon_names";
import { Exactly, Members, Readable } from "../../parts/readable";
import { Badge, Foreign } from "../../parts/texts";
import "../../styles/agents.css";
import "../../styles/readable.css";

const words = agents.step;

export interface ShownStep {
  kind: "model" | "tool" | "reply" | "handover";
  state: keyof typeof words.states;
  tool: string | null;
  input?: unknown;
  answer?: unknown;
  chargedMicroCredits: number;
}

const KINDS = { done: "good", refused: "bad", failed: "bad", waiting: "warn", running: "plain", not_run: "warn" } as const;
const ICONS: Record<ShownStep["kind"], IconName> = { model: "sparkles", tool: "settings", reply: "check", handover: "user" };

export function Steps({ of: steps }: { of: readonly ShownStep[] }) {
  return (
    <ol class="steps">
      {steps.map((step, place) => (
        <li key={place} class="step" data-kind={step.kind}>
          <span class="step-sign">
            <Icon name={ICONS[step.kind]} size={14} />
          </span>
          <div class="stack">
            <StepBody of={step} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function StepBody({ of: step }: { of: ShownStep }): ComponentChildren {
  if (step.kind === "model") return <ModelStep of={step} />;
  if (step.kind === "tool") return <ToolStep of={step} />;
  const { text, reason } = (step.input ?? {}) as { text?: string; reason?: string };
  return (
    <>
      <p class="step-head">{step.kind === "reply" ? words.reply : words.handover}</p>
      <blockquote class="quote">
        <Foreign>{text ?? reason ?? ""}</Foreign>
      </blockquote>
    </>
  );
}

function ModelStep({ of: { state, answer, chargedMicroCredits } }: { of: ShownStep }) {
  const said = (answer ?? {}) as { text?: string | null; toolCalls?: string[] };
  const calls = said.toolCalls ?? [];
  const head = state === "running" ? words.thinking : state === "failed" ? words.modelFailed : words.model;
  return (
    <>
      <p class="step-head">
        {head}
        {chargedMicroCredits > 0 && <span class="soft">{say(agents.trial.cost, { credits: formatCredits(chargedMicroCredits) })}</span>}
      </p>
      {said.text && calls.length > 0 && <Foreign>{said.text}</Foreign>}
      {said.text === null && <p class="soft">{words.hiddenText}</p>}
      {calls.length > 0 && (
        <p class="soft">{say(words.called, { tools: formatList([...new Set(calls.map((name) => name.replace("_", ".")))]) })}</p>
      )}
    </>
  );
}

function ToolStep({ of: { tool, state, input, answer } }: { of: ShownStep }) {
  const isHidden = input === null && answer === null;
  const card = (answer as { approvalId?: string } | null)?.approvalId;
  return (
    <>
      <p class="step-head">
        <code>{tool}</code> <Badge kind={KINDS[state]}>{words.states[state]}</Badge>
        {state === "waiting" && card && screens.has("/app/approvals") && <a href={to("/app/approvals", { open: card })}>{words.card}</a>}
      </p>
      {isHidden ? (
        <p class="soft">{words.hidden}</p>
      ) : (
        <>
          <Given value={input} />
          {state !== "not_run" && state !== "waiting" && <Answered value={answer} refused={state === "refused"} />}
        </>
      )}
    </>
  );
}

function Given({ value }: { value: unknown }) {
  return value && typeof value === "object" ? <Members of={value} /> : <Readable value={value} />;
}

function Answered({ value, refused }: { value: unknown; refused: boolean }) {
  if (refused) {
    const error = (value as { error?: { detail?: string } } | null)?.error;
    return <p class="step-refused">{error?.detail ?? JSON.stringify(value)}</p>;
  }
  return <Exactly value={value} label={words.answer} />;
}
