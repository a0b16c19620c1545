/** Settings › API keys › one of them: what it may, when it ends, what it has called; rename, narrow, revoke. */
import { useState } from "preact/hooks";
import { Page, PageSkeleton } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { go, parameter, setParameters, to } from "../../house/address";
import { session } from "../../house/boot";
import { useList } from "../../house/lists";
import { useAnswer } from "../../house/queries";
import { type Answer, write } from "../../house/tools";
import { rolling } from "../../messages/en/apps";
import { keys as words } from "../../messages/en/keys";
import { requests, keyPage as said } from "../../messages/en/requests";
import { messages } from "../../messages/messages";
import { Button, LinkButton } from "../../parts/button";
import { Failure, Notice } from "../../parts/failure";
import { later } from "../../parts/later";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { Badge, DateOf, Foreign, RelativeTime } from "../../parts/texts";
import { RenameKey } from "./rename_key";
import { durationColumn, statusColumn, timeColumn, toolColumn } from "./request_columns";
import { RequestPanel } from "./request_panel";
import { revoke, stateOf } from "./revoking";
import { RollKey } from "./roll_key";
import "../../styles/requests.css";

const LIST = "/app/settings/api-keys";
const NarrowKey = later(async () => (await import("./narrow_key")).NarrowKey);

export type ApiKey = Answer<"apikey.list">["apiKeys"][number];

export default function ApiKeyPage({ params: { key: id = "" } }: ScreenProps) {
  const { answer, problem, query } = useAnswer("apikey.list", {});
  const open = parameter("open");
  const status = parameter("status");
  const calls = useList("request.list", "requests", { keyId: id, ...(status && { status: status as "4xx" | "5xx" }) });
  const crumbs = [messages.nav.settings, messages.sections.developers, { label: words.api.title, href: to(LIST) }];
  if (problem && !answer) return <Failure page problem={problem} again={() => void query.again()} />;
  if (!answer) return <PageSkeleton />;
  const key = answer.apiKeys.find((one) => one.id === id && one.limitedTo === null);
  if (!key) {
    const action = <LinkButton href={to(LIST)}>{words.api.title}</LinkButton>;
    return <Notice page icon="key-round" title={said.goneTitle} body={said.goneBody} action={action} />;
  }
  return (
    <Page
      title={key.name}
      crumbs={crumbs}
      actions={<Actions of={key} />}
      wide
      panel={
        open && (
          <RequestPanel
            id={open}
            call={calls.rows?.find((one) => one.id === open)}
            isLooking={calls.rows === undefined}
            onClose={() => setParameters({ open: null })}
          />
        )
      }
    >
      <Facts of={key} />
      <section class="section">
        <h2>{said.calls}</h2>
        <div class="filters">
          <Tabs
            name="status"
            label={requests.status}
            tabs={[
              { value: "", label: requests.all },
              { value: "4xx", label: requests.refused },
              { value: "5xx", label: requests.failed },
            ]}
          />
        </div>
        <Table
          label={said.calls}
          rows={calls.rows}
          problem={calls.problem}
          again={calls.again}
          idOf={(one) => one.id}
          nameOf={(one) => one.tool ?? requests.noTool}
          hrefOf={(one) => to(`${LIST}/${id}`, { status, open: one.id })}
          openId={open}
          hasMore={calls.hasMore}
          more={calls.more}
          empty={<Empty icon="activity" title={status ? said.noRefusals : said.noCalls} />}
          columns={[toolColumn("40%"), statusColumn("28%"), durationColumn("14%"), timeColumn("18%")]}
        />
      </section>
    </Page>
  );
}

function Facts({ of: key }: { of: ApiKey }) {
  const roles = useAnswer("role.list", {}).answer?.roles;
  const people = useAnswer("member.list", { limit: 200 }).answer?.members;
  const creator = people?.find((one) => one.id === key.createdBy);
  const state = stateOf(key.expiresAt);
  return (
    <dl class="facts key-facts">
      <dt>{said.state}</dt>
      <dd>
        {key.stoppedBecause ? (
          <>
            <Badge kind="warn">{words.stopped}</Badge> <span class="soft">{words.stops[key.stoppedBecause]}</span>
          </>
        ) : state === "expired" ? (
          <Badge kind="bad">{words.expired}</Badge>
        ) : (
          <Badge kind={state === "soon" ? "warn" : "good"}>{state === "soon" ? words.soon : said.live}</Badge>
        )}
      </dd>
      <dt>{words.visibleStart}</dt>
      <dd>
        <code>{key.visibleStart}…</code>
      </dd>
      <dt>{said.createdBy}</dt>
      <dd>
        <Foreign>{creator?.name || creator?.email || key.createdBy}</Foreign>
      </dd>
      <dt>{words.role}</dt>
      <dd>
        <bdi>{roles?.find((role) => role.id === key.role)?.name ?? key.role}</bdi>
      </dd>
      <dt>{said.tools}</dt>
      <dd>
        {key.tools ? (
          <span class="key-tools">
            {key.tools.map((tool) => (
              <code key={tool}>{tool}</code>
            ))}
          </span>
        ) : (
          words.allTools
        )}
      </dd>
      <dt>{words.created}</dt>
      <dd>
        <DateOf at={key.createdAt} />
      </dd>
      <dt>{words.lastUsed}</dt>
      <dd>
        <RelativeTime at={key.lastUsedAt} />
      </dd>
      <dt>{words.expires}</dt>
      <dd>
        <DateOf at={key.expiresAt} />
      </dd>
    </dl>
  );
}

/** What can be done with it; the dialogs stand beside the buttons that open them. */
function Actions({ of: key }: { of: ApiKey }) {
  const [dialog, setDialog] = useState<"rename" | "narrow" | "roll" | null>(null);
  const close = () => setDialog(null);
  const end = async () => {
    if (await revoke(key, () => write("apikey.revoke", { id: key.id }))) void go(to(LIST));
  };
  return (
    <>
      <Button icon="pencil" onClick={() => setDialog("rename")}>
        {said.rename}
      </Button>
      {key.state === "live" && (
        <Button icon="list-filter" onClick={() => setDialog("narrow")}>
          {said.narrow}
        </Button>
      )}
      {key.state === "live" && key.createdBy === session.value?.person.id && (
        <Button icon="refresh-cw" onClick={() => setDialog("roll")}>
          {rolling.roll}
        </Button>
      )}
      <Button onClick={() => void end()}>{words.revoke}</Button>
      {dialog === "roll" && <RollKey of={key} onClose={close} />}
      {dialog === "rename" && <RenameKey of={key} onClose={close} />}
      <NarrowKey isWanted={dialog === "narrow"} of={key} onClose={close} />
    </>
  );
}
