/**
 * Changes of values: shown at once, stored in the order in which they were made, taken back where they are refused.
 * A value that somebody else has changed meanwhile is asked about, and nothing of theirs is lost unseen.
 */
import type { Problem } from "../../house/problems";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { recordsLater as words } from "../../messages/en/records_later";
import { say } from "../../messages/messages";
import { cellKey, pending, refusals, withPending } from "./pending";
import type { Edit, Property } from "./values/properties";

const STEPS_MAX = 50;
const ITEMS_MAX = 100;

// The last version that this page itself has written of a value: its own change is no conflict.
const ownVersions = new Map<string, number>();
const steps: Edit[][] = [];
let last: Promise<unknown> = Promise.resolve();

interface Saving {
  /** They are no step of their own. */
  isUndo?: boolean;
  /** Called with how many are stored or refused. */
  progress?: (done: number) => void;
}

/** Store *edits* after those before; resolves to how many were. */
export function save(edits: readonly Edit[], properties: readonly Property[], saving: Saving = {}): Promise<number> {
  const { isUndo = false, progress } = saving;
  for (const edit of edits) show(edit);
  const done = last.then(() => store(edits, properties, { progress }));
  last = done;
  return done.then((stored) => {
    if (!isUndo && stored.length > 0) {
      steps.push(stored.map(inverse));
      if (steps.length > STEPS_MAX) steps.shift();
    }
    return stored.length;
  });
}

/** Take back what was changed last: what is on its way is waited for, since it is a step once it is stored. */
export async function undo(properties: readonly Property[]): Promise<void> {
  await last;
  const step = steps.pop();
  if (!step) return toast(words.nothingToUndo);
  const n = await save(step, properties, { isUndo: true });
  if (n > 0) toast(say(words.undone, { n }));
}

function inverse({ record, change }: Edit): Edit {
  const slugs = Object.keys(change.values);
  const pick = (from: Readonly<Record<string, unknown>> = {}) => Object.fromEntries(slugs.map((slug) => [slug, from[slug] ?? null]));
  const texts = Object.fromEntries(Object.keys(change.texts).map((slug) => [slug, record.texts?.[slug] ?? ""]));
  return { record: withPending(record), change: { values: pick(record.properties), texts } };
}

function show({ record, change }: Edit): void {
  const before = pending.peek().get(record.id);
  const stored = Object.entries(before?.versions ?? {}).filter(([slug]) => !(slug in change.values));
  pending.value = new Map(pending.peek()).set(record.id, {
    values: { ...before?.values, ...change.values },
    texts: { ...before?.texts, ...change.texts },
    versions: Object.fromEntries(stored),
  });
  const faults = new Map(refusals.peek());
  for (const slug of Object.keys(change.values)) faults.delete(cellKey(record.id, slug));
  refusals.value = faults;
}

/** Stop showing *change* of a record, as far as nothing newer was made of it. */
function drop({ record, change }: Edit): void {
  const shown = pending.peek().get(record.id);
  if (!shown) return;
  const values = Object.fromEntries(Object.entries(shown.values).filter(([slug, value]) => change.values[slug] !== value));
  const next = new Map(pending.peek());
  if (Object.keys(values).length > 0) next.set(record.id, { ...shown, values });
  else next.delete(record.id);
  pending.value = next;
}

/** *edit* is stored in *version*. Other values of the record may still be on their way: they are shown on. */
function settle({ record: { id }, change: { values } }: Edit, version: number): void {
  for (const slug of Object.keys(values)) ownVersions.set(cellKey(id, slug), version);
  const shown = pending.peek().get(id);
  if (!shown) return;
  const newest = Object.keys(values).filter((slug) => shown.values[slug] === values[slug]);
  const versions = { ...shown.versions, ...Object.fromEntries(newest.map((slug) => [slug, version])) };
  pending.value = new Map(pending.peek()).set(id, { ...shown, versions });
}

const versionFor = ({ record, change }: Edit): number =>
  Math.max(record.version, ...Object.keys(change.values).map((slug) => ownVersions.get(cellKey(record.id, slug)) ?? 0));

type Outcome = Pick<Answer<"record.update_many">["outcomes"][number], "errors" | "conflicts">;

/** Those that were stored. */
async function store(
  edits: readonly Edit[],
  properties: readonly Property[],
  { force = false, progress }: { force?: boolean; progress?: Saving["progress"] | undefined },
): Promise<Edit[]> {
  const stored: Edit[] = [];
  const clashes: { edit: Edit; conflicts: NonNullable<Outcome["conflicts"]> }[] = [];
  for (let at = 0; at < edits.length; at += ITEMS_MAX) {
    const part = edits.slice(at, at + ITEMS_MAX);
    const result = await write("record.update_many", {
      objectType: part[0]?.record.objectType ?? "",
      records: part.map((edit) => ({ id: edit.record.id, properties: edit.change.values, ...(!force && { ifVersion: versionFor(edit) }) })),
      onError: "skip",
    });
    if (!result.ok) {
      for (const edit of part) refuse(edit, result.problem.detail ?? result.problem.title);
      if (result.problem.code !== "stopped") toastProblem(result.problem);
      continue;
    }
    const versions = new Map(result.answer.records.map(({ id, version }) => [id, version]));
    for (const [place, edit] of part.entries()) {
      const outcome = result.answer.outcomes[place];
      if (outcome?.conflicts?.length) clashes.push({ edit, conflicts: outcome.conflicts });
      else if (outcome?.outcome === "refused") refuseEach(edit, outcome);
      else {
        settle(edit, versions.get(edit.record.id) ?? edit.record.version + 1);
        stored.push(edit);
      }
    }
    progress?.(Math.min(edits.length, at + ITEMS_MAX));
  }
  if (clashes.length === 0) return stored;
  const { askWhose } = await import("./clash"); // Rarely needed.
  const mine = await askWhose(clashes, properties);
  if (mine)
    return [
      ...stored,
      ...(await store(
        clashes.map(({ edit }) => edit),
        properties,
        { force: true },
      )),
    ];
  for (const { edit } of clashes) drop(edit);
  return stored;
}

function refuseEach(edit: Edit, { errors = [] }: Outcome): void {
  drop(edit);
  const faults = new Map(refusals.peek());
  for (const slug of Object.keys(edit.change.values)) {
    const own = errors.filter(({ pointer }) => pointer.endsWith(`/${slug}`));
    const said = (own.length > 0 ? own : errors).map(({ detail }) => detail).join(" ");
    if (said && !slug.endsWith("_currency")) faults.set(cellKey(edit.record.id, slug), said);
  }
  refusals.value = faults;
}

function refuse(edit: Edit, why: string): void {
  refuseEach(edit, { errors: [{ pointer: "", code: "", detail: why }] });
}

function toastProblem({ title }: Problem): void {
  toast(title, { kind: "failed" });
}
