/** Runs of agents: what became of each, and what it cost. */
import { parameter, setParameters, to } from "../../house/address";
import { formatCredits } from "../../house/formats";
import { useList } from "../../house/lists";
import { useAnswer } from "../../house/queries";
import type { Answer, Input } from "../../house/tools";
import { agents } from "../../messages/en/agents";
import { Filter } from "../../parts/filter";
import { Empty } from "../../parts/states";
import type { Column } from "../../parts/table/column";
import { Table } from "../../parts/table/table";
import { Badge, Foreign, RelativeTime } from "../../parts/texts";
import { ThingName } from "../../parts/thing_name";
import "../../styles/agents.css";

const words = agents.runs;
export type Run = Answer<"agent.run_list">["runs"][number];
type State = Run["state"];

const KINDS: Record<State, "plain" | "good" | "warn" | "bad" | "accent"> = {
  waiting: "plain",
  running: "accent",
  replied: "good",
  handed_over: "warn",
  silenced: "plain",
  stopped: "plain",
  failed: "bad",
};
const STATES = Object.keys(words.states) as State[];

export function RunBadge({ of: { state } }: { of: Pick<Run, "state"> }) {
  return <Badge kind={KINDS[state]}>{words.states[state]}</Badge>;
}

const COST: Column<Run> = {
  key: "cost",
  label: words.cost,
  width: "14%",
  align: "end",
  cell: (run) => formatCredits(run.chargedMicroCredits),
};

/** Why a run ended, in words where it is one of the service's own reasons. */
export const reasonOf = (reason: string | null): string | null =>
  reason === null ? null : ((words.reasons as Readonly<Record<string, string>>)[reason] ?? reason);

/** Of all messengers, or of one. */
export function Runs({ connection }: { connection?: string }) {
  const state = STATES.find((one) => one === parameter("state"));
  const messenger = connection ?? parameter("messenger");
  const open = parameter("run");
  const which: Omit<Input<"agent.run_list">, "limit" | "cursor"> = {
    ...(messenger && { connectionId: messenger }),
    ...(state && { state }),
  };
  const list = useList("agent.run_list", "runs", which);
  const connections = useAnswer("connection.list", { limit: 50 }).answer?.connections ?? [];
  const here = { tab: parameter("tab"), open: parameter("open"), state: state ?? null, messenger: parameter("messenger") };
  return (
    <>
      <div class="filters">
        <Filter
          name="state"
          label={words.outcome}
          any={words.any}
          choices={STATES.map((value) => ({ value, label: words.states[value] }))}
        />
        {!connection && connections.length > 1 && (
          <Filter
            name="messenger"
            label={agents.messenger}
            any={words.anyMessenger}
            choices={connections.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
      </div>
      <Table
        label={agents.tabs.runs}
        rows={list.rows}
        problem={list.problem}
        again={list.again}
        idOf={(run) => run.id}
        nameOf={(run) => words.states[run.state]}
        hrefOf={(run) => to("/app/settings/agents", { ...here, run: run.id })}
        openId={open}
        hasMore={list.hasMore}
        more={list.more}
        empty={
          <Empty icon="bot" title={state ? words.noneTitle : words.emptyTitle}>
            {state ? null : words.emptyBody}
          </Empty>
        }
        columns={[
          {
            key: "with",
            label: words.conversation,
            width: "30%",
            cell: (run) => (
              <span class="one-line">
                <ThingName bare id={run.conversationId} />
              </span>
            ),
          },
          {
            key: "state",
            label: words.outcome,
            width: "34%",
            phone: "plain",
            cell: (run) => (
              <span class="with-badge run-outcome">
                <RunBadge of={run} />
                {run.reason && (
                  <span class="one-line soft">
                    <Foreign>{reasonOf(run.reason) ?? ""}</Foreign>
                  </span>
                )}
              </span>
            ),
          },
          ...(open ? [] : [COST]),
          { key: "at", label: words.at, phone: "side", align: "end", cell: (run) => <RelativeTime at={run.createdAt} /> },
        ]}
      />
    </>
  );
}

export const closeRun = () => setParameters({ run: null });
