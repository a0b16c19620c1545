/** Whether a member is let in. */
import { members as words } from "../../messages/en/people";
import { Badge } from "../../parts/texts";
import type { Member } from "./rights";

const BADGES = { active: "good", frozen: "warn", deactivated: "plain" } as const;

export function StatusBadge({ status }: { status: Member["status"] }) {
  return <Badge kind={BADGES[status]}>{words.statuses[status]}</Badge>;
}
