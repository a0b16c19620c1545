/** The views of the inbox, and which conversations each of them has. */
import { parameter } from "../../house/address";
import type { Which } from "../../house/questions";
import type { inbox as words } from "../../messages/en/inbox";

export type View = keyof typeof words.empty;
export type WhichConversations = Which<"conversation.list">;

/** The first is the one without a parameter in the address; `questions.ts` asks it, too. */
export const VIEWS: Readonly<Record<View, WhichConversations>> = {
  all: { status: "open", snoozed: false },
  mine: { status: "open", snoozed: false, mine: true },
  unassigned: { status: "open", snoozed: false, assigned: false },
  identify: { status: "open", held: true },
  snoozed: { status: "open", snoozed: true },
  closed: { status: "closed" },
};
export const ORDER = Object.keys(VIEWS) as readonly View[];
/** Those in which something waits for somebody: their numbers are told. */
export const COUNTED: readonly View[] = ["mine", "unassigned", "identify"];

const SEARCH_FROM = 2;

export function viewHere(): View {
  const named = parameter("view");
  return ORDER.find((view) => view === named) ?? "all";
}

/** The conversations of the address: those of a view, or of all that are found. */
export function whichHere(): WhichConversations {
  const search = parameter("q")?.trim() ?? "";
  return search.length < SEARCH_FROM ? VIEWS[viewHere()] : { search };
}
