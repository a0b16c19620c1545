/** Whom a held conversation is with: its candidates side by side, or a contact that is made of what is known. */
import { useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { useAnswer } from "../../../house/queries";
import { toast } from "../../../house/toasts";
import { write } from "../../../house/tools";
import { inboxLater } from "../../../messages/en/inbox_later";
import { Button } from "../../../parts/button";
import { Form } from "../../../parts/form";
import { Foreign } from "../../../parts/texts";
import type { ConversationDetails } from "../shapes";
import "../../../styles/inbox.css";

const words = inboxLater.match;
const NEW = "new";

export function Match({ conversation }: { conversation: ConversationDetails }) {
  const { id, candidates, heldReason } = conversation;
  const [chosen, setChosen] = useState(candidates[0] ?? NEW);
  const act = useAct(async () => {
    const result = await write("conversation.assign", { id, contactId: chosen === NEW ? null : chosen });
    if (result.ok) toast(chosen === NEW ? words.attachedNew : words.attached);
    return result;
  });
  return (
    <section class="match">
      <h3>{words.title}</h3>
      <p class="soft">{heldReason && words.reasons[heldReason]}</p>
      <Form act={act} label={words.title}>
        <fieldset class="match-choices">
          <legend class="hidden">{words.title}</legend>
          {candidates.map((candidate) => (
            <label key={candidate}>
              <input type="radio" name="with" checked={chosen === candidate} onChange={() => setChosen(candidate)} />
              <Candidate id={candidate} />
            </label>
          ))}
          <label>
            <input type="radio" name="with" checked={chosen === NEW} onChange={() => setChosen(NEW)} />
            <span class="match-choice">
              <strong>{words.newContact}</strong>
              <span class="soft">{words.newContactNote}</span>
            </span>
          </label>
        </fieldset>
        <div class="form-actions">
          <Button type="submit" look="solid" busy={act.busy}>
            {words.attach}
          </Button>
        </div>
      </Form>
    </section>
  );
}

function Candidate({ id }: { id: string }) {
  const { answer } = useAnswer("record.get", { id, fields: ["name", "email", "phone"] });
  const text = (slug: string) => (typeof answer?.properties[slug] === "string" ? (answer.properties[slug] as string) : "");
  return (
    <span class="match-choice">
      <strong>
        <Foreign>{text("name") || words.noName}</Foreign>
      </strong>
      {[text("email"), text("phone")].filter(Boolean).map((value) => (
        <span key={value} class="soft">
          <Foreign>{value}</Foreign>
        </span>
      ))}
    </span>
  );
}
