/** Approve or reject: by a click, or by `A` and `R`, which ask once more, since a key is pressed by accident. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { useKeys } from "../../house/keys";
import type { Result } from "../../house/problems";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { approvals as words } from "../../messages/en/approvals";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { ErrorBox } from "../../parts/states";
import { RelativeTime } from "../../parts/texts";
import { type Card, Title } from "./title";
import "../../styles/approvals.css";

const REASON_MAX = 1_000;

interface DecisionProps {
  of: Card;
  onDecided: () => void;
}

export function Decision({ of: card, onDecided }: DecisionProps) {
  const [rejects, setRejects] = useState(false);
  const approve = useAct(() => approveCard(card, onDecided));
  const confirm = () => {
    const act = () => approveCard(card, onDecided);
    void ask({ title: words.approveTitle, body: <ApproveBody of={card} />, confirm: words.approve, act });
  };
  const reject = () => setRejects(true);
  useKeys([
    { key: "a", label: words.approve, run: confirm },
    { key: "r", label: words.reject, run: reject },
  ]);
  const [before, after = ""] = words.card.expiresAt.split("{when}");
  return (
    <div class="decision">
      <ErrorBox problem={approve.problem} />
      <div class="decision-row">
        <Button look="solid" icon="check" busy={approve.busy} onClick={() => void approve.run()}>
          {words.approve}
        </Button>
        <Button icon="x" onClick={reject}>
          {words.reject}
        </Button>
        <span class="soft">
          {before}
          <RelativeTime at={card.expiresAt} />
          {after}
        </span>
      </div>
      {rejects && <Rejection of={card} onDecided={onDecided} onClose={() => setRejects(false)} />}
    </div>
  );
}

function ApproveBody({ of: card }: { of: Card }) {
  return (
    <>
      <p>
        <strong>
          <Title of={card} />
        </strong>
      </p>
      <p>{words.approveBody}</p>
    </>
  );
}

async function approveCard(card: Card, onDecided: () => void): Promise<Result<unknown>> {
  const result = await write("approval.approve", { id: card.id });
  if (!result.ok) return result;
  toast(card.tool === null ? words.approvedWorkflow : words.approved);
  onDecided();
  return result;
}

function Rejection({ of: card, onDecided, onClose }: DecisionProps & { onClose: () => void }) {
  const [reason, setReason] = useState("");
  const act = useAct(async () => {
    const result = await write("approval.reject", { id: card.id, reason: reason.trim() || null });
    if (result.ok) {
      onClose();
      toast(words.rejected);
      onDecided();
    }
    return result;
  });
  return (
    <FormDialog title={words.rejectTitle} act={act} submit={words.reject} onClose={onClose} dirty={reason !== ""}>
      <p>
        <strong>
          <Title of={card} />
        </strong>
      </p>
      <TextField
        label={words.reasonLabel}
        hint={card.askedBy.kind === "agent" ? words.reasonHintAgent : words.reasonHintWorkflow}
        pointer="/reason"
        value={reason}
        onValue={setReason}
        max={REASON_MAX}
        optional
        autoFocus
      />
    </FormDialog>
  );
}
