import { useState } from "preact/hooks";
import { formatDateTime } from "../../house/formats";
import { type Answer, writeOnce } from "../../house/tools";
import { messengers } from "../../messages/en/messengers";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Once } from "../../parts/once";
import type { ConnectionDetails } from "./connection";

const words = messengers.secret;

/** What pushes are signed with: a new one is shown once, and the one before signs beside it for 24 hours. */
export function SigningSecret({ connection: { id, name, previousSecretUntil } }: { connection: ConnectionDetails }) {
  const [made, setMade] = useState<Answer<"connection.rotate_secret"> | null>(null);
  const replace = async () => {
    const act = async () => {
      const result = await writeOnce("connection.rotate_secret", { id });
      if (result.ok) setMade(result.answer);
      return result;
    };
    await ask({ title: say(words.askTitle, { name }), body: words.askBody, confirm: words.create, act });
  };
  return (
    <section class="stack">
      <div>
        <h3>{words.title}</h3>
        <p class="field-hint">{words.hint}</p>
      </div>
      {previousSecretUntil && Date.parse(previousSecretUntil) > Date.now() && (
        <p class="soft">{say(words.both, { when: formatDateTime(previousSecretUntil) })}</p>
      )}
      <div>
        <Button small icon="plus" onClick={() => void replace()}>
          {words.create}
        </Button>
      </div>
      {made && (
        <Once label={words.title} secret={made.signingSecret} onDone={() => setMade(null)}>
          <p class="said">{say(words.until, { when: formatDateTime(made.previousUntil) })}</p>
        </Once>
      )}
    </section>
  );
}
