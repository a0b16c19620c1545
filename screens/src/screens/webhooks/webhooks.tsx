/** Settings › Developers › Webhooks: where events are sent, and how that goes. */
import { Page } from "../../frame/page";
import { to } from "../../house/address";
import { useList } from "../../house/lists";
import { whichOf } from "../../house/questions";
import { webhooks as words } from "../../messages/en/webhooks";
import { messages, say } from "../../messages/messages";
import { useFound } from "../../parts/filter";
import { Icon } from "../../parts/icon";
import { later } from "../../parts/later";
import { useMaking } from "../../parts/making";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Foreign, RelativeTime } from "../../parts/texts";
import { WEBHOOKS } from "../../questions";
import { nameOf, StateBadge } from "./state";
import "../../styles/webhooks.css"; // Of the dialog, which is loaded later.

const NewWebhook = later(async () => (await import("./new_webhook")).NewWebhook);

export default function Webhooks() {
  const list = useList("webhook.list", "webhooks", whichOf(WEBHOOKS));
  const making = useMaking(words.create);
  const { rows, search, none } = useFound(words.search, list.rows, (of) => `${nameOf(of)} ${of.url} ${of.events.join(" ")}`, list);
  return (
    <Page
      title={words.title}
      crumbs={[messages.nav.settings, messages.sections.developers]}
      about={words.about}
      actions={making.button}
      wide
    >
      {search}
      <Table
        label={words.title}
        rows={rows}
        problem={list.problem}
        again={list.again}
        idOf={(of) => of.id}
        nameOf={nameOf}
        hrefOf={(of) => to(`/app/settings/webhooks/${of.id}`)}
        hasMore={list.hasMore}
        more={list.more}
        columns={[
          {
            key: "name",
            label: words.name,
            width: "44%",
            cell: (of) => (
              <span class="two-lines">
                <Foreign>{nameOf(of)}</Foreign>
                <span class="soft one-line">{of.url}</span>
              </span>
            ),
          },
          {
            key: "state",
            label: words.state,
            width: "22%",
            phone: "side",
            cell: (of) => (
              <span class="with-badge">
                <StateBadge of={of} />
                {of.active && of.failingSince && (
                  <span class="soft one-line">
                    <RelativeTime at={of.failingSince} />
                  </span>
                )}
              </span>
            ),
          },
          {
            key: "events",
            label: words.events,
            phone: "plain",
            cell: (of) => (
              <span title={of.events.join("\n")}>
                {of.events.length === 1 ? <code>{of.events[0]}</code> : say(words.eventCount, { n: of.events.length })}
              </span>
            ),
          },
          {
            key: "updated",
            label: words.last,
            width: "14%",
            align: "end",
            phone: "hidden",
            cell: (of) => <RelativeTime at={of.updatedAt} />,
          },
        ]}
        empty={
          none ?? (
            <Empty icon="webhook" title={words.emptyTitle} action={making.button}>
              {words.emptyBody}
            </Empty>
          )
        }
      />
      <p class="links">
        <a href="/docs/webhooks" target="_blank" rel="noopener">
          <Icon name="external-link" /> {words.guide}
        </a>
      </p>
      <NewWebhook isWanted={making.isOpen} onClose={making.close} />
    </Page>
  );
}
