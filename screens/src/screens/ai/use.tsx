/** What was used, by day, model and key, and the credits that are left. */
import { parameter, screens, to } from "../../house/address";
import { may } from "../../house/boot";
import { formatCredits, formatNumber, formatPercent } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { ai as words } from "../../messages/en/ai";
import { say } from "../../messages/messages";
import { Failure } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import { Empty, Skeleton } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { Foreign } from "../../parts/texts";
import { firstDay, formatOf, MEASURES, type Measure, measured, UsageByDay } from "../../parts/usage";
import "../../styles/ai.css";

type Row = Answer<"ai.usage">["rows"][number];
const DAYS = ["7", "30", "90"] as const;

export function Use() {
  const days = DAYS.find((one) => one === parameter("days")) ?? "30";
  const measure = MEASURES.find((one) => one === parameter("as")) ?? "charged";
  const from = firstDay(Number(days));
  const { answer, problem, query } = useAnswer("ai.usage", { from, by: ["day"] });
  if (problem && !answer) return <Failure problem={problem} again={() => void query.again()} />;
  if (!answer) return <Skeleton head="rows" />;
  return (
    <div class="stack-wide">
      <Balance left={answer.balanceMicroCredits} />
      <div class="filters">
        <Tabs
          name="as"
          label={words.measures.label}
          tabs={MEASURES.map((value) => ({ value: value === "charged" ? "" : value, label: words.measures[value] }))}
        />
        <Tabs
          name="days"
          label={words.days.label}
          tabs={DAYS.map((value) => ({ value: value === "30" ? "" : value, label: words.days[value] }))}
        />
      </div>
      {answer.total.calls === 0 ? (
        <Empty icon="sparkles" title={words.noUse}>
          {words.noUseBody}
        </Empty>
      ) : (
        <>
          <UsageByDay rows={answer.rows} from={from} measure={measure} />
          <Parts from={from} by="model" measure={measure} />
          <Parts from={from} by="key" measure={measure} />
        </>
      )}
    </div>
  );
}

function Balance({ left }: { left: number }) {
  const isLow = useAnswer("home.get", {}).answer?.waiting.some((one) => one.kind === "credits_low");
  return (
    <section class="balance" data-low={isLow ? "" : undefined} aria-labelledby="balance">
      <h2 id="balance">{words.balance}</h2>
      <p class="balance-sum">{formatCredits(left)}</p>
      <p class="soft">
        {isLow && <Icon name="circle-alert" size={14} />} {isLow ? words.low : words.balanceHint}
      </p>
    </section>
  );
}

/** The sums of each model, or of each key, the most first. */
function Parts({ from, by, measure }: { from: string; by: "model" | "key"; measure: Measure }) {
  const { answer, problem, query } = useAnswer("ai.usage", { from, by: [by] });
  const all = answer ? measured(measure, answer.total) : 0;
  const rows = answer && [...answer.rows].sort((one, other) => measured(measure, other) - measured(measure, one));
  const title = by === "model" ? words.byModel : words.byKey;
  const nameOf = (row: Row) => (by === "model" ? (row.model ?? "") : (row.keyId ?? ""));
  return (
    <section class="stack">
      <h2>{title}</h2>
      <Table
        label={title}
        rows={rows}
        problem={problem}
        again={() => void query.again()}
        idOf={nameOf}
        nameOf={nameOf}
        empty={<Empty icon="sparkles" title={words.noUse} />}
        columns={[
          {
            key: "name",
            label: by === "model" ? words.model : words.key,
            width: "26%",
            cell: (row) => (by === "model" ? <Foreign>{nameOf(row)}</Foreign> : <KeyName id={nameOf(row)} />),
          },
          {
            key: "share",
            label: words.share,
            width: "17%",
            phone: "plain",
            cell: (row) => <Share of={measured(measure, row)} all={all} />,
          },
          { key: "calls", label: words.calls, align: "end", cell: (row) => <Calls of={row} /> },
          { key: "prompt", label: words.prompt, align: "end", cell: (row) => formatNumber(row.promptTokens) },
          { key: "completion", label: words.completion, align: "end", cell: (row) => formatNumber(row.completionTokens) },
          { key: "cost", label: words.cost, align: "end", cell: (row) => formatOf("cost")(row.costMicroCredits) },
          { key: "charged", label: words.charged, phone: "side", align: "end", cell: (row) => formatCredits(row.chargedMicroCredits) },
        ]}
      />
    </section>
  );
}

function Calls({ of: { calls, failedCalls } }: { of: Row }) {
  return (
    <>
      {formatNumber(calls)}
      {failedCalls > 0 && <span class="soft"> ({say(words.failed, { n: failedCalls })})</span>}
    </>
  );
}

function Share({ of: part, all }: { of: number; all: number }) {
  const share = all > 0 ? part / all : 0;
  return (
    <span class="share">
      <span class="share-bar" aria-hidden="true">
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
      <span class="soft">{formatPercent(share).replace("+", "")}</span>
    </span>
  );
}

function KeyName({ id }: { id: string }) {
  if (id === "agent")
    return screens.has("/app/settings/agents") ? <a href={to("/app/settings/agents")}>{words.agentKey}</a> : words.agentKey;
  if (id === "trial") return <>{words.trialKey}</>;
  return may("security") ? <KnownKey id={id} /> : <code>{id}</code>;
}

function KnownKey({ id }: { id: string }) {
  const { answer } = useAnswer("apikey.list", {});
  const found = answer?.apiKeys.find((key) => key.id === id);
  if (!found) return <span class="soft">{answer ? words.goneKey : "…"}</span>;
  return (
    <a href={to(`/app/settings/gateway-keys/${id}`)}>
      <Foreign>{found.name}</Foreign>
    </a>
  );
}
