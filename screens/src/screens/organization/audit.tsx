/** Settings › Audit trail: who did what, filtered by the address; an entry's whole facts in a panel. */
import { Page } from "../../frame/page";
import { parameter, setParameters, to } from "../../house/address";
import { startOfDay } from "../../house/days";
import { useList } from "../../house/lists";
import { useAnswer } from "../../house/queries";
import { type Which, whichOf } from "../../house/questions";
import { audit as words } from "../../messages/en/people";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { DayFilter } from "../../parts/day_filter";
import { Export } from "../../parts/export";
import { Filter } from "../../parts/filter";
import { Empty } from "../../parts/states";
import type { Column } from "../../parts/table/column";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { Badge, Foreign, RelativeTime } from "../../parts/texts";
import { AUDIT, AUDIT_ACTIONS } from "../../questions";
import { callerOf, type Entry, FILTERS, type Filters } from "./audit_entries";
import { AuditPanel } from "./audit_panel";

/** What the address asks for; days begin and end by the organization's time zone. */
function which({ from, until }: Filters): Which<"audit.list"> {
  const since = from && startOfDay(from);
  const before = until && startOfDay(until, 1);
  return { ...whichOf(AUDIT), ...(since && { since }), ...(before && { until: before }) };
}

export default function Audit() {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, parameter(name)])) as Filters;
  const open = parameter("open");
  const list = useList("audit.list", "entries", which(filters));
  const people = useAnswer("member.list", { limit: 200 }).answer?.members ?? [];
  const nameOf = (id: string) => people.find((one) => one.id === id)?.name || id;
  const known = useAnswer("audit.list", AUDIT_ACTIONS.input).answer?.actions ?? [];
  const actions = filters.action && !known.includes(filters.action) ? [filters.action, ...known] : known;
  const entry = list.rows?.find((one) => one.id === open);
  const narrowed = (["target", "caller"] as const).filter((name) => filters[name]);
  const door: Column<Entry> = { key: "door", label: words.door, width: "12%", phone: "plain", cell: (one) => words.doors[one.door] };
  const target: Column<Entry> = {
    key: "target",
    label: words.target,
    phone: "hidden",
    cell: (one) => (one.target ? <code class="soft">{one.target}</code> : null),
  };
  return (
    <Page
      title={words.title}
      crumbs={[messages.nav.settings]}
      about={words.about}
      actions={<Export what={{ what: "audit" }} />}
      wide
      panel={
        open && (
          <AuditPanel
            id={open}
            entry={entry}
            isLooking={list.rows === undefined}
            nameOf={nameOf}
            onClose={() => setParameters({ open: null })}
          />
        )
      }
    >
      <div class="filters filters-many">
        <Tabs
          name="outcome"
          label={words.outcome}
          tabs={[
            { value: "", label: words.all },
            ...(["done", "refused"] as const).map((value) => ({ value, label: words.outcomes[value] })),
          ]}
        />
        <Filter
          name="person"
          label={words.person}
          any={words.anyPerson}
          choices={people.map((one) => ({ value: one.id, label: one.name || one.email }))}
        />
        <Filter name="action" label={words.action} any={words.anyAction} choices={actions.map((value) => ({ value, label: value }))} />
        <DayFilter name="from" label={words.from} />
        <DayFilter name="until" label={words.until} />
      </div>
      {narrowed.map((name) => (
        <p key={name} class="row narrowed">
          <Foreign>{say(words.only[name], { value: filters[name] ?? "" })}</Foreign>
          <Button small icon="x" onClick={() => setParameters({ [name]: null })}>
            {words.every}
          </Button>
        </p>
      ))}
      <Table
        label={words.title}
        rows={list.rows}
        problem={list.problem}
        again={list.again}
        idOf={(one) => one.id}
        nameOf={(one) => one.action}
        hrefOf={(one) => to("/app/settings/audit", { ...filters, open: one.id })}
        openId={open}
        hasMore={list.hasMore}
        more={list.more}
        empty={
          <Empty
            icon="history"
            title={words.noneTitle}
            action={<Button onClick={() => setParameters(Object.fromEntries(FILTERS.map((name) => [name, null])))}>{words.every}</Button>}
          >
            {words.noneBody}
          </Empty>
        }
        columns={[
          { key: "action", label: words.action, width: open ? "48%" : "26%", cell: (one) => <Action of={one} /> },
          {
            key: "by",
            label: words.by,
            width: open ? "28%" : "22%",
            phone: "plain",
            cell: (one) => <Foreign>{callerOf(one, nameOf)}</Foreign>,
          },
          ...(open ? [] : [door, target]),
          {
            key: "at",
            label: words.at,
            width: open ? "24%" : "13%",
            phone: "side",
            align: "end",
            cell: (one) => <RelativeTime at={one.at} />,
          },
        ]}
      />
    </Page>
  );
}

function Action({ of: { action, outcome } }: { of: Entry }) {
  return (
    <span class="with-badge">
      <code>{action}</code>
      {outcome === "refused" && <Badge kind="bad">{words.outcomes.refused}</Badge>}
    </span>
  );
}
