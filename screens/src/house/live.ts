/**
 * Hints of what has changed, as server-sent events. One tab of a browser holds the stream and passes what it
 * hears on to the others; while there is none, every tab asks again every 15 seconds and the frame says so.
 */
import { signal } from "@preact/signals";
import { firstHint, organization, session } from "./boot";
import { signInAgain } from "./identity";
import { allChanged, failedAgain, nounChanged } from "./queries";
import { send } from "./requests";
import { whenBack } from "./returning";

const POLL_MS = 15_000;
const RETRY_MS = [1_000, 2_000, 5_000, 15_000];
const GRACE_MS = 3_000; // A stream that is back by then was never missed.

/** Whether changes are heard of as they happen. */
export const isLive = signal(true);

type Word =
  | { noun: string }
  | { resync: true }
  | { live: boolean }
  /** A tab that opened with what was known at this number. */
  | { opened: string }
  /** Something has changed between that number and the tab's first word. */
  | { missed: string };

/** Keep this tab's answers up to date, from now on. */
export function listen(): void {
  if (!session.value || !organization) return;
  const name = `svc-events-${organization.id}`;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data: word }: MessageEvent<Word>) => {
    if (!("opened" in word)) take(word);
    else if (heard !== null && Number(heard) > Number(word.opened)) channel.postMessage({ missed: word.opened });
  };
  const tell = (word: Word) => {
    take(word);
    channel.postMessage(word);
  };
  if (firstHint !== null) channel.postMessage({ opened: firstHint });
  // Without locks (a page over plain HTTP from another machine) each tab has a stream of its own.
  if (navigator.locks) void navigator.locks.request(name, () => hold(tell));
  else void hold(take);
  window.setInterval(() => {
    if (!isLive.peek() && document.visibilityState === "visible") allChanged();
  }, POLL_MS);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !isLive.peek()) allChanged();
  });
  // One call may fail while the stream stands.
  whenBack(failedAgain);
}

let cutOff = 0;
/** In the tab that holds the stream: the number of the last hint. The next stream goes on after it. */
let heard: string | null = null;

function take(word: Word): void {
  if ("noun" in word) nounChanged(word.noun);
  else if ("resync" in word) allChanged();
  else if ("missed" in word) {
    if (word.missed === firstHint) allChanged();
  } else if ("opened" in word) return;
  else if (word.live) {
    clearTimeout(cutOff);
    if (!isLive.peek()) allChanged();
    isLive.value = true;
  } else {
    clearTimeout(cutOff);
    cutOff = window.setTimeout(() => (isLive.value = false), GRACE_MS);
  }
}

/** Hold the stream for as long as the tab is there. */
async function hold(tell: (word: Word) => void): Promise<never> {
  heard = firstHint;
  for (let tries = 0; ; tries += 1) {
    if (await stream(tell)) tries = 0;
    tell({ live: false });
    // An event source does not tell why it was refused. The session may have ended: this asks.
    const alive = await send("/app/api/session", { method: "GET" });
    if (!alive.ok && alive.problem.code === "unauthorized") await signInAgain();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]));
  }
}

/**
 * One event source, until it is refused; true if it was open before. After a break it connects again by itself,
 * from where it was.
 */
function stream(tell: (word: Word) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const query = new URLSearchParams({ org: organization?.id ?? "", ...(heard !== null && { after: heard }) });
    const source = new EventSource(`/app/api/events?${query}`);
    let wasOpen = false;
    source.onopen = () => {
      wasOpen = true;
      tell({ live: true });
    };
    source.addEventListener("changed", (event: MessageEvent<string>) => {
      heard = event.lastEventId;
      tell({ noun: (JSON.parse(event.data) as { noun: string }).noun });
    });
    source.addEventListener("resync", (event: MessageEvent<string>) => {
      heard = event.lastEventId;
      tell({ resync: true });
    });
    source.onerror = () => {
      tell({ live: false });
      if (source.readyState === EventSource.CLOSED) resolve(wasOpen);
    };
  });
}
