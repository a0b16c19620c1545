/** First steps of a new organization, ticked as they are done; the first submission is waited for live. */
import { useEffect, useRef, useState } from "preact/hooks";
import { to } from "../../house/address";
import { organization } from "../../house/boot";
import { toast } from "../../house/toasts";
import type { Answer } from "../../house/tools";
import { home } from "../../messages/en/home";
import { say } from "../../messages/messages";
import { Button, LinkButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { screenHref } from "./screen_path";
import { SendTest } from "./send_test";
import "../../styles/home.css";

type Step = NonNullable<Answer<"home.get">["firstSteps"]>[number];

const words = home.steps;
const hiddenKey = () => `svc-first-steps-${organization?.id ?? ""}`;

export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey()) !== null);
  if (isHidden || steps.length === 0) return null;
  const hide = () => {
    localStorage.setItem(hiddenKey(), "1");
    setHidden(true);
    toast(words.hidden, {
      undo: () => {
        localStorage.removeItem(hiddenKey());
        setHidden(false);
      },
    });
  };
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done)?.key;
  const hasForm = steps.some((step) => step.key === "form" && step.done);
  return (
    <section class="home-steps" aria-labelledby="steps">
      <header>
        <h2 id="steps">{words.title}</h2>
        <span class="soft">{say(words.progress, { done, all: steps.length })}</span>
        <Button look="quiet" small icon="x" label={words.hide} onClick={hide} />
      </header>
      <ol>
        {steps.map((step) => (
          <StepLine key={step.key} step={step} isNext={step.key === next} hasForm={hasForm} />
        ))}
      </ol>
    </section>
  );
}

function StepLine({ step, isNext, hasForm }: { step: Step; isNext: boolean; hasForm: boolean }) {
  const { title, body, act } = words.keys[step.key];
  const isAwaited = step.key === "submission" && hasForm && !step.done;
  return (
    <li class={step.done ? "step-done" : undefined}>
      <Icon name={step.done ? "circle-check" : "circle-dashed"} size={20} />
      <span class="hidden">{step.done ? words.done : words.open}</span>
      <div class="step-body">
        <strong>{title}</strong>
        {!step.done && <span class="soft">{body}</span>}
        {step.key === "submission" && <Arrival step={step} isAwaited={isAwaited} />}
      </div>
      {!step.done && (step.key !== "submission" || hasForm) && (
        <LinkButton href={screenHref(step.path)} look={isNext ? "solid" : "plain"}>
          {act}
        </LinkButton>
      )}
    </li>
  );
}

/** Says that the first submission is waited for, and the moment that it has come. */
function Arrival({ step, isAwaited }: { step: Step; isAwaited: boolean }) {
  const wasAwaited = useRef(isAwaited);
  const [isReceived, setReceived] = useState(false);
  useEffect(() => {
    if (wasAwaited.current && step.done) setReceived(true);
    wasAwaited.current = isAwaited;
  }, [isAwaited, step.done]);
  if (!isAwaited && !isReceived) return null;
  return (
    <div class="step-arrival">
      <span role="status" class={isReceived ? "step-received" : "step-awaited"}>
        {isReceived ? words.received : words.waitingFor}
      </span>
      {isReceived ? <a href={to("/app/submissions")}>{words.see}</a> : <SendTest />}
    </div>
  );
}
