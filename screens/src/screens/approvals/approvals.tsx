/** Approvals: the cards that wait, and what became of the others. */
import { Page } from "../../frame/page";
import { parameter, setParameters, to } from "../../house/address";
import { formatNumber } from "../../house/formats";
import { useList } from "../../house/lists";
import { useAnswer } from "../../house/queries";
import { whichOf } from "../../house/questions";
import type { Input } from "../../house/tools";
import { approvals as words } from "../../messages/en/approvals";
import { Filter } from "../../parts/filter";
import { Empty } from "../../parts/states";
import type { Column } from "../../parts/table/column";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { Foreign, RelativeTime } from "../../parts/texts";
import { APPROVALS } from "../../questions";
import { AskerName } from "./asker";
import { CardPanel } from "./card_panel";
import { StateBadge } from "./outcome";
import { type Card, plainTitle, Title } from "./title";

type State = NonNullable<Input<"approval.list">["state"]>;
const OUTCOMES = ["approved", "rejected", "failed", "expired"] as const satisfies readonly State[];

export default function Approvals() {
  const open = parameter("open");
  const ended = parameter("ended") !== null;
  const state = OUTCOMES.find((one) => one === parameter("state"));
  const list = useList("approval.list", "approvals", ended ? { ended: true, ...(state && { state }) } : whichOf(APPROVALS), ["approval"]);
  const waiting = useAnswer("approval.list", { limit: 1 }).answer?.waiting;
  const others = { ended: ended ? "true" : null, state: state ?? null };
  /** What waits next, in the order of the list; what was decided is not in it any more. */
  const showNext = (decided: string) => {
    const rows = list.rows ?? [];
    const at = rows.findIndex((row) => row.id === decided);
    const next = rows[at + 1] ?? rows[at - 1];
    setParameters({ open: ended ? decided : (next?.id ?? null) }, { replace: true });
  };
  return (
    <Page
      title={words.title}
      about={words.about}
      wide
      panel={open && <CardPanel id={open} onClose={() => setParameters({ open: null })} onDecided={() => showNext(open)} />}
    >
      <div class="filters">
        <Tabs
          name="ended"
          label={words.outcome}
          tabs={[
            { value: "", label: words.waiting, ...(waiting ? { count: formatNumber(waiting) } : {}) },
            { value: "true", label: words.history },
          ]}
        />
        {ended && (
          <Filter
            name="state"
            label={words.outcome}
            any={words.anyOutcome}
            choices={OUTCOMES.map((value) => ({ value, label: words.states[value] }))}
          />
        )}
      </div>
      <Table
        label={words.title}
        rows={list.rows}
        problem={list.problem}
        again={list.again}
        idOf={(card) => card.id}
        nameOf={plainTitle}
        hrefOf={(card) => to("/app/approvals", { ...others, open: card.id })}
        openId={open}
        hasMore={list.hasMore}
        more={list.more}
        empty={ended ? <NoHistory /> : <NothingWaits />}
        columns={columnsOf(ended, Boolean(open))}
      />
    </Page>
  );
}

function columnsOf(ended: boolean, isNarrow: boolean): Column<Card>[] {
  const what: Column<Card> = {
    key: "what",
    label: words.what,
    width: isNarrow ? "70%" : "44%",
    cell: (card) => (
      <span class="one-line">
        <Title of={card} />
      </span>
    ),
  };
  const why: Column<Card> = {
    key: "why",
    label: words.why,
    phone: "text",
    cell: (card) => (
      <span class="one-line soft">
        <Foreign>{(card.tool !== null && card.reason) || ""}</Foreign>
      </span>
    ),
  };
  const by: Column<Card> = { key: "by", label: words.asker, width: "20%", phone: "plain", cell: (card) => <AskerName of={card} /> };
  const state: Column<Card> = {
    key: "state",
    label: words.outcome,
    width: "12%",
    phone: "plain",
    cell: (card) => <StateBadge of={card} />,
  };
  const at: Column<Card> = {
    key: "at",
    label: ended ? words.decided : words.asked,
    width: isNarrow ? "30%" : "14%",
    phone: "side",
    align: "end",
    cell: (card) => <RelativeTime at={ended ? (card.decidedAt ?? card.expiresAt) : card.createdAt} />,
  };
  if (isNarrow) return [what, at];
  return ended ? [what, by, state, at] : [what, why, by, at];
}

function NothingWaits() {
  return (
    <Empty icon="circle-check" title={words.emptyTitle}>
      {words.emptyBody}
    </Empty>
  );
}

function NoHistory() {
  return (
    <Empty icon="history" title={words.noHistoryTitle}>
      {words.noHistoryBody}
    </Empty>
  );
}
