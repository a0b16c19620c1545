/** Settings › Developers › Requests: what keys have called, as it happens, filtered by the address. */
import { Page } from "../../frame/page";
import { parameter, setParameters, to } from "../../house/address";
import { may } from "../../house/boot";
import { startOfDay } from "../../house/days";
import { useList } from "../../house/lists";
import { useAnswer } from "../../house/queries";
import { type Which, whichOf } from "../../house/questions";
import { requests as words } from "../../messages/en/requests";
import { messages } from "../../messages/messages";
import { Button, LinkButton } from "../../parts/button";
import { DayFilter } from "../../parts/day_filter";
import { Export } from "../../parts/export";
import { Filter } from "../../parts/filter";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { REQUESTS } from "../../questions";
import { type Call, durationColumn, keyColumn, statusColumn, timeColumn, toolColumn } from "./request_columns";
import { RequestPanel } from "./request_panel";
import "../../styles/requests.css";

const FILTERS = ["status", "key", "tool", "from", "until"] as const;
type Filters = Record<(typeof FILTERS)[number], string | null>;

/** What the address asks for; days begin and end by the organization's time zone. */
function which({ from, until }: Filters): Which<"request.list"> {
  const since = from && startOfDay(from);
  const before = until && startOfDay(until, 1);
  return { ...whichOf(REQUESTS), ...(since && { since }), ...(before && { until: before }) };
}

/** The same as filters of an export. */
function exported({ keyId, tool, status, since, until }: Which<"request.list">) {
  const equal = Object.entries({ keyId, tool, status }).flatMap(([property, value]) =>
    value ? [{ property, op: "eq" as const, value }] : [],
  );
  return [
    ...equal,
    ...(since ? [{ property: "at", op: "gte" as const, value: since }] : []),
    ...(until ? [{ property: "at", op: "lt" as const, value: until }] : []),
  ];
}

/** Choices of a filter: what the rows have, in their order, and what is chosen. */
function choicesOf(rows: readonly Call[] | undefined, chosen: string | null, of: (call: Call) => readonly [string | null, string | null]) {
  const found = new Map<string, string>(chosen ? [[chosen, chosen]] : []);
  for (const call of rows ?? []) {
    const [value, label] = of(call);
    if (value) found.set(value, label ?? value);
  }
  return [...found].map(([value, label]) => ({ value, label })).sort((a, b) => a.label.localeCompare(b.label));
}

export default function Requests() {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, parameter(name)])) as Filters;
  const open = parameter("open");
  const isNarrowed = FILTERS.some((name) => filters[name]);
  const list = useList("request.list", "requests", which(filters));
  // What there is to choose from, whatever is chosen.
  const newest = useList("request.list", "requests", {});
  const call = list.rows?.find((one) => one.id === open);
  return (
    <Page
      title={words.title}
      crumbs={[messages.nav.settings, messages.sections.developers]}
      about={words.about}
      actions={<Export what={{ what: "requests", filters: exported(which(filters)) }} />}
      wide
      panel={
        open && <RequestPanel id={open} call={call} isLooking={list.rows === undefined} onClose={() => setParameters({ open: null })} />
      }
    >
      <div class="filters filters-many">
        <Tabs
          name="status"
          label={words.status}
          tabs={[
            { value: "", label: words.all },
            { value: "4xx", label: words.refused },
            { value: "5xx", label: words.failed },
          ]}
        />
        <KeyFilter rows={newest.rows} chosen={filters.key} />
        <Filter
          name="tool"
          label={words.tool}
          any={words.anyTool}
          choices={choicesOf(newest.rows, filters.tool, (one) => [one.tool, one.tool])}
        />
        <DayFilter name="from" label={words.from} />
        <DayFilter name="until" label={words.until} />
      </div>
      <Table
        label={words.title}
        rows={list.rows}
        problem={list.problem}
        again={list.again}
        idOf={(one) => one.id}
        nameOf={(one) => one.tool ?? words.noTool}
        hrefOf={(one) => to("/app/settings/requests", { ...filters, open: one.id })}
        openId={open}
        hasMore={list.hasMore}
        more={list.more}
        empty={isNarrowed ? <NoneFound /> : <NoneYet />}
        columns={
          open
            ? [toolColumn("46%"), statusColumn("32%"), timeColumn("22%")]
            : [toolColumn("30%"), keyColumn("22%"), statusColumn("26%"), durationColumn("10%"), timeColumn("12%")]
        }
      />
    </Page>
  );
}

/** All API keys where they may be listed, and the other keys of the newest calls. */
function KeyFilter({ rows, chosen }: { rows: readonly Call[] | undefined; chosen: string | null }) {
  const called = choicesOf(rows, chosen, (one) => [one.callerId, one.keyName]);
  if (!may("security")) return <Filter name="key" label={words.key} any={words.anyKey} choices={called} />;
  return <EveryKeyFilter called={called} />;
}

function EveryKeyFilter({ called }: { called: readonly { value: string; label: string }[] }) {
  const listed = (useAnswer("apikey.list", {}).answer?.apiKeys ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const others = called.filter(({ value }) => !listed.some((key) => key.value === value));
  const choices = [...listed, ...others].sort((a, b) => a.label.localeCompare(b.label));
  return <Filter name="key" label={words.key} any={words.anyKey} choices={choices} />;
}

function NoneFound() {
  const all = () => setParameters(Object.fromEntries(FILTERS.map((name) => [name, null])));
  return (
    <Empty icon="activity" title={words.noneTitle} action={<Button onClick={all}>{words.every}</Button>}>
      {words.noneBody}
    </Empty>
  );
}

function NoneYet() {
  const action = may("security") && <LinkButton href={to("/app/settings/api-keys")}>{words.toKeys}</LinkButton>;
  return (
    <Empty icon="activity" title={words.firstTitle} action={action}>
      {words.firstBody}
    </Empty>
  );
}
