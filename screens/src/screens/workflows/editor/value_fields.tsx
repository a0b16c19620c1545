/** Fields whose values may come from the run: texts with values in them, properties of a record, times. */
import { useEffect, useRef, useState } from "preact/hooks";
import { readNumber } from "../../../house/numbers";
import { faultAt } from "../../../house/problems";
import { workflows as words } from "../../../messages/en/workflows";
import { say } from "../../../messages/messages";
import { Button } from "../../../parts/button";
import { SelectField, TextField } from "../../../parts/field";
import { useFormProblem } from "../../../parts/form";
import { Icon } from "../../../parts/icon";
import { Menu } from "../../../parts/menu";
import { UNITS, type Unit, unitOf } from "../schedule";
import { isLone, type PropertyFacts, partsOf, pathIn, type Value } from "../scope";
import { Templated } from "../sentences";
import { useEditor } from "./context";
import "../../../styles/embeds.css";
import "../../../styles/workflows.css";

/** What *values* are grouped by, in their order. */
export function grouped(values: readonly Value[]): [string, Value[]][] {
  const groups = new Map<string, Value[]>();
  for (const value of values) groups.set(value.group, [...(groups.get(value.group) ?? []), value]);
  return [...groups];
}

interface InsertProps {
  label: string;
  values: readonly Value[];
  onPath: (path: string) => void;
}

/** The menu of values that can be named here. */
export function Insert({ label, values, onPath }: InsertProps) {
  const groups = grouped(values);
  return (
    <Menu
      label={say(words.insertInto, { label })}
      class="button button-quiet button-small"
      search={words.findValue}
      titles={Object.fromEntries(groups.map(([group], at) => [at, group]))}
      items={groups.map(([, list]) => list.map((value) => ({ label: value.label, run: () => onPath(value.path) })))}
    >
      <Icon name="plus" /> {words.insert}
    </Menu>
  );
}

const whole = ({ path }: Value) => (path.includes(".") ? path : `record.${path}`);
/** The path of a value within a template, where a bare slug is none. */
export const templateOf = (path: string) => `{{${path.includes(".") ? path : `record.${path}`}}}`;

interface TemplateProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  pointer: string;
  values: readonly Value[];
  lines?: number;
  optional?: boolean;
}

/** A text in which values of the run stand. */
export function TemplateField({ label, value, onValue, pointer, values, lines, optional = false }: TemplateProps) {
  const box = useRef<HTMLDivElement>(null);
  const insert = (path: string) => {
    const field = box.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea");
    if (!field) return;
    const at = field.selectionStart ?? value.length;
    const text = templateOf(path);
    onValue(value.slice(0, at) + text + value.slice(field.selectionEnd ?? at));
    requestAnimationFrame(() => {
      field.focus();
      field.setSelectionRange(at + text.length, at + text.length);
    });
  };
  return (
    <div class="template-field" ref={box}>
      <TextField label={label} value={value} onValue={onValue} pointer={pointer} optional={optional} {...(lines && { lines })} />
      <div class="template-below">
        <Insert label={label} values={values} onPath={insert} />
        {partsOf(value).some(({ isValue }) => isValue) && (
          <p class="template-reads soft">
            {words.reads}: <Templated text={value} values={values} />
          </p>
        )}
      </div>
    </div>
  );
}

interface PropertiesProps {
  values: readonly Value[];
  properties: readonly PropertyFacts[];
  given: Readonly<Record<string, unknown>>;
  onGiven: (given: Record<string, unknown>, what?: string) => void;
  pointer: string;
  /** Those that the step sets by itself. */
  without?: readonly string[];
}

/** The values that a step gives a record. */
export function PropertyValues({ values, properties, given, onGiven, pointer, without = [] }: PropertiesProps) {
  const fault = faultAt(useFormProblem(Object.keys(given).length === 0 ? pointer : undefined), pointer);
  const free = properties.filter(({ slug }) => !(slug in given) && !without.includes(slug));
  const startAt = (slug: string) => {
    const property = properties.find((one) => one.slug === slug);
    return property ? startOf(property) : "";
  };
  const renamed = (from: string, to: string) =>
    Object.fromEntries(Object.entries(given).map(([slug, value]) => (slug === from ? [to, startAt(to)] : [slug, value])));
  return (
    <fieldset class="field property-values">
      <legend>{words.properties}</legend>
      {Object.entries(given).map(([slug, value]) => (
        <PropertyRow
          key={slug}
          slug={slug}
          value={value}
          property={properties.find((one) => one.slug === slug)}
          choices={[...properties.filter((one) => one.slug === slug || free.includes(one))]}
          values={values}
          pointer={`${pointer}/${slug}`}
          onSlug={(to) => onGiven(renamed(slug, to))}
          onValue={(next) => onGiven({ ...given, [slug]: next }, slug)}
          onRemove={() => onGiven(Object.fromEntries(Object.entries(given).filter(([name]) => name !== slug)))}
        />
      ))}
      {free[0] && (
        <div>
          <Button small icon="plus" onClick={() => free[0] && onGiven({ ...given, [free[0].slug]: startOf(free[0]) })}>
            {words.addProperty}
          </Button>
        </div>
      )}
      {fault && <p class="field-fault">{fault}</p>}
    </fieldset>
  );
}

const startOf = ({ type, options }: PropertyFacts): unknown => (type === "boolean" ? true : type === "select" ? (options[0] ?? "") : "");

interface RowProps {
  slug: string;
  value: unknown;
  property: PropertyFacts | undefined;
  choices: readonly PropertyFacts[];
  values: readonly Value[];
  pointer: string;
  onSlug: (slug: string) => void;
  onValue: (value: unknown) => void;
  onRemove: () => void;
}

function PropertyRow({ slug, value, property, choices, values, pointer, onSlug, onValue, onRemove }: RowProps) {
  const fault = faultAt(useFormProblem(pointer), pointer);
  const name = property?.label ?? slug;
  const all = property ? choices : [{ slug, label: slug }, ...choices];
  const isText = property === undefined || ["text", "long_text", "email", "phone", "url"].includes(property.type);
  return (
    <div class="property-row">
      <div class="select">
        <select
          class="control"
          aria-label={`${words.memberProperty}: ${name}`}
          value={slug}
          onChange={(event) => onSlug(event.currentTarget.value)}
        >
          {all.map((one) => (
            <option key={one.slug} value={one.slug} selected={one.slug === slug}>
              {one.label}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </div>
      {isLone(value) ? (
        <span class="property-chosen">
          <Templated text={value} values={values} />
        </span>
      ) : (
        <PlainValue label={`${words.value}: ${name}`} property={property} value={value} onValue={onValue} invalid={fault !== null} />
      )}
      <span class="property-actions">
        <Insert
          label={name}
          values={values}
          onPath={(path) => onValue(isText && typeof value === "string" && !isLone(value) ? value + templateOf(path) : templateOf(path))}
        />
        {isLone(value) && (
          <Button
            small
            look="quiet"
            icon="pencil"
            label={`${words.own}: ${name}`}
            onClick={() => onValue(property ? startOf(property) : "")}
          />
        )}
        <Button small look="quiet" icon="x" label={say(words.removeProperty, { name })} onClick={onRemove} />
      </span>
      {fault && <p class="field-fault">{fault}</p>}
    </div>
  );
}

interface PlainProps {
  label: string;
  property: PropertyFacts | undefined;
  value: unknown;
  onValue: (value: unknown) => void;
  invalid: boolean;
}

/** A value that is no template, by the type of its property. What is typed stays as it is until it can be read. */
function PlainValue({ label, property, value, onValue, invalid }: PlainProps) {
  const { choices } = useEditor();
  const type = property?.type ?? "text";
  const [text, setText] = useState(() => written(value));
  useEffect(() => {
    if (JSON.stringify(readAs(text, type)) !== JSON.stringify(value)) setText(written(value));
  }, [value]);
  const shared = { class: "control", "aria-label": label, "aria-invalid": invalid ? ("true" as const) : undefined };
  const options: readonly (readonly [string, string])[] | null =
    type === "boolean"
      ? [
          ["true", words.yes],
          ["false", words.no],
        ]
      : type === "select"
        ? (property?.options ?? []).map((option) => [option, option] as const)
        : type === "member"
          ? choices.members.map(({ id, name }) => [id, name] as const)
          : null;
  if (options) {
    const now = written(value);
    const all = options.some(([known]) => known === now) ? options : [[now, now || words.choose] as const, ...options];
    return (
      <div class="select">
        <select
          {...shared}
          value={now}
          onChange={(event) => onValue(type === "boolean" ? event.currentTarget.value === "true" : event.currentTarget.value)}
        >
          {all.map(([known, shown]) => (
            <option key={known} value={known} selected={known === now}>
              {shown}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </div>
    );
  }
  return (
    <input
      {...shared}
      dir="auto"
      type={(type === "date" ? "date" : "text") as "text"}
      inputMode={type === "number" || type === "amount" ? "decimal" : undefined}
      value={text}
      onInput={(event) => {
        setText(event.currentTarget.value);
        onValue(readAs(event.currentTarget.value, type));
      }}
    />
  );
}

const written = (value: unknown) =>
  typeof value === "string"
    ? value
    : value === null || value === undefined
      ? ""
      : Array.isArray(value)
        ? value.join(", ")
        : JSON.stringify(value);

function readAs(text: string, type: PropertyFacts["type"]): unknown {
  if (type === "number" || type === "amount") return readNumber(text) ?? text;
  if (type === "multi_select")
    return text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean);
  return text;
}

interface DurationProps {
  label: string;
  seconds: number;
  onSeconds: (seconds: number) => void;
  pointer: string;
}

/** A time in the unit that people would say. */
export function DurationField({ label, seconds, onSeconds, pointer }: DurationProps) {
  const [unit, setUnit] = useState<Unit>(() => unitOf(seconds));
  const shown = seconds % UNITS[unit] === 0 ? unit : unitOf(seconds);
  return (
    <div class="two-fields duration-field">
      <TextField
        label={label}
        type="number"
        pointer={pointer}
        value={seconds === 0 ? "" : String(seconds / UNITS[shown])}
        onValue={(text) => onSeconds(Math.max(0, Math.round(Number(text) * UNITS[shown])) || 0)}
      />
      <SelectField
        label={words.unit}
        value={shown}
        choices={(Object.keys(UNITS) as Unit[]).map((value) => ({ value, label: words.units[value] }))}
        onValue={(next) => {
          setUnit(next);
          onSeconds(Math.max(1, Math.round(seconds / UNITS[shown])) * UNITS[next]);
        }}
      />
    </div>
  );
}

interface PathProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  pointer: string;
  values: readonly Value[];
  /** What an empty value is called. */
  none: string;
  /** Whether a path is written in braces. */
  braces?: boolean;
}

/** One of *values*, or none. */
export function PathField({ label, value, onValue, pointer, values, none, braces = false }: PathProps) {
  const path = pathIn(value);
  const known = values.find((one) => whole(one) === path);
  const choices = values.map((one) => ({ value: whole(one), label: say(words.fromValue, { group: one.group, name: one.label }) }));
  const other = path !== "" && !known ? [{ value: path, label: path }] : [];
  return (
    <SelectField
      label={label}
      pointer={pointer}
      value={path}
      choices={[{ value: "", label: none }, ...other, ...choices]}
      onValue={(next) => onValue(next && braces && !next.startsWith("rec_") ? `{{${next}}}` : next)}
    />
  );
}
