/** What of all entries is shown for what is typed, and in which order. */
import { actions, actionsHere, type Entry, type Group, recent, screens } from "./entries";
import { fit, termsOf } from "./near";

const OF_GROUP = 8;
/** Where groups fit equally well. */
const ORDER: readonly Group[] = ["recent", "here", "screens", "actions", "objects", "forms", "embeds", "people", "keys", "guides"];

interface Scored {
  entry: Entry;
  score: number;
}

/** Entries that need no question, as they are when the palette opens. */
export interface Own {
  recent: Entry[];
  here: Entry[];
  screens: Entry[];
  actions: Entry[];
}

export function ownEntries(): Own {
  return { recent: recent(), here: actionsHere(), screens: screens(), actions: actions() };
}

/** With nothing typed: what was opened last, what can be done here, and where one can go. */
export function unasked(own: Own, named: readonly Entry[]): Entry[] {
  const objects = named.filter(({ group }) => group === "objects");
  return [...own.recent, ...own.here, ...objects, ...own.screens, ...own.actions];
}

/** What fits *text* of what the page knows; the best group first, and of each its best. */
export function ranked(text: string, own: Own, named: readonly Entry[]): Entry[] {
  const terms = termsOf(text);
  if (terms.length === 0) return [];
  const last = own.recent.filter((entry) => fitOf(entry, terms) > 0);
  const opened = new Set(last.map((entry) => entry.id));
  const others = [...own.here, ...own.screens, ...own.actions, ...named].filter((entry) => !opened.has(entry.id));
  const groups = new Map<Group, Scored[]>();
  for (const entry of [...last, ...others]) {
    const score = fitOf(entry, terms);
    if (score > 0) groups.set(entry.group, [...(groups.get(entry.group) ?? []), { entry, score }]);
  }
  // Between groups a whole word is no better than its beginning: Forms come before the guide to the form endpoint.
  const best = (scored: readonly Scored[]): number => Math.min(3, Math.round(Math.max(...scored.map(({ score }) => score))));
  return [...groups]
    .toSorted(([one, ones], [other, others]) => best(others) - best(ones) || ORDER.indexOf(one) - ORDER.indexOf(other))
    .flatMap(([, scored]) => scored.toSorted((one, other) => other.score - one.score).slice(0, OF_GROUP))
    .map(({ entry }) => entry);
}

/** By its name; by what it is found by beside that, only where a word of it fits exactly or begins so. */
function fitOf(entry: Entry, terms: readonly string[]): number {
  const byName = fit(entry.label, terms);
  if (byName > 0 || !entry.also) return byName;
  const byAll = fit(`${entry.label} ${entry.also}`, terms);
  return byAll >= 2 ? byAll - 1 : 0;
}

/** Whether *entry* still fits, of what was found for an earlier text. */
export const stillFits = (entry: Entry, text: string): boolean => fit(`${entry.label} ${entry.also ?? ""}`, termsOf(text)) > 0;

/**
 * *next* without moving what is *shown*: for answers that come while nothing is typed. What is gone leaves, and what is new
 * comes behind the rest.
 */
export function settled(shown: readonly Entry[], next: readonly Entry[]): Entry[] {
  const now = new Map(next.map((entry) => [entry.id, entry]));
  const before = new Set(shown.map((entry) => entry.id));
  return [...shown.flatMap((entry) => now.get(entry.id) ?? []), ...next.filter((entry) => !before.has(entry.id))];
}
