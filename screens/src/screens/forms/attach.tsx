/** Who sent a held submission: its candidates side by side, a new contact, and Attach. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { write } from "../../house/tools";
import { submissions as words } from "../../messages/en/submissions";
import { Button } from "../../parts/button";
import { Form } from "../../parts/form";
import { Badge, Foreign } from "../../parts/texts";
import type { Submission } from "./submission";

type Candidate = Submission["candidates"][number];
const said = words.panel;
const NEW = "new";

export function Attach({ submission, onAttached }: { submission: Submission; onAttached: (name: string | null) => void }) {
  const { id, candidates } = submission;
  const [chosen, setChosen] = useState(candidates[0]?.id ?? NEW);
  const act = useAct(async () => {
    const contactId = chosen === NEW ? null : chosen;
    const result = await write("submission.attach", { id, ...(contactId && { contactId }) });
    if (result.ok) onAttached(contactId && (candidates.find((candidate) => candidate.id === contactId)?.name ?? said.noName));
    return result;
  });
  return (
    <Form act={act} label={said.question}>
      <fieldset class="choices">
        <legend>{words.sentBy}</legend>
        {candidates.map((candidate) => (
          <label key={candidate.id}>
            <input type="radio" name="by" value={candidate.id} checked={chosen === candidate.id} onChange={() => setChosen(candidate.id)} />
            <CandidateCard candidate={candidate} submission={submission} />
          </label>
        ))}
        <label>
          <input type="radio" name="by" value={NEW} checked={chosen === NEW} onChange={() => setChosen(NEW)} />
          <span class="choice">
            <strong>{said.newContact}</strong>
            <span class="soft">{said.newContactNote}</span>
          </span>
        </label>
      </fieldset>
      <div class="form-actions">
        <Button type="submit" look="solid" busy={act.busy}>
          {said.attach}
        </Button>
      </div>
    </Form>
  );
}

function CandidateCard({ candidate, submission }: { candidate: Candidate; submission: Submission }) {
  const { name, email, phone } = candidate;
  const isSame = (one: string | null, other: string | null) =>
    one !== null && other !== null && one.toLocaleLowerCase() === other.toLocaleLowerCase();
  return (
    <span class="choice">
      <strong>
        <Foreign>{name ?? said.noName}</Foreign>
      </strong>
      <span class="soft">
        <Foreign>{email ?? said.noEmail}</Foreign>
      </span>
      <span class="soft">
        <Foreign>{phone ?? said.noPhone}</Foreign>
      </span>
      <span class="matches">
        {isSame(email, submission.email) && <Badge kind="good">{said.sameEmail}</Badge>}
        {isSame(phone, submission.phone) && <Badge kind="good">{said.samePhone}</Badge>}
        {isSame(name, submission.name) && <Badge kind="good">{said.sameName}</Badge>}
      </span>
    </span>
  );
}
