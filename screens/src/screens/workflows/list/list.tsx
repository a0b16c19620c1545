/** The list of workflows: what starts each, whether it is on, and how its last runs went. */
import { useEffect } from "preact/hooks";
import { Page } from "../../../frame/page";
import { go, parameter, to } from "../../../house/address";
import { may } from "../../../house/boot";
import { formatDateTime } from "../../../house/formats";
import { useKeys } from "../../../house/keys";
import { useAnswer } from "../../../house/queries";
import type { Answer } from "../../../house/tools";
import { workflows as words } from "../../../messages/en/workflows";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { useFound } from "../../../parts/filter";
import { Empty } from "../../../parts/states";
import { Table } from "../../../parts/table/table";
import { Badge, Foreign, RelativeTime } from "../../../parts/texts";
import { OBJECTS, WORKFLOWS } from "../../../questions";
import { triggerText } from "../trigger_text";
import "../../../styles/workflows.css";

type Listed = Answer<"workflow.list">["workflows"][number];

export default function Workflows() {
  const { answer, problem, query } = useAnswer("workflow.list", WORKFLOWS.input);
  const create = () => void go(to("/app/workflows/new"));
  useEffect(() => {
    if (parameter("new") !== null) void go(to("/app/workflows/new"), { replace: true }); // As the palette leads to what a list makes.
  }, []);
  useKeys([{ key: "c", label: words.create, run: create }]);
  const found = useFound(words.search, answer?.workflows, ({ name }) => name);
  const button = (
    <Button look="solid" icon="plus" onClick={create}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} about={words.about} actions={button} wide>
      {found.search}
      <Table
        label={words.title}
        rows={found.rows}
        problem={problem}
        again={() => void query.again()}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => to(`/app/workflows/${id}`)}
        empty={
          found.none ?? (
            <Empty icon="workflow" title={words.emptyTitle} action={button}>
              {words.emptyBody}
            </Empty>
          )
        }
        columns={[
          { key: "name", label: words.name, width: "30%", cell: ({ name }) => <Foreign>{name}</Foreign> },
          {
            key: "state",
            label: words.state,
            width: "9%",
            phone: "side",
            cell: ({ enabled }) => <Badge kind={enabled ? "good" : "plain"}>{enabled ? words.on : words.off}</Badge>,
          },
          { key: "starts", label: words.starts, phone: "plain", cell: (workflow) => <Starts workflow={workflow} /> },
          { key: "runs", label: words.lastRuns, width: "13%", cell: (workflow) => <LastRuns workflow={workflow} /> },
          {
            key: "last",
            label: words.lastRun,
            width: "13%",
            cell: ({ lastRuns: [last] }) => <RelativeTime at={last?.startedAt ?? null} never={words.noRuns} />,
          },
        ]}
      />
    </Page>
  );
}

/** What starts it. Names of forms and messengers are asked for by the workflow's own page alone. */
function Starts({ workflow: { trigger, nextAt } }: { workflow: Listed }) {
  const labels = useObjectLabels();
  const general = { ...trigger } as Record<string, unknown>;
  for (const member of ["formId", "connectionId"]) delete general[member];
  const text = triggerText(general as Listed["trigger"], { forms: [], connections: [], objectLabel: (slug) => labels.get(slug) ?? slug });
  return (
    <span class="one-line">
      {text}
      {nextAt && (
        <span class="soft">
          {" · "}
          <RelativeTime at={nextAt} />
        </span>
      )}
    </span>
  );
}

function useObjectLabels(): ReadonlyMap<string, string> {
  return may("records.read") ? useKnownLabels() : NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();

function useKnownLabels(): ReadonlyMap<string, string> {
  const { answer } = useAnswer("object.list", OBJECTS.input);
  return new Map((answer?.objects ?? []).map(({ slug, label }) => [slug, label]));
}

/** A mark for each of the last runs, the oldest first. */
function LastRuns({ workflow: { id, lastRuns } }: { workflow: Listed }) {
  if (lastRuns.length === 0) return <span class="soft">–</span>;
  const failed = lastRuns.filter(({ state }) => state === "failed").length;
  return (
    <a class="run-dots" href={to(`/app/workflows/${id}`, { tab: "runs" })}>
      {lastRuns.toReversed().map((run) => (
        <span
          key={run.id}
          class={`run-dot run-${run.state}`}
          title={say(words.runOf, { when: formatDateTime(run.startedAt), state: words.states[run.state] })}
        />
      ))}
      <span class="hidden">{say(words.runsSaid, { n: lastRuns.length })}</span>
      {failed > 0 && <span class="run-failures">{say(words.failedRuns, { n: failed })}</span>}
    </a>
  );
}
