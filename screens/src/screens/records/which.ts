/** Which records are listed, and how: what a saved view has, and what the address says otherwise. */
import { parameter, setParameters } from "../../house/address";
import type { Answer, Input } from "../../house/tools";
import type { Filter } from "../../parts/condition_kinds";
import type { Which } from "./rows";
import { nameProperty, type Property } from "./values/properties";

export type Sort = NonNullable<Input<"record.list">["sort"]>[number];
export type View = Answer<"view.list">["views"][number];

export interface Spec {
  filters: readonly Filter[];
  sort: readonly Sort[];
  /** Slugs in their order; null for those that an object shows at first. */
  columns: readonly string[] | null;
  /** Of a board, the slug of the property whose choices are its columns, "" for the first that has any; null for a table. */
  board: string | null;
}

const ALL: Spec = { filters: [], sort: [], columns: null, board: null };
const NO_SORT = "none";
const SEARCH_CHARS_MAX = 200;

/** The views of records of *objectType*, the oldest first. */
export const viewsOf = (views: readonly View[], objectType: string): readonly View[] =>
  views.filter(({ tool, input }) => tool === "record.list" && input.objectType === objectType);

/** What a view has saved; what another program has saved with it, such as a limit, is left out. */
export function specOf(view: View | undefined): Spec {
  if (!view) return ALL;
  const { filters = [], sort = [], fields = null } = view.input as Partial<Input<"record.list">>;
  return { filters, sort, columns: fields, board: view.boardBy };
}

/** What is shown at the address; *saved* is the view that it names. */
export function shownSpec(saved: Spec): Spec {
  const columns = parameter("columns");
  return {
    filters: readFilters(parameter("filter")) ?? saved.filters,
    sort: readSort(parameter("sort")) ?? saved.sort,
    columns: columns ? columns.split(",") : saved.columns,
    board: readBoard(saved.board),
  };
}

function readBoard(saved: string | null): string | null {
  const arrangement = parameter("view");
  if (arrangement === "table" || (arrangement === null && saved === null)) return null;
  return parameter("by") ?? saved ?? "";
}

function readFilters(text: string | null): readonly Filter[] | null {
  if (text === null) return null;
  try {
    const filters: unknown = JSON.parse(text);
    return Array.isArray(filters) ? (filters as Filter[]) : null; // The service refuses what is none.
  } catch {
    return null;
  }
}

function readSort(text: string | null): readonly Sort[] | null {
  if (text === null) return null;
  if (text === NO_SORT) return [];
  return text.split(",").map((part) => ({ property: part.replace(/^-/, ""), direction: part.startsWith("-") ? "desc" : "asc" }));
}

const writtenSort = (sort: readonly Sort[]): string =>
  sort.map(({ property, direction }) => (direction === "desc" ? `-${property}` : property)).join(",") || NO_SORT;

/** Have the address say what differs from *saved* in *change*. */
export function showSpec(saved: Spec, change: Partial<Spec>, replace = false): void {
  const parameters: Record<string, string | null> = {};
  if (change.filters) parameters.filter = isSame(change.filters, saved.filters) ? null : JSON.stringify(change.filters);
  if (change.sort) parameters.sort = isSame(writtenSort(change.sort), writtenSort(saved.sort)) ? null : writtenSort(change.sort);
  if (change.columns) parameters.columns = isSame(change.columns, saved.columns) ? null : change.columns.join(",");
  if (change.board !== undefined) {
    const { board } = change;
    const isSaved = board === saved.board || (board === "" && saved.board !== null);
    parameters.view = isSaved ? null : board === null ? "table" : "board";
    parameters.by = isSaved ? null : board || null;
  }
  setParameters(parameters, { replace });
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
/** The parameters of the address that say how a list differs from its view; without them, it is as it was saved. */
export const AS_SAVED = { filter: null, sort: null, columns: null, view: null, by: null } as const;
export const isChanged = (): boolean => Object.keys(AS_SAVED).some((name) => parameter(name) !== null);

/** What `record.list` is asked for a view of *spec*. */
export function viewInput(objectType: string, { filters, sort, columns }: Spec): Record<string, unknown> {
  return { objectType, ...(filters.length && { filters }), ...(sort.length && { sort }), ...(columns && { fields: columns }) };
}

/** What narrows a list, its count, and what is added up of it. */
export interface Narrowed {
  filters?: Filter[];
  search?: string;
}

export const narrowedBy = ({ filters }: Spec, search: string): Narrowed => ({
  ...(filters.length > 0 && { filters: [...filters] }),
  ...(search && { search: search.slice(0, SEARCH_CHARS_MAX) }),
});

/** What is asked for the rows; without anything chosen, what the shell has asked already. */
export function whichOf(objectType: string, properties: readonly Property[], spec: Spec, narrowed: Narrowed): Which {
  const name = nameProperty(properties)?.slug;
  const known = spec.columns?.filter((slug) => properties.some((property) => property.slug === slug));
  return {
    objectType,
    texts: true,
    ...narrowed,
    ...(spec.sort.length && { sort: [...spec.sort] }),
    ...(known && { fields: [...new Set([...(name ? [name] : []), ...known])] }),
  };
}
