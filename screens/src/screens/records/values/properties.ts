/** Properties of an object, and what a record has under them. */
import type { Answer } from "../../../house/tools";
import { records as words } from "../../../messages/en/records";

export type Property = Answer<"object.get">["properties"][number];
export type Values = Readonly<Record<string, unknown>>;

/** What is shown of a record: its values, and the names of what its relations and members lead to. */
export interface Shown {
  properties: Values;
  texts?: Readonly<Record<string, string>>;
}

export type RecordLine = Answer<"record.list">["records"][number];

/** A change of some values, with the names of what they lead to, so that it is shown before it is stored. */
export interface Change {
  values: Values;
  texts: Readonly<Record<string, string>>;
}

/** A change of a record, made from what was shown of it. */
export interface Edit {
  record: RecordLine;
  change: Change;
}

export const currencySlug = ({ slug }: Property): string => `${slug}_currency`;

/** The property that a record is called by. */
export function nameProperty(properties: readonly Property[]): Property | undefined {
  return properties.find(({ slug }) => slug === "name") ?? properties.find(({ type }) => type === "text") ?? properties[0];
}

/** What a record is called: its name, or else the first text that it has. */
export function titleOf(record: Shown, properties: readonly Property[]): string {
  const own = nameProperty(properties);
  const others = properties.filter(({ type }) => type === "text" || type === "email" || type === "phone");
  for (const property of own ? [own, ...others] : others) {
    const value = record.properties[property.slug];
    if (typeof value === "string" && value) return value;
  }
  return words.unnamed;
}

/** Whether values are numbers, which stand at the end of a cell and are added up. */
export const isNumeric = ({ type }: Property): boolean => type === "number" || type === "amount" || type === "duration";

/** Choices have a colour by their place, which does not change when others are added behind. */
export const TONES = 7;
export const toneOfChoice = (property: Property, choice: string): number => Math.max(0, property.options.indexOf(choice)) % TONES;
