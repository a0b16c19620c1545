/** A model is tried in place: one question, its answer, and what that took. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { formatCredits, formatExactly, formatNumber } from "../../house/formats";
import { type ModelTrial, tryModel } from "../../house/trials";
import { ai } from "../../messages/en/ai";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { Foreign } from "../../parts/texts";
import "../../styles/readable.css";

const words = ai.trial;

export function TryModel({ model }: { model: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {words.open}
      </Button>
      {isOpen && <TrialDialog model={model} onClose={() => setOpen(false)} />}
    </>
  );
}

export function TrialDialog({ model, onClose }: { model: string; onClose: () => void }) {
  const [text, setText] = useState<string>(words.example);
  const [trial, setTrial] = useState<ModelTrial | null>(null);
  const act = useAct(async () => {
    const result = await tryModel(model, text);
    if (result.ok) setTrial(result.answer);
    return result;
  });
  return (
    <Dialog title={say(words.title, { model })} onClose={onClose}>
      <Form act={act}>
        <TextField label={words.text} hint={words.hint} pointer="/text" value={text} onValue={setText} max={2_000} lines={2} autoFocus />
        {trial && <Outcome of={trial} />}
        <footer>
          <Button onClick={onClose}>{messages.common.close}</Button>
          <Button type="submit" look="solid" busy={act.busy} disabled={text.trim() === ""}>
            {words.send}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Outcome({ of: trial }: { of: ModelTrial }) {
  const { text, detail, code, milliseconds, promptTokens, completionTokens, chargedMicroCredits } = trial;
  const facts = [
    say(words.took, { seconds: formatExactly(Math.round(milliseconds / 10) / 100) }),
    promptTokens !== null &&
      completionTokens !== null &&
      say(words.tokens, { prompt: formatNumber(promptTokens), completion: formatNumber(completionTokens) }),
    code === null && (chargedMicroCredits > 0 ? say(words.charged, { credits: formatCredits(chargedMicroCredits) }) : words.free),
  ];
  return (
    <section class="stack" role="status">
      <h3>{code === null ? words.answer : words.failed}</h3>
      {code === null ? (
        <blockquote class="quote">{text ? <Foreign>{text}</Foreign> : <span class="soft">{words.silent}</span>}</blockquote>
      ) : (
        <p>
          {detail} <code>{code}</code>
        </p>
      )}
      <p class="soft">{facts.filter(Boolean).join(" · ")}</p>
    </section>
  );
}
