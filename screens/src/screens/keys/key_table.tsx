import type { ComponentChildren } from "preact";
import type { Problem, Result } from "../../house/problems";
import { keys as words } from "../../messages/en/keys";
import { Button } from "../../parts/button";
import type { IconName } from "../../parts/icon_names";
import { Empty } from "../../parts/states";
import type { Column } from "../../parts/table/column";
import { Table } from "../../parts/table/table";
import { type AnyKey, expiresColumn, nameColumn, startColumn } from "./columns";
import { revoke } from "./revoking";

interface KeyTableProps<K extends AnyKey> {
  words: { title: string; emptyTitle: string; emptyBody: string };
  icon: IconName;
  rows: readonly K[] | undefined;
  asked: { problem: Problem | null; query: { again: () => Promise<void> } };
  newButton: ComponentChildren;
  /** What stands between the start of a key and its expiry. */
  columns: readonly Column<K>[];
  revokeBy: (id: string) => Promise<Result<unknown>>;
  /** The page of a key, where it has one. */
  hrefOf?: (key: K) => string;
}

/** A list of keys, each with a button that revokes it. */
export function KeyTable<K extends AnyKey>({ words: own, icon, rows, asked, newButton, columns, revokeBy, hrefOf }: KeyTableProps<K>) {
  return (
    <Table
      label={own.title}
      rows={rows}
      problem={asked.problem}
      again={() => void asked.query.again()}
      idOf={(key) => key.id}
      nameOf={(key) => key.name}
      {...(hrefOf && { hrefOf })}
      empty={
        <Empty icon={icon} title={own.emptyTitle} action={newButton}>
          {own.emptyBody}
        </Empty>
      }
      columns={[nameColumn(), startColumn(), ...columns, expiresColumn()]}
      actions={(key) => (
        <Button small onClick={() => void revoke(key, () => revokeBy(key.id))}>
          {words.revoke}
        </Button>
      )}
    />
  );
}
