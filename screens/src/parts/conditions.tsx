/** Filters by properties: all must hold; of those in a group, one at least. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { faultAt } from "../house/problems";
import { conditions as words } from "../messages/en/conditions";
import { say } from "../messages/messages";
import { Button } from "./button";
import { type Condition, type Filter, hasValue, type Op, opsOf, type Property, textOf, valueFrom } from "./condition_kinds";
import { useFormProblem } from "./form";
import { Icon } from "./icon";
import "../styles/conditions.css";

const FILTERS_MAX = 20;

/** Instead of a text, where a value is chosen by its name; null for what is typed. */
export type ValueControl = (of: ValueProps & { label: string }) => ComponentChildren | null;

interface FiltersProps {
  label: string;
  filters: readonly Filter[];
  at: string;
  properties: readonly Property[];
  /** *what* is the same while one thing is typed in; empty for a step of its own. */
  onFilters: (filters: Filter[], what: string) => void;
  valueControl?: ValueControl;
}

export function Filters({ label, filters, at, properties, onFilters, valueControl }: FiltersProps) {
  const isEmpty = filters.length === 0;
  const problem = useFormProblem(isEmpty ? at : undefined);
  const fault = isEmpty ? faultAt(problem, at) : null;
  const [first] = properties;
  const count = filters.reduce((sum, filter) => sum + alternativesOf(filter).length, 0);
  const mayAdd = first !== undefined && count < FILTERS_MAX;
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      {filters.map((filter, index) => (
        <Alternatives
          // A filter has nothing that tells it apart but its place.
          key={`${index} of ${filters.length}`}
          n={`${index + 1}`}
          filter={filter}
          at={`${at}/${index}`}
          properties={properties}
          added={mayAdd ? newFilter(first) : null}
          valueControl={valueControl}
          onFilter={(changed, what) =>
            onFilters(changed ? filters.with(index, changed) : filters.toSpliced(index, 1), what && `filter ${index} ${what}`)
          }
        />
      ))}
      {mayAdd && (
        <div>
          <Button small icon="plus" onClick={() => onFilters([...filters, newFilter(first)], "")}>
            {words.addFilter}
          </Button>
        </div>
      )}
      {fault && <p class="field-fault">{fault}</p>}
    </fieldset>
  );
}

const newFilter = ({ slug }: Property): Condition => ({ property: slug, op: "is_not_empty" });
const alternativesOf = (filter: Filter): readonly Condition[] => ("any" in filter ? filter.any : [filter]);

/** A group of one is a plain filter, and one of none is gone. */
const grouped = (any: Condition[]): Filter | null => (any.length > 1 ? { any } : (any[0] ?? null));

interface AlternativesProps {
  n: string;
  filter: Filter;
  at: string;
  properties: readonly Property[];
  added: Condition | null;
  valueControl: ValueControl | undefined;
  onFilter: (filter: Filter | null, what: string) => void;
}

/** A filter, or a group of them. */
function Alternatives({ n, filter, at, properties, added, valueControl, onFilter }: AlternativesProps) {
  const any = alternativesOf(filter);
  const isGroup = "any" in filter;
  return (
    <div class={isGroup ? "filter-any" : "filter-all"} {...(isGroup && { role: "group", "aria-label": say(words.anyOf, { filter: n }) })}>
      {any.map((one, place) => (
        <>
          {place > 0 && <span class="filter-or soft">{words.or}</span>}
          <FilterRow
            key={`${place} of ${any.length}`}
            n={isGroup ? `${n}.${place + 1}` : n}
            filter={one}
            at={isGroup ? `${at}/any/${place}` : at}
            properties={properties}
            valueControl={valueControl}
            onFilter={(changed) => onFilter(grouped(any.with(place, changed)), `${place}`)}
            onRemove={() => onFilter(grouped(any.toSpliced(place, 1)), "")}
          />
        </>
      ))}
      {added && (
        <div>
          <Button
            small
            look="quiet"
            icon="plus"
            label={say(words.addAlternative, { filter: n })}
            onClick={() => onFilter(grouped([...any, added]), "")}
          >
            {words.or}
          </Button>
        </div>
      )}
    </div>
  );
}

interface FilterProps {
  n: string;
  filter: Condition;
  at: string;
  properties: readonly Property[];
  valueControl: ValueControl | undefined;
  onFilter: (filter: Condition) => void;
  onRemove: () => void;
}

function FilterRow({ n, filter, at, properties, valueControl, onFilter, onRemove }: FilterProps) {
  const fault = faultAt(useFormProblem(at), at);
  const property = properties.find(({ slug }) => slug === filter.property);
  const type = property?.type ?? "text";
  const invalid = fault ? ("true" as const) : undefined;
  const withOp = (op: Op, kind = type, options = property?.options ?? []): Condition => {
    const first = kind === "boolean" ? true : kind === "select" ? (options[0] ?? "") : "";
    const slug = property?.slug ?? filter.property;
    if (!hasValue(op)) return { property: slug, op };
    return { property: slug, op, value: filter.value === undefined ? first : valueFrom(textOf(filter.value), kind, op) };
  };
  return (
    <div class="filter-row">
      <Choice
        label={`${words.property} ${n}`}
        value={filter.property}
        choices={properties.map(({ slug, label }) => [slug, label])}
        invalid={invalid}
        onValue={(slug) => onFilter({ property: slug, op: "is_not_empty" })}
      />
      <Choice
        label={`${words.op} ${n}`}
        value={filter.op}
        choices={opsOf(type).map((op) => [op, words.ops[op]])}
        invalid={invalid}
        onValue={(op) => onFilter(withOp(op as Op))}
      />
      {hasValue(filter.op) && (
        <Value
          n={n}
          filter={filter}
          property={property}
          invalid={invalid}
          valueControl={valueControl}
          onValue={(value) => onFilter({ ...filter, value })}
        />
      )}
      <Button small look="quiet" icon="x" label={say(words.removeFilter, { filter: n })} onClick={onRemove} />
      {fault && <p class="field-fault">{fault}</p>}
    </div>
  );
}

interface ValueProps {
  n: string;
  filter: Condition;
  property: Property | undefined;
  invalid: "true" | undefined;
  onValue: (value: unknown) => void;
}

function Value({ valueControl, ...props }: ValueProps & { valueControl: ValueControl | undefined }) {
  const { n, filter, property, invalid, onValue } = props;
  const { op, value } = filter;
  const type = property?.type ?? "text";
  const [text, setText] = useState(() => textOf(value));
  useEffect(() => {
    if (JSON.stringify(valueFrom(text, type, op)) !== JSON.stringify(value)) setText(textOf(value));
  }, [value]);
  const label = `${words.value} ${n}`;
  const isOne = op === "eq" || op === "neq" || op === "contains";
  const own = valueControl?.({ ...props, label });
  if (own) return <>{own}</>;
  if (type === "boolean") {
    const choices: [string, string][] = [
      ["true", words.yes],
      ["false", words.no],
    ];
    return (
      <Choice label={label} value={String(value)} choices={choices} invalid={invalid} onValue={(chosen) => onValue(chosen === "true")} />
    );
  }
  if (isOne && type === "select") {
    const options = property?.options ?? [];
    return (
      <Choice label={label} value={String(value)} choices={options.map((option) => [option, option])} invalid={invalid} onValue={onValue} />
    );
  }
  return (
    <input
      class="control"
      dir="auto"
      type={(type === "date" && isOne ? "date" : "text") as "text"}
      inputMode={type === "number" || type === "amount" ? "decimal" : undefined}
      aria-label={label}
      aria-invalid={invalid}
      placeholder={Array.isArray(value) ? words.valueList : words.value}
      value={text}
      onInput={(event) => {
        setText(event.currentTarget.value);
        onValue(valueFrom(event.currentTarget.value, type, op));
      }}
    />
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  choices: readonly (readonly [string, string])[];
  invalid: "true" | undefined;
  onValue: (value: string) => void;
}

function Choice({ label, value, choices, invalid, onValue }: ChoiceProps) {
  const all = choices.some(([known]) => known === value) ? choices : [[value, value] as const, ...choices];
  return (
    <div class="select">
      <select
        class="control"
        aria-label={label}
        aria-invalid={invalid}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {all.map(([known, text]) => (
          <option key={known} value={known} selected={known === value}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </div>
  );
}
