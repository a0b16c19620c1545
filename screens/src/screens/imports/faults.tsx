/** Why rows were skipped, and cells left empty: by reason, with a few of them. */
import { formatNumber } from "../../house/formats";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import { Table } from "../../parts/table/table";
import { Foreign } from "../../parts/texts";
import { sentence } from "./phrases";
import type { Import } from "./upload";
import "../../styles/imports.css";

type Fault = Import["faults"][number];

const said = words.refused;

export function Faults({ of: { faults, dryRun } }: { of: Import }) {
  const refused = faults.filter(({ effect }) => effect === "refused");
  const left = faults.filter(({ effect }) => effect === "left_out");
  return (
    <>
      <Group title={dryRun ? said.titleTried : said.title} count={said.count} faults={refused} />
      <Group title={dryRun ? said.leftTried : said.left} count={said.countCells} faults={left} />
    </>
  );
}

function Group({ title, count, faults }: { title: string; count: string; faults: readonly Fault[] }) {
  if (faults.length === 0) return null;
  return (
    <section class="stack">
      <h3>{title}</h3>
      <Table
        label={title}
        rows={faults}
        idOf={({ column, reason }) => `${column}\n${reason}`}
        nameOf={({ column, reason }) => `${column} ${reason}`}
        empty={null}
        columns={[
          {
            key: "column",
            label: said.column,
            width: "20%",
            cell: ({ column }) => (column ? <Foreign>{column}</Foreign> : <span class="soft">{said.wholeLine}</span>),
          },
          { key: "count", label: count, width: "6rem", align: "end", phone: "side", cell: (fault) => formatNumber(fault.count) },
          { key: "why", label: said.why, phone: "plain", cell: ({ reason }) => <Foreign>{sentence(reason)}</Foreign> },
          { key: "examples", label: said.examples, width: "26%", phone: "plain", cell: (fault) => <Examples of={fault} /> },
        ]}
      />
    </section>
  );
}

function Examples({ of: { examples } }: { of: Fault }) {
  return (
    <ul class="import-examples">
      {examples.map(({ line, value }) => (
        <li key={line}>
          <span class="soft">{say(said.example, { line })}</span>
          {value && <Foreign>{value}</Foreign>}
        </li>
      ))}
    </ul>
  );
}
