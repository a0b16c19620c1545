/** The question before records are merged: what each of them gives, and how far the merges are. */
import { type Signal, signal } from "@preact/signals";
import type { Result } from "../../../house/problems";
import { toast } from "../../../house/toasts";
import { type Answer, write } from "../../../house/tools";
import { duplicates as words } from "../../../messages/en/duplicates";
import { say } from "../../../messages/messages";
import { ask } from "../../../parts/dialog";
import { Icon } from "../../../parts/icon";
import { Foreign } from "../../../parts/texts";
import { type Property, titleOf } from "../values/properties";
import { type Choice, type Compared, mergesOf } from "./comparison";
import "../../../styles/record_page.css";

/** One of the merges: the record that goes, and what the survivor takes from it. */
interface Merge {
  id: string;
  name: string;
  take: string[];
  /** The names of those properties. */
  gives: string[];
}

/** Ask whether *records* are to become one, and merge them, one after the other. *onMerged* is told of the end. */
export async function mergeAll(
  records: readonly Compared[],
  properties: readonly Property[],
  choice: Choice,
  onMerged: (survivor: Answer<"record.merge">) => void,
): Promise<void> {
  const survivor = records.find(({ id }) => id === choice.survivor);
  if (!survivor || records.length < 2) return;
  const name = titleOf(survivor, properties);
  const merges = mergesOf(records, properties, choice).map(({ id, take }): Merge => {
    const other = records.find((record) => record.id === id);
    const gives = take.map((slug) => properties.find((property) => property.slug === slug)?.label ?? slug);
    return { id, take, gives, name: other ? titleOf(other, properties) : id };
  });
  const many = merges.length;
  const done = signal(0);
  let { version } = survivor;
  // A refusal stands in the dialog, and what is confirmed again goes on behind those that are merged.
  const act = async (): Promise<Result<unknown>> => {
    for (const { id, take } of merges.slice(done.peek())) {
      const result = await write("record.merge", { id: survivor.id, mergedId: id, take, ifVersion: version });
      if (!result.ok) return result;
      version = result.answer.version;
      done.value += 1;
      if (done.peek() === many) onMerged(result.answer);
    }
    return { ok: true, answer: null };
  };
  const names = { kept: name, merged: merges[0]?.name ?? "" };
  const question =
    many === 1
      ? { title: say(words.mergeTitle, names), body: say(words.mergeBody, names) }
      : {
          title: say(words.mergeSeveralTitle, { n: many, kept: name }),
          body: <Merges merges={merges} kept={name} done={done} />,
        };
  if (await ask({ ...question, confirm: words.merge, danger: true, act })) {
    toast(many === 1 ? say(words.merged, { name }) : say(words.mergedSeveral, { n: many, name }));
  } else if (done.peek() > 0) {
    toast(say(words.mergedSome, { done: done.peek(), many, name }));
  }
}

function Merges({ merges, kept, done }: { merges: readonly Merge[]; kept: string; done: Signal<number> }) {
  return (
    <>
      <p>{say(words.mergeSeveralBody, { kept })}</p>
      <ol class="merges" aria-label={words.merges}>
        {merges.map(({ id, name, gives }, at) => (
          <li key={id}>
            <Foreign>
              {gives.length > 0 ? say(words.gives, { name, properties: gives.join(", ") }) : say(words.givesNothing, { name })}
            </Foreign>
            {at < done.value && <Icon name="circle-check" size={14} label={words.isMerged} />}
          </li>
        ))}
      </ol>
    </>
  );
}
