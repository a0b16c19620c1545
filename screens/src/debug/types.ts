/** What the operator's listener tells: docs/operator.md has it in words. */

import type { debug } from "../messages/en/debug";

export interface Kind {
  kind: string;
  active: number;
  quarantined: number;
  mailboxDepth: number;
  mailboxOldestSeconds: number;
  turns: number;
  crashes: number;
  refused: number;
  lastMinute: { seconds: number; turns: number; crashes: number; refused: number; runSeconds: number };
}

export interface ActorRow {
  kind: string;
  key: string;
  phase: string;
  turn: string | null;
  turnAgeSeconds: number | null;
  mailboxDepth: number;
  mailboxOldestSeconds: number | null;
  tasks: number;
  /** The oldest of them. */
  task: string | null;
  taskAgeSeconds: number | null;
  guardedWaits: number;
  timers: Record<string, number>;
  turns: number;
  crashes: number;
  lastError: string | null;
}

export interface WaitingQueue {
  organizationId: string;
  count: number;
  oldestId: string;
  /** Unix milliseconds. */
  oldestSince: number;
  why: string;
  /** `<kind>/<key>`; null where a person is to do it. */
  actor: string | null;
}

export interface WaitingNoun {
  noun: keyof typeof debug.waiting.nouns;
  count: number;
  organizations: number;
  oldestSince: number | null;
  /** Those with the oldest items, the oldest first. */
  queues: WaitingQueue[];
}

export interface TurnRecord {
  turn: string;
  at: number;
  requestId: string | null;
  waitMs: number;
  runMs: number;
  outcome: string;
}

export interface Inspection {
  statistics: ActorRow;
  stack: string[];
  requestId: string | null;
  waitsFor: string[];
  waiting: Record<string, number>;
  tasks: { name: string; ageSeconds: number; requestId: string | null; stack: string[] }[];
  turns: TurnRecord[];
  crash: { at: number; error: string; turn: string | null; stack: string[]; turns: TurnRecord[] } | null;
  state: unknown;
  stateMissing: string | null;
}

export const SORTS = ["trouble", "mailbox", "age", "turns", "crashes"] as const;

export interface Subscription {
  kind?: string;
  key: string;
  sort: (typeof SORTS)[number];
  limit: number;
}

export interface LiveMessage {
  type: "snapshot" | "delta";
  at: number;
  draining: boolean;
  kinds: Kind[];
  total: number;
  order: string[];
  actors: ActorRow[];
  /** Null while the data cannot be read. */
  waiting: WaitingNoun[] | null;
}

export const idOf = ({ kind, key }: { kind: string; key: string }) => `${kind}/${key}`;
export const pathOf = ({ kind, key }: { kind: string; key: string }) => `${encodeURIComponent(kind)}/${encodeURIComponent(key)}`;
/** Of `<kind>/<key>`, of which the key may have slashes too. */
export const actorOf = (name: string) => ({ kind: name.slice(0, name.indexOf("/")), key: name.slice(name.indexOf("/") + 1) });
