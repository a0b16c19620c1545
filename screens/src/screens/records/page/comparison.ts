/** Records that may be one and the same, compared: which of them stays, and whose value it has of each property. */
import type { Answer } from "../../../house/tools";
import { currencySlug, type Property } from "../values/properties";

export type Compared = Answer<"record.list">["records"][number];

/** What is chosen: the record that stays, those that are left out, and by slug whose value stays. */
export interface Choice {
  survivor: string;
  leftOut: readonly string[];
  values: Readonly<Record<string, string>>;
}

/** The one that says most stays, of several the oldest. */
export function survivorOf(records: readonly Compared[]): string {
  const said = ({ properties }: Compared) => Object.keys(properties).length;
  const [first] = records.toSorted((one, other) => said(other) - said(one) || one.createdAt.localeCompare(other.createdAt));
  return first?.id ?? "";
}

/** *value*, so that equal ones are equal texts. */
export function valueKey({ properties }: Compared, property: Property): string {
  const value = properties[property.slug];
  if (value === undefined || value === null || value === "") return "";
  return JSON.stringify([value, property.type === "amount" ? properties[currencySlug(property)] : null]);
}

/** Whether two of *records* have different values of *property*, so that somebody has to choose. */
export function differs(records: readonly Compared[], property: Property): boolean {
  return new Set(records.map((record) => valueKey(record, property)).filter(Boolean)).size > 1;
}

/** Whose value of *property* stays: the chosen one's, else the survivor's, else that of the first who has one. */
export function keeperOf(records: readonly Compared[], property: Property, { survivor, values }: Choice): string | undefined {
  const having = records.filter((record) => valueKey(record, property) !== "");
  const of = (id: string | undefined) => having.find((record) => record.id === id);
  return (of(values[property.slug]) ?? of(survivor) ?? having[0])?.id;
}

/** The merges that make *records* one, in their order: each into the survivor, with the properties that are taken from it. */
export function mergesOf(records: readonly Compared[], properties: readonly Property[], choice: Choice): { id: string; take: string[] }[] {
  const others = records.filter(({ id }) => id !== choice.survivor);
  return others.map(({ id }) => ({
    id,
    take: properties.filter((property) => keeperOf(records, property, choice) === id).map(({ slug }) => slug),
  }));
}
