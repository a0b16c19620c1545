/** What became of a card. */
import { session } from "../../house/boot";
import { formatRelative } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { approvals as words } from "../../messages/en/approvals";
import { things } from "../../messages/en/things";
import { say } from "../../messages/messages";
import { Exactly, Members, Readable } from "../../parts/readable";
import { Badge, Foreign } from "../../parts/texts";
import type { Card } from "./title";
import "../../styles/approvals.css";
import "../../styles/readable.css";

const KINDS = { waiting: "warn", approved: "good", rejected: "plain", expired: "plain", failed: "bad" } as const;

export function StateBadge({ of: { state } }: { of: Card }) {
  return <Badge kind={KINDS[state]}>{words.states[state]}</Badge>;
}

export function Outcome({ of: card }: { of: Card }) {
  if (card.state === "waiting") return null;
  return (
    <section class="stack card-outcome" data-state={card.state}>
      <p>
        <StateBadge of={card} />
      </p>
      <p>{card.state === "expired" ? words.ended.expired : <Decided of={card} sentence={words.ended[card.state]} />}</p>
      {card.rejectionReason && (
        <blockquote class="quote" aria-label={words.rejectedBecause}>
          <Foreign>{card.rejectionReason}</Foreign>
        </blockquote>
      )}
      {card.error && (
        <>
          <h3>{words.refusedBecause}</h3>
          <p>
            <Readable value={card.error.detail} />
          </p>
        </>
      )}
      {card.answer !== null && typeof card.answer === "object" && (
        <details>
          <summary>{words.answered}</summary>
          <div class="stack">
            <Members of={card.answer} />
            <Exactly value={card.answer} label={things.exactlyAnswered} />
          </div>
        </details>
      )}
    </section>
  );
}

function Decided({ of: { decidedBy, decidedAt }, sentence }: { of: Card; sentence: string }) {
  const members = useAnswer("member.list", { limit: 200 }).answer?.members;
  const name = members?.find((one) => one.id === decidedBy)?.name ?? words.somebody;
  const who = decidedBy === session.value?.person.id ? words.you : name;
  return <>{say(sentence, { who, when: decidedAt ? formatRelative(decidedAt) : "" } as never)}</>;
}
