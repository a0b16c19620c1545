/** What the lists of keys have in common. */
import { keys as words } from "../../messages/en/keys";
import type { Column } from "../../parts/table/column";
import { Badge, DateOf, Foreign, RelativeTime } from "../../parts/texts";
import { stateOf } from "./revoking";

export interface AnyKey {
  id: string;
  name: string;
  visibleStart: string;
  expiresAt: string;
  /** Why it is stopped though it has not ended, where it is. */
  stoppedBecause?: keyof typeof words.stops | null;
}

export function nameColumn<K extends AnyKey>(): Column<K> {
  return { key: "name", label: words.name, width: "19%", cell: (key) => <Name of={key} /> };
}

function Name({ of: { name, stoppedBecause } }: { of: AnyKey }) {
  return (
    <>
      <strong>
        <Foreign>{name}</Foreign>
      </strong>
      {stoppedBecause && <span class="key-stopped soft">{words.stops[stoppedBecause]}</span>}
    </>
  );
}

export function startColumn<K extends AnyKey>(): Column<K> {
  return {
    key: "start",
    label: words.visibleStart,
    width: "15%",
    phone: "plain",
    cell: (key) => <code class="soft">{key.visibleStart}…</code>,
  };
}

export function expiresColumn<K extends AnyKey>(): Column<K> {
  return {
    key: "expires",
    label: words.expires,
    width: "14%",
    cell: (key) => {
      const state = stateOf(key.expiresAt);
      return (
        <span class="with-badge">
          <DateOf at={key.expiresAt} />
          {key.stoppedBecause && <Badge kind="warn">{words.stopped}</Badge>}
          {state === "expired" && <Badge kind="bad">{words.expired}</Badge>}
          {state === "soon" && <Badge kind="warn">{words.soon}</Badge>}
        </span>
      );
    },
  };
}

export function usedColumn<K extends AnyKey & { lastUsedAt: string | null }>(width = "12%"): Column<K> {
  return { key: "used", label: words.lastUsed, width, cell: (key) => <RelativeTime at={key.lastUsedAt} /> };
}
