/** How the agent came to what it wrote: the steps of its run. */
import { useState } from "preact/hooks";
import { formatFullTime } from "../../../house/formats";
import { useAnswer } from "../../../house/queries";
import { toast } from "../../../house/toasts";
import { type Answer, write } from "../../../house/tools";
import { inboxLater } from "../../../messages/en/inbox_later";
import { Button } from "../../../parts/button";
import { Dialog } from "../../../parts/dialog";
import { Failure } from "../../../parts/failure";
import { Skeleton } from "../../../parts/states";
import { Badge, Foreign } from "../../../parts/texts";
import "../../../styles/inbox.css";

const words = inboxLater.run;
type Run = Answer<"agent.run_get">;

export function RunDialog({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <Dialog title={words.title} onClose={onClose} wide>
      <Steps id={id} />
    </Dialog>
  );
}

function Steps({ id }: { id: string }) {
  const { answer, problem, query } = useAnswer("agent.run_get", { id });
  if (problem?.code === "not_found") return <p class="prose">{words.gone}</p>;
  if (!answer) return problem ? <Failure problem={problem} again={() => void query.again()} /> : <Skeleton lines={4} height={40} />;
  const stop = async () => {
    const result = await write("agent.run_stop", { id });
    if (!result.ok) toast(result.problem.detail ?? result.problem.title, { kind: "failed" });
  };
  return (
    <div class="run">
      <p class="row">
        <Badge kind={answer.state === "failed" ? "bad" : "plain"}>{words.states[answer.state]}</Badge>
        {answer.reason && <Foreign>{answer.reason}</Foreign>}
        {(answer.state === "running" || answer.state === "waiting") && (
          <Button small onClick={() => void stop()}>
            {words.stop}
          </Button>
        )}
      </p>
      <ol class="run-steps">
        {answer.steps.map((step) => (
          <Step key={step.n} step={step} />
        ))}
      </ol>
      {answer.steps.length === 0 && <p class="soft">{words.noSteps}</p>}
    </div>
  );
}

function Step({ step }: { step: Run["steps"][number] }) {
  const [isOpen, setOpen] = useState(false);
  const { kind, tool, input, answer, at } = step;
  const has = input !== null || answer !== null;
  return (
    <li>
      <div class="row">
        <strong>{words.kinds[kind]}</strong>
        {tool && <code>{tool}</code>}
        <time class="soft" dateTime={at}>
          {formatFullTime(at)}
        </time>
        {has && (
          <Button look="quiet" small expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? words.less : words.more}
          </Button>
        )}
      </div>
      {isOpen && (
        <>
          {input !== null && <Json title={words.input} value={input} />}
          {answer !== null && <Json title={words.answer} value={answer} />}
        </>
      )}
    </li>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <pre class="run-json" tabIndex={0}>
        {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
      </pre>
    </>
  );
}
