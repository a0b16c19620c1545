/** One card: what is asked for, why, by whom, what led to it, the decision, and what became of it. */
import { useAnswer } from "../../house/queries";
import { approvals as words } from "../../messages/en/approvals";
import { Failure } from "../../parts/failure";
import { Panel } from "../../parts/panel";
import { Skeleton } from "../../parts/states";
import { Foreign, RelativeTime } from "../../parts/texts";
import { Asker } from "./asker";
import { Decision } from "./decision";
import { Outcome } from "./outcome";
import { Request } from "./request";
import { type Card, Title } from "./title";
import "../../styles/readable.css";

const said = words.card;

interface CardPanelProps {
  id: string;
  onClose: () => void;
  /** It was decided: show the next one. */
  onDecided: () => void;
}

export function CardPanel({ id, onClose, onDecided }: CardPanelProps) {
  const { answer, problem, query, isOld } = useAnswer("approval.get", { id });
  const isShown = answer && !isOld;
  return (
    <Panel title={isShown ? <Title of={answer} bare /> : ""} of={id} onClose={onClose}>
      {isShown ? (
        <Shown key={id} of={answer} onDecided={onDecided} />
      ) : problem?.code === "not_found" ? (
        <p class="soft">{said.gone}</p>
      ) : problem ? (
        <Failure problem={problem} again={() => void query.again()} />
      ) : (
        <Skeleton lines={5} height={32} />
      )}
    </Panel>
  );
}

function Shown({ of: card, onDecided }: { of: Card; onDecided: () => void }) {
  return (
    <div class="stack-wide">
      <Outcome of={card} />
      <Request of={card} />
      {card.tool !== null && <Why of={card} />}
      {card.tool === null && card.reason === null && <p class="soft">{said.whyHidden}</p>}
      <Asker of={card} />
      <p class="soft">
        {words.asked} <RelativeTime at={card.createdAt} />
      </p>
      {card.state === "waiting" && <Decision of={card} onDecided={onDecided} />}
    </div>
  );
}

function Why({ of: { reason } }: { of: Card }) {
  return (
    <section class="stack">
      <h3>{said.why}</h3>
      <blockquote class="quote">
        <Foreign>{reason ?? ""}</Foreign>
      </blockquote>
      <p class="field-hint">{said.whyHint}</p>
    </section>
  );
}
