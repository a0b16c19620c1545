/** How to start the bridge of a connection: its key, the lines to paste, and word of its first call. */
import { messengers } from "../../messages/en/messengers";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { Secret } from "../../parts/once";
import { Copy } from "../../parts/texts";
import type { Connection } from "./connection";
import { FirstCall } from "./first_call";
import { linesFor } from "./lines";

const words = messengers.guideSteps;

interface GuideProps {
  connection: Pick<Connection, "id" | "name" | "messenger" | "delivery" | "url">;
  channelKey: string;
  /** Of a further key: its id. */
  keyId?: string;
  signingSecret: string | null;
  onDone: () => void;
}

export function Guide({ connection, channelKey, keyId, signingSecret, onDone }: GuideProps) {
  const { id, name, url } = connection;
  const { program, lines } = linesFor(connection, channelKey);
  return (
    <Dialog title={say(words.title, { name })} onClose={onDone} stays wide>
      <div class="stack">
        <p class="prose">{signingSecret ? words.onceBoth : words.once}</p>
        <Secret label={messengers.keys.one} secret={channelKey} />
        {signingSecret && <Secret label={messengers.secret.title} secret={signingSecret} />}
        <p class="prose">{program === "pushed" ? say(words.pushed, { url: url ?? "" }) : words[program]}</p>
        <Copy text={lines} label={words.lines} block />
        <FirstCall id={id} keyId={keyId} />
      </div>
      <footer>
        <a class="button button-quiet" href="/docs/bridges" target="_blank" rel="noopener">
          <Icon name="external-link" /> {words.read}
        </a>
        <Button look="solid" onClick={onDone} autoFocus>
          {words.done}
        </Button>
      </footer>
    </Dialog>
  );
}
