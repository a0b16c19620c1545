/** The list of embeds. */
import { Page } from "../../frame/page";
import { go, to } from "../../house/address";
import { useList } from "../../house/lists";
import { write } from "../../house/tools";
import { embeds as words } from "../../messages/en/embeds";
import { useFound } from "../../parts/filter";
import { useMaking } from "../../parts/making";
import { NewThing } from "../../parts/new_thing";
import { StatusBadge } from "../../parts/public_thing";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Foreign, RelativeTime } from "../../parts/texts";

export default function Embeds() {
  const list = useList("embed.list", "embeds", {});
  const found = useFound(words.search, list.rows, (embed) => `${embed.name} ${embed.domain ?? ""}`, list);
  const making = useMaking(words.create);
  return (
    <Page title={words.title} about={words.about} actions={making.button} wide>
      {found.search}
      <Table
        label={words.title}
        {...list}
        rows={found.rows}
        idOf={(embed) => embed.id}
        nameOf={(embed) => embed.name}
        hrefOf={(embed) => to(`/app/embeds/${embed.id}`)}
        empty={
          found.none ?? (
            <Empty icon="blocks" title={words.emptyTitle} action={making.button}>
              {words.emptyBody}
            </Empty>
          )
        }
        columns={[
          { key: "name", label: words.name, width: "40%", cell: (embed) => <Foreign>{embed.name}</Foreign> },
          {
            key: "site",
            label: words.site,
            phone: "plain",
            cell: (embed) => (embed.domain ? <Foreign>{embed.domain}</Foreign> : <span class="soft">{words.anySite}</span>),
          },
          {
            key: "status",
            label: words.status,
            width: "14%",
            phone: "side",
            cell: (embed) => <StatusBadge status={embed.status} words={words} />,
          },
          { key: "changed", label: words.changed, width: "18%", phone: "plain", cell: (embed) => <RelativeTime at={embed.updatedAt} /> },
        ]}
      />
      {making.isOpen && (
        <NewThing
          words={words}
          noSite={words.anySite}
          make={(name, siteId) => write("embed.create", { name, siteId })}
          onMade={(id) => void go(to(`/app/embeds/${id}`), { replace: true, saved: true })}
          onClose={making.close}
        />
      )}
    </Page>
  );
}
