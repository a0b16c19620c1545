/** Calls of keys as rows: the same in the log of all and on a key's own page. */
import type { Answer } from "../../house/tools";
import { requests as words } from "../../messages/en/requests";
import { say } from "../../messages/messages";
import type { Column } from "../../parts/table/column";
import { Badge, Foreign, RelativeTime } from "../../parts/texts";
import "../../styles/requests.css";

export type Call = Answer<"request.list">["requests"][number];

const REFUSED = 400;
const FAILED = 500;
/** What the log has where the client left before there was an answer. */
const LEFT = 499;

export function Status({ of: { status, code } }: { of: Call }) {
  const kind = status >= FAILED ? "bad" : status >= REFUSED || code ? "warn" : "good";
  return (
    <span class="with-badge">
      <Badge kind={kind}>{status === LEFT ? words.gone : String(status)}</Badge>
      {code && status !== LEFT && <code class="soft call-code">{code}</code>}
    </span>
  );
}

/** How long it took; numbers stand under each other. */
const duration = ({ milliseconds }: Call) => say(words.ms, { n: milliseconds });

export function toolColumn(width: string): Column<Call> {
  return {
    key: "tool",
    label: words.tool,
    width,
    phone: "title",
    cell: ({ tool, door }) => (
      <span class="call-tool">
        {tool ? <code>{tool}</code> : <span class="soft">{words.noTool}</span>}
        {door !== "tools" && <span class="soft">{words.doors[door]}</span>}
      </span>
    ),
  };
}

export const keyColumn = (width: string): Column<Call> => ({
  key: "key",
  label: words.key,
  width,
  phone: "plain",
  cell: ({ keyName }) => (keyName === null ? <span class="soft">{words.noName}</span> : <Foreign>{keyName}</Foreign>),
});

export const statusColumn = (width: string): Column<Call> => ({
  key: "status",
  label: words.status,
  width,
  phone: "plain",
  cell: (call) => <Status of={call} />,
});

export const durationColumn = (width: string): Column<Call> => ({
  key: "duration",
  label: words.duration,
  width,
  align: "end",
  phone: "plain",
  cell: duration,
});

export const timeColumn = (width: string): Column<Call> => ({
  key: "at",
  label: words.at,
  width,
  align: "end",
  phone: "side",
  cell: ({ at }) => <RelativeTime at={at} />,
});
