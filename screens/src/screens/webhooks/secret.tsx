import { useState } from "preact/hooks";
import { formatDateTime } from "../../house/formats";
import { type Answer, writeOnce } from "../../house/tools";
import { webhooks } from "../../messages/en/webhooks";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { Once } from "../../parts/once";
import { nameOf, type Webhook } from "./state";

const words = webhooks.secret;

/** What deliveries are signed with: a new one is shown once, and the one before signs beside it for 24 hours. */
export function Secret({ webhook }: { webhook: Webhook }) {
  const [made, setMade] = useState<Answer<"webhook.rotate_secret"> | null>(null);
  const both = webhook.previousSecretUntil;
  const replace = async () => {
    const act = async () => {
      const result = await writeOnce("webhook.rotate_secret", { id: webhook.id });
      if (result.ok) setMade(result.answer);
      return result;
    };
    await ask({ title: say(words.askTitle, { name: nameOf(webhook) }), body: words.askBody, confirm: words.create, act });
  };
  return (
    <section class="section stack">
      <div>
        <h2>{words.title}</h2>
        <p class="field-hint lead">{words.hint}</p>
      </div>
      {both && Date.parse(both) > Date.now() && <p class="soft">{say(words.both, { when: formatDateTime(both) })}</p>}
      <div class="row">
        <Button icon="plus" onClick={() => void replace()}>
          {words.create}
        </Button>
        <VerifyLink />
      </div>
      {made && (
        <Once label={words.label} secret={made.secret} onDone={() => setMade(null)}>
          <p class="said">{say(words.until, { when: formatDateTime(made.previousUntil) })}</p>
        </Once>
      )}
    </section>
  );
}

/** The guide with programs that check a signature. */
export function VerifyLink() {
  return (
    <a class="button button-quiet" href="/docs/webhooks#verify-the-signature" target="_blank" rel="noopener">
      <Icon name="external-link" /> {words.verify}
    </a>
  );
}
