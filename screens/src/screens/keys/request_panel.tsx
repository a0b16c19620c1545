/** One call with all that is known of it, and how to call it oneself. */
import { to } from "../../house/address";
import { formatBytes, formatFullTime } from "../../house/formats";
import { requests as words } from "../../messages/en/requests";
import { say } from "../../messages/messages";
import { later } from "../../parts/later";
import { Panel } from "../../parts/panel";
import { Empty, Skeleton } from "../../parts/states";
import { Copy, Foreign } from "../../parts/texts";
import { type Call, Status } from "./request_columns";

const CopyAs = later(async () => (await import("./copy_as")).CopyAs);

interface RequestPanelProps {
  id: string;
  call: Call | undefined;
  isLooking: boolean;
  onClose: () => void;
}

export function RequestPanel({ id, call, isLooking, onClose }: RequestPanelProps) {
  return (
    <Panel title={call ? (call.tool ?? words.noTool) : words.title} of={id} onClose={onClose}>
      {call ? (
        <div class="stack-wide">
          <Facts of={call} />
          {call.tool && <CopyAs isWanted tool={call.tool} />}
        </div>
      ) : isLooking ? (
        <Skeleton lines={6} height={28} />
      ) : (
        <Empty icon="activity" title={words.goneTitle} />
      )}
    </Panel>
  );
}

function Facts({ of: call }: { of: Call }) {
  return (
    <dl class="facts">
      <dt>{words.status}</dt>
      <dd>
        <Status of={call} />
      </dd>
      <dt>{words.at}</dt>
      <dd>
        <time dateTime={call.at}>{formatFullTime(call.at)}</time>
      </dd>
      <dt>{words.duration}</dt>
      <dd>{say(words.ms, { n: call.milliseconds })}</dd>
      <dt>{words.door}</dt>
      <dd>{words.doors[call.door]}</dd>
      <dt>{words.key}</dt>
      <dd>
        <KeyLink of={call} />
      </dd>
      <dt>{words.sizes}</dt>
      <dd>{say(words.sent, { request: formatBytes(call.bytesIn), answer: formatBytes(call.bytesOut) })}</dd>
      <dt>{words.request}</dt>
      <dd>
        <Copy text={call.requestId} label={words.request} />
      </dd>
      {call.replayed && (
        <>
          <dt />
          <dd class="soft">{words.replayed}</dd>
        </>
      )}
    </dl>
  );
}

/** The key's name, which leads to its page where it has one. */
function KeyLink({ of: { callerId, callerKind, door, keyName } }: { of: Call }) {
  const name = <Foreign>{keyName ?? words.noName}</Foreign>;
  if (callerKind !== "key" || door === "gateway") return name;
  return <a href={to(`/app/settings/api-keys/${callerId}`)}>{name}</a>;
}
