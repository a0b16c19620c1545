/** The steps in their order, branches within: added, changed, moved by drag, by keys and by buttons, taken away. */
import { useRef, useState } from "preact/hooks";
import { parameter, setParameters } from "../../../house/address";
import type { Fault, Problem } from "../../../house/problems";
import { workflows as words } from "../../../messages/en/workflows";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { useFormProblem } from "../../../parts/form";
import { Icon } from "../../../parts/icon";
import { Menu } from "../../../parts/menu";
import {
  added,
  type Branch,
  changed,
  copyOf,
  forked,
  freeKey,
  isFork,
  type Model,
  moved,
  nodeOf,
  type Placed,
  placed,
  type Step,
  type StepNode,
  type StepType,
} from "../model";
import { anyProperties, hasRecord, objectAt, recordObject, valuesAt } from "../scope";
import { StepSentence } from "../sentences";
import { ICONS } from "../step_icons";
import { type EditorState, useEditor } from "./context";
import { StepFields } from "./step_fields";
import "../../../styles/embeds.css";
import "../../../styles/workflows.css";

const KEYS: Record<StepType, string> = {
  create_deal: "deal",
  create_record: "record",
  update_record: "change",
  add_note: "note",
  assign: "assign",
  reply: "reply",
  call_webhook: "call",
  wait: "wait",
  branch: "decide",
  approval: "ask",
  stop: "stop",
};

const DAY = 86_400;
/** How far a dragged step may be left behind before it follows. */
const SLACK_PX = 6;

/** A step of *type* as it is added: what its kind must have, empty. */
function blank(type: StepType, { model, known, choices }: EditorState): Step {
  const key = freeKey(model.steps, KEYS[type]);
  const { trigger } = model.facts;
  switch (type) {
    case "create_deal":
      return { type, key, name: "" };
    case "create_record":
      return { type, key, objectType: recordObject(trigger, { vocabulary: known.vocabulary }) ?? "contact", properties: {} };
    case "update_record":
      return { type, key, properties: {} };
    case "add_note":
      return { type, key, body: "" };
    case "assign":
      return trigger.type === "message.received" ? { type, key } : { type, key, property: "owner" };
    case "reply":
      return { type, key, text: "" };
    case "call_webhook":
      return { type, key, webhookId: choices.webhooks[0]?.id ?? "" };
    case "wait":
      return { type, key, seconds: DAY };
    case "branch":
      return forked({ type, key, conditions: [] }, []);
    case "approval":
      return forked({ type, key, reason: "" }, []);
    case "stop":
      return { type, key };
  }
}

export function Steps({ onAdded }: { onAdded: (id: number) => void }) {
  const editor = useEditor();
  const { model, change } = editor;
  const [said, setSaid] = useState("");
  const [dragged, setDragged] = useState<number | null>(null);
  const dragging = useRef<number | null>(null);
  dragging.current = dragged;
  const box = useRef<HTMLDivElement>(null);
  const all = placed(model.steps);
  const open = (id: number | null) => {
    const key = all.find(({ node }) => node.id === id)?.node.facts.key;
    setParameters({ step: key ?? null }, { replace: true });
  };
  const move = (id: number, by: 1 | -1, what?: string) => {
    const buttons = () => [...(box.current?.querySelectorAll<HTMLElement>(`#step-${id} button`) ?? [])];
    const focused = buttons().indexOf(document.activeElement as HTMLElement);
    const steps = moved(model.steps, id, by);
    change((before) => ({ ...before, steps: moved(before.steps, id, by) }), what);
    const at = placed(steps).findIndex(({ node }) => node.id === id);
    setSaid(say(words.moved, { n: at + 1, of: all.length }));
    requestAnimationFrame(() => buttons()[focused]?.focus()); // In another branch it is drawn anew.
  };
  /** The step follows the pointer, one place at a time, into branches as well. */
  const drag = (id: number, y: number, only?: 1 | -1) => {
    const card = box.current?.querySelector(`#step-${id}`)?.getBoundingClientRect();
    const by = card && y < card.top - SLACK_PX ? -1 : card && y > card.bottom + SLACK_PX ? 1 : null;
    if (by === null || (only && by !== only)) return;
    move(id, by, "drag");
    // It may have more than one place to go, and where it is now shows once it is drawn.
    requestAnimationFrame(() => dragging.current === id && latest.current(id, y, by));
  };
  const latest = useRef(drag);
  latest.current = drag;
  const add = (type: StepType, into: { id: number; branch: Branch } | null) => {
    const node = nodeOf(blank(type, editor));
    change((before) => ({ ...before, steps: added(before.steps, node, into) }));
    onAdded(node.id);
    setParameters({ step: node.facts.key }, { replace: true });
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`#fields-${node.id} :is(input, textarea, select)`)?.focus());
  };
  const shared = { all, openKey: parameter("step"), open, move, add, dragged, setDragged, box };
  return (
    <div
      ref={box}
      class="steps"
      onPointerMove={(event) => dragged !== null && drag(dragged, event.clientY)}
      onLostPointerCapture={() => setDragged(null)}
    >
      {model.steps.length === 0 && <p class="soft">{words.noSteps}</p>}
      <List {...shared} nodes={model.steps} />
      <div class="row steps-add">
        <AddStep label={words.addStep} add={(type) => add(type, null)} />
        {all.length > 1 && <span class="soft keys-hint">{say(words.moveHint, { keys: "Alt ↑ ↓" })}</span>}
      </div>
      <span class="hidden" role="status">
        {said}
      </span>
    </div>
  );
}

interface Shared {
  all: readonly Placed[];
  openKey: string | null;
  open: (id: number | null) => void;
  move: (id: number, by: 1 | -1, what?: string) => void;
  add: (type: StepType, into: { id: number; branch: Branch } | null) => void;
  dragged: number | null;
  setDragged: (id: number | null) => void;
  box: { current: HTMLDivElement | null };
}

function List({ nodes, ...shared }: Shared & { nodes: readonly StepNode[] }) {
  return (
    <ol class="step-list">
      {nodes.map((node) => (
        <Card key={node.id} node={node} {...shared} />
      ))}
    </ol>
  );
}

function Card({ node, ...shared }: Shared & { node: StepNode }) {
  const { all, openKey, open, move, add, dragged, setDragged, box } = shared;
  const { model, known, choices, change } = useEditor();
  const problem = useFormProblem(undefined);
  const at = all.findIndex((one) => one.node === node);
  const { pointer = "" } = all[at] ?? {};
  const n = at + 1;
  const isOpen = openKey === node.facts.key;
  const values = valuesAt(model, node.id, known);
  const object = objectAt(node.facts, values, model.facts.trigger, known);
  const properties = object === null ? anyProperties(known) : (known.objects.get(object)?.properties ?? []);
  const labels = new Map(properties.map(({ slug, label }) => [slug, label]));
  const faults = ownFaults(problem, pointer);
  const told = isOpen ? faults.filter(({ pointer: place }) => place === pointer || place === `${pointer}/type`) : faults;
  const set = (make: (one: StepNode, before: Model) => StepNode[]) =>
    change((before) => ({ ...before, steps: changed(before.steps, node.id, (one) => make(one, before)) }));
  return (
    <li class="step" data-fault={faults.length > 0 || undefined} data-open={isOpen || undefined}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its buttons. */}
      <div
        class="step-card"
        id={`step-${node.id}`}
        data-dragged={dragged === node.id || undefined}
        onKeyDown={(event) => {
          const by = { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key];
          if (!by || !event.altKey || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          move(node.id, by);
        }}
      >
        <div class="step-head">
          <span
            class="block-handle"
            title={say(words.drag, { n })}
            onPointerDown={(event) => {
              if (event.button !== 0) return;
              event.preventDefault();
              box.current?.setPointerCapture(event.pointerId); // The step itself is moved in the page.
              setDragged(node.id);
            }}
          >
            <Icon name="grip-vertical" />
          </span>
          <button type="button" class="step-open" aria-expanded={isOpen} onClick={() => open(isOpen ? null : node.id)}>
            <span class="hidden">{say(words.stepN, { n })}: </span>
            <span class="step-icon">
              <Icon name={ICONS[node.facts.type] ?? "circle-dashed"} />
            </span>
            <span class="step-sentence">
              <StepSentence facts={node.facts} values={values} choices={choices} labelOf={(slug) => labels.get(slug) ?? slug} />
            </span>
          </button>
          <Button small look="quiet" icon="arrow-up" label={say(words.up, { n })} disabled={at === 0} onClick={() => move(node.id, -1)} />
          <Button
            small
            look="quiet"
            icon="arrow-down"
            label={say(words.down, { n })}
            disabled={isLast(model.steps, node.id)}
            onClick={() => move(node.id, 1)}
          />
          <Menu
            label={say(words.stepActions, { n })}
            items={[
              [{ label: words.duplicate, icon: "copy", run: () => set((one, before) => [one, copyOf(before.steps, one)]) }],
              [{ label: words.removeStep, icon: "trash-2", danger: true, run: () => set(() => []) }],
            ]}
          >
            <Icon name="ellipsis" />
          </Menu>
        </div>
        {told.map(({ pointer: place, detail }) => (
          <p key={place + detail} class="block-note field-fault">
            <Icon name="circle-alert" size={14} /> {detail}
          </p>
        ))}
        {isOpen && (
          <div id={`fields-${node.id}`}>
            <StepFields node={node} pointer={pointer} />
          </div>
        )}
      </div>
      {isFork(node) &&
        (["then", "else"] as const).map((branch) => (
          <div key={branch} class="step-branch" role="group" aria-label={branch === "then" ? words.thenDo : words.otherwise}>
            <span class="step-branch-name">{branch === "then" ? words.thenDo : words.otherwise}</span>
            <List {...shared} nodes={node.branches[branch] ?? []} />
            <AddStep
              small
              label={say(words.addStepTo, { branch: branch === "then" ? words.thenDo : words.otherwise, n })}
              add={(type) => add(type, { id: node.id, branch })}
            />
          </div>
        ))}
    </li>
  );
}

const isLast = (steps: readonly StepNode[], id: number) => steps.at(-1)?.id === id;

/** The faults of a step, without those of the steps in its branches. */
function ownFaults(problem: Problem | null, pointer: string): Fault[] {
  const inside = new RegExp(`^${pointer}/(then|else)/\\d`);
  return (problem?.faults ?? []).filter(
    (fault) => (fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`)) && !inside.test(fault.pointer),
  );
}

const NEEDS_MESSAGE: readonly string[] = ["reply"];

/** The kinds of steps that can be taken with the trigger. */
function AddStep({ label, add, small = false }: { label: string; add: (type: StepType) => void; small?: boolean }) {
  const { model, known } = useEditor();
  const { trigger } = model.facts;
  const fits = (type: StepType) => {
    if (NEEDS_MESSAGE.includes(type)) return trigger.type === "message.received";
    if (type === "create_deal") return ["contact", null].includes(recordObject(trigger, known)) && hasRecord(trigger, known);
    return true;
  };
  const labels = words.kinds as Readonly<Record<string, string>>;
  return (
    <Menu
      label={label}
      class={small ? "button button-quiet button-small" : "button button-plain"}
      items={[
        known.vocabulary.steps.map(({ type }) => ({
          label: labels[type] ?? type,
          icon: ICONS[type as StepType],
          disabled: !fits(type as StepType),
          run: () => add(type as StepType),
        })),
      ]}
    >
      <Icon name="plus" /> {words.addStep}
    </Menu>
  );
}
