/** The filters of a list, as they are made. */
import { useEffect, useRef, useState } from "preact/hooks";
import { recordsLater as words } from "../../messages/en/records_later";
import { Combobox } from "../../parts/combobox";
import { type Condition, type Filter, hasValue, TIMES } from "../../parts/condition_kinds";
import { Filters, type ValueControl } from "../../parts/conditions";
import { finderOf, nameOfReference } from "./values/finding";
import { nameProperty, type Property } from "./values/properties";

const PAUSE_MS = 250;

/** Filters that are whole are shown at once; the others wait until they are. */
export function FilterPanel({
  properties,
  filters,
  onFilters,
}: {
  properties: readonly Property[];
  filters: readonly Filter[];
  onFilters: (filters: Filter[]) => void;
}) {
  const [draft, setDraft] = useState<readonly Filter[]>(filters);
  const timer = useRef(0);
  const name = nameProperty(properties);
  const first = name ? [name, ...properties.filter((property) => property !== name)] : properties;
  const change = (next: Filter[]) => {
    setDraft(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => onFilters(wholeFilters(next)), PAUSE_MS);
  };
  useEffect(() => {
    // Another view, or Back.
    if (JSON.stringify(wholeFilters(draft)) !== JSON.stringify(filters)) setDraft(filters);
  }, [filters]);
  return (
    <Filters
      label={words.filters}
      filters={draft}
      at=""
      properties={[...first, ...TIMES]}
      onFilters={change}
      valueControl={(of) => reference(of, properties)}
    />
  );
}

/** A record or a member is chosen by its name. */
const reference = ({ filter, label, onValue }: Parameters<ValueControl>[0], properties: readonly Property[]) => {
  const property = properties.find(({ slug }) => slug === filter.property);
  const isReference = property?.type === "relation" || property?.type === "member";
  if (!property || !isReference || (filter.op !== "eq" && filter.op !== "neq")) return null;
  return <ReferenceValue key={property.slug} property={property} label={label} value={String(filter.value ?? "")} onValue={onValue} />;
};

function ReferenceValue({
  property,
  label,
  value,
  onValue,
}: {
  property: Property;
  label: string;
  value: string;
  onValue: (value: unknown) => void;
}) {
  const [name, setName] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (value && name === undefined) void nameOfReference(property, value).then((found) => setName(found ?? value));
  }, [value]);
  return (
    <Combobox
      label={label}
      value={value ? { id: value, label: name ?? "" } : null}
      onValue={(option) => {
        setName(option?.label);
        onValue(option?.id ?? "");
      }}
      find={finderOf(property) ?? (() => [])}
    />
  );
}

const conditionsOf = (filter: Filter): readonly Condition[] => ("any" in filter ? filter.any : [filter]);
const isWhole = ({ op, value }: Condition): boolean =>
  !hasValue(op) || (Array.isArray(value) ? value.length > 0 : value !== "" && value != null);

/** Filters without those in which a value is still to be chosen. */
function wholeFilters(filters: readonly Filter[]): Filter[] {
  return filters.flatMap((filter): Filter[] => {
    const any = conditionsOf(filter).filter(isWhole);
    return any.length > 1 ? [{ any }] : any;
  });
}
