import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Copy } from "../../parts/texts";
import { keys as words } from "../../messages/en/keys";

/** A secret that is shown this once: the dialog stays until the person says that it is copied. */
export function ShownOnce({ name, secret, example, onDone }: { name: string; secret: string; example?: string; onDone: () => void }) {
  return (
    <Dialog title={words.onceTitle} onClose={onDone} stays wide>
      <div class="stack">
        <p class="prose">{words.onceBody}</p>
        <Copy text={secret} label={name} />
        {example && (
          <details>
            <summary>{words.tryIt}</summary>
            <Copy text={example} label={words.tryIt} block />
          </details>
        )}
      </div>
      <footer>
        <Button look="solid" onClick={onDone} autoFocus>
          {words.keepIt}
        </Button>
      </footer>
    </Dialog>
  );
}
