/** Entries of the audit trail: the address of some of them, and who is behind one. */
import { to } from "../../house/address";
import type { Answer } from "../../house/tools";
import { audit as words } from "../../messages/en/people";
import { say } from "../../messages/messages";

export type Entry = Answer<"audit.list">["entries"][number];

export const FILTERS = ["outcome", "person", "action", "target", "caller", "from", "until"] as const;
export type Filters = Record<(typeof FILTERS)[number], string | null>;

/** The address of the trail, filtered. */
export const auditHref = (filters: Partial<Filters>) => to("/app/settings/audit", filters);

/** A person by name; what acts for a person by what it is, too. */
export function callerOf({ callerKind, personId }: Entry, nameOf: (id: string) => string): string {
  const kind = words.kinds[callerKind];
  if (personId === null) return kind;
  return callerKind === "person" ? nameOf(personId) : say(words.via, { kind, name: nameOf(personId) });
}
