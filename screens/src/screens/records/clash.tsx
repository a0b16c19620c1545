/** The question whose value counts, where two have changed the same one. */

import type { Answer } from "../../house/tools";
import { clashes as clashWords } from "../../messages/en/clashes";
import { records as words } from "../../messages/en/records";
import { recordsLater as later } from "../../messages/en/records_later";
import { say } from "../../messages/messages";
import { ask } from "../../parts/dialog";
import { Foreign } from "../../parts/texts";
import { nameOfReference } from "./values/finding";
import { type Edit, type Property, titleOf } from "./values/properties";
import { textOf } from "./values/writing";

type Conflicts = NonNullable<Answer<"record.update_many">["outcomes"][number]["conflicts"]>;

interface Clash {
  edit: Edit;
  conflicts: Conflicts;
}

const SHOWN_MAX = 10;

/** True for one's own; closing the question leaves what the other has saved. */
export async function askWhose(clashes: readonly Clash[], properties: readonly Property[]): Promise<boolean> {
  const lines = clashes.flatMap(({ edit, conflicts }) => conflicts.map((conflict) => ({ edit, ...conflict }))).slice(0, SHOWN_MAX);
  const written = await Promise.all(
    lines.map(async (line) => ({ theirs: await write(line, line.theirs), mine: await write(line, line.yours) })),
  );
  return ask({
    title: clashWords.title,
    confirm: clashWords.mine,
    cancel: clashWords.theirs,
    body: (
      <ul>
        {lines.map(({ edit, property: slug }, at) => {
          const label = properties.find((one) => one.slug === slug)?.label ?? slug;
          const said = { record: titleOf(edit.record, properties), property: label, theirs: "", mine: "", ...written[at] };
          return (
            <li key={`${edit.record.id} ${slug}`}>
              <Foreign>{say(later.clash, said)}</Foreign>
            </li>
          );
        })}
      </ul>
    ),
  });

  async function write({ edit, property: slug }: (typeof lines)[number], value: unknown): Promise<string> {
    const property = properties.find((one) => one.slug === slug);
    if (!property) return value === null ? words.none : String(value);
    const isReference = (property.type === "relation" || property.type === "member") && typeof value === "string";
    const name = isReference ? await nameOfReference(property, value) : undefined;
    const shown = { properties: { ...edit.record.properties, [slug]: value }, texts: { [slug]: name ?? "" } };
    return textOf(property, shown) || words.none;
  }
}
