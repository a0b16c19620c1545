/** A block of records: of which object, which of their properties, how many, which alone and in what order. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { faultAt } from "../../house/problems";
import { isPublic } from "../../house/public_properties";
import { useAnswer } from "../../house/queries";
import { embeds as words } from "../../messages/en/embeds";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { SelectField, TextField } from "../../parts/field";
import { useFormProblem } from "../../parts/form";
import { Icon } from "../../parts/icon";
import { Foreign } from "../../parts/texts";
import { type FieldsProps, HeadingField } from "./block_fields";
import { ROWS } from "./draft";
import { type Condition, type Group as FilterGroup, hasValue, type Op, opsOf, type Property, textOf, TIMES, valueOf } from "./properties";

const said = words.fields;
const FIELDS_MAX = 12;
const FILTERS_MAX = 20;

export function RecordsFields({ block, at, onBlock }: FieldsProps<"records">) {
  const objects = useAnswer("object.list", {}).answer?.objects ?? [];
  const { answer, isOld } = useAnswer("object.get", { objectType: block.objectType });
  const properties: readonly Property[] = (!isOld && answer?.properties) || [];
  const [rows, setRows] = useState(String(block.limit ?? ROWS));
  useEffect(() => {
    if (Number(rows) !== (block.limit ?? ROWS)) setRows(String(block.limit ?? ROWS));
  }, [block.limit]);
  const filters = block.filters ?? [];
  const [sort] = block.sort ?? [];
  const ordered = [...properties.filter(isPublic), ...TIMES];
  const choices = objects.map(({ slug, labelPlural, publishable }) => ({ value: slug, label: publishable ? labelPlural : say(said.notPublished, { object: labelPlural }) }));
  const orders = ordered.flatMap(({ slug, label }) => (["asc", "desc"] as const).map((way) => ({ value: `${slug} ${way}`, label: say(said[way], { property: label }) })));
  return (
    <>
      <SelectField
        label={said.object}
        pointer={`${at}/objectType`}
        value={block.objectType}
        onValue={(objectType) => onBlock({ type: "records", objectType, fields: ["name"], ...(block.heading && { heading: block.heading }) }, "object")}
        choices={choices.some(({ value }) => value === block.objectType) ? choices : [{ value: block.objectType, label: block.objectType }, ...choices]}
      />
      <HeadingField block={block} at={at} onBlock={onBlock} />
      <Shown slugs={block.fields} at={`${at}/fields`} properties={properties} onSlugs={(fields) => onBlock({ ...block, fields }, "fields")} />
      <div class="two-fields">
        <TextField
          label={said.rows}
          pointer={`${at}/limit`}
          type="number"
          value={rows}
          onValue={(text) => {
            setRows(text);
            if (text !== "" && Number.isInteger(Number(text))) onBlock({ ...block, limit: Number(text) }, "limit");
          }}
        />
        <SelectField
          label={said.sort}
          pointer={`${at}/sort`}
          value={sort ? `${sort.property} ${sort.direction ?? "asc"}` : ""}
          onValue={(value) => {
            const [property = "", way] = value.split(" ");
            onBlock({ ...block, sort: property ? [{ property, direction: way === "desc" ? "desc" : "asc" }] : [] }, "sort");
          }}
          choices={[{ value: "", label: said.newest }, ...orders]}
        />
      </div>
      <Group label={said.filters} at={`${at}/filters`} count={filters.length}>
        {filters.map((filter, index) =>
          "any" in filter ? (
            <GroupRow
              key={`${index} of ${filters.length}`}
              n={index + 1}
              group={filter}
              properties={ordered}
              onRemove={() => onBlock({ ...block, filters: filters.toSpliced(index, 1) }, "")}
            />
          ) : (
            <FilterRow
              // A filter has nothing that tells it apart but its place.
              key={`${index} of ${filters.length}`}
              n={index + 1}
              filter={filter}
              at={`${at}/filters/${index}`}
              properties={ordered}
              onFilter={(changed) => onBlock({ ...block, filters: filters.with(index, changed) }, `filter ${index}`)}
              onRemove={() => onBlock({ ...block, filters: filters.toSpliced(index, 1) }, "")}
            />
          ),
        )}
        {filters.length < FILTERS_MAX && ordered[0] && (
          <div>
            <Button small icon="plus" onClick={() => onBlock({ ...block, filters: [...filters, newFilter(ordered[0] as Property)] }, "")}>
              {said.addFilter}
            </Button>
          </div>
        )}
      </Group>
    </>
  );
}

const newFilter = ({ slug }: Property): Condition => ({ property: slug, op: "is_not_empty" });

/** Several controls under one name, with the faults at *at* that none of them shows. */
function Group({ label, at, count, children }: { label: string; at: string; count: number; children: ComponentChildren }) {
  const problem = useFormProblem(count === 0 ? at : undefined);
  const fault = count === 0 ? faultAt(problem, at) : null;
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      {children}
      {fault && <p class="field-fault">{fault}</p>}
    </fieldset>
  );
}

interface ShownProps {
  slugs: readonly string[];
  at: string;
  properties: readonly Property[];
  onSlugs: (slugs: string[]) => void;
}

function Shown({ slugs, at, properties, onSlugs }: ShownProps) {
  const fault = faultAt(useFormProblem(at), at);
  const labelOf = (slug: string) => properties.find((property) => property.slug === slug)?.label ?? slug;
  return (
    <fieldset class="field">
      <legend>
        {said.properties} <span class="soft">{`${slugs.length} / ${FIELDS_MAX}`}</span>
      </legend>
      {slugs.length > 0 && (
        <ul class="chips">
          {slugs.map((slug, index) => {
            const property = properties.find((one) => one.slug === slug);
            const isHidden = property !== undefined && !isPublic(property);
            return (
              <li key={slug} class={isHidden ? "chip chip-off" : "chip"}>
                <Foreign>{isHidden ? say(said.never, { property: property.label }) : labelOf(slug)}</Foreign>
                {index > 0 && <Button small look="quiet" icon="arrow-up" label={`${words.up}: ${labelOf(slug)}`} onClick={() => onSlugs(slugs.toSpliced(index, 1).toSpliced(index - 1, 0, slug))} />}
                <Button small look="quiet" icon="x" label={say(said.removeProperty, { property: labelOf(slug) })} onClick={() => onSlugs(slugs.toSpliced(index, 1))} />
              </li>
            );
          })}
        </ul>
      )}
      {slugs.length < FIELDS_MAX && (
        <div class="select">
          <select
            class="control"
            aria-label={said.addProperty}
            aria-invalid={fault ? "true" : undefined}
            value=""
            onChange={(event) => {
              if (event.currentTarget.value) onSlugs([...slugs, event.currentTarget.value]);
              event.currentTarget.value = "";
            }}
          >
            <option value="">{said.addProperty}</option>
            {properties
              .filter(({ slug }) => !slugs.includes(slug))
              .map((property) => (
                <option key={property.slug} value={property.slug} disabled={!isPublic(property)}>
                  {isPublic(property) ? property.label : say(said.never, { property: property.label })}
                </option>
              ))}
          </select>
          <Icon name="chevron-down" />
        </div>
      )}
      {fault && <p class="field-fault">{fault}</p>}
    </fieldset>
  );
}

interface FilterProps {
  n: number;
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
      <Button small look="quiet" icon="x" label={say(said.removeFilter, { n })} onClick={onRemove} />
      {fault && <p class="field-fault">{fault}</p>}
    </div>
  );
}

interface GroupProps {
  n: number;
  group: FilterGroup;
  properties: readonly Property[];
  onRemove: () => void;
}

/** A group, which programs make: what it asks, to be read and removed. */
function GroupRow({ n, group, properties, onRemove }: GroupProps) {
  const told = group.any.map(({ property, op, value }) => [properties.find(({ slug }) => slug === property)?.label ?? property, words.ops[op], hasValue(op) ? textOf(value) : ""].filter(Boolean).join(" "));
  return (
    <div class="filter-row">
      <p class="soft">
        {said.anyOf} <Foreign>{told.join(" · ")}</Foreign>
      </p>
      <Button small look="quiet" icon="x" label={say(said.removeFilter, { n })} onClick={onRemove} />
    </div>
  );
}

interface ValueProps {
  n: number;
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
