/** How a submission is shown wherever it is: who sent it, and its state. */
import { to } from "../../house/address";
import { may } from "../../house/boot";
import type { Answer } from "../../house/tools";
import { submissions as words } from "../../messages/en/submissions";
import { Avatar } from "../../parts/avatar";
import { Badge, Foreign } from "../../parts/texts";

/** As lists have it. */
export type Line = Answer<"submission.list">["submissions"][number];
/** With all that was sent. */
export type Submission = Answer<"submission.get">;

const BADGES = { Filed: "good", Held: "warn", Queued: "plain" } as const;

interface StateBadgeProps {
  of: Pick<Line, "state" | "heldReason" | "discardedAt">;
  brief?: boolean;
}

/** `Filed`, `Held`, `Queued` or `Discarded`, and why it is held, or was. */
export function StateBadge({ of: { state, heldReason, discardedAt }, brief = false }: StateBadgeProps) {
  return (
    <span class="with-badge">
      {discardedAt ? <Badge>{words.discarded}</Badge> : <Badge kind={BADGES[state]}>{words.states[state]}</Badge>}
      {!brief && state === "Held" && heldReason && (
        <span class="soft one-line" title={words.reasons[heldReason]}>
          {words.reasons[heldReason]}
        </span>
      )}
    </span>
  );
}

/** What was sent, in a line. */
export function Excerpt({ of: { excerpt } }: { of: Line }) {
  return excerpt === null ? null : (
    <span class="one-line">
      <Foreign>{excerpt}</Foreign>
    </span>
  );
}

/** Links to the contact and the deal that a filed one has become; its panel has their names. */
export function Became({ of: line }: { of: Line }) {
  if (line.state !== "Filed" || line.contactId === null || !may("records.read")) return null;
  return (
    <span class="became">
      <a href={to(`/app/records/contact/${line.contactId}`)}>{words.became.contact}</a>
      {line.dealId && <a href={to(`/app/records/deal/${line.dealId}`)}>{words.became.deal}</a>}
    </span>
  );
}

export const nameOf = (line: Pick<Line, "name" | "email" | "phone">): string => line.name ?? line.email ?? line.phone ?? words.unknown;

/** Who a submission says that it is from. */
export function Sender({ of: line }: { of: Line }) {
  const contact = [line.name && line.email, line.name || line.email ? line.phone : null].filter(Boolean)[0];
  return (
    <span class="with-avatar">
      <Avatar name={nameOf(line)} />
      <span class="two-lines">
        <Foreign>{nameOf(line)}</Foreign>
        {contact && (
          <span class="soft">
            <Foreign>{contact}</Foreign>
          </span>
        )}
      </span>
    </span>
  );
}
