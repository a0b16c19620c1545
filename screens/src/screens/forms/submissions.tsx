/** All submissions: by state and form, with a panel in which held ones are attached or discarded. */
import { Page } from "../../frame/page";
import { parameter, setParameters, to } from "../../house/address";
import { formatNumber } from "../../house/formats";
import { useList } from "../../house/lists";
import { useAnswer } from "../../house/queries";
import { whichOf } from "../../house/questions";
import { toast } from "../../house/toasts";
import { type Input, write } from "../../house/tools";
import { submissions as words } from "../../messages/en/submissions";
import { messages, say } from "../../messages/messages";
import { Filter, Search } from "../../parts/filter";
import { Empty } from "../../parts/states";
import type { Column } from "../../parts/table/column";
import type { Bulk } from "../../parts/table/selection";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { Foreign, RelativeTime } from "../../parts/texts";
import { SUBMISSIONS } from "../../questions";
import { discard, restore } from "./discarding";
import { Became, Excerpt, type Line, nameOf, Sender, StateBadge } from "./submission";
import { SubmissionPanel } from "./submission_panel";

type State = NonNullable<Input<"submission.list">["state"]>;

export default function Submissions() {
  const state = parameter("state") as State | null;
  const formId = parameter("form");
  const open = parameter("open");
  const search = parameter("q");
  const discarded = parameter("discarded");
  const counts = useAnswer("submission.counts", {}).answer;
  const which = { ...whichOf(SUBMISSIONS), ...(discarded && { discarded: true }) };
  const list = useList("submission.list", "submissions", which, ["submission"]);
  const forms = useAnswer("form.list", {}).answer?.forms ?? [];
  const formName = (id: string) => forms.find((form) => form.id === id)?.name ?? "";
  const others = { state, discarded, form: formId, q: search };
  const countOf = (of: State) => {
    const count = of === "Held" ? counts?.held : of === "Queued" ? counts?.queued : 0;
    return count ? { count: formatNumber(count) } : {};
  };
  const show = (id: string | null) => setParameters({ open: id });
  const showNextHeld = (attached: string) => {
    const rows = list.rows ?? [];
    const at = rows.findIndex((row) => row.id === attached);
    const held = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))].find((row) => row.state === "Held");
    if (held) setParameters({ open: held.id }, { replace: true });
    return held?.id ?? null;
  };
  const showNeighbour = (left: string) => {
    const rows = list.rows ?? [];
    const at = rows.findIndex((row) => row.id === left);
    const next = at < 0 ? undefined : (rows[at + 1] ?? rows[at - 1]);
    setParameters({ open: next?.id ?? null }, { replace: true });
  };
  const messageColumn: Column<Line> = {
    key: "message",
    label: words.message,
    phone: "text",
    cell: (line) => <Excerpt of={line} />,
  };
  const formColumn: Column<Line> = {
    key: "form",
    label: words.form,
    width: "14%",
    phone: "plain",
    cell: (line) => (
      <span class="one-line">
        <Foreign>{formName(line.formId)}</Foreign>
      </span>
    ),
  };
  return (
    <Page
      title={words.title}
      about={words.about}
      wide
      panel={
        open && (
          <SubmissionPanel
            id={open}
            formName={formName}
            onClose={() => show(null)}
            showNext={showNextHeld}
            onMoved={() => showNeighbour(open)}
          />
        )
      }
    >
      <div class="filters">
        <Tabs
          name="state"
          label={words.state}
          tabs={[
            { value: "", label: words.all },
            ...(["Held", "Queued", "Filed"] as const).map((value) => ({ value, label: words.states[value], ...countOf(value) })),
            { name: "discarded", value: "true", label: words.discarded },
          ]}
        />
        <Search label={words.search} />
        {forms.length > 1 && (
          <Filter
            name="form"
            label={words.form}
            any={words.anyForm}
            choices={forms.map((form) => ({ value: form.id, label: form.name }))}
          />
        )}
      </div>
      <Table
        label={words.title}
        rows={list.rows}
        problem={list.problem}
        again={list.again}
        idOf={(line) => line.id}
        nameOf={nameOf}
        hrefOf={(line) => to("/app/submissions", { ...others, open: line.id })}
        openId={open}
        hasMore={list.hasMore}
        more={list.more}
        empty={<Nothing state={state} search={search} discarded={discarded !== null} />}
        bulk={bulkOf(state, discarded !== null)}
        columns={[
          { key: "by", label: words.sentBy, width: open ? "50%" : "24%", cell: (line) => <Sender of={line} /> },
          ...(open ? [] : [messageColumn]),
          {
            key: "state",
            label: words.state,
            width: "22%",
            phone: "plain",
            cell: (line) => (
              <span class="with-badge">
                <StateBadge of={line} brief={Boolean(open)} />
                {!open && <Became of={line} />}
              </span>
            ),
          },
          ...(open ? [] : [formColumn]),
          {
            key: "at",
            label: words.received,
            width: open ? "28%" : "14%",
            phone: "side",
            align: "end",
            cell: (line) => <RelativeTime at={line.receivedAt} />,
          },
        ]}
      />
    </Page>
  );
}

function bulkOf(state: State | null, discarded: boolean): Bulk<Line>[] {
  const idsOf = (rows: Line[]) => rows.map((row) => row.id);
  if (discarded) return [{ label: words.bulk.restore, run: async (rows) => void (await restore(idsOf(rows))) }];
  if (state === "Filed") return [];
  return [
    ...(state === "Held" ? [{ label: words.bulk.attachNew, run: attachEachToNew }] : []),
    { label: words.bulk.discard, run: async (rows) => void (await discard(idsOf(rows))) },
  ];
}

function Nothing({ state, search, discarded }: { state: State | null; search: string | null; discarded: boolean }) {
  if (search) return <Empty icon="search" title={say(messages.table.noneFound, { text: search })} />;
  if (discarded) {
    return (
      <Empty icon="trash-2" title={words.noneDiscardedTitle}>
        {words.noneDiscardedBody}
      </Empty>
    );
  }
  if (state === "Held") {
    return (
      <Empty icon="circle-check" title={words.noneHeldTitle}>
        {words.noneHeldBody}
      </Empty>
    );
  }
  return (
    <Empty icon="inbox" title={state ? words.noneTitle : words.emptyTitle}>
      {state ? words.noneBody : words.emptyBody}
    </Empty>
  );
}

/** Attach each of *rows* to a contact of its own; one line says what became of them. */
async function attachEachToNew(rows: Line[]): Promise<void> {
  let attached = 0;
  const refusals: string[] = [];
  for (const { id } of rows) {
    const result = await write("submission.attach", { id });
    if (result.ok) attached += 1;
    else refusals.push(result.problem.detail ?? result.problem.title);
  }
  const parts = [say(words.bulk.done, { n: attached })];
  if (refusals.length > 0) parts.push(say(words.bulk.refused, { n: refusals.length, why: [...new Set(refusals)].join("; ") }));
  toast(parts.join(", "), { kind: refusals.length > 0 ? "failed" : "done" });
}
