/** All submissions: by state and form, with a panel in which held ones are attached. */
import { parameter, setParameters, to } from "../../house/address";
import { formatNumber } from "../../house/formats";
import { useList } from "../../house/lists";
import { whichOf } from "../../house/questions";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, type Input, write } from "../../house/tools";
import { submissions as words } from "../../messages/en/submissions";
import { messages, say } from "../../messages/messages";
import { SUBMISSIONS } from "../../questions";
import { Page } from "../../frame/page";
import { Filter, Search } from "../../parts/filter";
import { Empty } from "../../parts/states";
import { type Column, Table } from "../../parts/table";
import { Tabs } from "../../parts/tabs";
import { Badge, Foreign, RelativeTime } from "../../parts/texts";
import { SubmissionPanel } from "./submission_panel";

export type Line = Answer<"submission.list">["submissions"][number];
type State = NonNullable<Input<"submission.list">["state"]>;

const BADGES = { Filed: "good", Held: "warn", Queued: "plain" } as const;

/** `Filed`, `Held` or `Queued`, and why it is held. */
export function StateBadge({ of: { state, heldReason }, brief = false }: { of: Pick<Line, "state" | "heldReason">; brief?: boolean }) {
  return (
    <span class="with-badge">
      <Badge kind={BADGES[state]}>{words.states[state]}</Badge>
      {!brief && state === "Held" && heldReason && <span class="soft">{words.reasons[heldReason]}</span>}
    </span>
  );
}

export const nameOf = (line: Pick<Line, "name" | "email" | "phone">): string => line.name ?? line.email ?? line.phone ?? words.unknown;

export default function Submissions() {
  const state = parameter("state") as State | null;
  const formId = parameter("form");
  const open = parameter("open");
  const search = parameter("q");
  const counts = useAnswer("submission.counts", {}).answer;
  const list = useList("submission.list", "submissions", whichOf(SUBMISSIONS), ["submission"]);
  const forms = useAnswer("form.list", {}).answer?.forms ?? [];
  const formName = (id: string) => forms.find((form) => form.id === id)?.name ?? "";
  const others = { state, form: formId, q: search };
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
  const formColumn: Column<Line> = {
    key: "form",
    label: words.form,
    width: "18%",
    phone: "plain",
    cell: (line) => <Foreign>{formName(line.formId)}</Foreign>,
  };
  return (
    <Page
      title={words.title}
      about={words.about}
      wide
      panel={open && <SubmissionPanel id={open} formName={formName} onClose={() => show(null)} showNext={showNextHeld} />}
    >
      <div class="filters">
        <Tabs
          name="state"
          label={words.state}
          tabs={[{ value: "", label: words.all }, ...(["Held", "Queued", "Filed"] as const).map((value) => ({ value, label: words.states[value], ...countOf(value) }))]}
        />
        <Search label={words.search} />
        {forms.length > 1 && (
          <Filter name="form" label={words.form} any={words.anyForm} choices={forms.map((form) => ({ value: form.id, label: form.name }))} />
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
        empty={<Nothing state={state} search={search} />}
        bulk={state === "Held" ? [{ label: words.bulk.attachNew, run: attachEachToNew }] : []}
        columns={[
          { key: "by", label: words.sentBy, width: open ? "50%" : "30%", cell: (line) => <Sender of={line} /> },
          { key: "state", label: words.state, phone: "plain", cell: (line) => <StateBadge of={line} brief={Boolean(open)} /> },
          ...(open ? [] : [formColumn]),
          { key: "at", label: words.received, width: open ? "28%" : "15%", phone: "side", align: "end", cell: (line) => <RelativeTime at={line.receivedAt} /> },
        ]}
      />
    </Page>
  );
}

/** Who a submission says that it is from. */
export function Sender({ of: line }: { of: Line }) {
  const contact = [line.name && line.email, line.name || line.email ? line.phone : null].filter(Boolean)[0];
  return (
    <span class="two-lines">
      <Foreign>{nameOf(line)}</Foreign>
      {contact && (
        <span class="soft">
          <Foreign>{contact}</Foreign>
        </span>
      )}
    </span>
  );
}

function Nothing({ state, search }: { state: State | null; search: string | null }) {
  if (search) return <Empty icon="search" title={say(messages.table.noneFound, { text: search })} />;
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
