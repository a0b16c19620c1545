import type { Draft } from "../house/drafts";
import { clashes as words } from "../messages/en/clashes";
import { say } from "../messages/messages";
import { Button } from "./button";
import { Foreign } from "./texts";

interface ClashesProps {
  of: Pick<Draft<Record<string, string | boolean>>, "clashes" | "base" | "settle">;
  /** What a value is called, and how it is written. */
  labelOf: (key: string) => string;
  textOf?: (key: string, value: string | boolean) => string;
}

/** Says which values somebody else has changed meanwhile, and asks whose count. */
export function Clashes({ of: { clashes, base, settle }, labelOf, textOf = (_, value) => String(value) }: ClashesProps) {
  if (clashes.length === 0) return null;
  return (
    <div class="changed" role="alert">
      <strong>{words.title}</strong>
      <ul>
        {clashes.map((key) => (
          <li key={key}>
            <Foreign>{say(words.now, { name: labelOf(key), value: textOf(key, base[key] ?? "") })}</Foreign>
          </li>
        ))}
      </ul>
      <div class="row">
        <Button small onClick={() => settle("theirs")}>
          {words.theirs}
        </Button>
        <Button small onClick={() => settle("mine")}>
          {words.mine}
        </Button>
      </div>
    </div>
  );
}
