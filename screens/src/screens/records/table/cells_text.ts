/** Blocks of cells as text: tabs between cells and a line for each row, as spreadsheets copy and paste them. */
import { recordsLater as words } from "../../../messages/en/records_later";
import { findRecords } from "../values/finding";
import type { Change, Property, RecordLine } from "../values/properties";
import { currencySlug } from "../values/properties";
import { read } from "../values/reading";
import { typedText } from "../values/writing";

/** Beside the text, for pasting here: a name of a record would have to be looked up. */
const OWN_TYPE = "application/x-svc-cells+json";

interface Copied {
  type: Property["type"];
  options: readonly string[];
  slug: string;
  values: Readonly<Record<string, unknown>>;
  text: string;
}

/** Quoted where it has a tab, a line or a quote in it. */
const quoted = (text: string): string => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function copyCells(data: DataTransfer, rows: readonly RecordLine[], properties: readonly Property[]): void {
  data.setData("text/plain", rows.map((row) => properties.map((property) => quoted(typedText(property, row))).join("\t")).join("\n"));
  const cells = rows.map((row) =>
    properties.map((property): Copied => {
      const slugs = property.type === "amount" ? [property.slug, currencySlug(property)] : [property.slug];
      const values = Object.fromEntries(slugs.map((slug) => [slug, row.properties[slug] ?? null]));
      return { type: property.type, options: property.options, slug: property.slug, values, text: typedText(property, row) };
    }),
  );
  data.setData(OWN_TYPE, JSON.stringify(cells));
}

/** What a cell that is pasted says. */
export interface Pasted {
  text: string;
  own?: Copied;
}

/** The rows and cells of what was copied. */
export function pastedCells(data: DataTransfer): Pasted[][] {
  const text = data.getData("text/plain");
  const plain = parseText(text).map((row) => row.map((cell) => ({ text: cell })));
  try {
    const own = JSON.parse(data.getData(OWN_TYPE) || "[]") as Copied[][];
    if (own.length > 0 && own.length === plain.length) return own.map((row) => row.map((cell) => ({ text: cell.text, own: cell })));
  } catch {
    // Of another program: its text counts.
  }
  return plain;
}

export function parseText(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:^|\t|\r?\n)(?:"((?:[^"]|"")*)"(?=\t|\r?\n|$)|([^\t\r\n]*))/g;
  const whole = text.replace(/\r?\n$/, "");
  for (const found of whole.matchAll(cell)) {
    const [all, inQuotes, bare = ""] = found;
    if (found.index > 0 && /^\r?\n/.test(all)) rows.push([]);
    rows.at(-1)?.push(inQuotes === undefined ? bare : inQuotes.replaceAll('""', '"'));
  }
  return rows;
}

type Taken = { ok: true; change: Change } | { ok: false; fault: string };

/** What *pasted* is as a value of *property*; a relation's name is looked up, and has to be that of one record alone. */
export async function takePasted({ text, own }: Pasted, property: Property): Promise<Taken> {
  if (own && own.type === property.type && own.options.join("\n") === property.options.join("\n")) {
    const value = own.values[own.slug];
    const currency = own.values[`${own.slug}_currency`];
    const values = {
      [property.slug]: value,
      ...(property.type === "amount" && currency != null && { [currencySlug(property)]: currency }),
    };
    return { ok: true, change: { values, texts: { [property.slug]: text } } };
  }
  if (property.type === "relation" && text.trim()) {
    const wanted = text.trim().toLocaleLowerCase();
    const [found, ...others] = (await findRecords(property.options[0] ?? "", text)).filter(
      ({ label }) => label.toLocaleLowerCase() === wanted,
    );
    if (!found || others.length > 0) return { ok: false, fault: words.faults.reference };
    return { ok: true, change: { values: { [property.slug]: found.id }, texts: { [property.slug]: found.label } } };
  }
  const found = read(property, text);
  return found.ok ? { ok: true, change: { values: found.values, texts: {} } } : found;
}
