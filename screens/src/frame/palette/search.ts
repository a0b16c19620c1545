/** What the service is asked for: records, conversations and submissions, of which there may be a hundred thousand. */
import { to } from "../../house/address";
import { may } from "../../house/boot";
import { isCutOff, type Problem } from "../../house/problems";
import { type Answer, read } from "../../house/tools";
import { objectIcon } from "../links";
import type { Entry } from "./entries";
import { objectLabel } from "./named";
import { fit, termsOf } from "./near";

/** Fewer letters find too much. */
const FROM = 2;
const RECORDS = 8;
const SUBMISSIONS = 4;
const CONVERSATIONS = 4;
/** Of the records that begin like a word that none has, how many are looked through for near ones. */
const NEAR = 50;
const NEAR_FROM = 4;
const NEAR_PREFIX = 3;
const NEAR_TRIES = 2;

export interface Found {
  entries: Entry[];
  /** Whether something could not be searched. */
  failed: boolean;
}

export const NOTHING: Found = { entries: [], failed: false };

/** What fits *text*, all at once, so that nothing that is shown moves when the rest comes. */
export async function search(text: string, signal: AbortSignal): Promise<Found> {
  if (text.length < FROM) return NOTHING;
  const parts = await Promise.all([records(text, signal), conversations(text, signal), submissions(text, signal)]);
  return { entries: parts.flatMap((part) => part.entries), failed: parts.some((part) => part.failed) };
}

async function records(text: string, signal: AbortSignal): Promise<Found> {
  if (!may("records.read")) return NOTHING;
  const found = await read("record.search", { query: text, limit: RECORDS }, signal);
  if (!found.ok) return failed(found.problem);
  if (found.answer.records.length > 0) return { entries: found.answer.records.map(recordEntry), failed: false };
  return { entries: await nearRecords(termsOf(text), signal), failed: false };
}

/**
 * Records with a word that is nearly so. The service finds beginnings of words, so each long word is cut to its first
 * letters, then left out where there are others, and what is found is compared here.
 */
async function nearRecords(terms: string[], signal: AbortSignal): Promise<Entry[]> {
  const long = terms.filter((term) => term.length >= NEAR_FROM).toSorted((one, other) => other.length - one.length);
  const queries = long.slice(0, NEAR_TRIES).flatMap((term) => {
    const others = terms.filter((other) => other !== term);
    return [[...others, term.slice(0, NEAR_PREFIX)], others];
  });
  for (const query of queries.filter((words) => words.length > 0)) {
    const found = await read("record.search", { query: query.join(" "), limit: NEAR }, signal);
    if (!found.ok) return [];
    const near = found.answer.records
      .map(recordEntry)
      .map((entry) => ({ entry, score: fit(`${entry.label} ${entry.also ?? ""}`, terms) }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score);
    if (near.length > 0) return near.slice(0, RECORDS).map(({ entry }) => entry);
  }
  return [];
}

async function conversations(text: string, signal: AbortSignal): Promise<Found> {
  if (!may("conversations")) return NOTHING;
  const found = await read("conversation.list", { search: text, limit: CONVERSATIONS }, signal);
  if (!found.ok) return failed(found.problem);
  return {
    entries: found.answer.conversations.map(({ id, contactName, title, known, last }) => ({
      id,
      group: "conversations",
      label: contactName || title || known.name || known.username || known.phone || known.email || id,
      icon: "inbox",
      about: last?.text ?? undefined,
      also: [known.email, known.phone, last?.text].filter(Boolean).join(" "),
      href: to(`/app/inbox/${id}`),
    })),
    failed: false,
  };
}

async function submissions(text: string, signal: AbortSignal): Promise<Found> {
  if (!may("forms")) return NOTHING;
  const found = await read("submission.list", { search: text, limit: SUBMISSIONS }, signal);
  if (!found.ok) return failed(found.problem);
  return {
    entries: found.answer.submissions.map((line) => ({
      id: line.id,
      group: "submissions",
      label: line.name ?? line.email ?? line.phone ?? line.id,
      icon: "list-checks",
      about: line.state,
      also: [line.email, line.phone].filter(Boolean).join(" "),
      href: to("/app/submissions", { open: line.id }),
    })),
    failed: false,
  };
}

function recordEntry({ id, objectType, properties }: Answer<"record.search">["records"][number]): Entry {
  const texts = ["name", "email", "phone", "website"]
    .map((slug) => properties[slug])
    .filter((value) => typeof value === "string" && value !== "");
  const [label = id, second] = texts as string[];
  return {
    id,
    group: "records",
    label,
    icon: objectIcon(objectType),
    about: [objectLabel(objectType), second].filter(Boolean).join(" · "),
    also: texts.slice(1).join(" "),
    href: to(`/app/records/${objectType}/${id}`),
  };
}

/** A question that was given up for a later one has not failed. */
function failed(problem: Problem): Found {
  return { entries: [], failed: problem.code !== "stopped" && (isCutOff(problem) || problem.code !== "forbidden") };
}
