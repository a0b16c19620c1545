/** The list that a record was opened from, so that its page leads to the next one. Gone with the page of the browser. */
let listed: { objectType: string; ids: readonly string[] } = { objectType: "", ids: [] };

/** The list of *objectType* shows *ids*, in this order. */
export function keepOrder(objectType: string, ids: readonly string[]): void {
  listed = { objectType, ids };
}

export interface PlaceInList {
  /** From 0. */
  at: number;
  count: number;
  previous: string | undefined;
  next: string | undefined;
}

/** Where record *id* stands in the list that was shown last; undefined where it is in none. */
export function placeInList(objectType: string, id: string): PlaceInList | undefined {
  const { ids } = listed;
  const at = listed.objectType === objectType ? ids.indexOf(id) : -1;
  return at < 0 ? undefined : { at, count: ids.length, previous: ids[at - 1], next: ids[at + 1] };
}
