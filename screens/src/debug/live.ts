/** The socket of the live view: it follows what the page shows, and comes back by itself. */
import { effect, signal } from "@preact/signals";
import { parameters } from "./address";
import { type ActorRow, idOf, type Kind, type LiveMessage, SORTS, type Subscription, type WaitingNoun } from "./types";

const RETRY_MS = 2_000;
const TRY_AGAIN_LATER = 1013;
export const PAGE = 50;
export const LIMIT_MAX = 200;

export type Connection = "connecting" | "live" | "away" | "full";

export const connection = signal<Connection>("connecting");
export const draining = signal(false);
export const kinds = signal<readonly Kind[]>([]);
/** Undefined until the first message of a subscription. */
export const actors = signal<readonly ActorRow[] | undefined>(undefined);
export const total = signal(0);
/** Undefined until the first message; null while the data cannot be read. */
export const waiting = signal<readonly WaitingNoun[] | null | undefined>(undefined);
/** When the service told the last, by its clock. */
export const tellsAt = signal(0);

/** What the address asks for. */
export function subscription(): Subscription {
  const { kind, key = "", sort, limit } = parameters.value;
  return {
    ...(kind && { kind }),
    key,
    sort: SORTS.find((one) => one === sort) ?? "trouble",
    limit: Math.min(Math.max(Number(limit) || PAGE, 1), LIMIT_MAX),
  };
}

/** Connect, and stay connected for as long as the page is there. */
export function connect(): void {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/debug/live`);
  const kindsByName = new Map<string, Kind>();
  const nounsByName = new Map<string, WaitingNoun>();
  let rows = new Map<string, ActorRow>();
  let asked = "";
  let awaitsSnapshot = true;
  let stop = () => {};
  socket.addEventListener("open", () => {
    stop = effect(() => {
      const wanted = JSON.stringify({ subscribe: subscription() });
      if (wanted === asked) return;
      asked = wanted;
      awaitsSnapshot = true;
      socket.send(wanted);
    });
  });
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as LiveMessage;
    // Between a new subscription and its snapshot, what comes is of the one before.
    if (awaitsSnapshot && message.type !== "snapshot") return;
    awaitsSnapshot = false;
    if (message.type === "snapshot") rows = new Map();
    for (const kind of message.kinds) kindsByName.set(kind.kind, kind);
    for (const actor of message.actors) rows.set(idOf(actor), actor);
    rows = new Map(message.order.flatMap((id) => (rows.has(id) ? [[id, rows.get(id) as ActorRow]] : [])));
    for (const noun of message.waiting ?? []) nounsByName.set(noun.noun, noun);
    connection.value = "live";
    tellsAt.value = message.at;
    waiting.value = message.waiting && [...nounsByName.values()];
    draining.value = message.draining;
    kinds.value = [...kindsByName.values()];
    actors.value = [...rows.values()];
    total.value = message.total;
  });
  socket.addEventListener("close", ({ code }) => {
    stop();
    connection.value = code === TRY_AGAIN_LATER ? "full" : "away";
    setTimeout(() => void comeBack(), RETRY_MS);
  });
}

async function comeBack(): Promise<void> {
  // A handshake that is refused does not tell a page why: it may be that the cookie is over.
  const answer = await fetch("/debug/actors?limit=1").catch(() => null);
  if (answer?.status === 401) location.assign("/debug/sign-in");
  else connect();
}
