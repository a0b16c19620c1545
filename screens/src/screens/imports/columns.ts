/** What columns may be for, and what records may be found by. */
import type { Answer, Input } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import type { Choice } from "../../parts/field";
import type { Import } from "./upload";

type ObjectDetails = Answer<"object.get">;

/** What the person has chosen and not sent yet, over what the import has. */
export interface Edits {
  /** By heading: a property, or empty for a column that is left out. */
  columns: Readonly<Record<string, string>>;
  by?: string;
  decimal?: "." | ",";
  /** How the file is written, where it was found out otherwise. */
  reading?: Reading;
}

type Asked = Input<"import.get">;

interface Reading {
  encoding: NonNullable<Asked["encoding"]>;
  separator: NonNullable<Asked["separator"]>;
}

export const NO_EDITS: Edits = { columns: {} };
const IDENTITIES = ["email", "phone"];
const said = words.map;

/** What the column *heading* is for. */
export function targetOf({ columns }: Import, edits: Edits, heading: string): string {
  const of = (known: Readonly<Record<string, string>>) => (Object.hasOwn(known, heading) ? known[heading] : undefined);
  return of(edits.columns) ?? of(columns) ?? "";
}

/** The columns that are read where records are found *by* that: ids and versions mean nothing else. */
export function columnsOf(import_: Import, edits: Edits, by: string): Record<string, string> {
  const pairs = import_.headings.map((heading) => [heading, targetOf(import_, edits, heading)] as const);
  return Object.fromEntries(pairs.filter(([, target]) => target && !(target === "id" && by !== "id") && !(target === "ifVersion" && !by)));
}

/** What records are found by; at first what is unique of those that the columns are for. */
export function byOf(object: ObjectDetails, import_: Import, edits: Edits): string {
  if (edits.by !== undefined) return edits.by;
  if (import_.state !== "uploaded") return import_.by ?? "";
  const mapped = new Set(Object.values(import_.columns));
  return findable(object).find((slug) => mapped.has(slug)) ?? "";
}

/** How the file is written, as it is shown. */
export function readingOf({ encoding, separator }: Import, edits: Edits): Reading {
  return edits.reading ?? { encoding: encoding ?? "utf-8", separator: (separator ?? ",") as Reading["separator"] };
}

/** Edits of the file as it is read with *reading*: it may have other columns. */
export function editsAsRead({ columns: _, ...edits }: Edits, reading: Reading): Edits {
  return { ...edits, columns: {}, reading };
}

export function decimalOf({ decimal, separator }: Import, edits: Edits): "." | "," {
  return edits.decimal ?? decimal ?? (separator === ";" ? "," : ".");
}

function findable({ slug, properties }: ObjectDetails): string[] {
  return properties.filter((one) => one.unique || (slug === "contact" && IDENTITIES.includes(one.slug))).map((one) => one.slug);
}

export function waysToFind(object: ObjectDetails): Choice<string>[] {
  const labelOf = (slug: string) => object.properties.find((one) => one.slug === slug)?.label ?? slug;
  return [
    { value: "", label: said.byNone },
    ...findable(object).map((slug) => ({ value: slug, label: labelOf(slug) })),
    ...(object.slug === "contact" ? [{ value: "match", label: said.byMatch }] : []),
    { value: "id", label: said.id },
  ];
}

export function targets({ properties }: ObjectDetails, by: string): Choice<string>[] {
  return [
    { value: "", label: said.leaveOut },
    ...properties.map(({ slug, label }) => ({ value: slug, label })),
    ...properties.filter(({ type }) => type === "amount").map(({ slug, label }) => ({ value: `${slug}_currency`, label: say(said.currency, { property: label }) })),
    ...(by === "id" ? [{ value: "id", label: said.id }] : []),
    ...(by ? [{ value: "ifVersion", label: said.version }] : []),
  ];
}
