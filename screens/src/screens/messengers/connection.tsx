/** What a connection is called, whose it is and how it is, the same in lists and panels. */
import { session } from "../../house/boot";
import type { Answer } from "../../house/tools";
import { messengers as words } from "../../messages/en/messengers";
import { say } from "../../messages/messages";
import { Badge } from "../../parts/texts";

export type Connection = Answer<"connection.list">["connections"][number];
export type ConnectionDetails = Answer<"connection.get">;

const BADGES = { active: "good", paused: "warn", offline: "bad" } as const;

export function StateBadge({ state }: { state: Connection["state"] }) {
  return <Badge kind={BADGES[state]}>{words.states[state]}</Badge>;
}

export interface Names {
  teams: readonly { id: string; name: string }[] | undefined;
  members: readonly { id: string; name: string; email: string }[] | undefined;
}

/** Whose account it is, in words. */
export function accountName({ kind, id }: Connection["account"], { teams, members }: Names): string {
  if (kind === "organization") return words.accountOf.organization;
  if (kind === "team") return say(words.accountOf.team, { name: teams?.find((team) => team.id === id)?.name ?? "…" });
  if (id === session.value?.person.id) return words.accountOf.own;
  const member = members?.find((one) => one.id === id);
  return say(words.accountOf.member, { name: member?.name || member?.email || "…" });
}
