/** One run of an agent: its conversation, how it ended, and every step. */
import { useEffect } from "preact/hooks";
import { formatCredits, formatDuration } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { agents } from "../../messages/en/agents";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Failure } from "../../parts/failure";
import { Panel } from "../../parts/panel";
import { Skeleton } from "../../parts/states";
import { Foreign, RelativeTime } from "../../parts/texts";
import { ThingName } from "../../parts/thing_name";
import { closeRun, RunBadge, reasonOf } from "./runs";
import { Steps } from "./step";

const words = agents.runs;
/** Steps of a run that is under way come without a hint of their own. */
const LOOK_MS = 1_500;

type Run = Answer<"agent.run_get">;

export function RunPanel({ id }: { id: string }) {
  const { answer, problem, query, isOld } = useAnswer("agent.run_get", { id });
  const run = isOld ? undefined : answer;
  const isOpen = run?.state === "running" || run?.state === "waiting";
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => void query.again(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isOpen, query]);
  return (
    <Panel title={words.title} of={id} onClose={closeRun} actions={isOpen && <Stop id={id} />}>
      {run ? (
        <Shown of={run} />
      ) : problem?.code === "not_found" ? (
        <p class="soft">{words.gone}</p>
      ) : problem ? (
        <Failure problem={problem} again={() => void query.again()} />
      ) : (
        <Skeleton lines={5} height={32} />
      )}
    </Panel>
  );
}

function Stop({ id }: { id: string }) {
  const stop = async () => {
    const act = () => write("agent.run_stop", { id });
    if (await ask({ title: words.stopTitle, body: words.stopBody, confirm: words.stop, danger: true, act })) toast(words.stopped);
  };
  return (
    <Button look="quiet" small icon="square" onClick={() => void stop()}>
      {words.stop}
    </Button>
  );
}

function Shown({ of: run }: { of: Run }) {
  const seconds = run.startedAt && run.endedAt ? Math.round((Date.parse(run.endedAt) - Date.parse(run.startedAt)) / 1_000) : null;
  const reason = reasonOf(run.reason);
  return (
    <div class="stack-wide">
      <dl class="facts">
        <dt>{words.outcome}</dt>
        <dd>
          <RunBadge of={run} />
        </dd>
        {reason && (
          <>
            <dt>{words.reason}</dt>
            <dd>
              <Foreign>{reason}</Foreign>
            </dd>
          </>
        )}
        <dt>{words.inConversation}</dt>
        <dd>
          <ThingName id={run.conversationId} />
        </dd>
        <dt>{words.agentOf}</dt>
        <dd>
          <ThingName id={run.connectionId} />
        </dd>
        <dt>{words.at}</dt>
        <dd>
          <RelativeTime at={run.createdAt} />
        </dd>
        {seconds !== null && (
          <>
            <dt>{words.took}</dt>
            <dd>{formatDuration(seconds)}</dd>
          </>
        )}
        <dt>{words.spent}</dt>
        <dd>{formatCredits(run.chargedMicroCredits)}</dd>
      </dl>
      <section class="stack">
        <h3>{words.steps}</h3>
        {run.steps.length === 0 ? <p class="soft">{words.noSteps}</p> : <Steps of={run.steps} />}
      </section>
    </div>
  );
}
