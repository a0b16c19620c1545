import { keys as words } from "../../messages/en/keys";
import { Once } from "../../parts/once";
import { Copy } from "../../parts/texts";

/** A new key, and how it is tried. */
export function ShownOnce({ name, secret, example, onDone }: { name: string; secret: string; example?: string; onDone: () => void }) {
  return (
    <Once title={words.onceTitle} label={name} secret={secret} onDone={onDone}>
      {example && (
        <details>
          <summary>{words.tryIt}</summary>
          <Copy text={example} label={words.tryIt} block />
        </details>
      )}
    </Once>
  );
}
