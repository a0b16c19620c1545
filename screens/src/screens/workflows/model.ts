/**
 * What the editor works on: a document whose steps each have an id of their own, so that they stay themselves while
 * they are moved and renamed. It takes a document as it is: what it does not know, it keeps.
 */
import type { Input } from "../../house/tools";

export type WorkflowDocument = Input<"workflow.create">;
export type Trigger = WorkflowDocument["trigger"];
export type TriggerType = Trigger["type"];
export type Step = WorkflowDocument["steps"][number];
export type StepType = Step["type"];
export type StepOf<T extends StepType> = Extract<Step, { type: T }>;
export type Branch = "then" | "else";

/** A step without those in its branches. */
export type StepFacts = { key: string; type: StepType; [member: string]: unknown };

export interface StepNode {
  id: number;
  facts: StepFacts;
  /** Its branches, those that the document has. */
  branches: Partial<Record<Branch, StepNode[]>>;
}

export interface Model {
  /** All of the document but its steps. */
  facts: Omit<WorkflowDocument, "steps">;
  steps: StepNode[];
}

type ForkFacts = Omit<StepOf<"branch">, Branch> | Omit<StepOf<"approval">, Branch>;

/** A step with branches. (Not written as an object with a member `then`, which would be taken for a promise.) */
export function forked(facts: ForkFacts, then: Step[], otherwise?: Step[]): Step {
  const branches = new Map<Branch, Step[]>([["then", then], ...(otherwise ? [["else", otherwise] as const] : [])]);
  return { ...facts, ...Object.fromEntries(branches) } as unknown as Step; // Their type says which branches they have.
}

/** Where a step stands. */
export interface Placed {
  node: StepNode;
  /** Its JSON pointer. */
  pointer: string;
  /** The steps around it, the outermost first, with the branch that it is in. */
  around: readonly { node: StepNode; branch: Branch }[];
}

const BRANCHES: readonly Branch[] = ["then", "else"];
const FORKS: readonly string[] = ["branch", "approval"];

export const isFork = ({ facts }: StepNode) => FORKS.includes(facts.type);

let lastId = 0;
const nextId = () => {
  lastId += 1;
  return lastId;
};

export function modelOf({ steps, ...facts }: WorkflowDocument): Model {
  return { facts, steps: steps.map(nodeOf) };
}

/** A step as a node, with a new id. */
export function nodeOf(step: Step): StepNode {
  // The contract's union of steps, as an object with members: each branch is taken out where there is one.
  const facts: Record<string, unknown> = { ...step };
  const branches: StepNode["branches"] = {};
  for (const branch of BRANCHES) {
    const list = facts[branch];
    if (!Array.isArray(list)) continue;
    branches[branch] = (list as Step[]).map(nodeOf);
    delete facts[branch];
  }
  return { id: nextId(), facts: facts as StepFacts, branches };
}

export function documentOf({ facts, steps }: Model): WorkflowDocument {
  return { ...facts, steps: steps.map(stepOf) };
}

export function stepOf({ facts, branches }: StepNode): Step {
  const lists = Object.fromEntries(BRANCHES.flatMap((name) => (branches[name] ? [[name, branches[name].map(stepOf)]] : [])));
  return { ...facts, ...lists } as unknown as Step; // What nodeOf has taken apart.
}

/** All steps, in the order of the document. */
export function placed(steps: readonly StepNode[], at = "/steps", around: Placed["around"] = []): Placed[] {
  return steps.flatMap((node, place) => {
    const pointer = `${at}/${place}`;
    const inside = BRANCHES.flatMap((branch) => placed(node.branches[branch] ?? [], `${pointer}/${branch}`, [...around, { node, branch }]));
    return [{ node, pointer, around }, ...inside];
  });
}

/** *steps* with the one called *id* replaced by what *change* makes of it: any number of steps. */
export function changed(steps: readonly StepNode[], id: number, change: (node: StepNode) => StepNode[]): StepNode[] {
  return steps.flatMap((node) => {
    if (node.id === id) return change(node);
    const branches = Object.fromEntries(
      Object.entries(node.branches).map(([name, list]) => [name, changed(list ?? [], id, change)]),
    ) as StepNode["branches"]; // The same names.
    return [{ ...node, branches }];
  });
}

/** *steps* with *node* at the end of the branch of *id*, or of the whole. */
export function added(steps: readonly StepNode[], node: StepNode, into: { id: number; branch: Branch } | null): StepNode[] {
  if (into === null) return [...steps, node];
  return changed(steps, into.id, (fork) => [
    { ...fork, branches: { ...fork.branches, [into.branch]: [...(fork.branches[into.branch] ?? []), node] } },
  ]);
}

/**
 * *steps* with the one called *id* one place further up or down: past its neighbour, into a branch that is there, or
 * out of its own. The same steps where it is at the end already.
 */
export function moved(steps: readonly StepNode[], id: number, by: 1 | -1): StepNode[] {
  const all = placed(steps);
  const found = all.find(({ node }) => node.id === id);
  if (!found) return [...steps];
  const { node, around } = found;
  const parent = around.at(-1);
  const siblings = parent ? (parent.node.branches[parent.branch] ?? []) : steps;
  const at = siblings.findIndex((one) => one.id === id);
  const neighbour = siblings[at + by];
  const without = changed(steps, id, () => []);
  if (neighbour && isFork(neighbour)) return intoFork(without, neighbour, node, by);
  if (neighbour) {
    const order = by === 1 ? (one: StepNode) => [one, node] : (one: StepNode) => [node, one];
    return changed(without, neighbour.id, order);
  }
  if (!parent) return [...steps];
  if (by === 1 && parent.branch === "then") return withBranch(without, parent.node.id, "else", (list) => [node, ...list]);
  if (by === -1 && parent.branch === "else") return withBranch(without, parent.node.id, "then", (list) => [...list, node]);
  return changed(without, parent.node.id, (fork) => (by === 1 ? [fork, node] : [node, fork]));
}

const intoFork = (steps: StepNode[], fork: StepNode, node: StepNode, by: 1 | -1) =>
  by === 1 ? withBranch(steps, fork.id, "then", (list) => [node, ...list]) : withBranch(steps, fork.id, "else", (list) => [...list, node]);

function withBranch(steps: StepNode[], id: number, branch: Branch, change: (list: StepNode[]) => StepNode[]): StepNode[] {
  return changed(steps, id, (fork) => [{ ...fork, branches: { ...fork.branches, [branch]: change(fork.branches[branch] ?? []) } }]);
}

/** A key such as *wanted* that no step has. */
export function freeKey(steps: readonly StepNode[], wanted: string): string {
  const taken = new Set(placed(steps).map(({ node }) => node.facts.key));
  const base = wanted.slice(0, 45);
  let n = 1;
  while (taken.has(n === 1 ? base : `${base}_${n}`)) n += 1;
  return n === 1 ? base : `${base}_${n}`;
}

/** A copy of *node* and what is in it, with ids and keys of its own. */
export function copyOf(steps: readonly StepNode[], node: StepNode): StepNode {
  let all = [...steps];
  const copy = (one: StepNode): StepNode => {
    const fresh: StepNode = { id: nextId(), facts: { ...one.facts, key: freeKey(all, one.facts.key) }, branches: {} };
    all = [...all, fresh];
    for (const branch of BRANCHES) if (one.branches[branch]) fresh.branches[branch] = one.branches[branch].map(copy);
    return fresh;
  };
  return copy(node);
}

/** Whether two documents say the same. The order of members is none. */
export const isSame = (one: WorkflowDocument, other: WorkflowDocument) => sorted(one) === sorted(other);

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

export interface Difference {
  facts: ("name" | "trigger" | "conditions")[];
  added: string[];
  changed: string[];
  removed: string[];
  isReordered: boolean;
}

/** What *after* has that *before* has not, by the keys of steps. */
export function differenceOf(before: WorkflowDocument, after: WorkflowDocument): Difference {
  const facts = (["name", "trigger", "conditions"] as const).filter((name) => sorted(before[name] ?? []) !== sorted(after[name] ?? []));
  const flat = (document: WorkflowDocument) =>
    new Map(
      placed(document.steps.map(nodeOf)).map(({ node, around }) => [node.facts.key, { text: sorted(node.facts), in: placeOf(around) }]),
    );
  const [old, now] = [flat(before), flat(after)];
  const stay = [...now.keys()].filter((key) => old.has(key));
  return {
    facts,
    added: [...now.keys()].filter((key) => !old.has(key)),
    removed: [...old.keys()].filter((key) => !now.has(key)),
    changed: stay.filter((key) => old.get(key)?.text !== now.get(key)?.text),
    isReordered:
      [...old.keys()].filter((key) => now.has(key)).join() !== stay.join() || stay.some((key) => old.get(key)?.in !== now.get(key)?.in),
  };
}

const placeOf = (around: Placed["around"]) => around.map(({ node, branch }) => `${node.facts.key}.${branch}`).join(" ");
