/** A list of grants, each with a button that ends it. */
import type { Problem } from "../../house/problems";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { apps as words } from "../../messages/en/apps";
import { keys } from "../../messages/en/keys";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Empty } from "../../parts/states";
import type { Column } from "../../parts/table/column";
import { Table } from "../../parts/table/table";
import { Badge, DateOf, Foreign, RelativeTime } from "../../parts/texts";

export type Grant = Answer<"grant.list">["grants"][number];

interface GrantTableProps {
  label: string;
  rows: readonly Grant[] | undefined;
  asked: { problem: Problem | null; query: { again: () => Promise<void> } };
  /** Whose each is, where that is not clear. */
  person?: Column<Grant>;
}

export function GrantTable({ label, rows, asked, person }: GrantTableProps) {
  const end = async ({ id, app: { name } }: Grant) => {
    const act = () => write("grant.end", { id });
    if (await ask({ title: say(words.endTitle, { name }), body: words.endBody, confirm: words.end, danger: true, act }))
      toast(say(words.ended, { name }));
  };
  return (
    <Table
      label={label}
      rows={rows}
      problem={asked.problem}
      again={() => void asked.query.again()}
      idOf={(grant) => grant.id}
      nameOf={(grant) => grant.app.name}
      empty={
        <Empty icon="plug" title={words.emptyTitle}>
          {words.emptyBody}
        </Empty>
      }
      columns={[
        {
          key: "app",
          label: words.app,
          width: "26%",
          cell: ({ app }) => (
            <>
              <strong>
                <Foreign>{app.name}</Foreign>
              </strong>
              <span class="key-stopped soft">
                <Foreign>{app.host === "this device" ? words.thisDevice : app.host}</Foreign>
              </span>
            </>
          ),
        },
        ...(person ? [person] : []),
        { key: "reach", label: words.reach, phone: "plain", cell: (grant) => <Reach of={grant} /> },
        { key: "used", label: words.lastUsed, cell: (grant) => <RelativeTime at={grant.lastUsedAt} /> },
        { key: "ends", label: words.expires, width: "20%", cell: (grant) => <End of={grant} /> },
      ]}
      actions={(grant) =>
        (grant.state === "live" || grant.state === "stopped") && (
          <Button small onClick={() => void end(grant)}>
            {words.end}
          </Button>
        )
      }
    />
  );
}

function Reach({ of: { tools } }: { of: Grant }) {
  if (tools === "all") return <>{words.all}</>;
  if (tools === "read") return <>{words.reads}</>;
  return <span title={tools.join("\n")}>{say(words.someTools, { n: tools.length })}</span>;
}

function End({ of: grant }: { of: Grant }) {
  const { state, stoppedBecause, endedBecause, endedAt } = grant;
  const why = stoppedBecause ? keys.stops[stoppedBecause] : endedBecause ? words.because[endedBecause] : "";
  return (
    <span class="with-badge">
      <DateOf at={endedAt ?? grant.expiresAt} />
      {state !== "live" && (
        <Badge kind={state === "stopped" ? "warn" : "plain"}>
          <span title={why}>{words.states[state]}</span>
        </Badge>
      )}
    </span>
  );
}
