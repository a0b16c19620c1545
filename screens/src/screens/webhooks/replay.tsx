/** Sending again what happened in a range of time: what was given up, what was missed, or everything. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { instantOf, localTime } from "../../house/days";
import { formatDateTime } from "../../house/formats";
import { ownProblem, type Result } from "../../house/problems";
import { toast } from "../../house/toasts";
import { type Answer, type Input, write } from "../../house/tools";
import { webhooks } from "../../messages/en/webhooks";
import { say } from "../../messages/messages";
import { RadioField, TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import type { Webhook } from "./state";

const words = webhooks.replay;
type Which = NonNullable<Input<"webhook.redeliver">["which"]>;
const WHICHS = ["dead", "missed", "all"] as const satisfies readonly Which[];
const DAY_MS = 86_400_000;

export function Replay({ webhook: { id, failingSince }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [which, setWhich] = useState<Which>("dead");
  // Since it began to fail, where that is known.
  const [since, setSince] = useState(() => localTime(failingSince ?? new Date(Date.now() - DAY_MS).toISOString()));
  const [until, setUntil] = useState("");
  const [done, setDone] = useState<Answer<"webhook.redeliver"> | null>(null);
  const act = useAct(async (): Promise<Result<unknown>> => {
    const [from, to] = [instantOf(since), until ? instantOf(until) : null];
    if (from === null) return { ok: false, problem: ownProblem("refused", words.noSince) };
    const result = await write("webhook.redeliver", { webhookId: id, since: from, until: to, which });
    if (!result.ok) return result;
    const { queued, lookedUntil } = result.answer;
    if (queued > 0 && lookedUntil === null) {
      toast(say(words.queued, { n: queued }));
      onClose();
    } else {
      setDone(result.answer);
      if (lookedUntil !== null) setSince(localTime(lookedUntil));
    }
    return result;
  });
  return (
    <FormDialog title={words.title} act={act} submit={words.submit} onClose={onClose} dirty={false}>
      <p class="prose">{words.hint}</p>
      {done && (
        <p class="said" role="status">
          {done.queued > 0 ? say(words.queued, { n: done.queued }) : words.none}{" "}
          {done.lookedUntil !== null && say(words.rest, { when: formatDateTime(done.lookedUntil) })}
        </p>
      )}
      <RadioField
        label={words.which}
        hint={words.whichHints[which]}
        pointer="/which"
        value={which}
        onValue={setWhich}
        choices={WHICHS.map((value) => ({ value, label: words.whichs[value] }))}
      />
      <TextField label={words.since} pointer="/since" type="datetime-local" value={since} onValue={setSince} />
      <TextField
        label={words.until}
        hint={words.untilHint}
        pointer="/until"
        type="datetime-local"
        value={until}
        onValue={setUntil}
        optional
      />
    </FormDialog>
  );
}
