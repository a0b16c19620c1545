/** The runs of a workflow, the newest first. */
import { parameter, to } from "../../house/address";
import { useList } from "../../house/lists";
import type { Answer } from "../../house/tools";
import { workflows as words } from "../../messages/en/workflows";
import { RecordLink } from "../../parts/record_link";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { Foreign, RelativeTime } from "../../parts/texts";
import { durationText } from "./trigger_text";
import "../../styles/workflows.css";

type Run = Answer<"workflow.run_list">["runs"][number];
const STATES = ["running", "waiting", "done", "failed", "cancelled"] as const;

export function Runs({ workflow: { id, enabled } }: { workflow: { id: string; enabled: boolean } }) {
  const asked = parameter("state");
  const state = STATES.find((one) => one === asked);
  const list = useList("workflow.run_list", "runs", { workflowId: id, ...(state && { state }) });
  return (
    <>
      <Tabs
        name="state"
        label={words.state}
        tabs={[{ value: "", label: words.anyState }, ...STATES.map((value) => ({ value, label: words.states[value] }))]}
      />
      <Table
        label={words.runs}
        rows={list.rows}
        problem={list.problem}
        again={list.again}
        hasMore={list.hasMore}
        more={list.more}
        idOf={(run) => run.id}
        nameOf={(run) => run.id}
        hrefOf={(run) => to(`/app/workflows/${id}/${run.id}`)}
        empty={
          <Empty icon="history" title={words.noRunsTitle}>
            {enabled ? words.noRunsBody : words.noRunsOff}
          </Empty>
        }
        columns={[
          { key: "began", label: words.began, width: "18%", cell: (run) => <RelativeTime at={run.startedAt} /> },
          { key: "state", label: words.state, width: "14%", phone: "side", cell: (run) => <StateOf run={run} /> },
          {
            key: "about",
            label: words.about_record,
            phone: "plain",
            cell: ({ recordId }) => (recordId ? <RecordLink id={recordId} bare /> : <span class="soft">–</span>),
          },
          { key: "why", label: words.why, phone: "plain", cell: (run) => <Why run={run} /> },
          { key: "took", label: words.took, width: "14%", align: "end", cell: (run) => <Took run={run} /> },
          { key: "version", label: words.version, width: "9%", align: "end", cell: ({ version }) => version },
        ]}
      />
    </>
  );
}

export function StateOf({ run: { state } }: { run: Pick<Run, "state"> }) {
  return (
    <span class="run-state">
      <span class={`run-dot run-${state}`} aria-hidden="true" /> {words.states[state]}
    </span>
  );
}

export function Why({ run: { state, reason, wakeAt } }: { run: Pick<Run, "state" | "reason" | "wakeAt"> }) {
  const reasons = words.reasons as Readonly<Record<string, string>>;
  if (reason && state === "failed") return <>{reasons[reason] ?? reason}</>;
  if (reason) return <Foreign>{reason}</Foreign>;
  if (state === "waiting" && wakeAt) return <RelativeTime at={wakeAt} />;
  return null;
}

function Took({ run: { startedAt, endedAt } }: { run: Run }) {
  if (endedAt === null) return <span class="soft">–</span>;
  return <>{durationText(Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000)))}</>;
}
