/** What an import that has ended has done: its figures, what went wrong, where its records are, and its undo. */

import { parameter, screens, to } from "../../house/address";
import type { Query } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import { LinkButton } from "../../parts/button";
import { later } from "../../parts/later";
import { Foreign } from "../../parts/texts";
import { Counts, linesOf, Refused } from "./outcome";
import { inSentence } from "./phrases";
import type { Import } from "./upload";

/** Not needed to see how it went. */
const UndoPart = later(async () => (await import("./undo")).UndoPart);

const said = words.end;
/** What the address has of how a file is read. */
const CHOICES = ["missing", "bad", "empty"] as const;

interface EndProps {
  import: Import;
  object: Pick<Answer<"object.get">, "slug" | "labelPlural">;
  query: Query<Import>;
}

export function headOf({ state, name, counts, dryRun }: Import, n: number): string {
  if (state !== "done" && state !== "failed" && state !== "cancelled") return say(said.checked, { n });
  if (dryRun && n > 0) return say(said.onlyTried, { n });
  return state === "done" ? say(said.done, { n: n - counts.refused, file: name }) : say(said[state], { file: name });
}

export function End({ import: import_, object, query }: EndProps) {
  const n = linesOf(import_);
  const { counts, dryRun, state, failure } = import_;
  const written = dryRun ? 0 : counts.created + counts.updated;
  const again = `/app/settings/objects/${object.slug}/import`;
  // Read as these were, with their rest.
  const chosen = Object.fromEntries(CHOICES.map((name) => [name, parameter(name)]));
  const corrected = { ...chosen, like: import_.id, dates: import_.dates };
  const records = `/app/records/${object.slug}`;
  return (
    <>
      {failure && (
        <p class="field-fault">
          <Foreign>{failure}</Foreign>
        </p>
      )}
      {state !== "done" && n > 0 && !dryRun && <p class="soft">{said.stays}</p>}
      {n > 0 && (
        <>
          <Counts of={import_} />
          <Refused of={import_} />
        </>
      )}
      <div class="form-actions">
        {written > 0 && screens.has(records) && (
          <LinkButton look="solid" icon="users" href={to(records)}>
            {say(said.show, { n: written, objects: inSentence(object.labelPlural) })}
          </LinkButton>
        )}
        {counts.refused > 0 && !dryRun && (
          <LinkButton icon="upload" href={to(again, corrected)}>
            {said.corrected}
          </LinkButton>
        )}
        <LinkButton look={written > 0 ? "plain" : "solid"} icon="upload" href={to(again)}>
          {said.another}
        </LinkButton>
      </div>
      <UndoPart isWanted of={import_} query={query} />
    </>
  );
}
