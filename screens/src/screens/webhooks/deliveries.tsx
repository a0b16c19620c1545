/** What was sent to a webhook, the newest first: its event, how far it is, and what was answered. */
import { parameter, to } from "../../house/address";
import { formatNumber } from "../../house/formats";
import { useList } from "../../house/lists";
import { whichOf } from "../../house/questions";
import type { Answer } from "../../house/tools";
import { webhooks } from "../../messages/en/webhooks";
import { say } from "../../messages/messages";
import { Filter } from "../../parts/filter";
import { Empty } from "../../parts/states";
import type { Column } from "../../parts/table/column";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { Badge, RelativeTime } from "../../parts/texts";
import { DELIVERIES } from "../../questions";
import type { Webhook } from "./state";

const words = webhooks.deliveries;
export type Delivery = Answer<"webhook.delivery_list">["deliveries"][number];
type Attempt = Delivery["history"][number];

const BADGES = { waiting: "warn", delivered: "good", dead: "bad", cancelled: "plain" } as const;
const STATES = ["waiting", "delivered", "dead", "cancelled"] as const;
const SENT_BESIDES = ["ping", "workflow.call"];

export function DeliveryState({ of: { state } }: { of: Delivery }) {
  return <Badge kind={BADGES[state]}>{words.states[state]}</Badge>;
}

export const isTaken = ({ statusCode }: Attempt): boolean => statusCode !== null && statusCode >= 200 && statusCode < 300;

interface DeliveriesProps {
  webhook: Webhook;
  openId: string | null;
  here: string;
}

export function Deliveries({ webhook: { id, events }, openId, here }: DeliveriesProps) {
  const list = useList("webhook.delivery_list", "deliveries", whichOf(DELIVERIES, { webhook: id }));
  const filter = { state: parameter("state"), event: parameter("event") };
  const isNarrowed = filter.state !== null || filter.event !== null;
  const isOpen = openId !== null;
  const types = [...new Set([...events, ...SENT_BESIDES, ...(filter.event ? [filter.event] : [])])];
  return (
    <>
      <div class="filters">
        <Tabs
          name="state"
          label={words.stateFilter}
          tabs={[{ value: "", label: words.all }, ...STATES.map((value) => ({ value, label: words.states[value] }))]}
        />
        <Filter name="event" label={words.event} any={words.anyEvent} choices={types.map((type) => ({ value: type, label: type }))} />
      </div>
      <Table
        label={webhooks.tabs.deliveries}
        rows={list.rows}
        problem={list.problem}
        again={list.again}
        idOf={(of) => of.id}
        nameOf={(of) => of.event}
        hrefOf={(of) => to(here, { ...filter, open: of.id })}
        openId={openId}
        hasMore={list.hasMore}
        more={list.more}
        columns={columns(isOpen)}
        empty={
          <Empty icon="webhook" title={isNarrowed ? words.noneTitle : words.emptyTitle}>
            {isNarrowed ? words.noneBody : words.emptyBody}
          </Empty>
        }
      />
    </>
  );
}

function columns(isOpen: boolean): readonly Column<Delivery>[] {
  const event: Column<Delivery> = {
    key: "event",
    label: words.event,
    width: isOpen ? "45%" : "26%",
    cell: (of) => <code>{of.event}</code>,
  };
  const state: Column<Delivery> = {
    key: "state",
    label: words.state,
    width: isOpen ? "30%" : "26%",
    phone: "side",
    cell: (of) => (
      <span class="with-badge">
        <DeliveryState of={of} />
        {!isOpen && of.attempts > 0 && of.nextAttemptAt && <Next at={of.nextAttemptAt} />}
      </span>
    ),
  };
  const created: Column<Delivery> = {
    key: "created",
    label: words.created,
    width: isOpen ? "25%" : "16%",
    align: "end",
    phone: "plain",
    cell: (of) => <RelativeTime at={of.createdAt} />,
  };
  if (isOpen) return [event, state, created];
  return [
    event,
    state,
    { key: "answer", label: words.answer, phone: "plain", cell: (of) => <LastAnswer of={of.history.at(-1)} /> },
    { key: "attempts", label: words.attempts, width: "11%", align: "end", phone: "line", cell: (of) => formatNumber(of.attempts) },
    created,
  ];
}

function Next({ at }: { at: string }) {
  const [before, after = ""] = words.next.split("{when}");
  return (
    <span class="soft one-line">
      {before}
      <RelativeTime at={at} />
      {after}
    </span>
  );
}

function LastAnswer({ of }: { of: Attempt | undefined }) {
  if (!of) return <span class="soft">{words.notTried}</span>;
  if (of.statusCode === null) return <span class="one-line">{of.error ?? words.unreached}</span>;
  return <span class={isTaken(of) ? "soft" : undefined}>{say(words.status, { status: String(of.statusCode), ms: of.milliseconds })}</span>;
}
