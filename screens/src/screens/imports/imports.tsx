/** Settings › Imports: the files of the last weeks, and what became of their rows. */
import { Page } from "../../frame/page";
import { to } from "../../house/address";
import { useList } from "../../house/lists";
import { useAnswer } from "../../house/queries";
import { imports as words } from "../../messages/en/imports";
import { messages } from "../../messages/messages";
import { LinkButton } from "../../parts/button";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Foreign, RelativeTime } from "../../parts/texts";
import { figuresOf, type ListedImport, StateBadge, useStarters } from "./listing";

const said = words.list;

export default function Imports() {
  const list = useList("import.list", "imports", {});
  const objects = useAnswer("object.list", {}).answer?.objects ?? [];
  const starterOf = useStarters();
  const labelOf = (slug: string) => objects.find((one) => one.slug === slug)?.labelPlural ?? slug;
  return (
    <Page title={said.title} crumbs={[messages.nav.settings]} about={said.about} wide>
      <Table
        label={said.title}
        rows={list.rows}
        problem={list.problem}
        again={list.again}
        idOf={({ id }: ListedImport) => id}
        nameOf={({ name }: ListedImport) => name}
        hrefOf={({ id }: ListedImport) => to(`/app/settings/imports/${id}`)}
        hasMore={list.hasMore}
        more={list.more}
        empty={
          <Empty
            icon="upload"
            title={said.noneTitle}
            action={
              <LinkButton look="solid" href={to("/app/settings/objects/contact/import")}>
                {said.begin}
              </LinkButton>
            }
          >
            {said.noneBody}
          </Empty>
        }
        columns={[
          { key: "file", label: said.file, width: "26%", cell: ({ name }) => <Foreign>{name}</Foreign> },
          { key: "state", label: said.state, width: "11%", phone: "side", cell: (one) => <StateBadge of={one} /> },
          { key: "result", label: said.result, phone: "plain", cell: (one) => figuresOf(one) },
          {
            key: "object",
            label: said.object,
            width: "12%",
            phone: "line",
            cell: ({ objectType }) => <Foreign>{labelOf(objectType)}</Foreign>,
          },
          { key: "who", label: said.who, width: "15%", phone: "plain", cell: (one) => <Foreign>{starterOf(one)}</Foreign> },
          {
            key: "when",
            label: said.when,
            width: "14%",
            phone: "line",
            align: "end",
            cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
          },
        ]}
      />
    </Page>
  );
}
