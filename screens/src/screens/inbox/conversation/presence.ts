/** Who else has a conversation open, and whether they write. What this page says of its own is an answer's price. */
import { useEffect } from "preact/hooks";
import { Query, useQuery } from "../../../house/queries";
import { send } from "../../../house/requests";

/** The service forgets who was not heard of for half a minute. */
const BEAT_MS = 20_000;
/** So long after the last letter somebody writes no more. */
const WRITING_MS = 6_000;
/** Others come and go in conversations all over: a hint of it is no more than a reason to look. */
const SPACING_MS = 1_000;

export interface PersonPresent {
  id: string;
  name: string;
  activity: "looks" | "writes";
}

interface People {
  people: PersonPresent[];
}

export interface Presence {
  people: readonly PersonPresent[];
  /** A letter was typed. */
  typing: () => void;
}

/** When a letter was typed last in the conversation that is open. */
let typedAt = Number.NEGATIVE_INFINITY;

/** The conversation that is open. */
let openId: string | null = null;

/** Settles when all was said: what overtook "gone" on its way would stand for half a minute. */
let said: Promise<unknown> = Promise.resolve();

function tell(conversationId: string, activity: PersonPresent["activity"] | null) {
  const answer = said.then(() => send<People>("/app/api/presence", { body: { conversationId, activity } }));
  said = answer.catch(() => undefined);
  return answer;
}

function activityNow(): PersonPresent["activity"] | null {
  if (document.visibilityState === "hidden") return null;
  return performance.now() - typedAt < WRITING_MS ? "writes" : "looks";
}

export function usePresence(conversationId: string): Presence {
  useEffect(() => {
    openId = conversationId;
    typedAt = Number.NEGATIVE_INFINITY;
    return () => {
      openId = null;
      void tell(conversationId, null);
    };
  }, [conversationId]);
  const query = useQuery<People>(
    `presence ${conversationId}`,
    () =>
      new Query<People>(["presence"], () => tell(conversationId, openId === conversationId ? activityNow() : null), undefined, SPACING_MS),
  );
  useEffect(() => {
    const again = () => void query.again();
    const beat = window.setInterval(() => document.visibilityState === "visible" && again(), BEAT_MS);
    document.addEventListener("visibilitychange", again);
    return () => {
      clearInterval(beat);
      document.removeEventListener("visibilitychange", again);
    };
  }, [query]);
  const typing = () => {
    const wasWriting = activityNow() === "writes";
    typedAt = performance.now();
    if (wasWriting) return;
    void query.again();
    const cease = () => {
      const left = typedAt + WRITING_MS - performance.now();
      if (left > 0) window.setTimeout(cease, left);
      else if (query.held) void query.again();
    };
    window.setTimeout(cease, WRITING_MS);
  };
  return { people: query.state.value.answer?.people ?? [], typing };
}
