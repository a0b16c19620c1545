/** One run as a log, with what can be done about it. */
import { Page, PageSkeleton } from "../../frame/page";
import { useAct } from "../../house/acts";
import { go, to } from "../../house/address";
import { formatDateTime } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, type Input, write } from "../../house/tools";
import { workflows as words } from "../../messages/en/workflows";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Failure } from "../../parts/failure";
import { Menu } from "../../parts/menu";
import { RecordLink } from "../../parts/record_link";
import { ErrorBox } from "../../parts/states";
import { RelativeTime } from "../../parts/texts";
import { StateOf, Why } from "./runs";
import { type RunStep, StepLog } from "./step_log";
import { documentIn } from "./workflow_document";
import "../../styles/workflows.css";

type Details = Answer<"workflow.get">;
type RunDetails = Answer<"workflow.run_get">;

export function Run({ id, workflow }: { id: string; workflow: Details | null }) {
  const { answer: run, problem, query } = useAnswer("workflow.run_get", { id });
  if (problem && (!run || problem.code === "not_found")) return <Failure page problem={problem} again={() => void query.again()} />;
  if (!run || run.id !== id) return <PageSkeleton />;
  return <Shown run={run} workflow={workflow} />;
}

function Shown({ run, workflow }: { run: RunDetails; workflow: Details | null }) {
  const of = useAnswer("workflow.get", { id: run.workflowId, version: run.version }).answer;
  const at = `/app/workflows/${run.workflowId}`;
  const isOpen = run.endedAt === null;
  const again = useAct(async (input: Input<"workflow.run">) => {
    const result = await write("workflow.run", input);
    if (result.ok) {
      toast(words.started);
      void go(to(`${at}/${result.answer.id}`));
    }
    return result;
  });
  const cancel = async () => {
    const { id } = run;
    const confirmed = await ask({
      title: words.cancelTitle,
      body: words.cancelBody,
      confirm: words.cancelRun,
      danger: true,
      act: () => write("workflow.run_cancel", { id }),
    });
    if (confirmed) toast(words.cancelled);
  };
  const { eventId, recordId } = run;
  const start = { id: run.workflowId, ...(eventId ? { eventId } : recordId ? { recordId } : {}) };
  const newest = workflow?.enabled && workflow.version !== run.version;
  const from = (step: RunStep) => (
    <div class="row step-actions">
      <a class="button button-plain button-small" href={to(at, { step: step.key })}>
        {words.toStep}
      </a>
      <Menu
        label={say(words.goOnWith, { key: step.key })}
        class="button button-plain button-small"
        items={[
          [
            ...(newest
              ? [{ label: words.newest, run: () => void again.run({ retryOf: run.id, fromStep: step.key, version: "newest" }) }]
              : []),
            { label: say(words.same, { n: run.version }), run: () => void again.run({ retryOf: run.id, fromStep: step.key }) },
          ],
        ]}
      >
        {words.againFrom}
      </Menu>
    </div>
  );
  return (
    <Page
      title={say(words.runTitle, { when: formatDateTime(run.startedAt) })}
      crumbs={[
        { label: words.title, href: to("/app/workflows") },
        { label: workflow?.name ?? words.runs, href: to(at) },
        { label: words.runs, href: to(at, { tab: "runs" }) },
      ]}
      actions={
        isOpen ? (
          <Button icon="x" onClick={() => void cancel()}>
            {words.cancelRun}
          </Button>
        ) : (
          <Button icon="play" busy={again.busy} disabled={!workflow?.enabled} onClick={() => void again.run(start)}>
            {words.again}
          </Button>
        )
      }
    >
      <ErrorBox problem={again.problem} />
      <dl class="run-facts">
        <div>
          <dt>{words.state}</dt>
          <dd>
            <StateOf run={run} />
            <p class="soft">{run.state !== "waiting" && <Why run={run} />}</p>
          </dd>
        </div>
        <div>
          <dt>{words.began}</dt>
          <dd>
            <RelativeTime at={run.startedAt} />
            <span class="soft">
              {" · "}
              {run.eventId ? words.startedByEvent : run.plannedAt ? words.startedBySchedule : words.startedByHand}
              {run.late && ` (${words.late})`}
            </span>
          </dd>
        </div>
        {run.recordId && (
          <div>
            <dt>{words.about_record}</dt>
            <dd>
              <RecordLink id={run.recordId} />
            </dd>
          </div>
        )}
        <div>
          <dt>{words.version}</dt>
          <dd>{run.version}</dd>
        </div>
      </dl>
      <section aria-label={words.log}>
        <h2>{words.log}</h2>
        {run.steps.length === 0 ? (
          <p class="soft">{words.noLog}</p>
        ) : (
          <StepLog
            steps={run.steps}
            document={of ? documentIn(of) : null}
            actionsOf={(step) =>
              step.state === "failed" || (run.state === "cancelled" && step.state === "cancelled") ? (
                from(step)
              ) : step.state === "waiting" && run.wakeAt ? (
                <p class="soft">
                  {say(step.type === "wait" ? words.waitsUntilExactly : words.waitsUntil, { when: formatDateTime(run.wakeAt) })}
                </p>
              ) : null
            }
          />
        )}
      </section>
    </Page>
  );
}
