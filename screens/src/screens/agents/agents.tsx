/** Settings › AI › Agents: one for each messenger; and the runs of all. */
import { Page } from "../../frame/page";
import { parameter, to } from "../../house/address";
import { may } from "../../house/boot";
import { formatCredits } from "../../house/formats";
import { useList } from "../../house/lists";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { agents as words } from "../../messages/en/agents";
import { messages, say } from "../../messages/messages";
import { Failure } from "../../parts/failure";
import { Empty, Skeleton } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { Badge, Foreign } from "../../parts/texts";
import { Editor } from "./editor";
import { RunPanel } from "./run_panel";
import { Runs } from "./runs";

const PATH = "/app/settings/agents";
const CRUMBS = [messages.nav.settings, messages.sections.ai];

type Connection = Answer<"connection.list">["connections"][number];
type Summary = Answer<"agent.list">["agents"][number];

export default function Agents() {
  const open = parameter("open");
  return open && may("channels") ? <OneAgent key={open} connection={open} /> : <AllAgents />;
}

function AllAgents() {
  const isRuns = parameter("tab") === "runs";
  const run = parameter("run");
  return (
    <Page title={words.title} crumbs={CRUMBS} about={isRuns ? words.runs.about : words.about} wide panel={run && <RunPanel id={run} />}>
      <div class="filters">
        <Tabs
          label={words.title}
          tabs={[{ value: "", label: words.tabs.agents }, ...(may("conversations") ? [{ value: "runs", label: words.tabs.runs }] : [])]}
        />
      </div>
      {isRuns ? <Runs /> : may("channels") ? <List /> : <p class="soft">{words.needsChannels}</p>}
    </Page>
  );
}

function List() {
  const list = useList("connection.list", "connections", {});
  const { answer, problem, query } = useAnswer("agent.list", {});
  const agentOf = (connection: Connection) => answer?.agents.find((one) => one.connectionId === connection.id);
  return (
    <Table
      label={words.title}
      rows={answer && list.rows?.filter((one) => one.account.kind !== "member" && one.status !== "removed")}
      problem={list.problem ?? problem}
      again={() => {
        list.again();
        void query.again();
      }}
      idOf={(one) => one.id}
      nameOf={(one) => one.name}
      hrefOf={(one) => to(PATH, { open: one.id })}
      hasMore={list.hasMore}
      more={list.more}
      empty={
        <Empty icon="bot" title={words.noConnections}>
          {words.noConnectionsBody}
        </Empty>
      }
      columns={[
        {
          key: "name",
          label: words.messenger,
          width: "28%",
          cell: (one) => (
            <strong>
              <Foreign>{one.name}</Foreign>
            </strong>
          ),
        },
        { key: "state", label: words.state, width: "16%", phone: "side", cell: (one) => <State of={agentOf(one)} /> },
        { key: "model", label: words.model, phone: "plain", cell: (one) => agentOf(one)?.model ?? "" },
        { key: "tools", label: words.mayUse, phone: "plain", cell: (one) => <MayUse of={agentOf(one)} /> },
        { key: "spent", label: words.today, align: "end", cell: (one) => <Spent of={agentOf(one)} /> },
      ]}
    />
  );
}

function State({ of: agent }: { of: Summary | undefined }) {
  if (!agent) return <span class="soft">{words.none}</span>;
  return <Badge kind={agent.enabled ? "good" : "plain"}>{agent.enabled ? words.on : words.off}</Badge>;
}

function MayUse({ of: agent }: { of: Summary | undefined }) {
  if (!agent) return null;
  return <>{agent.tools ? say(words.tools, { n: agent.tools.length }) : words.publicOnly}</>;
}

function Spent({ of: agent }: { of: Summary | undefined }) {
  if (!agent) return null;
  return <>{say(words.ofDaily, { spent: formatCredits(agent.spentMicroCredits), most: formatCredits(agent.dailyMicroCredits) })}</>;
}

/** The agent of one messenger, and its runs. */
function OneAgent({ connection }: { connection: string }) {
  const { answer: found, problem } = useAnswer("connection.get", { id: connection });
  const listed = useAnswer("agent.list", {}).answer;
  const isSet = listed?.agents.some((one) => one.connectionId === connection);
  const run = parameter("run");
  const isRuns = parameter("tab") === "runs";
  return (
    <Page
      title={found?.name ?? words.title}
      crumbs={[...CRUMBS, { label: words.title, href: to(PATH) }]}
      about={isRuns ? words.runs.about : undefined}
      wide
      panel={run && <RunPanel id={run} />}
    >
      <div class="filters">
        <OwnTabs connection={connection} isRuns={isRuns} />
      </div>
      {isRuns ? (
        <Runs connection={connection} />
      ) : problem && !found ? (
        <Failure problem={problem} again={() => undefined} />
      ) : isSet === undefined || !found ? (
        <Skeleton head="page" />
      ) : found.account.kind === "member" ? (
        <p class="soft">{words.memberOwn}</p>
      ) : isSet ? (
        <Stored connection={connection} />
      ) : (
        <Editor connection={connection} agent={null} />
      )}
    </Page>
  );
}

/** `Tabs` leaves what is open; here that is the agent itself. */
function OwnTabs({ connection, isRuns }: { connection: string; isRuns: boolean }) {
  const tab = (value: string | null, label: string, isChosen: boolean) => (
    <a href={to(PATH, { open: connection, tab: value })} aria-current={isChosen ? "true" : undefined}>
      {label}
    </a>
  );
  return (
    <nav class="tabs" aria-label={words.title}>
      {tab(null, words.settings, !isRuns)}
      {may("conversations") && tab("runs", words.tabs.runs, isRuns)}
    </nav>
  );
}

function Stored({ connection }: { connection: string }) {
  const { answer, problem, query } = useAnswer("agent.get", { connectionId: connection });
  const models = useAnswer("ai.model_list", {}).answer;
  if (problem && !answer) return <Failure problem={problem} again={() => void query.again()} />;
  if (!answer || !models) return <Skeleton head="page" />;
  return <Editor connection={connection} agent={answer} />;
}
