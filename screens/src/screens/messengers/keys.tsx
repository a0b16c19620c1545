/** The channel keys of a connection: what each was last used for, a new one, and revoking. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { formatRelative } from "../../house/formats";
import { toast } from "../../house/toasts";
import { type Answer, write, writeOnce } from "../../house/tools";
import { messengers } from "../../messages/en/messengers";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { ErrorBox } from "../../parts/states";
import type { ConnectionDetails } from "./connection";
import { Guide } from "./guide";
import "../../styles/webhooks.css";

const words = messengers.keys;
type Key = ConnectionDetails["keys"][number];

export function ChannelKeys({ connection }: { connection: ConnectionDetails }) {
  const { id, keys } = connection;
  const [minted, setMinted] = useState<Answer<"connection.mint_key"> | null>(null);
  const act = useAct(async () => {
    const result = await writeOnce("connection.mint_key", { id });
    if (result.ok) setMinted(result.answer);
    return result;
  });
  const revoke = async ({ id: keyId, visibleStart: start }: Key) => {
    const question = { title: say(words.revokeTitle, { start }), body: words.revokeBody, confirm: words.revoke, danger: true };
    if (await ask({ ...question, act: () => write("connection.revoke_key", { id, keyId }) })) toast(say(words.revoked, { start }));
  };
  return (
    <section class="stack">
      <div>
        <h3>{words.title}</h3>
        <p class="field-hint">{keys.length > 0 ? words.hint : words.none}</p>
      </div>
      <ErrorBox problem={act.problem} />
      {keys.length > 0 && (
        <ul class="key-lines">
          {keys.map((key) => (
            <li key={key.id}>
              <span class="two-lines">
                <code>{key.visibleStart}…</code>
                <span class="soft">{key.lastUsedAt ? say(words.used, { when: formatRelative(key.lastUsedAt) }) : words.unused}</span>
              </span>
              <Button small onClick={() => void revoke(key)}>
                {words.revoke}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button small icon="plus" busy={act.busy} onClick={() => void act.run()}>
          {words.create}
        </Button>
      </div>
      {minted && (
        <Guide
          connection={connection}
          channelKey={minted.channelKey}
          keyId={minted.id}
          signingSecret={null}
          onDone={() => setMinted(null)}
        />
      )}
    </section>
  );
}
