/** One connection: how it is, what waits, its bridge's keys and secret, and a test. */
import { useState } from "preact/hooks";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { messengers as words } from "../../messages/en/messengers";
import { say } from "../../messages/messages";
import { ask } from "../../parts/dialog";
import { Failure } from "../../parts/failure";
import { Icon } from "../../parts/icon";
import { Menu } from "../../parts/menu";
import { Panel } from "../../parts/panel";
import { Empty, Skeleton } from "../../parts/states";
import { DateOf, Foreign, RelativeTime } from "../../parts/texts";
import { accountName, type ConnectionDetails, type Names, StateBadge } from "./connection";
import { EditConnection } from "./edit";
import { FirstCall } from "./first_call";
import { Health } from "./health";
import { ChannelKeys } from "./keys";
import { PauseButton } from "./pause_button";
import { SigningSecret } from "./signing_secret";
import { Test } from "./test";
import "../../styles/webhooks.css";

interface PanelProps {
  id: string;
  names: Names;
  onClose: () => void;
}

export function ConnectionPanel({ id, names, onClose }: PanelProps) {
  const { answer, problem, query } = useAnswer("connection.get", { id });
  return (
    <Panel
      title={answer ? <Foreign>{answer.name}</Foreign> : ""}
      of={id}
      onClose={onClose}
      actions={answer && <Actions connection={answer} onRemoving={onClose} />}
    >
      {answer ? (
        <Shown connection={answer} names={names} />
      ) : problem?.code === "not_found" ? (
        <Empty icon="message-circle" title={words.gone} />
      ) : problem ? (
        <Failure problem={problem} again={() => void query.again()} />
      ) : (
        <Skeleton lines={6} height={32} />
      )}
    </Panel>
  );
}

function Shown({ connection, names }: { connection: ConnectionDetails; names: Names }) {
  const { id, messenger, account, delivery, url, lastCallAt, repliesWaiting, state } = connection;
  return (
    <div class="stack-wide">
      <section class="stack">
        <div class="row">
          <StateBadge state={state} />
          <PauseButton connection={connection} />
        </div>
        <Health of={connection} />
        {lastCallAt === null && <FirstCall id={id} />}
      </section>
      <dl class="facts">
        <dt>{words.messenger}</dt>
        <dd>{words.kinds[messenger]}</dd>
        <dt>{words.account}</dt>
        <dd>
          <Foreign>{accountName(account, names)}</Foreign>
        </dd>
        <dt>{words.delivery}</dt>
        <dd>{words.deliveries[delivery]}</dd>
        {url && (
          <>
            <dt>{words.url}</dt>
            <dd>
              <code class="break">{url}</code>
            </dd>
          </>
        )}
        <dt>{words.waiting}</dt>
        <dd>{repliesWaiting}</dd>
        <dt>{words.lastCall}</dt>
        <dd>
          <RelativeTime at={lastCallAt} never={words.noCall} />
        </dd>
        <dt>{words.created}</dt>
        <dd>
          <DateOf at={connection.createdAt} />
        </dd>
      </dl>
      <Test connection={connection} />
      <ChannelKeys connection={connection} />
      {delivery === "push" && <SigningSecret connection={connection} />}
    </div>
  );
}

function Actions({ connection, onRemoving }: { connection: ConnectionDetails; onRemoving: () => void }) {
  const [editing, setEditing] = useState(false);
  const { id, name } = connection;
  const remove = async () => {
    const [title, body] = [say(words.removeTitle, { name }), words.removeBody];
    const act = () => {
      onRemoving(); // What is being removed is not asked for again.
      return write("connection.remove", { id });
    };
    if (!(await ask({ title, body, confirm: words.remove, danger: true, name, act }))) return;
    toast(say(words.removed, { name }));
  };
  return (
    <>
      <Menu
        label={words.actions}
        items={[
          [{ label: words.edit, icon: "pencil", run: () => setEditing(true) }],
          [{ label: words.remove, icon: "trash-2", danger: true, run: () => void remove() }],
        ]}
      >
        <Icon name="ellipsis" />
      </Menu>
      {editing && <EditConnection connection={connection} onClose={() => setEditing(false)} />}
    </>
  );
}
