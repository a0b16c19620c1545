/**
 * Replies on their way from this browser to the service. Each is kept here with its idempotency key until it is known to be
 * stored, over a reload too: a try whose answer was lost is repeated under the same key, so nothing is sent twice.
 */
import { computed, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { organization, session } from "../../../house/boot";
import { isUncertain } from "../../../house/problems";
import { whenBack } from "../../../house/returning";
import { type Input, write } from "../../../house/tools";

export interface Outgoing {
  key: string;
  conversationId: string;
  input: Input<"message.reply">;
  createdAt: string;
  /** Whether it was tried: from then on its input stays as it is, as the key asks for. */
  isTried: boolean;
  /** Why it was refused, in the service's words; null while it is on its way. */
  refusal: string | null;
  /** Whether it was refused since somebody has answered meanwhile, so that it may be sent all the same. */
  isLate: boolean;
  /** The message that it has become, until the list has that. */
  messageId: string | null;
}

/** Each has a place of its own, since several windows of this browser may have some. */
const PLACE = `svc-outgoing-${session.peek()?.person.id ?? ""}-${organization?.id ?? ""}-`;

const all = signal<readonly Outgoing[]>(kept());

function kept(): Outgoing[] {
  const places = Object.keys(localStorage).filter((place) => place.startsWith(PLACE));
  const found = places.flatMap((place) => {
    try {
      return [JSON.parse(localStorage.getItem(place) ?? "") as Outgoing];
    } catch {
      return []; // Taken away by another window just now.
    }
  });
  return found.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
}

/** Keep *one*, for as long as it is not known to be stored by the service. */
function keep(one: Outgoing): void {
  if (one.messageId === null) localStorage.setItem(PLACE + one.key, JSON.stringify(one));
  else localStorage.removeItem(PLACE + one.key);
}

function change(key: string, to: Partial<Outgoing>): void {
  all.value = all.peek().map((one) => (one.key === key ? { ...one, ...to } : one));
  const changed = all.peek().find((one) => one.key === key);
  if (changed) keep(changed);
}

/** Take a refused one away. */
export function forget(key: string): void {
  all.value = all.peek().filter((one) => one.key !== key);
  localStorage.removeItem(PLACE + key);
}

const NEW = { isTried: false, refusal: null, isLate: false, messageId: null };

/** Those of a conversation, the oldest first. */
export function useOutgoing(conversationId: string): readonly Outgoing[] {
  return useMemo(() => computed(() => all.value.filter((one) => one.conversationId === conversationId)), [conversationId]).value;
}

/** Send a reply, once *ready*; it is shown as on its way at once. */
export function sendReply(input: Input<"message.reply">, ready: Promise<void>): void {
  const one = { key: crypto.randomUUID(), conversationId: input.conversationId, input, createdAt: new Date().toISOString(), ...NEW };
  all.value = [...all.peek(), one];
  keep(one);
  void ready.then(() => flush(input.conversationId));
}

/** Send a refused one although somebody has answered meanwhile. */
export function sendAnyway({ key, input: { unlessAnsweredSince: _, ...input } }: Outgoing): void {
  forget(key);
  sendReply(input, Promise.resolve());
}

/** Those that are among the messages *ids* need not be shown any more. */
export function settle(conversationId: string, ids: ReadonlySet<string>): void {
  const isThere = (one: Outgoing) => one.conversationId === conversationId && one.messageId !== null && ids.has(one.messageId);
  if (all.peek().some(isThere)) all.value = all.peek().filter((one) => !isThere(one));
}

const underWay = new Set<string>();
/** By conversation: the last message that was sent from here. It is no answer of somebody else. */
const lastSent = new Map<string, string>();

function afterOwn(input: Outgoing["input"]): Outgoing["input"] {
  const own = lastSent.get(input.conversationId);
  const { unlessAnsweredSince: seen } = input;
  return seen && own && own > seen ? { ...input, unlessAnsweredSince: own } : input;
}

/** Send what waits of a conversation, one after the other, so that the order stays. */
async function flush(conversationId: string): Promise<void> {
  if (underWay.has(conversationId)) return;
  underWay.add(conversationId);
  const next = () => all.peek().find((one) => one.conversationId === conversationId && one.messageId === null && one.refusal === null);
  for (let one = next(); one; one = next()) if (!(await isSettled(one))) break;
  underWay.delete(conversationId);
}

/** Try *one*; false where it is not known what became of it, so that it is tried again when the service is back. */
async function isSettled(one: Outgoing): Promise<boolean> {
  const input = one.isTried ? one.input : afterOwn(one.input);
  change(one.key, { input, isTried: true });
  const result = await write("message.reply", input, { key: one.key });
  if (result.ok) {
    lastSent.set(one.conversationId, result.answer.id);
    change(one.key, { messageId: result.answer.id });
    return true;
  }
  const { code, detail, title } = result.problem;
  if (isUncertain(result.problem)) return false;
  change(one.key, { refusal: detail ?? title, isLate: code === "conflict" && input.unlessAnsweredSince !== undefined });
  return true;
}

function flushAll(): void {
  const waiting = all.peek().filter(({ messageId, refusal }) => messageId === null && refusal === null);
  for (const conversationId of new Set(waiting.map((one) => one.conversationId))) void flush(conversationId);
}

flushAll();
whenBack(flushAll);
