/** The filters of a block: all must hold; of those in a group, one at least. */
import { useEffect, useState } from "preact/hooks";
import { faultAt } from "../../house/problems";
import { embeds as words } from "../../messages/en/embeds";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { useFormProblem } from "../../parts/form";
import { Icon } from "../../parts/icon";
import { type Condition, type Filter, hasValue, type Op, opsOf, type Property, textOf, valueOf } from "./properties";

const said = words.fields;
const FILTERS_MAX = 20;

interface FiltersProps {
  filters: readonly Filter[];
  at: string;
  properties: readonly Property[];
  /** *what* is the same while one thing is typed in; empty for a step of its own. */
  onFilters: (filters: Filter[], what: string) => void;
}

export function Filters({ filters, at, properties, onFilters }: FiltersProps) {
  const isEmpty = filters.length === 0;
  const problem = useFormProblem(isEmpty ? at : undefined);
  const fault = isEmpty ? faultAt(problem, at) : null;
  const [first] = properties;
  const count = filters.reduce((sum, filter) => sum + alternativesOf(filter).length, 0);
  const mayAdd = first !== undefined && count < FILTERS_MAX;
  return (
    <fieldset class="field">
      <legend>{said.filters}</legend>
      {filters.map((filter, index) => (
        <Alternatives
          // A filter has nothing that tells it apart but its place.
          key={`${index} of ${filters.length}`}
          n={`${index + 1}`}
          filter={filter}
          at={`${at}/${index}`}
          properties={properties}
          added={mayAdd ? newFilter(first) : null}
          onFilter={(changed, what) => onFilters(changed ? filters.with(index, changed) : filters.toSpliced(index, 1), what && `filter ${index} ${what}`)}
        />
      ))}
      {mayAdd && (
        <div>
          <Button small icon="plus" onClick={() => onFilters([...filters, newFilter(first)], "")}>
            {said.addFilter}
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
  onFilter: (filter: Filter | null, what: string) => void;
}

/** A filter, or a group of them. */
function Alternatives({ n, filter, at, properties, added, onFilter }: AlternativesProps) {
  const any = alternativesOf(filter);
  const isGroup = "any" in filter;
  return (
    <div class={isGroup ? "filter-any" : "filter-all"} role={isGroup ? "group" : undefined} aria-label={isGroup ? say(said.anyOf, { filter: n }) : undefined}>
      {any.map((one, place) => (
        <>
          {place > 0 && <span class="filter-or soft">{said.or}</span>}
          <FilterRow
            key={`${place} of ${any.length}`}
            n={isGroup ? `${n}.${place + 1}` : n}
            filter={one}
            at={isGroup ? `${at}/any/${place}` : at}
            properties={properties}
            onFilter={(changed) => onFilter(grouped(any.with(place, changed)), `${place}`)}
            onRemove={() => onFilter(grouped(any.toSpliced(place, 1)), "")}
          />
        </>
      ))}
      {added && (
        <div>
          <Button small look="quiet" icon="plus" label={say(said.addAlternative, { filter: n })} onClick={() => onFilter(grouped([...any, added]), "")}>
            {said.or}
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
  onFilter: (filter: Condition) => void;
  onRemove: () => void;
}

function FilterRow({ n, filter, at, properties, onFilter, onRemove }: FilterProps) {
  const fault = faultAt(useFormProblem(at), at);
  const property = properties.find(({ slug }) => slug === filter.property);
  const type = property?.type ?? "text";
  const invalid = fault ? ("true" as const) : undefined;
  const withOp = (op: Op, kind = type, options = property?.options ?? []): Condition => {
    const first = kind === "boolean" ? true : kind === "select" ? (options[0] ?? "") : "";
    const slug = property?.slug ?? filter.property;
    if (!hasValue(op)) return { property: slug, op };
    return { property: slug, op, value: filter.value === undefined ? first : valueOf(textOf(filter.value), kind, op) };
  };
  return (
    <div class="filter-row">
      <Choice
        label={`${said.property} ${n}`}
        value={filter.property}
        choices={properties.map(({ slug, label }) => [slug, label])}
        invalid={invalid}
        onValue={(slug) => onFilter({ property: slug, op: "is_not_empty" })}
      />
      <Choice label={`${said.op} ${n}`} value={filter.op} choices={opsOf(type).map((op) => [op, words.ops[op]])} invalid={invalid} onValue={(op) => onFilter(withOp(op as Op))} />
      {hasValue(filter.op) && <Value n={n} filter={filter} property={property} invalid={invalid} onValue={(value) => onFilter({ ...filter, value })} />}
      <Button small look="quiet" icon="x" label={say(said.removeFilter, { filter: n })} onClick={onRemove} />
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

function Value({ n, filter: { op, value }, property, invalid, onValue }: ValueProps) {
  const type = property?.type ?? "text";
  const [text, setText] = useState(() => textOf(value));
  useEffect(() => {
    if (JSON.stringify(valueOf(text, type, op)) !== JSON.stringify(value)) setText(textOf(value));
  }, [value]);
  const label = `${said.value} ${n}`;
  const isOne = op === "eq" || op === "neq" || op === "contains";
  if (type === "boolean") {
    const choices: [string, string][] = [
      ["true", said.yes],
      ["false", said.no],
    ];
    return <Choice label={label} value={String(value)} choices={choices} invalid={invalid} onValue={(chosen) => onValue(chosen === "true")} />;
  }
  if (isOne && type === "select") {
    const options = property?.options ?? [];
    return <Choice label={label} value={String(value)} choices={options.map((option) => [option, option])} invalid={invalid} onValue={onValue} />;
  }
  return (
    <input
      class="control"
      dir="auto"
      type={(type === "date" && isOne ? "date" : "text") as "text"}
      inputMode={type === "number" || type === "amount" ? "decimal" : undefined}
      aria-label={label}
      aria-invalid={invalid}
      placeholder={Array.isArray(value) ? said.valueList : said.value}
      value={text}
      onInput={(event) => {
        setText(event.currentTarget.value);
        onValue(valueOf(event.currentTarget.value, type, op));
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
      <select class="control" aria-label={label} aria-invalid={invalid} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
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
