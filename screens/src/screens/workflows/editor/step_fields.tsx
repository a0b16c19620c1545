/** The fields of one step. */
import { useState } from "preact/hooks";
import { workflows as words } from "../../../messages/en/workflows";
import type { Filter } from "../../../parts/condition_kinds";
import { Filters } from "../../../parts/conditions";
import { RadioField, SelectField, SwitchField, TextField } from "../../../parts/field";
import { changed, type StepFacts, type StepNode } from "../model";
import { anyProperties, awaitedValues, hasRecord, objectAt, type PropertyFacts, type Value, valuesAt } from "../scope";
import { useEditor } from "./context";
import { conditionProperties } from "./trigger_fields";
import { DurationField, PathField, PropertyValues, TemplateField } from "./value_fields";
import "../../../styles/workflows.css";

const DEAL_SETS = ["name", "contact"];
const DEFAULT_CALL_SECONDS = 3_600;
const DEFAULT_APPROVAL_SECONDS = 604_800;

interface FieldsProps {
  facts: StepFacts;
  pointer: string;
  values: readonly Value[];
  /** Set members; one that is undefined is left out. */
  set: (members: Record<string, unknown>, what?: string) => void;
}

export function StepFields({ node, pointer }: { node: StepNode; pointer: string }) {
  const { model, known, change } = useEditor();
  const { facts } = node;
  const values = valuesAt(model, node.id, known);
  const set: FieldsProps["set"] = (members, what) =>
    change(
      (before) => ({
        ...before,
        steps: changed(before.steps, node.id, (one) => [{ ...one, facts: withMembers(one.facts, members) }]),
      }),
      what && `${node.id} ${what}`,
    );
  const props = { facts, pointer, values, set };
  return (
    <div class="step-fields">
      <OfType {...props} />
      <details class="step-more">
        <summary>{words.more}</summary>
        <TextField
          label={words.key}
          hint={words.keyHint}
          mono
          pointer={`${pointer}/key`}
          value={facts.key}
          onValue={(key) => set({ key }, "key")}
        />
        <SwitchField
          label={words.onError}
          on={facts.onError === "continue"}
          onValue={(on) => set({ onError: on ? "continue" : undefined })}
        />
      </details>
    </div>
  );
}

function withMembers(facts: StepFacts, members: Record<string, unknown>): StepFacts {
  const entries = Object.entries({ ...facts, ...members }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as StepFacts; // Key and type are never taken away.
}

function OfType(props: FieldsProps) {
  switch (props.facts.type) {
    case "create_deal":
      return <DealFields {...props} />;
    case "create_record":
      return <CreateFields {...props} />;
    case "update_record":
      return <UpdateFields {...props} />;
    case "add_note":
      return <NoteFields {...props} />;
    case "assign":
      return <AssignFields {...props} />;
    case "reply":
      return <Text {...props} member="text" label={words.text} lines={4} />;
    case "call_webhook":
      return <CallFields {...props} />;
    case "wait":
      return <WaitFields {...props} />;
    case "branch":
      return <BranchFields {...props} />;
    case "approval":
      return <ApprovalFields {...props} />;
    case "stop":
      return <Text {...props} member="reason" label={words.stopReason} optional />;
    default:
      return null;
  }
}

function Text({
  facts,
  pointer,
  values,
  set,
  member,
  label,
  lines,
  optional,
}: FieldsProps & { member: string; label: string; lines?: number; optional?: boolean }) {
  return (
    <TemplateField
      label={label}
      value={textIn(facts, member)}
      pointer={`${pointer}/${member}`}
      values={values}
      optional={optional ?? false}
      {...(lines && { lines })}
      onValue={(text) => set({ [member]: optional && text === "" ? undefined : text }, member)}
    />
  );
}

const textIn = (facts: StepFacts, member: string) => (typeof facts[member] === "string" ? (facts[member] as string) : "");
const propertiesIn = (facts: StepFacts) => (facts.properties ?? {}) as Record<string, unknown>;

function Properties({
  facts,
  pointer,
  values,
  set,
  object,
  without = [],
}: FieldsProps & { object: string | null; without?: readonly string[] }) {
  const { known } = useEditor();
  // Where the record may be any, so may its property.
  const properties = object === null ? anyProperties(known) : (known.objects.get(object)?.properties ?? []);
  return (
    <PropertyValues
      values={values}
      properties={properties}
      given={propertiesIn(facts)}
      pointer={`${pointer}/properties`}
      without={without}
      onGiven={(given, what) => set({ properties: given }, what)}
    />
  );
}

function DealFields(props: FieldsProps) {
  return (
    <>
      <Text {...props} member="name" label={words.dealName} />
      <Properties {...props} object="deal" without={DEAL_SETS} />
    </>
  );
}

function CreateFields(props: FieldsProps) {
  const { known } = useEditor();
  const object = textIn(props.facts, "objectType");
  return (
    <>
      <SelectField
        label={words.object}
        pointer={`${props.pointer}/objectType`}
        value={object}
        choices={[...known.names].map(([value, label]) => ({ value, label }))}
        onValue={(objectType) => props.set({ objectType, properties: {} })}
      />
      <Properties {...props} object={object} />
    </>
  );
}

/** Which record a step is about: the trigger's, or one that an earlier step has made. */
function RecordField({ facts, pointer, values, set }: FieldsProps) {
  const { model, known } = useEditor();
  const records = values.filter(({ type, path }) => type === "relation" && path !== "record.id" && /(^deal\.id|\.recordId|Id)$/.test(path));
  const value = textIn(facts, "record");
  if (records.length === 0 && value === "" && hasRecord(model.facts.trigger, known)) return null;
  return (
    <PathField
      label={words.ofRecord}
      pointer={`${pointer}/record`}
      value={value}
      values={records}
      braces
      none={hasRecord(model.facts.trigger, known) ? words.triggerRecord : words.choose}
      onValue={(record) => set({ record: record || undefined })}
    />
  );
}

function UpdateFields(props: FieldsProps) {
  const { model, known } = useEditor();
  return (
    <>
      <RecordField {...props} />
      <Properties {...props} object={objectAt(props.facts, props.values, model.facts.trigger, known)} />
    </>
  );
}

function NoteFields(props: FieldsProps) {
  return (
    <>
      <RecordField {...props} />
      <Text {...props} member="body" label={words.noteBody} lines={4} />
      <Text {...props} member="title" label={words.noteTitle} optional />
    </>
  );
}

function AssignFields(props: FieldsProps) {
  const { facts, pointer, values, set } = props;
  const { model, choices, known } = useEditor();
  const isRecord = facts.property !== undefined;
  const object = objectAt(facts, values, model.facts.trigger, known);
  const ofMembers = (properties: readonly PropertyFacts[] = []) => properties.filter(({ type }) => type === "member");
  const properties = ofMembers(known.objects.get(object ?? "")?.properties);
  const isTeam = facts.teamId !== undefined;
  const chosen = isTeam ? `team ${textIn(facts, "teamId")}` : textIn(facts, "memberId") && `member ${textIn(facts, "memberId")}`;
  const people = [
    ...choices.members.map(({ id, name }) => ({ value: `member ${id}`, label: name })),
    ...(isRecord ? [] : choices.teams.map(({ id, name }) => ({ value: `team ${id}`, label: name }))),
    ...values
      .filter(({ type }) => type === "member")
      .map(({ path, label, group }) => ({ value: `member {{${path}}}`, label: `${group}: ${label}` })),
  ];
  const other =
    chosen && !people.some(({ value }) => value === chosen) ? [{ value: chosen, label: chosen.split(" ").slice(1).join(" ") }] : [];
  return (
    <>
      <RadioField
        label={words.assignWhat}
        pointer={`${pointer}/type`}
        value={isRecord ? "record" : "conversation"}
        choices={[
          { value: "conversation", label: words.conversation },
          { value: "record", label: words.record },
        ]}
        onValue={(what) =>
          set(
            what === "record"
              ? { property: properties[0]?.slug ?? "owner", teamId: undefined }
              : { property: undefined, record: undefined },
          )
        }
      />
      {isRecord && <RecordField {...props} />}
      {isRecord && (
        <SelectField
          label={words.memberProperty}
          pointer={`${pointer}/property`}
          value={textIn(facts, "property")}
          choices={[
            ...(properties.some(({ slug }) => slug === facts.property)
              ? []
              : [{ value: textIn(facts, "property"), label: textIn(facts, "property") }]),
            ...properties.map(({ slug, label }) => ({ value: slug, label })),
          ]}
          onValue={(property) => set({ property })}
        />
      )}
      <SelectField
        label={words.to}
        pointer={isTeam ? `${pointer}/teamId` : `${pointer}/memberId`}
        value={chosen}
        choices={[{ value: "", label: words.chooseSomebody }, ...other, ...people]}
        onValue={(value) => {
          const [kind = "", ...id] = value.split(" ");
          set({ memberId: kind === "member" ? id.join(" ") : undefined, teamId: kind === "team" ? id.join(" ") : undefined });
        }}
      />
    </>
  );
}

function CallFields({ facts, pointer, set }: FieldsProps) {
  const { choices } = useEditor();
  const id = textIn(facts, "webhookId");
  const gone = id && !choices.webhooks.some((one) => one.id === id) ? [{ value: id, label: id }] : [];
  const seconds = typeof facts.seconds === "number" ? facts.seconds : DEFAULT_CALL_SECONDS;
  return (
    <>
      <SelectField
        label={words.webhook}
        pointer={`${pointer}/webhookId`}
        value={id}
        choices={[
          { value: "", label: words.chooseWebhook },
          ...gone,
          ...choices.webhooks.map((one) => ({ value: one.id, label: one.name })),
        ]}
        onValue={(webhookId) => set({ webhookId })}
      />
      <BodyField body={facts.body} pointer={`${pointer}/body`} onBody={(body) => set({ body }, "body")} />
      <DurationField label={words.patience} pointer={`${pointer}/seconds`} seconds={seconds} onSeconds={(next) => set({ seconds: next })} />
    </>
  );
}

/** Any JSON; what is none yet is kept here, and said. */
function BodyField({ body, pointer, onBody }: { body: unknown; pointer: string; onBody: (body: unknown) => void }) {
  const [text, setText] = useState(() => (body === undefined ? "" : JSON.stringify(body, null, 2)));
  const [fault, setFault] = useState<string | null>(null);
  return (
    <TextField
      label={words.body}
      mono
      lines={5}
      optional
      pointer={pointer}
      fault={fault}
      hint={words.bodyHint.replace("{example}", "{{record.name}}")}
      value={text}
      onValue={(next) => {
        setText(next);
        try {
          onBody(next.trim() === "" ? undefined : JSON.parse(next));
          setFault(null);
        } catch {
          setFault(words.notJson);
        }
      }}
    />
  );
}

type WaitKind = keyof typeof words.waitKinds;

function WaitFields({ facts, pointer, values, set }: FieldsProps) {
  const { known } = useEditor();
  const kind: WaitKind = facts.until !== undefined ? "until" : facts.event !== undefined ? "event" : "seconds";
  const seconds = typeof facts.seconds === "number" ? facts.seconds : 0;
  const event = textIn(facts, "event");
  const events = words.events as Readonly<Record<string, string>>;
  const start: Record<WaitKind, Record<string, unknown>> = {
    seconds: { seconds: seconds || 86_400, until: undefined, event: undefined, where: undefined },
    until: { seconds: undefined, until: "", event: undefined, where: undefined },
    event: {
      seconds: seconds || 604_800,
      until: undefined,
      event: "record.updated",
      where: [{ property: "record.id", op: "eq", value: "{{record.id}}" }],
    },
  };
  const dates = values.filter(({ type }) => type === "date" || type === "datetime");
  return (
    <>
      <RadioField
        label={words.waitKind}
        value={kind}
        choices={(Object.keys(words.waitKinds) as WaitKind[]).map((value) => ({ value, label: words.waitKinds[value] }))}
        onValue={(next) => set(start[next])}
      />
      {kind === "until" && (
        <PathField
          label={words.until}
          pointer={`${pointer}/until`}
          value={textIn(facts, "until")}
          values={dates}
          none={words.chooseDate}
          onValue={(until) => set({ until })}
        />
      )}
      {kind === "event" && (
        <SelectField
          label={words.event}
          pointer={`${pointer}/event`}
          value={event}
          choices={known.vocabulary.events.map(({ type }) => ({ value: type as string, label: events[type] ?? type }))}
          onValue={(next) => set({ event: next })}
        />
      )}
      {kind !== "until" && (
        <DurationField
          label={words.amount}
          pointer={`${pointer}/seconds`}
          seconds={seconds}
          onSeconds={(next) => set({ seconds: next }, "seconds")}
        />
      )}
      {kind === "event" && (
        <Filters
          label={words.where}
          at={`${pointer}/where`}
          filters={(facts.where ?? []) as Filter[]}
          properties={awaitedValues(event, known).map((value) => ({
            ...value,
            slug: value.path,
            type: value.type ?? "text",
            options: [...value.options],
          }))}
          onFilters={(where, what) => set({ where: where.length > 0 ? where : undefined }, what)}
        />
      )}
    </>
  );
}

function BranchFields({ facts, pointer, values, set }: FieldsProps) {
  return (
    <Filters
      label={words.conditions}
      at={`${pointer}/conditions`}
      filters={(facts.conditions ?? []) as Filter[]}
      properties={conditionProperties(values)}
      onFilters={(conditions, what) => set({ conditions }, what)}
    />
  );
}

function ApprovalFields(props: FieldsProps) {
  const seconds = typeof props.facts.seconds === "number" ? props.facts.seconds : DEFAULT_APPROVAL_SECONDS;
  return (
    <>
      <Text {...props} member="reason" label={words.question} lines={3} />
      <DurationField
        label={words.deadline}
        pointer={`${props.pointer}/seconds`}
        seconds={seconds}
        onSeconds={(next) => props.set({ seconds: next }, "seconds")}
      />
    </>
  );
}
