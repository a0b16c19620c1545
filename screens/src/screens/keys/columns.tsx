/** What the lists of keys have in common. */
import { keys as words } from "../../messages/en/keys";
import type { Column } from "../../parts/table";
import { Badge, DateOf, Foreign, RelativeTime } from "../../parts/texts";
import { stateOf } from "./revoking";

export interface AnyKey {
  id: string;
  name: string;
  visibleStart: string;
  expiresAt: string;
}

export function nameColumn<K extends AnyKey>(): Column<K> {
  return { key: "name", label: words.name, width: "19%", cell: (key) => <strong>{<Foreign>{key.name}</Foreign>}</strong> };
}

export function startColumn<K extends AnyKey>(): Column<K> {
  return { key: "start", label: words.visibleStart, width: "15%", phone: "plain", cell: (key) => <code class="soft">{key.visibleStart}…</code> };
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
          {state === "expired" && <Badge kind="bad">{words.expired}</Badge>}
          {state === "soon" && <Badge kind="warn">{words.soon}</Badge>}
        </span>
      );
    },
  };
}

export function usedColumn<K extends AnyKey & { lastUsedAt: string | null }>(): Column<K> {
  return { key: "used", label: words.lastUsed, width: "12%", cell: (key) => <RelativeTime at={key.lastUsedAt} /> };
}
