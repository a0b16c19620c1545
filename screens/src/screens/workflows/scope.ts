/**
 * The values that can be named at a place of a workflow: those of its trigger and of the steps before. What there is
 * comes from `workflow.trigger_list` and from the organization's objects and forms.
 */
import type { Answer } from "../../house/tools";
import { workflows as words } from "../../messages/en/workflows";
import { type Model, placed, type StepFacts, type StepNode, type Trigger } from "./model";

export type Vocabulary = Pick<Answer<"workflow.trigger_list">, "triggers" | "steps" | "events">;
export type ObjectFacts = Answer<"object.get">;
export type PropertyFacts = ObjectFacts["properties"][number];
type PathFacts = Vocabulary["triggers"][number]["paths"][number];

/** A value that can be named. */
export interface Value {
  path: string;
  label: string;
  /** What it belongs to: `The contact`, `Step deal`. */
  group: string;
  /** Null where it is known only once it is there. */
  type: PropertyFacts["type"] | null;
  options: readonly string[];
  personal: boolean;
}

export interface Known {
  vocabulary: Vocabulary;
  /** By slug, those that were asked for. */
  objects: ReadonlyMap<string, ObjectFacts>;
  /** All objects, by slug, with their names. */
  names: ReadonlyMap<string, string>;
  /** Names of fields that the form sends. */
  fields: readonly string[];
}

const FIELDS = "submission.fields.";
const RECORD_ID = /^(\w+)\.id$/;

/** The slugs of the objects whose properties *model* can name. */
export function objectsIn({ facts, steps }: Model, vocabulary: Vocabulary | undefined, all: readonly string[]): string[] {
  const found = (vocabulary?.triggers ?? []).flatMap(({ type, paths }) =>
    type === facts.trigger.type ? paths.flatMap(({ objectType }) => objectType ?? []) : [],
  );
  const ofSteps = placed(steps).flatMap(({ node: { facts: step } }) => {
    const slug = step.type === "create_deal" ? "deal" : step.objectType;
    return typeof slug === "string" ? slug : [];
  });
  const own = objectTypeOf(facts.trigger);
  const isAny = vocabulary && recordObject(facts.trigger, { vocabulary }) === null && hasRecord(facts.trigger, { vocabulary });
  if (isAny) return [...all].sort();
  return [...new Set([...(own ? [own] : []), ...found, ...ofSteps])].sort();
}

export const objectTypeOf = (trigger: Trigger) => ("objectType" in trigger ? trigger.objectType : null);

/** The object of the trigger's record; null where it may be any, or there is none. */
export function recordObject(trigger: Trigger, { vocabulary }: Pick<Known, "vocabulary">): string | null {
  const paths = vocabulary.triggers.find(({ type }) => type === trigger.type)?.paths ?? [];
  return objectTypeOf(trigger) ?? paths.find(({ path }) => path === "record.id")?.objectType ?? null;
}

/** Whether *trigger* is about a record at all. */
export const hasRecord = (trigger: Trigger, { vocabulary }: Pick<Known, "vocabulary">) =>
  vocabulary.triggers.some(({ type, roots }) => type === trigger.type && roots.includes("record"));

/** What the conditions of *trigger* see, and all steps. */
export function valuesOf(trigger: Trigger, known: Known): Value[] {
  const facts = known.vocabulary.triggers.find(({ type }) => type === trigger.type);
  if (!facts) return [];
  const ofRoots = expanded(facts.paths, known, objectTypeOf(trigger));
  const slug = objectTypeOf(trigger);
  const changes =
    facts.roots.includes("changed") && slug
      ? (known.objects.get(slug)?.properties ?? []).flatMap((property) =>
          (["from", "to"] as const).map((end) => ({
            ...ofProperty(property, ""),
            path: `changed.${property.slug}.${end}`,
            label: `${property.label}, ${words.ends[end]}`,
            group: words.groups.changed,
          })),
        )
      : [];
  return [...ofRoots, ...changes];
}

/** What an event of *type* that a step waits for has. */
export function awaitedValues(type: string, known: Known): Value[] {
  return expanded(known.vocabulary.events.find((event) => event.type === type)?.paths ?? [], known, null);
}

/** *paths*, with the properties of records beside their ids, and the fields of forms. */
function expanded(paths: readonly PathFacts[], known: Known, own: string | null): Value[] {
  const slugs = new Map(
    paths.flatMap(({ path, type, objectType }): [string, string | null][] => {
      const root = RECORD_ID.exec(path)?.[1];
      return root !== undefined && type === "relation" ? [[root, root === "record" && own ? own : objectType]] : [];
    }),
  );
  const values = paths.flatMap((path): Value[] => {
    const root = path.path.split(".")[0] ?? "";
    const isRecord = slugs.has(root) && path.path === `${root}.id`;
    const slug = slugs.get(root) ?? null;
    if (path.path === "submission.fields") {
      return known.fields.map((name) => ({ ...bare(`submission.fields.${name}`), label: name, group: words.groups.submission }));
    }
    const group = groupOf(path.path, slug, known);
    const one: Value = { ...bare(path.path), label: labelOf(path.path), group, type: path.type, options: isRecord && slug ? [slug] : [] };
    if (!isRecord) return [one];
    const properties = slug === null ? anyProperties(known) : (known.objects.get(slug)?.properties ?? []);
    return [...properties.map((property) => ({ ...ofProperty(property, `${root}.`), group })), one];
  });
  // What a person wrote stands before ids and times.
  const rank = ({ path }: Value) => (path.startsWith("event.") ? 2 : /\.(id|objectType|createdAt|updatedAt)$|Id$/.test(path) ? 1 : 0);
  return values
    .map((value, at) => ({ value, at }))
    .sort((a, b) => rank(a.value) - rank(b.value) || a.at - b.at)
    .map(({ value }) => value);
}

/** The properties of a record of whichever object, each slug once. */
export function anyProperties({ objects }: Pick<Known, "objects">): PropertyFacts[] {
  const all = [...objects.values()].flatMap(({ properties }) => properties);
  return all.filter((one, at) => all.findIndex(({ slug }) => slug === one.slug) === at);
}

const bare = (path: string) => ({ path, label: path, type: null, options: [], personal: false });

const ofProperty = ({ slug, label, type, options, personal }: PropertyFacts, at: string): Value => ({
  path: `${at}${slug}`,
  label,
  group: "",
  type,
  options,
  personal,
});

function groupOf(path: string, slug: string | null, known: Known): string {
  const root = path.split(".")[0] as keyof typeof words.groups;
  if (root === ("record" as string) || root === ("deal" as string)) return known.names.get(slug ?? "") ?? words.groups.record;
  return words.groups[root] ?? root;
}

/** A path's last name, as people read it. */
export function labelOf(path: string): string {
  const name = path.split(".").at(-1) ?? path;
  const known = words.names as Readonly<Record<string, string>>;
  return known[name] ?? name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

/** The values at the step called *id*: those of the trigger, and of steps that may have run before it. */
export function valuesAt(model: Model, id: number | null, known: Known): Value[] {
  const values = valuesOf(model.facts.trigger, known);
  const all = placed(model.steps);
  const here = all.find(({ node }) => node.id === id);
  const until = here ? all.indexOf(here) : all.length;
  const isSeen = (around: (typeof all)[number]["around"]) =>
    around.every(({ node, branch }) => here?.around.every((one) => one.node.id !== node.id || one.branch === branch) ?? true);
  const before = all.slice(0, until).filter(({ around }) => isSeen(around));
  return [...values, ...before.flatMap(({ node }) => madeBy(node, known, model.facts.trigger))];
}

/** What is at `steps.<key>` after *node*. */
function madeBy({ facts }: StepNode, known: Known, trigger: Trigger): Value[] {
  const made = known.vocabulary.steps.find(({ type }) => type === facts.type)?.makes ?? [];
  const paths = facts.type === "wait" && facts.event ? ["event.id", "event.timestamp"].map(bare) : [];
  return [...made.map((path) => ({ ...bare(path.path), type: path.type, objectType: path.objectType })), ...paths].map((path) => {
    const slug = path.type === "relation" ? objectOfStep(facts, known, trigger) : null;
    return {
      path: `steps.${facts.key}.${path.path}`,
      label: labelOf(path.path),
      group: facts.key,
      type: path.type,
      options: slug ? [slug] : [],
      personal: false,
    };
  });
}

function objectOfStep(facts: StepFacts, known: Known, trigger: Trigger): string | null {
  if (facts.type === "create_deal") return "deal";
  if (facts.type === "create_record") return typeof facts.objectType === "string" ? facts.objectType : null;
  return facts.record === undefined ? recordObject(trigger, known) : null;
}

/** The object of the record that a step is about: the trigger's, or that of the path in `record`. */
export function objectAt(facts: StepFacts, values: readonly Value[], trigger: Trigger, known: Known): string | null {
  if (facts.type === "create_deal") return "deal";
  if (typeof facts.objectType === "string") return facts.objectType;
  const { record } = facts;
  if (typeof record !== "string") return recordObject(trigger, known);
  return values.find(({ path }) => path === pathIn(record))?.options[0] ?? null;
}

/** The path in a text that is one `{{path}}` alone, or a path itself. */
export const pathIn = (text: string) => /^\{\{\s*([^{}]*?)\s*\}\}$/.exec(text)?.[1] ?? text;
export const isLone = (text: unknown): text is string => typeof text === "string" && /^\{\{[^{}]*\}\}$/.test(text);

/** A text as its parts: what is plain, and what stands for a value. */
export function partsOf(text: string): { text: string; isValue: boolean }[] {
  return text
    .split(/(\{\{[^{}]*\}\})/)
    .filter((part) => part !== "")
    .map((part) => (isLone(part) ? { text: pathIn(part), isValue: true } : { text: part, isValue: false }));
}

/** How *path* is called among *values*. */
export function calledBy(path: string, values: readonly Value[]): string {
  const found = values.find((value) => value.path === path || value.path === `record.${path}`);
  if (path.startsWith(FIELDS)) return path.slice(FIELDS.length);
  if (!found) return path.split(".").slice(-2).map(labelOf).join(" › ");
  return found.path.startsWith("steps.") ? `${found.group} › ${found.label}` : found.label;
}
