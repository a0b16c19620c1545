/** The list of embeds. */
import { go, parameter, setParameters, to } from "../../house/address";
import { useKeys } from "../../house/keys";
import { useList } from "../../house/lists";
import type { Answer } from "../../house/tools";
import { Page } from "../../frame/page";
import { embeds as words } from "../../messages/en/embeds";
import { Button } from "../../parts/button";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";
import { Badge, Foreign, RelativeTime } from "../../parts/texts";
import { NewEmbed } from "./new_embed";

type Embed = Answer<"embed.list">["embeds"][number];

export function StatusBadge({ status }: { status: Embed["status"] }) {
  return <Badge kind={status === "active" ? "good" : "plain"}>{words.statuses[status]}</Badge>;
}

export default function Embeds() {
  const list = useList("embed.list", "embeds", {});
  const create = () => setParameters({ new: "1" });
  useKeys([{ key: "c", label: words.create, run: create }]);
  const newButton = (
    <Button look="solid" icon="plus" onClick={create}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} about={words.about} actions={newButton} wide>
      <Table
        label={words.title}
        {...list}
        idOf={(embed) => embed.id}
        nameOf={(embed) => embed.name}
        hrefOf={(embed) => to(`/app/embeds/${embed.id}`)}
        empty={
          <Empty icon="blocks" title={words.emptyTitle} action={newButton}>
            {words.emptyBody}
          </Empty>
        }
        columns={[
          { key: "name", label: words.name, width: "40%", cell: (embed) => <Foreign>{embed.name}</Foreign> },
          {
            key: "site",
            label: words.site,
            phone: "plain",
            cell: (embed) => (embed.domain ? <Foreign>{embed.domain}</Foreign> : <span class="soft">{words.anySite}</span>),
          },
          { key: "status", label: words.status, width: "14%", phone: "side", cell: (embed) => <StatusBadge status={embed.status} /> },
          { key: "changed", label: words.changed, width: "18%", phone: "plain", cell: (embed) => <RelativeTime at={embed.updatedAt} /> },
        ]}
      />
      {parameter("new") && (
        <NewEmbed onClose={() => setParameters({ new: null }, { replace: true })} onMade={(id) => void go(to(`/app/embeds/${id}`), { replace: true })} />
      )}
    </Page>
  );
}
