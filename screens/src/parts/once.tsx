/** Secrets that are shown this once, in a dialog that stays until the person says that they are copied. */
import type { ComponentChildren } from "preact";
import { secrets as words } from "../messages/en/secrets";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Copy } from "./texts";
import "../styles/webhooks.css";

interface OnceProps {
  title?: string;
  /** What it is, and what it is for. */
  label: string;
  secret: string;
  /** Said besides. */
  children?: ComponentChildren;
  onDone: () => void;
}

export function Once({ title = words.title, label, secret, children, onDone }: OnceProps) {
  return (
    <Dialog title={title} onClose={onDone} stays wide>
      <div class="stack">
        <p class="prose">{words.body}</p>
        <Secret label={label} secret={secret} />
        {children}
      </div>
      <footer>
        <Button look="solid" onClick={onDone} autoFocus>
          {words.keepIt}
        </Button>
      </footer>
    </Dialog>
  );
}

/** One of several, under its name. */
export function Secret({ label, secret }: { label: string; secret: string }) {
  return (
    <div class="field">
      <span class="once-label">{label}</span>
      <Copy text={secret} label={label} />
    </div>
  );
}
