/** A trial conversation: the person writes as a customer would, and sees what the agent would do. */
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCredits } from "../../house/formats";
import type { Problem } from "../../house/problems";
import { type AgentTrial, type TrialMessage, type TrialStep, tryAgent } from "../../house/trials";
import { agents } from "../../messages/en/agents";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Members } from "../../parts/readable";
import { ErrorBox } from "../../parts/states";
import { Foreign } from "../../parts/texts";
import { Steps } from "./step";
import "../../styles/agents.css";
import "../../styles/readable.css";

const words = agents.trial;

interface Turn {
  text: string;
  answer: AgentTrial | null;
}

/** *settings*: what `agent.set` would be asked now. */
export function Trial({ settings }: { settings: object }) {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const stop = useRef<AbortController | null>(null);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => () => stop.current?.abort(), []);
  useEffect(() => end.current?.scrollIntoView?.({ block: "nearest" }), [turns, busy]);
  const ask = async () => {
    const asked = text.trim();
    if (!asked || busy) return;
    const before = turns;
    setText("");
    setProblem(null);
    setBusy(true);
    setTurns([...before, { text: asked, answer: null }]);
    stop.current = new AbortController();
    const result = await tryAgent(settings, [...before.flatMap(messagesOf), { by: "customer", text: asked }], stop.current.signal);
    setBusy(false);
    if (result.ok) setTurns([...before, { text: asked, answer: result.answer }]);
    else {
      setTurns(before);
      setText(asked);
      if (result.problem.code !== "stopped") setProblem(result.problem);
    }
  };
  return (
    <section class="trial" aria-labelledby="trial">
      <header class="trial-head">
        <h2 id="trial">{words.title}</h2>
        {turns.length > 0 && !busy && (
          <Button small look="quiet" onClick={() => setTurns([])}>
            {words.again}
          </Button>
        )}
      </header>
      <p class="soft">{words.about}</p>
      <div class="trial-talk" role="log" aria-label={words.title}>
        {turns.map((turn, place) => (
          <Said key={place} of={turn} />
        ))}
        {busy && <p class="soft trial-thinks">{words.thinks}</p>}
        <div ref={end} />
      </div>
      <ErrorBox problem={problem} />
      <div class="trial-write">
        <textarea
          class="control"
          rows={2}
          aria-label={words.message}
          placeholder={words.placeholder}
          dir="auto"
          value={text}
          maxLength={4_000}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void ask();
          }}
        />
        {busy ? (
          <Button onClick={() => stop.current?.abort()}>{words.stop}</Button>
        ) : (
          <Button look="solid" disabled={text.trim() === ""} onClick={() => void ask()}>
            {words.send}
          </Button>
        )}
      </div>
    </section>
  );
}

const messagesOf = ({ text, answer }: Turn): TrialMessage[] => [
  { by: "customer", text },
  ...(answer?.reply ? [{ by: "agent" as const, text: answer.reply }] : []),
];

function Said({ of: { text, answer } }: { of: Turn }) {
  const wouldDo = answer?.steps.filter((step) => step.state === "not_run") ?? [];
  return (
    <ol class="talk trial-turn">
      <li class="talk-in">
        <span class="talk-who soft">{words.you}</span>
        <span class="talk-text">
          <Foreign>{text}</Foreign>
        </span>
      </li>
      {wouldDo.map((step, place) => (
        <WouldDo key={place} of={step} />
      ))}
      {answer && (
        <li class="talk-out">
          <span class="talk-who soft">{words.agent}</span>
          <span class="talk-text">
            <Foreign>{answer.reply ?? say(words.handedOver, { reason: answer.reason ?? "" })}</Foreign>
          </span>
          <details class="trial-steps">
            <summary>
              {say(words.steps, { n: answer.steps.length })} · {say(words.cost, { credits: formatCredits(answer.chargedMicroCredits) })}
            </summary>
            <Steps of={answer.steps} />
          </details>
        </li>
      )}
    </ol>
  );
}

/** A call that would have changed something. */
function WouldDo({ of: { tool, input, answer } }: { of: TrialStep }) {
  const asks = JSON.stringify(answer).includes("would be asked");
  return (
    <li class="would-do">
      <p>
        <strong>{asks ? words.wouldAsk : words.wouldDo}</strong> <code>{tool}</code>
      </p>
      {input !== null && typeof input === "object" && <Members of={input} />}
    </li>
  );
}
