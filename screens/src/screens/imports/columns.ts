/** What columns may be for, and what records may be found by. */
import { may } from "../../house/boot";
import type { Answer, Input } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import type { Choice } from "../../parts/field";
import { NEW } from "./new_properties";
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
/** What means something of the very records that were exported. */
const OF_IDS = new Set(["id", "ifVersion"]);
const said = words.map;

/** What the column *heading* is for. */
export function targetOf({ columns }: Import, edits: Edits, heading: string): string {
  return ownOf(edits.columns, heading) ?? ownOf(columns, heading) ?? "";
}

/** The first cells of a column that are not empty. */
export function samplesOf({ headings, sample }: Import, heading: string): string[] {
  const at = headings.indexOf(heading);
  return sample.map((cells) => cells[at] ?? "").filter(Boolean);
}

/** What *known* has for *heading*, which may be called as anything is. */
export function ownOf<T>(known: Readonly<Record<string, T>>, heading: string): T | undefined {
  return Object.hasOwn(known, heading) ? known[heading] : undefined;
}

/** *import_* with its columns for what those of an *earlier* one were for, where it has the same: its file is a part of that. */
export function mappedLike(import_: Import, earlier: Import): Import {
  if (earlier.id === import_.id || earlier.objectType !== import_.objectType) return import_;
  const isSame = (heading: string) => earlier.headings.includes(heading);
  const columns = import_.headings.flatMap((heading) => {
    const target = ownOf(isSame(heading) ? earlier.columns : import_.columns, heading);
    return target === undefined ? [] : [[heading, target] as const];
  });
  return { ...import_, columns: Object.fromEntries(columns) };
}

/** The columns that are read where records are found *by* that: ids and versions mean nothing else. */
export function columnsOf(import_: Import, edits: Edits, by: string): Record<string, string> {
  const pairs = import_.headings.map((heading) => [heading, targetOf(import_, edits, heading)] as const);
  return Object.fromEntries(pairs.filter(([, target]) => target && target !== NEW && !(OF_IDS.has(target) && by !== "id")));
}

/** The objects that the mapped columns relate to, by their names. */
export function relatedTo({ properties }: ObjectDetails, import_: Import, edits: Edits): string[] {
  const mapped = new Set(import_.headings.map((heading) => targetOf(import_, edits, heading)));
  const related = properties.filter(({ slug, type }) => type === "relation" && mapped.has(slug));
  return [...new Set(related.flatMap(({ options }) => options ?? []))];
}

/** The objects of which what is missing is made: chosen, or at first companies, which are known by their names. */
export function missingOf(related: readonly string[], chosen: string | null): string[] {
  const wanted = chosen === null ? ["company"] : chosen.split(",");
  return related.filter((slug) => wanted.includes(slug));
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
    ...(may("settings") ? [{ value: NEW, label: said.newProperty }] : []),
    ...properties.map(({ slug, label }) => ({ value: slug, label })),
    ...properties
      .filter(({ type }) => type === "amount")
      .map(({ slug, label }) => ({ value: `${slug}_currency`, label: say(said.currency, { property: label }) })),
    ...(by === "id"
      ? [
          { value: "id", label: said.id },
          { value: "ifVersion", label: said.version },
        ]
      : []),
  ];
}
